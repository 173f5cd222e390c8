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

  /// Counts an event of a connection. Returns true above the limit: the number allowed at once, and again in each 30 s.
  mutating func exceeds(_ limit: Int, _ clock: PortClock) -> Bool {
    !add(capacity: Double(limit), drainingPerSecond: Double(limit) / 30, now: clock.machineUptime())
  }
}

/// One bucket for each key. Keys may come in any number, so only some buckets are kept.
final class RateBuckets<Key: Hashable & Sendable>: Sendable {
  private struct State {
    var buckets: [Key: RateBucket] = [:]
    /// The place of the last bucket, which is found again without its hash until there is another key.
    var last: (key: Key, place: Dictionary<Key, RateBucket>.Index)?
  }

  private let state = Mutex(State())
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
    state.withLock { state in
      func add(to bucket: inout RateBucket) -> (isAdded: Bool, level: Double) {
        (bucket.add(capacity: capacity, drainingPerSecond: ratePerSecond, now: now), bucket.level)
      }
      if let last = state.last, last.key == key { return add(to: &state.buckets.values[last.place]) }
      if state.buckets[key] == nil {
        if state.buckets.count >= limit { makeRoom(in: &state.buckets, now) }
        state.buckets[key] = RateBucket(now: now)
      }
      guard let place = state.buckets.index(forKey: key) else { return (false, 0) }
      state.last = (key, place)
      return add(to: &state.buckets.values[place])
    }
  }

  func removeAll() { state.withLock { $0 = State() } }

  var all: [Key: RateBucket] { state.withLock(\.buckets) }

  /// Forgets the emptier half, so that this happens rarely.
  private func makeRoom(in buckets: inout [Key: RateBucket], _ now: Duration) {
    for key in buckets.keys { buckets[key]?.drain(perSecond: ratePerSecond, now: now) }
    let kept = buckets.sorted { $0.value.level > $1.value.level }.prefix(limit / 2)
    buckets = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
  }
}
