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

/// The two parts of the journal. Each is trimmed at its own oldest end.
private enum JournalPart: String {
  case events = "event"
  case refusals = "refused_event"

  /// The column of the handset's row that has the number of events.
  var count: String {
    switch self {
    case .events: "events"
    case .refusals: "refused_events"
    }
  }
}

/// Events to be appended to the journal.
struct JournalLines {
  var events: [StoredEvent] = []
  var refusals: [StoredEvent] = []

  var isEmpty: Bool { events.isEmpty && refusals.isEmpty }

  mutating func append(_ turn: Turn, by encoder: EventEncoder) throws(StoreError) {
    // In the order of the events that they are kept with.
    var explained = turn.rulings[...]
    for event in turn.events {
      var line = StoredEvent(sequence: event.sequence, line: try encoder.line(event))
      if let first = explained.first, first.event == event.sequence {
        line.rulings = first.rulings.map(\.rawValue).joined(separator: " ")
        explained.removeFirst()
      }
      if case .refused = event.kind { refusals.append(line) } else { events.append(line) }
    }
  }
}

extension HandsetStore {
  /// Appends the lines and drops as many of the oldest as go past the limits, by their key: what is kept is not read.
  func append(_ lines: JournalLines, of handset: HandsetID) throws(StoreError) {
    try append(lines.events, to: .events, limit: eventLimit, of: handset)
    try append(lines.refusals, to: .refusals, limit: refusedEventLimit, of: handset)
    if !lines.isEmpty { try makeRoom() }
  }

  private func append(
    _ lines: [StoredEvent], to part: JournalPart, limit: Int, of handset: HandsetID
  ) throws(StoreError) {
    guard !lines.isEmpty else { return }
    for line in lines {
      try database.run(
        "INSERT INTO \(part.rawValue) (handset, sequence, line, rulings) VALUES (?, ?, ?, ?)",
        .integer(handset.number), .count(line.sequence), .text(line.line), .optional(line.rulings))
    }
    let count = try database.integer(
      "UPDATE handset SET \(part.count) = \(part.count) + ? WHERE handset = ? RETURNING \(part.count)",
      .integer(Int64(lines.count)), .integer(handset.number))
    guard let count, count > limit else { return }
    try database.run(
      """
      DELETE FROM \(part.rawValue) WHERE handset = ?1 AND sequence <=
        (SELECT sequence FROM \(part.rawValue) WHERE handset = ?1 ORDER BY sequence LIMIT 1 OFFSET ?2)
      """, .integer(handset.number), .integer(count - Int64(limit) - 1))
    try database.run(
      "UPDATE handset SET \(part.count) = ? WHERE handset = ?", .integer(Int64(limit)), .integer(handset.number))
  }

  /// The events after `sequence`, oldest first, at most `limit` of them. 0 is before the first.
  public func events(
    of handset: HandsetID, after sequence: UInt64, limit: Int
  ) throws(StoreError) -> [StoredEvent] {
    let statement = try database.query(
      """
      SELECT sequence, line FROM event WHERE handset = ?1 AND sequence > ?2
      UNION ALL SELECT sequence, line FROM refused_event WHERE handset = ?1 AND sequence > ?2
      ORDER BY sequence LIMIT ?3
      """, .integer(handset.number), .integer(Int64(clamping: sequence)), .integer(Int64(max(limit, 0))))
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
    of handset: HandsetID, naming push: PushID, in span: ClosedRange<UInt64>
  ) throws(StoreError) -> [StoredEvent] {
    // A quotation mark within a JSON string has a backslash before it: the pattern finds whole values only. LIKE does
    // not regard the case of letters.
    let statement = try database.query(
      """
      SELECT sequence, line, rulings FROM event
      WHERE handset = ?1 AND sequence BETWEEN ?2 AND ?3
        AND (line LIKE ?4 OR line LIKE '%"event":"cleared"%' AND json_valid(line)
          AND json_extract(line, '$.reason') <> ?5)
      UNION ALL SELECT sequence, line, rulings FROM refused_event
      WHERE handset = ?1 AND sequence BETWEEN ?2 AND ?3 AND line LIKE ?4
      ORDER BY sequence
      """,
      .integer(handset.number), .integer(Int64(clamping: span.lowerBound)), .integer(Int64(clamping: span.upperBound)),
      .text("%\"\(push)\"%"), .text(Event.Cleared.limit.reason.code))
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

  /// The number of the last of the first `limit` events after `sequence`; nil where there is none.
  public func lastEvent(
    of handset: HandsetID, after sequence: UInt64, within limit: Int
  ) throws(StoreError) -> UInt64? {
    let sql = """
      SELECT max(sequence) FROM (
        SELECT sequence FROM event WHERE handset = ?1 AND sequence > ?2
        UNION ALL SELECT sequence FROM refused_event WHERE handset = ?1 AND sequence > ?2
        ORDER BY sequence LIMIT ?3)
      """
    return try database.integer(
      sql, .integer(handset.number), .integer(Int64(clamping: sequence)), .integer(Int64(max(limit, 0)))
    ).map(UInt64.init(bitPattern:))
  }
}
