/// A dictionary of the newest keys: of too many the one that was added first leaves.
struct BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let limit: Int
  private var values: [Key: Value] = [:]
  /// The keys in the order of their addition, as a ring; `oldest` is the index of the first.
  private var order: [Key] = []
  private var oldest = 0

  /// - Parameter limit: the most keys, 1 or more.
  init(limit: Int) { self.limit = limit }

  subscript(key: Key) -> Value? { values[key] }

  mutating func set(_ key: Key, _ value: Value) {
    guard values.updateValue(value, forKey: key) == nil else { return }
    guard order.count == limit else { return order.append(key) }
    values[order[oldest]] = nil
    order[oldest] = key
    oldest = (oldest + 1) % limit
  }

  var all: Dictionary<Key, Value>.Values { values.values }
}
