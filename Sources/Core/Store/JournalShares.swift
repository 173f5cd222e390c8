import HandsetCore

/// The shares of one part of a handset's journal: the owner of each record and the number of its events. Above its
/// limit, the oldest events of the app that has most are dropped, or the oldest refusals of the provider that has most:
/// a sender without end displaces no events but its own. All refusals of clients that have not authenticated are one
/// share, as anybody can have any number of addresses. It is read from the journal when that part is full for the first
/// time since the start.
struct JournalShares {
  private struct Record: Equatable {
    /// The number of its first event.
    var number: UInt64
    var events: Int64
  }

  private struct Share {
    var events: Int64 = 0
    /// The oldest first; those before `next` have been dropped.
    var records: [Record] = []
    var next = 0

    var oldest: Record? { next < records.count ? records[next] : nil }

    mutating func dropOldest() {
      guard let oldest else { return }
      events -= oldest.events
      next += 1
      guard next > 256, next > records.count / 2 else { return }
      records.removeFirst(next)
      next = 0
    }
  }

  /// The size of a share, ordered by events; of equal ones the share with the oldest record is the largest.
  private struct Size: Comparable, Sendable {
    var events: Int64
    var oldest: Record
    var name: String

    static func < (left: Size, right: Size) -> Bool {
      (left.events, right.oldest.number) < (right.events, left.oldest.number)
    }
  }

  /// The shares by the `Event.share` of a record's first event; the empty text stands for none. No share is empty.
  private var shares: [String: Share] = [:]

  mutating func add(_ name: String?, record: UInt64, events: Int64) {
    shares[name ?? "", default: Share()].events += events
    shares[name ?? "", default: Share()].records.append(Record(number: record, events: events))
  }

  /// Drops the oldest record of the share that has most events, again and again.
  /// - Parameter limit: the most events that may remain.
  /// - Returns: the number of events that are gone, and the numbers of their records: no other record is in a range.
  mutating func drop(_ limit: Int64) -> (events: Int64, records: [ClosedRange<UInt64>]) {
    var sizes = SortedSet(ascending: shares.keys.compactMap(size(of:)).sorted())
    var (dropped, gone): (Int64, [Record]) = (0, [])
    while let largest = sizes.last, dropped + largest.oldest.events <= limit {
      dropped += largest.oldest.events
      gone.append(largest.oldest)
      shares[largest.name]?.dropOldest()
      sizes.remove(largest)
      if let smaller = size(of: largest.name) { sizes.insert(smaller) } else { shares[largest.name] = nil }
    }
    var ranges: [ClosedRange<UInt64>] = []
    var end: UInt64?
    for record in gone.sorted(by: { $0.number < $1.number }) {
      if let last = ranges.last, record.number == end {
        ranges[ranges.count - 1] = last.lowerBound...record.number
      } else {
        ranges.append(record.number...record.number)
      }
      end = record.number &+ UInt64(record.events)
    }
    return (dropped, ranges)
  }

  private func size(of name: String) -> Size? {
    guard let share = shares[name], let oldest = share.oldest else { return nil }
    return Size(events: share.events, oldest: oldest, name: name)
  }
}
