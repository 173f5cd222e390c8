// The stored form of events: docs/architecture/events.md describes it byte by byte. Records of every released version
// are read for ever, so nothing here changes without a new version byte; words are only added to the end of the list.

/// The reason why stored events cannot be read.
public struct EventRecordError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) {
    self.description = description
  }
}

/// A stored record: a version, events without their numbers, and four bytes by which a changed record is recognised.
public enum EventRecord {
  /// Rulings are codes of `Ruling`.
  public typealias RecordedEvent = (report: EventReport, rulings: [String])

  static let version: UInt8 = 1
  static let checkBytes = 4

  static func closed(_ bytes: consuming [UInt8], _ sequence: UInt64) -> [UInt8] {
    withUnsafeBytes(of: check(bytes[...], sequence).littleEndian) { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// Returns the events of a record.
  /// - Throws: an error if the bytes are no record that begins with that event.
  public static func events(in bytes: [UInt8], from sequence: UInt64) throws(EventRecordError) -> [RecordedEvent] {
    guard bytes.first == version else {
      throw EventRecordError(bytes.first.map { "its version \($0) is unknown" } ?? "it is empty")
    }
    let body = bytes.dropLast(checkBytes)
    let found = bytes[body.endIndex...].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard !body.isEmpty, found == check(body, sequence) else { throw EventRecordError("its bytes were changed") }
    var reader = RecordReader(body.dropFirst())
    var events: [RecordedEvent] = []
    while !reader.isAtEnd { events.append(try reader.event(sequence &+ UInt64(events.count))) }
    return events
  }

  /// Returns `Event.share` of the first event; nil also if that cannot be read.
  /// - Parameter bytes: a record's bytes, or its first 512.
  public static func share(of bytes: [UInt8]) -> String? {
    guard bytes.first == version else { return nil }
    var reader = RecordReader(bytes.dropFirst())
    return try? reader.shareOfFirstEvent()
  }

  fileprivate static func check(_ bytes: ArraySlice<UInt8>, _ sequence: UInt64) -> UInt32 {
    var digest = Digest()
    digest.add(sequence)
    digest.add(bytes)
    return UInt32(truncatingIfNeeded: digest.value)
  }
}

/// The first byte of an event: the parts that it has and the parts that follow. The others are as in the event before.
private struct RecordFlags: OptionSet {
  let rawValue: UInt8
  static let moment = RecordFlags(rawValue: 1)
  static let hasApp = RecordFlags(rawValue: 2)
  static let app = RecordFlags(rawValue: 4)
  static let hasPush = RecordFlags(rawValue: 8)
  static let push = RecordFlags(rawValue: 16)
  static let rulings = RecordFlags(rawValue: 32)
}

/// The byte before a field's value.
private enum FieldKind: UInt8 {
  case text, number, off, on, list, reason, push
}

/// A record that is written turn by turn. It keeps its memory for the next one.
public struct EventRecordWriter: Sendable, EventValues {
  /// The record, without its check until it is closed.
  public private(set) var bytes: [UInt8] = []
  public private(set) var first: UInt64 = 0
  public private(set) var count = 0
  private var moment: Moment?
  private var app: AppID?
  private var push: PushID?
  /// The place of the number of the values of the event that is being written.
  private var countPlace = 0
  private var last = LastValues()

  public init() { bytes.reserveCapacity(1_024) }

  /// Begins another record.
  public mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    (count, moment, app, push) = (0, nil, nil, nil)
  }

  /// Adds events whose numbers follow those before. The rulings are in the order of their events; those of other events
  /// are left out.
  public mutating func add(_ events: ArraySlice<Event>, rulings: [PushRulings]) {
    if count == 0, let event = events.first {
      bytes.append(EventRecord.version)
      first = event.sequence
    }
    var explained = 0
    // In place: an event is large.
    events.withUnsafeBufferPointer { events in
      for index in events.indices {
        while explained < rulings.count, rulings[explained].event < events[index].sequence { explained += 1 }
        let isExplained = explained < rulings.count && rulings[explained].event == events[index].sequence
        add(events, index, rulings: isExplained ? rulings[explained].rulings : [])
      }
    }
    count += events.count
  }

  /// Adds the check. No event follows.
  public mutating func close() {
    withUnsafeBytes(of: EventRecord.check(bytes[...], first).littleEndian) { bytes.append(contentsOf: $0) }
  }

  private mutating func add(_ events: UnsafeBufferPointer<Event>, _ index: Int, rulings: [Ruling]) {
    var flags: RecordFlags = []
    if events[index].moment != moment { flags.insert(.moment) }
    if let id = events[index].app { flags.formUnion(id == app ? .hasApp : [.hasApp, .app]) }
    if let id = events[index].push {
      let isSame = id == push && id.upperCaseDigits == push?.upperCaseDigits
      flags.formUnion(isSame ? .hasPush : [.hasPush, .push])
    }
    if !rulings.isEmpty { flags.insert(.rulings) }
    bytes.append(flags.rawValue)
    if flags.contains(.moment) {
      moment = events[index].moment
      bytes.append(zigzag: events[index].moment.uptime.inMicroseconds)
      bytes.append(zigzag: events[index].moment.wall.microseconds)
    }
    if flags.contains(.app), let id = events[index].app {
      add(id.text)
      app = id
    }
    if flags.contains(.push), let id = events[index].push {
      add(id)
      push = id
    }
    addValues(of: events, index)
    guard !rulings.isEmpty else { return }
    guard rulings != last.rulings else { return bytes.append(contentsOf: last.bytes[4]) }
    let start = bytes.count
    bytes.append(varint: UInt64(rulings.count))
    for ruling in rulings { add(word: Int(ruling.rawValue)) }
    last.rulings = rulings
    last.keep(bytes[start...], 4)
  }

  /// Adds an event's name and values. It is read in place: only what differs is copied.
  private mutating func addValues(of events: UnsafeBufferPointer<Event>, _ index: Int) {
    let (place, isSame): (Int, Bool)
    if case .accepted(let type, unique: nil) = events[index].kind {
      (place, isSame) = (0, last.accepted == type)
      last.accepted = type
    } else if case .badge(let number) = events[index].kind {
      (place, isSame) = (1, last.badge == number)
      last.badge = number
    } else if case .cleared(let why, let count) = events[index].kind {
      (place, isSame) = (2, last.cleared == why && last.count == count)
      (last.cleared, last.count) = (why, count)
    } else if case .presented(let presented) = events[index].kind {
      (place, isSame) = (3, last.presented?.isWritten(as: presented) == true)
      if !isSame { last.presented = presented }
    } else {
      return events[index].write(to: &self)
    }
    if isSame { return bytes.append(contentsOf: last.bytes[place]) }
    let start = bytes.count
    events[index].write(to: &self)
    last.keep(bytes[start...], place)
  }

  mutating func begin(_ name: Event.Name) {
    add(name.rawValue)
    // The number of the values, as a varint: it is less than 128.
    countPlace = bytes.count
    bytes.append(0)
  }

  mutating func add(_ name: StaticString, _ value: Event.Value) {
    bytes[countPlace] += 1
    name.withUTF8Buffer { add(utf8: $0) }
    switch value {
    case .text(let text):
      bytes.append(FieldKind.text.rawValue)
      add(text)
    case .number(let number):
      bytes.append(FieldKind.number.rawValue)
      bytes.append(zigzag: Int64(number))
    case .flag(let flag): bytes.append((flag ? FieldKind.on : .off).rawValue)
    case .list(let list):
      bytes.append(FieldKind.list.rawValue)
      bytes.append(varint: UInt64(list.count))
      for text in list { add(text) }
    case .reason(let reason):
      bytes.append(FieldKind.reason.rawValue)
      add(reason.code)
    case .push(let push):
      bytes.append(FieldKind.push.rawValue)
      add(push)
    }
  }

  private mutating func add(_ push: PushID) {
    withUnsafeBytes(of: (push.high.bigEndian, push.low.bigEndian)) { bytes.append(contentsOf: $0) }
    bytes.append(varint: UInt64(push.upperCaseDigits))
  }

  private mutating func add(word: Int) {
    if word >= RecordWords.oneByte { bytes.append(UInt8(RecordWords.oneByte + word >> 8)) }
    bytes.append(UInt8(truncatingIfNeeded: word))
  }

  private mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(utf8: $0) }
  }

  private mutating func add(utf8: UnsafeBufferPointer<UInt8>) {
    if let word = RecordWords.places.place(of: utf8) { return add(word: word) }
    if utf8.count <= RecordWords.shortText {
      bytes.append(UInt8(RecordWords.text + utf8.count))
    } else {
      bytes.append(.max)
      bytes.append(varint: UInt64(utf8.count))
    }
    bytes.append(contentsOf: utf8)
  }
}

/// The values of the last events of the kinds that every push has, and of the last rulings, with their bytes: the next
/// push mostly has the same.
private struct LastValues {
  var accepted: PushType?
  var badge: Int?
  var cleared: Event.Cleared?
  var count = 0
  var presented: Event.Presented?
  var rulings: [Ruling] = []
  /// The bytes of each: accepted, badge, cleared, presented, rulings.
  var bytes: [[UInt8]] = Array(repeating: [], count: 5)

  mutating func keep(_ written: ArraySlice<UInt8>, _ place: Int) {
    bytes[place].removeAll(keepingCapacity: true)
    bytes[place].append(contentsOf: written)
  }
}

extension Event.Presented {
  /// Returns true if both are written with the same bytes. A sound's name is compared by its bytes. One that replaces
  /// a push counts as different: identifiers of two spellings are equal.
  fileprivate func isWritten(as other: Event.Presented) -> Bool {
    style == other.style && isListed == other.isListed && rung.silenced == other.rung.silenced
      && rung.sound.map(ExactText.init) == other.rung.sound.map(ExactText.init)
      && rung.vibration == other.rung.vibration && replaces == nil && other.replaces == nil
  }
}

private struct RecordReader {
  private var rest: ArraySlice<UInt8>
  private var moment: Moment?
  private var app: String?
  private var push: PushID?

  init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func event(_ sequence: UInt64) throws(EventRecordError) -> EventRecord.RecordedEvent {
    let flags = RecordFlags(rawValue: try byte())
    if flags.contains(.moment) {
      moment = Moment(uptime: .microseconds(try signed()), wall: WallTime(microseconds: try signed()))
    }
    if flags.contains(.app) { app = try text() }
    if flags.contains(.push) { push = try pushID() }
    guard let moment, !flags.contains(.hasApp) || app != nil, !flags.contains(.hasPush) || push != nil else {
      throw EventRecordError("its first event is incomplete")
    }
    var report = EventReport(
      sequence: sequence, moment: moment, event: try text(), app: flags.contains(.hasApp) ? app : nil,
      push: flags.contains(.hasPush) ? push : nil)
    for _ in 0..<(try number()) {
      let name = try text()
      let reasons = RecordWords.reasons[name == "silenced" ? Event.Name.notPresented.rawValue : report.event]
      for (name, value) in try value(reasons ?? [:]).fields(named: name) { report.fields[name] = value }
    }
    var rulings: [String] = []
    if flags.contains(.rulings) { for _ in 0..<(try number()) { rulings.append(try text()) } }
    return (report, rulings)
  }

  mutating func shareOfFirstEvent() throws(EventRecordError) -> String? {
    let flags = RecordFlags(rawValue: try byte())
    if flags.contains(.moment) { _ = (try signed(), try signed()) }
    let app = flags.contains(.app) ? try text() : nil
    if flags.contains(.push) { _ = try pushID() }
    guard try text() == Event.Name.refused.rawValue else { return app }
    for _ in 0..<(try number()) {
      let name = try text()
      let value = try value([:])
      if name == "provider", case .text(let provider) = value { return provider }
    }
    return nil
  }

  private mutating func value(_ reasons: [String: Why]) throws(EventRecordError) -> Event.Value {
    switch FieldKind(rawValue: try byte()) {
    case .text: return .text(try text())
    case .number:
      guard let number = Int(exactly: try signed()) else { throw EventRecordError("a number is too large") }
      return .number(number)
    case .off: return .flag(false)
    case .on: return .flag(true)
    case .list:
      var list: [String] = []
      for _ in 0..<(try number()) { list.append(try text()) }
      return .list(list)
    case .reason:
      let code = try text()
      // A code that this version does not know has no text.
      return reasons[code].map { .reason($0) } ?? .text(code)
    case .push: return .push(try pushID())
    case nil: throw EventRecordError("a field is of an unknown kind")
    }
  }

  private mutating func byte() throws(EventRecordError) -> UInt8 {
    guard let byte = rest.popFirst() else { throw EventRecordError("it ends too early") }
    return byte
  }

  private mutating func take(_ count: UInt64) throws(EventRecordError) -> ArraySlice<UInt8> {
    guard let bytes = rest.pop(count) else { throw EventRecordError("it ends too early") }
    return bytes
  }

  private mutating func number() throws(EventRecordError) -> UInt64 {
    guard let number = rest.popVarint() else { throw numberFault }
    return number
  }

  private mutating func signed() throws(EventRecordError) -> Int64 {
    guard let number = rest.popZigzag() else { throw numberFault }
    return number
  }

  private var numberFault: EventRecordError {
    EventRecordError(rest.isEmpty ? "it ends too early" : "a number is too long")
  }

  private mutating func pushID() throws(EventRecordError) -> PushID {
    let bits = try take(16)
    func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    return PushID(
      high: word(bits.prefix(8)), low: word(bits.suffix(8)), upperCaseDigits: UInt32(truncatingIfNeeded: try number()))
  }

  private mutating func text() throws(EventRecordError) -> String {
    let first = Int(try byte())
    if first < RecordWords.text {
      let word = first < RecordWords.oneByte ? first : (first - RecordWords.oneByte) << 8 | Int(try byte())
      guard word < RecordWords.all.count else { throw EventRecordError("a word is unknown") }
      return RecordWords.all[word]
    }
    let count = first == UInt8.max ? try number() : UInt64(first - RecordWords.text)
    guard let text = String(validating: try take(count), as: UTF8.self) else {
      throw EventRecordError("a text is not UTF-8")
    }
    return text
  }
}

/// The texts that events often have, each stored as its place in this list: one byte for the first, two for the others.
/// A text that is not in the list is stored as it is.
enum RecordWords {
  /// The first place whose word takes two bytes; the first of them is this or more.
  static let oneByte = 0xC0
  /// A first byte of this or more begins a text. The difference is its length in bytes, or, if the byte is 255, the
  /// number that follows is.
  static let text = 0xE0
  static let shortText = 30

  static let places = WordTable(all)

  /// The reasons by event and code.
  static let reasons: [String: [String: Why]] = Dictionary(
    uniqueKeysWithValues: Why.table.map { event, reasons in
      (event.rawValue, Dictionary(uniqueKeysWithValues: reasons.map { ($0.code, $0) }))
    })

  static let all: [String] = {
    let rulings = Ruling.allCases.map { (Int($0.rawValue), $0.code) }
    let reasons = Why.table.flatMap(\.reasons).compactMap { why in why.number.map { (Int($0), why.code) } }
    let numbered = Dictionary(rulings + reasons) { first, _ in first }
    var rest = plain[...]
    return (0..<plain.count + numbered.count).map { numbered[$0] ?? rest.popFirst() ?? "" }
  }()

  /// The words without numbers of their own, in the order of the free numbers. New ones are only added at the end.
  private static let plain =
    """
    accepted badge presented not-presented lamp display sound-started sound-ended refused held discarded delivered
    completed type number style listed sound reason status detail lit text name path problem state key value after
    kinds node condition on button press count replacedBy attempt result identifier dueWallMicroseconds overflow
    device vibration silenced replaces alert background banner none default finished started installed uninstalled
    registered unregistered node-created node-deleted lifecycle setting ignored duplicate reused-id bad-badge
    answered seen alert-dropped cleared kept arrived timed-out time-zone foreground-presentation scheduled
    unscheduled due device-lost device-back unreadable off notRunning foreground forceQuit offline low-power locked
    silent newData noData failed close view short long daemon board replaced stopped voip complication location
    fileprovider mdm liveactivity pushtotalk widgets controls double handset-off app-not-allowed not-registered-for
    switched-off nothing-to-show passive silent-switch quiet-hours volume-zero critical-volume-zero cancelled
    pending-limit badge-zero opened by-person not-allowed center-full alert-limit budget fetch-interval
    fetch-manual not-connected replaced-offline not-registered no-background-mode killed force-quit is-force-quit
    died disconnected offered-twice too-many-offered no-receiver not-listening expired expired-offline not-kept
    came-again id-in-use not-completed BadDeviceToken DeviceTokenNotForTopic Unregistered ExpiredToken
    InvalidProviderToken MissingProviderToken ExpiredProviderToken PayloadTooLarge BadTopic TopicDisallowed
    TooManyRequests source provider repeated repeat-ended snoozed snooze-ended time times others
    untilWallMicroseconds repeat-limit over call-queued called call-failed call-ended answer attempts gave-up
    call-limit by-provider retracted UnknownApp responded action com.apple.UNNotificationDefaultActionIdentifier
    by-app selected handset-volume-zero speaker-lost fault-struck fault
    activity active stale ended token updated time-limit dismissal-time older-timestamp update-replaced no-activity
    activities-off activity-limit activity-budget extended reload changed no-type-mode calls-unanswered spent-today
    unchanged collapsed service-extension fetched uniqueID notification-opened deferred focus mode summary set removed
    grouped expired-deferred replaced-deferred too-many-deferred call-not-completed
    replaced-in-service provisional
    """.split { $0.isWhitespace }.map(String.init)
}

/// The places of words in a list, found by their bytes. A dictionary of strings, which cannot be flooded with chosen
/// words, would take two fifths of the instructions that a push's record takes; these words are fixed.
struct WordTable: Sendable {
  /// A text's length and its first and last eight bytes, or all of them if it has fewer: the whole of a text of up to
  /// 16 bytes.
  private struct Key: Equatable {
    var count: Int
    var head: UInt64 = 0
    var tail: UInt64 = 0

    init(_ text: UnsafeBufferPointer<UInt8>) {
      count = text.count
      let bytes = UnsafeRawBufferPointer(text)
      if count >= 8 {
        head = bytes.loadUnaligned(as: UInt64.self)
        tail = bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
      } else {
        for byte in bytes { tail = tail << 8 | UInt64(byte) }
      }
    }

    var hash: Int {
      let mixed = (head ^ UInt64(count)) &* 0x9E37_79B9_7F4A_7C15 ^ tail
      return Int(truncatingIfNeeded: (mixed &* 0xD6E8_FEB8_6659_FD93) >> 48)
    }
  }

  /// The place of the word with that hash, or of the next one after it; -1 if it is empty.
  private var slots: [Int16]
  private let words: [[UInt8]]
  private let keys: [Key]

  /// - Parameter words: all different, some hundreds of them.
  init(_ words: [String]) {
    self.words = words.map { Array($0.utf8) }
    keys = self.words.map { $0.withUnsafeBufferPointer { Key($0) } }
    var size = 16
    while size < 4 * words.count { size *= 2 }
    slots = Array(repeating: -1, count: size)
    for (place, key) in keys.enumerated() {
      var slot = key.hash & (size - 1)
      while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
      slots[slot] = Int16(place)
    }
  }

  func place(of text: UnsafeBufferPointer<UInt8>) -> Int? {
    let key = Key(text)
    var slot = key.hash & (slots.count - 1)
    while slots[slot] >= 0 {
      let place = Int(slots[slot])
      if keys[place] == key, key.count <= 16 || words[place].elementsEqual(text) { return place }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }
}
