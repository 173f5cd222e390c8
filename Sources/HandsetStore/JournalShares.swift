// The journal has room for so many events in all. Where there are more, the oldest of the app that has most are dropped:
// who pushes without end displaces no events but its own.

import HandsetCore

/// Which apps' events the records of a handset's journal are, and how many events each app has. It is read from the
/// journal when the journal is full for the first time since the start.
struct JournalShares {
  private struct Record {
    /// The number of its first event.
    var number: UInt64
    var events: Int64
  }

  /// One app's records.
  private struct Share {
    var events: Int64 = 0
    /// The oldest first, those before `next` having been dropped.
    var records: [Record] = []
    var next = 0

    var oldest: Record? { next < records.count ? records[next] : nil }

    /// The number of the first record behind another's.
    func first(after number: UInt64) -> UInt64? {
      var (low, high) = (next, records.count)
      while low < high {
        let middle = (low + high) / 2
        if records[middle].number > number { high = middle } else { low = middle + 1 }
      }
      return low < records.count ? records[low].number : nil
    }

    mutating func dropOldest() {
      guard let oldest else { return }
      events -= oldest.events
      next += 1
      guard next > 256, next > records.count / 2 else { return }
      records.removeFirst(next)
      next = 0
    }
  }

  /// By the app of a record's first event; the empty text is the handset itself.
  private var shares: [String: Share] = [:]

  /// - Parameter app: nil where the events are of the handset itself.
  mutating func add(_ app: String?, record: UInt64, events: Int64) {
    shares[app ?? "", default: Share()].events += events
    shares[app ?? "", default: Share()].records.append(Record(number: record, events: events))
  }

  /// The app that has most events; of several the one that has the oldest.
  private var largest: String? {
    shares.max { left, right in
      (left.value.events, right.value.oldest?.number ?? .max)
        < (right.value.events, left.value.oldest?.number ?? .max)
    }?.key
  }

  /// Drops the oldest record of the app that has most events, again and again.
  /// - Parameters:
  ///   - limit: no more events than that.
  ///   - remove: deletes the records of these numbers, between which no other app has any.
  /// - Returns: how many events are gone.
  mutating func drop(
    _ limit: Int64, remove: (_ records: ClosedRange<UInt64>) throws(StoreError) -> Void
  ) throws(StoreError) -> Int64 {
    var dropped: Int64 = 0
    while dropped < limit, let app = largest {
      guard let first = shares[app]?.oldest else {
        shares[app] = nil
        continue
      }
      let others = shares.filter { $0.key != app }.values
      let most = others.lazy.map(\.events).max() ?? 0
      let end = others.lazy.compactMap { $0.first(after: first.number) }.min() ?? .max
      var last: UInt64?
      while let oldest = shares[app]?.oldest, oldest.number < end, dropped + oldest.events <= limit {
        if last != nil && shares[app]?.events ?? 0 <= most { break }
        last = oldest.number
        dropped += oldest.events
        shares[app]?.dropOldest()
      }
      guard let last else { return dropped }
      try remove(first.number...last)
    }
    return dropped
  }
}

extension HandsetStore {
  /// Drops events where there are most.
  /// - Parameter limit: no more than that.
  /// - Returns: how many events are gone.
  func dropEvents(_ limit: Int64, of handset: HandsetID) throws(StoreError) -> Int64 {
    var shares = JournalShares()
    // It is changed in its place.
    if let known = journalShares.removeValue(forKey: handset) {
      shares = known
    } else {
      shares = try readShares(of: handset)
    }
    let dropped = try shares.drop(limit) { records throws(StoreError) in
      try database.run(
        "DELETE FROM event WHERE handset = ? AND sequence BETWEEN ? AND ?", .integer(handset.number),
        .count(records.lowerBound), .count(records.upperBound))
    }
    journalShares[handset] = shares
    return dropped
  }

  private func readShares(of handset: HandsetID) throws(StoreError) -> JournalShares {
    // The app's name is near a record's beginning.
    let statement = try database.query(
      "SELECT sequence, min(max(events, 1), 64), substr(record, 1, 320) FROM event WHERE handset = ? ORDER BY sequence",
      .integer(handset.number))
    defer { statement.reset() }
    var shares = JournalShares()
    while try statement.step() {
      shares.add(
        EventRecord.app(of: statement.bytes(2)), record: UInt64(bitPattern: statement.integer(0)),
        events: statement.integer(1))
    }
    return shares
  }
}
