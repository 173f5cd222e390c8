import HandsetCore
import Synchronization

/// A bucket that events fill and time empties: for events that may come in bursts.
struct RateBucket: Hashable, Sendable {
  private(set) var level: Double = 0
  /// The numbers of events that were added, and that were not.
  private(set) var added = 0
  private(set) var refused = 0
  private var lookedAt: Duration

  /// - Parameter now: the time on the monotonic clock.
  init(now: Duration) {
    lookedAt = now
  }

  /// Removes the amount that has drained since the last call.
  mutating func drain(perSecond rate: Double, now: Duration) {
    let passed = max(0, (now - lookedAt).inMicroseconds)
    level = max(0, level - rate * Double(passed) / 1_000_000)
    lookedAt = max(lookedAt, now)
  }

  /// Drains, and adds one unless the bucket would then hold more than `capacity`.
  @discardableResult
  mutating func add(capacity: Double = .infinity, drainingPerSecond rate: Double, now: Duration) -> Bool {
    drain(perSecond: rate, now: now)
    guard level + 1 <= capacity else {
      refused += 1
      return false
    }
    level += 1
    added += 1
    return true
  }
}

/// One bucket for each key. Keys may come in any number, so only some buckets are kept.
final class RateBuckets<Key: Hashable & Sendable>: Sendable {
  private let buckets = Mutex<[Key: RateBucket]>([:])
  private let limit: Int
  private let ratePerSecond: Double

  /// - Parameter limit: the number of buckets kept. If there are more, the fullest stay.
  init(limit: Int, ratePerSecond: Double) {
    self.limit = limit
    self.ratePerSecond = ratePerSecond
  }

  /// Adds one, unless the bucket would then hold more than `capacity`.
  ///
  /// - Returns: true if it was added, and the level after that.
  func add(to key: Key, capacity: Double = .infinity, now: Duration) -> (isAdded: Bool, level: Double) {
    buckets.withLock { buckets in
      if buckets.count >= limit, buckets[key] == nil { makeRoom(in: &buckets, now) }
      func add(to bucket: inout RateBucket) -> (isAdded: Bool, level: Double) {
        (bucket.add(capacity: capacity, drainingPerSecond: ratePerSecond, now: now), bucket.level)
      }
      return add(to: &buckets[key, default: RateBucket(now: now)])
    }
  }

  var all: [Key: RateBucket] { buckets.withLock(\.self) }

  /// Forgets the emptier half, so that this happens rarely.
  private func makeRoom(in buckets: inout [Key: RateBucket], _ now: Duration) {
    for key in buckets.keys { buckets[key]?.drain(perSecond: ratePerSecond, now: now) }
    let kept = buckets.sorted { $0.value.level > $1.value.level }.prefix(limit / 2)
    buckets = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
  }
}
