// The stored form of events: its contents come back, changed records are refused, and released records stay readable
// for ever.

import Foundation
import TestSupport
import Testing

@testable import HandsetCore

@Suite struct EventRecordTests {
  /// Returns one event of each kind, with apps, pushes and moments that may be the same as in the event before.
  private func events(from sequence: UInt64, using chance: inout SplitMix64) -> [Event] {
    EventEncodingTests.table.shuffled(using: &chance).prefix(Int.random(in: 1...40, using: &chance)).enumerated().map {
      place, entry in
      let push = PushID(
        high: 0xABCD_EF00_0000_0000 | UInt64.random(in: 0...1, using: &chance), low: 0xA,
        upperCaseDigits: [0, 1, .max].randomElement(using: &chance)!)
      return Event(
        sequence: sequence + UInt64(place),
        moment: Moment(
          uptime: .microseconds([0, 5, -5, Int64.max, .min].randomElement(using: &chance)!),
          wall: WallTime(microseconds: [0, 1_800_000_000_000_000, .max, .min].randomElement(using: &chance)!)),
        app: [nil, AppID("a"), AppID(String(repeating: "b", count: 255))].randomElement(using: &chance)!,
        push: Bool.random(using: &chance) ? push : nil, kind: entry.kind)
    }
  }

  @Test func `Events are read as they were written, with their rulings`() throws {
    let seed = ProcessInfo.processInfo.environment["DESKBELL_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max)
    print("EventRecord random run: DESKBELL_SEED=\(seed)")
    var chance = SplitMix64(state: seed)
    for _ in 0..<100 {
      let first = UInt64.random(in: 0...1 << 62, using: &chance)
      let events = events(from: first, using: &chance)
      var rulings: [PushRulings] = []
      for event in events where Bool.random(using: &chance) {
        let some = Ruling.allCases.shuffled(using: &chance).prefix(Int.random(in: 0...30, using: &chance))
        rulings.append(PushRulings(event: event.sequence, push: PushID(high: 0, low: 1), rulings: Array(some)))
      }
      let bytes = EventRecord.bytes(of: events[...], rulings: rulings)
      let read = try EventRecord.events(in: bytes, from: first)
      // A comparison in `require` would print all of the events; the seed is more useful.
      let isSame = read.map(\.report) == events.map { EventReport($0) }
      try #require(isSame, "DESKBELL_SEED=\(seed)")
      let found = Dictionary(uniqueKeysWithValues: read.map { ($0.report.sequence, $0.rulings) })
      let stored = Dictionary(uniqueKeysWithValues: rulings.map { ($0.event, $0.rulings.map(\.code)) })
      let isExplained = found.filter { !$0.value.isEmpty } == stored.filter { !$0.value.isEmpty }
      try #require(isExplained, "DESKBELL_SEED=\(seed)")
    }
  }

  @Test func `Events with the values of the one before have the same bytes, and similar ones their own`() throws {
    func presented(_ sound: String?, _ replaced: String? = nil) -> Event.Kind {
      .presented(
        Event.Presented(
          style: .banner, isListed: true, rung: Rung(sound: sound), replaces: replaced.flatMap { PushID($0) }))
    }
    let id = "0123abcd-0000-0000-0000-000000000000"
    let kinds: [Event.Kind] = [
      .accepted(.alert), .accepted(.alert), .accepted(.voip), .accepted(.voip, unique: PushID(id)), .accepted(.voip),
      .badge(1), .badge(1), .badge(2),
      .cleared(.limit, count: 1), .cleared(.limit, count: 1), .cleared(.limit, count: 2), .cleared(.opened, count: 2),
      presented("e\u{301}"), presented("e\u{301}"), presented("\u{E9}"), presented(nil), presented("a", id),
      presented("a", id.uppercased()), presented("a"),
    ]
    let events = kinds.enumerated().map { place, kind in
      Event(
        sequence: UInt64(place + 3), moment: Moment(uptime: .zero, wall: WallTime(microseconds: 0)), app: nil,
        push: nil, kind: kind)
    }
    let rulings = [[Ruling.online], [.online], [.listed]].enumerated().map { place, rulings in
      PushRulings(event: UInt64(place + 3), push: PushID(high: 0, low: 1), rulings: rulings)
    }
    let read = try EventRecord.events(in: EventRecord.bytes(of: events[...], rulings: rulings), from: 3)
    // Texts that are spelt in two ways are equal, so their bytes are compared.
    #expect(read.map { Array($0.report.line.utf8) } == events.map { Array(EventReport($0).line.utf8) })
    #expect(read.prefix(4).map(\.rulings) == rulings.map { $0.rulings.map(\.code) } + [[]])
  }

  @Test func `Texts of every length and script, and numbers of every size`() throws {
    let texts = ["", "é", "\u{0}", "📬", "badge", String(repeating: "x", count: 30), String(repeating: "y", count: 31)]
    for text in texts + [String(repeating: "z", count: 70_000)] {
      let event = Event(
        sequence: 3, moment: Moment(uptime: .zero, wall: WallTime(microseconds: 0)), app: nil, push: nil,
        kind: .refused(status: .min, reason: text, detail: text + text))
      let bytes = EventRecord.bytes(of: [event], rulings: [])
      #expect(try EventRecord.events(in: bytes, from: 3).map(\.report) == [EventReport(event)])
    }
  }

  private static func golden(_ name: String) throws -> [String] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(name)")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  /// One record of each kind of event, and one of a push.
  private static var all: [(events: [Event], rulings: [PushRulings])] {
    let moment = Moment(uptime: .seconds(2), wall: WallTime(microseconds: 1_767_225_600_000_001))
    let push = PushID("123E4567-e89b-12d3-a456-426614174000")
    func event(_ sequence: UInt64, _ kind: Event.Kind) -> Event {
      Event(sequence: sequence, moment: moment, app: AppID("com.example.mail"), push: push, kind: kind)
    }
    let alone = EventEncodingTests.table.map { ([event(7, $0.kind)], [PushRulings]()) }
    let together = [
      event(7, .accepted(.alert)), event(8, .badge(3)),
      event(9, .presented(.init(style: .banner, isListed: true, rung: Rung(sound: "letter")))),
    ]
    func rulings(_ numbers: ClosedRange<UInt16>) -> [PushRulings] {
      let list = numbers.compactMap { Ruling(rawValue: $0) }
      return [PushRulings(event: 7, push: PushID(high: 0, low: 1), rulings: list)]
    }
    // New records come after the older ones. There were this many kinds of events when rulings were added.
    let known = [51, 61, 66, 68]
    let newer: [ClosedRange<UInt16>] = [256...258, 270...271, 275...279, 282...283, 284...285, 322...351]
    let arrivals = newer.map { ([event(7, .accepted(.alert))], rulings($0)) }
    let older = rulings(53...135)
    return Array(alone.prefix(known[0])) + [(together, older)] + Array(alone[known[0]..<known[1]])
      + Array(arrivals.prefix(2)) + Array(alone[known[1]..<known[2]]) + Array(arrivals[2..<5])
      + Array(alone[known[2]..<known[3]]) + Array(arrivals.dropFirst(5)) + Array(alone.dropFirst(known[3]))
  }

  /// Writes the file of this version to the path in `DESKBELL_RECORDS`.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["DESKBELL_RECORDS"] != nil)) func `Records are recorded`()
    throws
  {
    let lines = Self.all.map { events, rulings in
      Hex.text(EventRecord.bytes(of: events[...], rulings: rulings)) + " "
        + events.map { EventReport($0).line }.joined(separator: " ")
    }
    let path = try #require(ProcessInfo.processInfo.environment["DESKBELL_RECORDS"])
    try lines.joined(separator: "\n").appending("\n").write(toFile: path, atomically: true, encoding: .utf8)
  }

  /// Each line is a record in hexadecimal digits and its meaning. No line of a released version is ever changed: new
  /// kinds of events are added at the end, and a new version of the form gets and writes a new file.
  @Test(arguments: ["events-1.txt"]) func `Records of every version are read for ever`(file: String) throws {
    let lines = try Self.golden(file)
    #expect(lines.count == Self.all.count)
    for (line, expected) in zip(lines, Self.all) {
      let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
      let bytes = stride(from: 0, to: parts[0].count, by: 2).map { place in
        UInt8(parts[0].dropFirst(place).prefix(2), radix: 16)!
      }
      let read = try EventRecord.events(in: bytes, from: 7)
      #expect(read.map(\.report) == expected.events.map { EventReport($0) })
      #expect(read.flatMap(\.rulings) == expected.rulings.flatMap { $0.rulings.map(\.code) })
      #expect(read.map(\.report.line).joined(separator: " ") == parts[1])
      #expect(EventRecord.bytes(of: expected.events[...], rulings: expected.rulings) == bytes)
    }
  }

  @Test func `A byte that was changed, added or lost is refused, and so is another number`() throws {
    for (events, rulings) in Self.all {
      let bytes = EventRecord.bytes(of: events[...], rulings: rulings)
      for place in bytes.indices {
        for change in [1, 0x80, 0xFF] as [UInt8] {
          var changed = bytes
          changed[place] ^= change
          #expect(throws: EventRecordError.self) { try EventRecord.events(in: changed, from: 7) }
        }
        #expect(throws: EventRecordError.self) { try EventRecord.events(in: Array(bytes[..<place]), from: 7) }
      }
      #expect(throws: EventRecordError.self) { try EventRecord.events(in: bytes + [0], from: 7) }
      #expect(throws: EventRecordError.self) { try EventRecord.events(in: bytes, from: 8) }
    }
  }

  @Test func `Bytes with a valid check that are no record are refused`() throws {
    var chance = SplitMix64(state: 1)
    let whole = Self.all.map { EventRecord.bytes(of: $0.events[...], rulings: $0.rulings) }
    for _ in 0..<2_000 {
      var body = Array(whole.randomElement(using: &chance)!.dropLast(EventRecord.checkBytes))
      for _ in 0..<Int.random(in: 1...4, using: &chance) {
        body[Int.random(in: 1..<body.count, using: &chance)] = UInt8.random(in: 0...255, using: &chance)
      }
      body.removeLast(Int.random(in: 0..<body.count - 1, using: &chance))
      // Any bytes are read or refused.
      _ = try? EventRecord.events(in: EventRecord.closed(body, 7), from: 7)
    }
    let refused: [([UInt8], String)] = [
      ([1, 0], "its first event is incomplete"), ([1, 1, 0], "it ends too early"),
      ([1, 1] + [UInt8](repeating: 0x80, count: 12), "a number is too long"),
      ([1, 1, 0, 0, 0xC5, 0xFF], "a word is unknown"), ([1, 1, 0, 0, 0xE1, 0xC0], "a text is not UTF-8"),
      ([1, 1, 0, 0, 0xE1, 0x61, 1, 0xE0, 9], "a field is of an unknown kind"),
      ([1, 1, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1], "it ends too early"),
      ([3], "its version 3 is unknown"),
    ]
    for (body, problem) in refused {
      #expect(throws: EventRecordError(problem)) {
        try EventRecord.events(in: EventRecord.closed(body, 7), from: 7)
      }
    }
    #expect(throws: EventRecordError("it is empty")) { try EventRecord.events(in: [], from: 7) }
  }

  @Test func `A code of a later version has no text, and a word that is not listed is kept`() throws {
    let body: [UInt8] = [1, 1, 0, 0, 0xE3, 0x6E, 0x65, 0x77, 1, 0xE1, 0x61, 5, 0xE1, 0x62]
    let report = try #require(try EventRecord.events(in: EventRecord.closed(body, 7), from: 7).first?.report)
    #expect(report.line == #"{"a":"b","event":"new","sequence":7,"uptimeMicroseconds":0,"wallMicroseconds":0}"#)
  }

  @Test func `Words that events often have take one byte or two`() {
    let words = Set(RecordWords.all)
    #expect(words.count == RecordWords.all.count && words.count <= (RecordWords.text - RecordWords.oneByte) << 8)
    #expect(words.isSuperset(of: Event.Name.allCases.map(\.rawValue)))
    #expect(Ruling.allCases.allSatisfy { RecordWords.all[Int($0.rawValue)] == $0.code })
    #expect(words.isSuperset(of: Why.table.flatMap { $0.reasons.map(\.code) }))
    // A ruling with this number would give the last word of 0.7.3 another one.
    func place(_ word: String) -> Int? { Array(word.utf8).withUnsafeBufferPointer { RecordWords.places.place(of: $0) } }
    #expect(place("handset-volume-zero") == 286)
    #expect(RecordWords.all.map(place) == Array(RecordWords.all.indices))
    for other in ["", "handset-volume-zer", "handset-volume-zero ", String(repeating: "a", count: 300)] {
      #expect(place(other) == nil)
    }
  }
}

extension EventRecord {
  /// Returns the record of events with consecutive numbers.
  static func bytes(of events: ArraySlice<Event>, rulings: [PushRulings]) -> [UInt8] {
    var writer = EventRecordWriter()
    writer.add(events, rulings: rulings)
    writer.close()
    return writer.bytes
  }
}
