// The journal holds each event as the line that a reader of the stream gets: it is encoded once, and an event of an
// older version reads as it did.

import FoundationEssentials
import HandsetCore

/// Makes of an event its line in the journal.
public struct EventEncoder {
  private let encoder = JSONEncoder()

  public init() {
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  /// One JSON object, without a line break.
  /// - Throws: `StoreError.unwritable`.
  public func line(_ event: Event) throws(StoreError) -> String {
    do {
      return String(decoding: try encoder.encode(event), as: UTF8.self)
    } catch {
      throw .unwritable("event \(event.sequence)", problem: "\(error)")
    }
  }
}

/// An event as stored.
public struct StoredEvent: Hashable, Sendable {
  public var sequence: UInt64
  /// One JSON object, without a line break.
  public var line: String
  /// What the rules came to, where the event has them and they were asked for: the rulings' raw values with spaces.
  public var rulings: String?

  public init(sequence: UInt64, line: String, rulings: String? = nil) {
    self.sequence = sequence
    self.line = line
    self.rulings = rulings
  }
}

extension HandsetStore {
  func journalLines(of turns: [Turn]) throws(StoreError) -> [StoredEvent] {
    var lines: [StoredEvent] = []
    for turn in turns {
      // In the order of the events that they are kept with.
      var explained = turn.rulings[...]
      for event in turn.events {
        var line = StoredEvent(sequence: event.sequence, line: try eventEncoder.line(event))
        if let first = explained.first, first.event == event.sequence {
          line.rulings = first.rulings.map(\.rawValue).joined(separator: " ")
          explained.removeFirst()
        }
        lines.append(line)
      }
    }
    return lines
  }

  /// Appends the lines and drops as many of the oldest as go past the limit, by their key: what is kept is not read.
  func append(_ lines: [StoredEvent], of handset: HandsetNumber) throws(StoreError) {
    for line in lines {
      try database.run(
        "INSERT INTO event (handset, sequence, line, rulings) VALUES (?, ?, ?, ?)",
        .integer(handset), .count(line.sequence), .text(line.line), .optional(line.rulings))
    }
    guard let last = lines.last?.sequence else { return }
    if last > UInt64(eventLimit) {
      try database.run(
        "DELETE FROM event WHERE handset = ? AND sequence <= ?", .integer(handset), .count(last - UInt64(eventLimit)))
    }
    try makeRoom(of: handset, after: last)
  }

  /// The events after `sequence`, oldest first, at most `limit` of them. 0 is before the first.
  public func events(
    of handset: HandsetNumber, after sequence: UInt64, limit: Int
  ) throws(StoreError) -> [StoredEvent] {
    let statement = try database.query(
      "SELECT sequence, line FROM event WHERE handset = ? AND sequence > ? ORDER BY sequence LIMIT ?",
      .integer(handset), .integer(Int64(clamping: sequence)), .integer(Int64(max(limit, 0))))
    defer { statement.reset() }
    var events: [StoredEvent] = []
    while try statement.step() {
      // A line that is damaged is given as it is: to stop at it would hide all that came after.
      let line = String(decoding: statement.bytes(1), as: UTF8.self)
      events.append(StoredEvent(sequence: UInt64(bitPattern: statement.integer(0)), line: line))
    }
    return events
  }

  /// Those events of a span of the journal that name the push, with their rulings, and those that say that
  /// notifications were cleared; oldest first. Room that Notification Center made, of which there may be one event for
  /// each push, is not among them. Nothing indexes them by push: each push would pay for what is asked for rarely. So
  /// all in the span are read, which a caller keeps short.
  /// - Parameter push: however it is spelt.
  public func events(
    of handset: HandsetNumber, naming push: PushID, in span: ClosedRange<UInt64>
  ) throws(StoreError) -> [StoredEvent] {
    // A quotation mark within a JSON string has a backslash before it: the pattern finds whole values only. LIKE does
    // not regard the case of letters.
    let statement = try database.query(
      """
      SELECT sequence, line, rulings FROM event
      WHERE handset = ? AND sequence BETWEEN ? AND ?
        AND (line LIKE ? OR line LIKE '%"event":"cleared"%' AND line NOT LIKE ?)
      ORDER BY sequence
      """,
      .integer(handset), .integer(Int64(clamping: span.lowerBound)), .integer(Int64(clamping: span.upperBound)),
      .text("%\"\(push)\"%"), .text("%\"\(Event.Cleared.limit.rawValue)\"%"))
    defer { statement.reset() }
    var events: [StoredEvent] = []
    while try statement.step() {
      events.append(
        StoredEvent(
          sequence: UInt64(bitPattern: statement.integer(0)), line: String(decoding: statement.bytes(1), as: UTF8.self),
          rulings: statement.text(2)))
    }
    return events
  }

  /// The sequence numbers of the oldest and the newest event that are kept; nil where there is none.
  public func eventSequences(of handset: HandsetNumber) throws(StoreError) -> ClosedRange<UInt64>? {
    func end(_ function: String) throws(StoreError) -> UInt64? {
      let sql = "SELECT \(function)(sequence) FROM event WHERE handset = ?"
      return try database.integer(sql, .integer(handset)).flatMap(UInt64.init(exactly:))
    }
    guard let first = try end("min"), let last = try end("max"), first <= last else { return nil }
    return first...last
  }
}
