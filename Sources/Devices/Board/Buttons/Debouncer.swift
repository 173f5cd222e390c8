// A closing contact bounces: for some milliseconds it opens and closes many times. The debouncer is a value that
// receives edges and returns levels, so that a test can make it bounce at will. It uses the edges' own timestamps, so
// late reads do not change the result.

/// A filter that turns edges into levels that last.
struct Debouncer: Hashable, Sendable {
  /// A level of the contact and the time of its beginning.
  struct Level: Hashable, Sendable {
    var isActive: Bool
    var since: Duration
  }

  /// The newest level that lasted.
  private(set) var isActive: Bool
  /// The level after the newest edge, until it has lasted. It may equal the old level: edges may have been lost, so the
  /// contact is read once the edges have ended.
  private var candidate: Level?

  /// - Parameter isActive: the initial state of the contact.
  init(isActive: Bool) {
    self.isActive = isActive
  }

  /// The time at which the contact will have been at rest for long enough; nil if it already has.
  var deadline: Duration? { candidate.map { $0.since + BoardLimits.debounceTime } }

  /// Returns true if no edge came during the time that a level has to last.
  func rests(until now: Duration) -> Bool { deadline.map { now >= $0 } ?? false }

  /// Takes edges in their order.
  /// - Returns: the levels between them that lasted and are new.
  mutating func take(_ edges: [LineEdge]) -> [Level] { edges.compactMap { take($0) } }

  /// Takes an edge.
  /// - Returns: the level before it if that lasted and is new.
  mutating func take(_ edge: LineEdge) -> Level? {
    let settled = settle(at: edge.time)
    candidate = Level(isActive: edge.isActive, since: edge.time)
    return settled
  }

  /// Ends the wait after the last edge: no edge came until now.
  /// - Parameter reading: the present level of the contact.
  /// - Returns: the new level if it has lasted.
  mutating func rest(until now: Duration, reading: Bool) -> Level? {
    guard let level = candidate, level.isActive != reading else { return settle(at: now) }
    candidate = Level(isActive: reading, since: now)
    return nil
  }

  private mutating func settle(at now: Duration) -> Level? {
    guard let level = candidate, now - level.since >= BoardLimits.debounceTime else { return nil }
    candidate = nil
    guard level.isActive != isActive else { return nil }
    isActive = level.isActive
    return level
  }
}
