/// Notifications in ascending order of their numbers, as an array of chunks: a start appends all that are stored, a copy
/// shares the chunks, and one is found by halving. A dictionary of 50,000 takes three times as much memory.
public struct NotificationTable: Sendable, Sequence, Equatable, SingleValueCodable {
  /// Non-empty chunks, ascending within and between.
  private var chunks: [[Notification]] = []
  public private(set) var count = 0

  /// Long enough that 50,000 notifications make few chunks, short enough that moving one is cheap.
  private static var chunkLimit: Int { 64 }

  public init() {}

  /// - Parameter notifications: in any order; of those with the same number the last one counts.
  public init(_ notifications: some Sequence<Notification>) {
    for notification in notifications { self[notification.id] = notification }
  }

  public subscript(id: NotificationID) -> Notification? {
    get {
      guard let (chunk, place) = firstPlace(from: id), chunks[chunk][place].id == id else { return nil }
      return chunks[chunk][place]
    }
    set {
      guard let (chunk, place) = firstPlace(from: id) else {
        if let newValue { append(newValue) }
        return
      }
      let isThere = chunks[chunk][place].id == id
      if let newValue {
        if isThere {
          chunks[chunk][place] = newValue
        } else {
          chunks[chunk].insert(newValue, at: place)
          count += 1
          chunks.split(chunk, above: NotificationTable.chunkLimit)
        }
      } else if isThere {
        chunks[chunk].remove(at: place)
        count -= 1
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
      }
    }
  }

  private mutating func append(_ notification: Notification) {
    if let last = chunks.indices.last, chunks[last].count < NotificationTable.chunkLimit {
      chunks[last].append(notification)
    } else {
      var chunk: [Notification] = []
      // A small handset's only chunk grows as needed.
      if !chunks.isEmpty { chunk.reserveCapacity(NotificationTable.chunkLimit) }
      chunk.append(notification)
      chunks.append(chunk)
    }
    count += 1
  }

  /// Returns the first place whose number is not below `id`; nil if all are.
  private func firstPlace(from id: NotificationID) -> (chunk: Int, place: Int)? {
    guard let last = chunks.indices.last, chunks[last][chunks[last].count - 1].id >= id else { return nil }
    let chunk = (0..<last).firstPlace { chunks[$0][chunks[$0].count - 1].id >= id }
    return (chunk, chunks[chunk].indices.firstPlace { chunks[chunk][$0].id >= id })
  }

  public func makeIterator() -> FlattenSequence<[[Notification]]>.Iterator { chunks.joined().makeIterator() }

  public var underestimatedCount: Int { count }

  /// Calls `body` without a copy of each.
  public func forEach(_ body: (Notification) throws -> Void) rethrows {
    for chunk in chunks {
      for place in chunk.indices { try body(chunk[place]) }
    }
  }

  /// Compares notifications: the chunks depend on the order of insertion.
  public static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && left.elementsEqual(right)
  }

  public var coded: [Notification] { Array(self) }
  public init(coded notifications: [Notification]) { self.init(notifications) }
}
