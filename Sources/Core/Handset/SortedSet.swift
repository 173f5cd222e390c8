/// Unique elements in ascending order, as an array of chunks: the standard library has no sorted set. Insertion,
/// removal and membership cost the same for any practical count, because Notification Center needs the oldest
/// notification of an app, the oldest of all and the newest unseen of a level at the same cost with none and with
/// 50,000 stored.
public struct SortedSet<Element: Comparable & Sendable>: Sendable, Sequence, Equatable {
  /// Non-empty chunks, ascending within and between.
  private var chunks: [[Element]] = []
  public private(set) var count = 0

  /// Long enough that 50,000 elements make few chunks, short enough that moving one is cheap.
  private static var chunkLimit: Int { Swift.max(64, 2_048 / MemoryLayout<Element>.stride) }

  public init() {}

  /// - Parameter elements: ascending and unique.
  package init(ascending elements: some Sequence<Element>) {
    for element in elements { insert(element) }
  }

  package var isEmpty: Bool { count == 0 }
  package var descending: ReversedCollection<FlattenSequence<[[Element]]>> { chunks.joined().reversed() }
  package var first: Element? { chunks.first?.first }
  package var last: Element? { chunks.last?.last }

  package func contains(_ element: Element) -> Bool {
    guard let chunk = chunk(for: element) else { return false }
    return !(element < chunks[chunk][chunks[chunk].firstPlace { $0 >= element }])
  }

  /// Inserts the element. Returns false if it was there before.
  @discardableResult
  package mutating func insert(_ element: Element) -> Bool {
    guard let chunk = chunk(for: element) else {
      // Elements that come in order fill their chunks.
      if let last = chunks.indices.last, chunks[last].count < SortedSet.chunkLimit {
        chunks[last].append(element)
      } else {
        chunks.append([element])
        if chunks.count > 1 { chunks[chunks.count - 1].reserveCapacity(SortedSet.chunkLimit) }
      }
      count += 1
      return true
    }
    let place = chunks[chunk].firstPlace { $0 >= element }
    guard element < chunks[chunk][place] else { return false }
    chunks[chunk].insert(element, at: place)
    count += 1
    if chunks[chunk].count > SortedSet.chunkLimit {
      let half = chunks[chunk].count / 2
      let tail = Array(chunks[chunk][half...])
      chunks[chunk].removeSubrange(half...)
      chunks.insert(tail, at: chunk + 1)
    }
    return true
  }

  /// Removes the element. Returns false if it was not there.
  @discardableResult
  package mutating func remove(_ element: Element) -> Bool {
    guard let chunk = chunk(for: element) else { return false }
    let place = chunks[chunk].firstPlace { $0 >= element }
    if element < chunks[chunk][place] { return false }
    chunks[chunk].remove(at: place)
    if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    count -= 1
    return true
  }

  /// Inserts the element, in place of one that is neither before nor after it.
  package mutating func update(_ element: Element) {
    guard !insert(element), let chunk = chunk(for: element) else { return }
    chunks[chunk][chunks[chunk].firstPlace { $0 >= element }] = element
  }

  /// Returns the first element that satisfies the condition, as all after it must, and none before it.
  func first(from isSo: (Element) -> Bool) -> Element? { place(from: isSo).map { chunks[$0.chunk][$0.place] } }

  private func place(from isSo: (Element) -> Bool) -> (chunk: Int, place: Int)? {
    let chunk = chunks.indices.firstPlace { isSo(chunks[$0][chunks[$0].count - 1]) }
    return chunk < chunks.count ? (chunk, chunks[chunk].firstPlace(where: isSo)) : nil
  }

  mutating func set(_ element: Element, isIn: Bool) {
    if isIn { insert(element) } else { remove(element) }
  }

  /// Returns the first chunk whose last element is not below `element`: the only one that can hold it.
  private func chunk(for element: Element) -> Int? {
    guard let end = chunks.indices.last, chunks[end][chunks[end].count - 1] >= element else { return nil }
    return (0..<end).firstPlace { chunks[$0][chunks[$0].count - 1] >= element }
  }

  public func makeIterator() -> FlattenSequence<[[Element]]>.Iterator { chunks.joined().makeIterator() }

  public var underestimatedCount: Int { count }

  /// Gives the item another time; nil if it has none.
  mutating func move<Time, Item>(_ item: Item, from old: Time?, to new: Time?) where Element == Due<Time, Item> {
    if let old { remove(Due(time: old, item: item)) }
    if let new { insert(Due(time: new, item: item)) }
  }

  /// Compares elements: the chunks depend on the order of insertion.
  public static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && left.elementsEqual(right)
  }
}

extension Range<Int> {
  /// Returns the first place that satisfies the condition, as all after it must, and none before it.
  func firstPlace(where isSo: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = (low + high) / 2
      if isSo(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension Array {
  func firstPlace(where isSo: (Element) -> Bool) -> Int { indices.firstPlace { isSo(self[$0]) } }
}

extension SortedSet: Codable, SingleValueCodable where Element: Codable {
  public var coded: [Element] { Array(self) }
  public init(coded elements: [Element]) { self.init(ascending: elements) }
}

extension SortedSet<Notification> {
  subscript(id: NotificationID) -> Notification? {
    guard let found = first(from: { $0.id >= id }), found.id == id else { return nil }
    return found
  }

  /// Returns what the lamp shows of a notification, without a copy of the others.
  func lighting(_ id: NotificationID) -> Lighting? {
    guard let (chunk, place) = place(from: { $0.id >= id }), chunks[chunk][place].id == id else { return nil }
    return Lighting(
      app: chunks[chunk][place].app, push: chunks[chunk][place].push, level: chunks[chunk][place].level,
      lamp: chunks[chunk][place].options?.lamp)
  }
}

/// The values of a notification by which the lamp shows it.
struct Lighting {
  var app: AppID
  var push: PushID
  var level: InterruptionLevel
  var lamp: LampPattern?
}

/// An item and its time. In a `SortedSet` the first is found at the same cost for any number.
struct Due<Time: Comparable & Sendable, Item: Comparable & Sendable>: Comparable, Sendable {
  var time: Time
  var item: Item

  static func < (left: Due, right: Due) -> Bool { (left.time, left.item) < (right.time, right.item) }
}
