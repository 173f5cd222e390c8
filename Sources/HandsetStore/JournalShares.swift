// The journal has room for so many events in all. Where there are more, the oldest of the app that has most are dropped:
// who pushes without end displaces no events but its own.

import HandsetCore

/// Which apps' events the records of a handset's journal are, and how many events each app has. It is read from the
/// journal when the journal is full for the first time since the start.
struct JournalShares {
  /// One app's records.
  private struct Share {
    var events: Int64 = 0
    /// The numbers of their first events, the oldest first, those before `next` having been dropped.
    var records: [UInt64] = []
    var next = 0

    var oldest: UInt64? { next < records.count ? records[next] : nil }

    mutating func drop(_ count: Int64) {
      events -= count
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
    shares[app ?? "", default: Share()].records.append(record)
  }

  /// The app that has most events; of several the one that has the oldest.
  private var largest: String? {
    shares.max { left, right in
      (left.value.events, right.value.oldest ?? .max) < (right.value.events, left.value.oldest ?? .max)
    }?.key
  }

  /// Drops the oldest record of the app that has most events, again and again.
  /// - Parameters:
  ///   - limit: no more events than that.
  ///   - remove: deletes a record if it has no more events than so many, and returns how many it had; nil where it has more.
  /// - Returns: how many events are gone.
  mutating func drop(
    _ limit: Int64, remove: (_ record: UInt64, _ limit: Int64) throws(StoreError) -> Int64?
  ) throws(StoreError) -> Int64 {
    var dropped: Int64 = 0
    while dropped < limit, let app = largest {
      let others = shares.lazy.filter { $0.key != app }.map(\.value.events).max() ?? 0
      repeat {
        guard let record = shares[app]?.oldest else {
          shares[app] = nil
          break
        }
        guard let events = try remove(record, limit - dropped) else { return dropped }
        shares[app]?.drop(events)
        dropped += events
      } while dropped < limit && shares[app]?.events ?? 0 > others
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
    let dropped = try shares.drop(limit) { record, limit throws(StoreError) in
      let key = [SQLiteValue.integer(handset.number), .count(record)]
      let events = try database.first(
        "SELECT min(max(events, 1), 64) FROM event WHERE handset = ? AND sequence = ?", key
      ) { $0.integer(0) }
      guard let events, events <= limit else { return events == nil ? 0 : nil }
      try database.run("DELETE FROM event WHERE handset = ? AND sequence = ?", key[0], key[1])
      return events
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
