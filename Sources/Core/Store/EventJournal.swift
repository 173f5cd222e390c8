import HandsetCore

/// The two parts of the journal, which are trimmed separately. Each holds events as records, which are read back as
/// reports: JSON is only made when the events are read.
enum JournalPart {
  case events, refusals

  /// The count of events, the shares and the deletion. A damaged row counts within the possible range:
  /// `StoreLimits.eventsPerRecord` is 64. A record's share is near its beginning.
  fileprivate var statements: (count: StaticString, shares: StaticString, deletion: StaticString) {
    switch self {
    case .events:
      (
        "SELECT total(min(max(events, 1), 64)) FROM event WHERE handset = ?",
        "SELECT sequence, min(max(events, 1), 64), substr(record, 1, 512) FROM event WHERE handset = ? ORDER BY sequence",
        "DELETE FROM event WHERE handset = ? AND sequence BETWEEN ? AND ?"
      )
    case .refusals:
      (
        "SELECT total(min(max(events, 1), 64)) FROM refused_event WHERE handset = ?",
        """
        SELECT sequence, min(max(events, 1), 64), substr(record, 1, 512) FROM refused_event WHERE handset = ?
        ORDER BY sequence
        """, "DELETE FROM refused_event WHERE handset = ? AND sequence BETWEEN ? AND ?"
      )
    }
  }
}

extension RowStatement {
  // Numbers are given once (`HandsetLoading`), so none is replaced unless another program has changed the table. A late
  // commit has been answered by then, and has to run whatever that program wrote.
  static let event = RowStatement(1, "REPLACE INTO event (handset, sequence, events, record) VALUES (?, ?, ?, ?)")
  static let refusedEvent = RowStatement(
    2, "REPLACE INTO refused_event (handset, sequence, events, record) VALUES (?, ?, ?, ?)")
}

struct EventCounts {
  /// The first event number that is not reserved (`HandsetStore.commit`).
  var reserved: UInt64 = 0
  var events: Int64 = 0
  var refusals: Int64 = 0
}

/// The record of events that is being written. Turns of a commit share one, because a row takes SQLite more work than
/// some more bytes in it.
struct OpenRecord {
  var handset = HandsetID.first
  var part = JournalPart.events
  var share: String?
  var writer = EventRecordWriter()

  /// Returns true if the events continue the record, and it stays small if they are as large as those before.
  /// - Parameter most: the most events that it may have: the journal drops whole records.
  func takes(_ events: ArraySlice<Event>, _ part: JournalPart, _ handset: HandsetID, most: Int) -> Bool {
    let first = events.startIndex
    return writer.count > 0 && writer.count + events.count <= most && self.part == part && self.handset == handset
      && events[first].sequence == writer.first + UInt64(writer.count)
      && writer.bytes.count * (writer.count + events.count) <= StoreLimits.recordBytes * writer.count
      && (part == .events ? events[first].app?.text : events[first].share) == share
  }
}

extension HandsetStore {
  /// Adds the turn's events to the open record of its commit. Events that do not belong there are in a record of their
  /// own: if there are refusals among them, or many.
  func append(
    _ events: [Event], rulings: [PushRulings], of handset: HandsetID, to record: inout OpenRecord,
    _ counts: inout [HandsetID: EventCounts]
  ) throws(StoreError) {
    var start = 0
    while start < events.count {
      let part = events[start].part
      var end = start + 1
      while end < events.count, end - start < StoreLimits.eventsPerRecord, events[end].part == part { end += 1 }
      let span = events[start..<end]
      let most = min(StoreLimits.eventsPerRecord, limit(of: part) / StoreLimits.eventSurplus)
      if !record.takes(span, part, handset, most: most) {
        try write(&record, &counts)
        (record.handset, record.part, record.share) = (handset, part, events[start].share)
      }
      record.writer.add(span, rulings: rulings)
      start = end
    }
  }

  /// Writes the row of the record, unless it has no events, and begins another one.
  func write(_ record: inout OpenRecord, _ counts: inout [HandsetID: EventCounts]) throws(StoreError) {
    guard record.writer.count > 0 else { return }
    record.writer.close()
    let (first, count) = (record.writer.first, Int64(record.writer.count))
    try put(record.part == .events ? .event : .refusedEvent) { row in
      row.add(record.handset.number)
      row.add(Int64(bitPattern: first))
      row.add(count)
      record.writer.bytes.withUnsafeBytes { row.add(blob: $0) }
    }
    record.writer.removeAll()
    switch record.part {
    case .events: counts[record.handset, default: EventCounts()].events += count
    case .refusals: counts[record.handset, default: EventCounts()].refusals += count
    }
    journalShares[record.part]?[record.handset]?.add(record.share, record: first, events: count)
  }

  private func limit(of part: JournalPart) -> Int { part == .events ? eventLimit : refusedEventLimit }

  /// Returns true if events are dropped. Some events above the limit are kept until there are enough for a deletion.
  func isBeyondLimit(_ count: Int64, in part: JournalPart) -> Bool {
    let limit = limit(of: part)
    return count > limit + limit / StoreLimits.eventSurplus
  }

  /// Drops events beyond the limits, the oldest of the app or provider that has most.
  func trim(_ counts: inout EventCounts, of handset: HandsetID) throws(StoreError) {
    if isBeyondLimit(counts.events, in: .events) {
      counts.events -= try drop(counts.events - Int64(eventLimit), from: .events, of: handset)
    }
    if isBeyondLimit(counts.refusals, in: .refusals) {
      counts.refusals -= try drop(counts.refusals - Int64(refusedEventLimit), from: .refusals, of: handset)
    }
  }

  /// - Parameter stored: the count in the handset's row.
  /// - Returns: that count, or the real one if no journal can have so many events.
  func count(_ stored: Int64, limit: Int, in part: JournalPart, of handset: HandsetID) throws(StoreError) -> Int64 {
    if (0...Int64(2 * (limit + StoreLimits.eventsPerRecord))).contains(stored) { return stored }
    return try database.first(part.statements.count, [.integer(handset.number)]) { $0.integer(0) } ?? 0
  }

  /// Returns the number of events in the journal, without refusals.
  public func eventCount(of handset: HandsetID) throws(StoreError) -> Int {
    Int(clamping: try counts(of: handset).events)
  }

  /// Returns the events after `sequence`, oldest first, at most `limit` of them. 0 is before the first. A record that
  /// cannot be read is replaced by a report that says so.
  public func events(of handset: HandsetID, after sequence: UInt64, limit: Int) throws(StoreError) -> [EventReport] {
    try recordedEvents(of: handset, after: sequence, limit: limit).map(\.report)
  }

  /// Searches the first `limit` events after `sequence`. Events have no index by push, because each push would pay for
  /// a rare query: a caller searches in short spans.
  /// - Returns: the number of the last of them, and those that name the push or say that notifications were cleared,
  ///   oldest first, each with its rulings. Removals by a full Notification Center, which may be one event for each
  ///   push, are left out. Nil if no event is left.
  public func events(
    of handset: HandsetID, naming push: PushID, after sequence: UInt64, limit: Int
  ) throws(StoreError) -> (last: UInt64, found: [EventRecord.RecordedEvent])? {
    let events = try recordedEvents(of: handset, after: sequence, limit: limit)
    guard let last = events.last?.report.sequence else { return nil }
    return (last, events.filter { $0.report.names(push) || $0.report.clears })
  }

  /// The same, each with its rulings.
  public func recordedEvents(
    of handset: HandsetID, after sequence: UInt64, limit: Int
  ) throws(StoreError) -> [EventRecord.RecordedEvent] {
    try reading { () throws(StoreError) in
      // The first record may begin with events that the reader has.
      let statement = try database.query(
        """
        SELECT sequence, record FROM event WHERE handset = ?1 AND sequence >= coalesce(
          (SELECT max(sequence) FROM event WHERE handset = ?1 AND sequence <= ?2), 0)
        UNION ALL SELECT sequence, record FROM refused_event WHERE handset = ?1 AND sequence >= coalesce(
          (SELECT max(sequence) FROM refused_event WHERE handset = ?1 AND sequence <= ?2), 0)
        ORDER BY sequence
        """, [.integer(handset.number), .integer(Int64(clamping: sequence))])
      defer { statement.reset() }
      var events: [EventRecord.RecordedEvent] = []
      while events.count < limit, try statement.step() {
        let recorded = record(statement.bytes(1), from: UInt64(bitPattern: statement.integer(0)))
        // A damaged row may have a number within the record before it.
        let last = events.last?.report.sequence ?? sequence
        events += recorded.drop { $0.report.sequence <= last }.prefix(limit - events.count)
      }
      return events
    }
  }

  private func record(_ bytes: [UInt8], from sequence: UInt64) -> [EventRecord.RecordedEvent] {
    do throws(EventRecordError) {
      return try EventRecord.events(in: bytes, from: sequence)
    } catch {
      return [(EventReport(unreadable: sequence, problem: error.description), [])]
    }
  }

  // MARK: - Shares

  /// Drops events of the largest shares.
  /// - Parameter limit: the most events that may remain.
  func drop(_ limit: Int64, from part: JournalPart, of handset: HandsetID) throws(StoreError) -> Int64 {
    // It is changed in place.
    let known = journalShares[part]?.removeValue(forKey: handset)
    var shares = if let known { known } else { try readShares(in: part, of: handset) }
    let dropped = shares.drop(limit)
    journalShares[part, default: [:]][handset] = shares
    for range in dropped.records {
      try database.run(
        part.statements.deletion, .integer(handset.number), .bits(range.lowerBound), .bits(range.upperBound))
    }
    return dropped.events
  }

  private func readShares(in part: JournalPart, of handset: HandsetID) throws(StoreError) -> JournalShares {
    let statement = try database.query(part.statements.shares, [.integer(handset.number)])
    defer { statement.reset() }
    var shares = JournalShares()
    while try statement.step() {
      shares.add(
        EventRecord.share(of: statement.bytes(2)), record: UInt64(bitPattern: statement.integer(0)),
        events: statement.integer(1))
    }
    return shares
  }
}

extension Event {
  fileprivate var part: JournalPart { if case .refused = kind { .refusals } else { .events } }
}

extension EventReport {
  fileprivate var clears: Bool {
    event == Event.Name.cleared.rawValue && fields["reason"] != .text(Event.Cleared.limit.reason.code)
  }
}
