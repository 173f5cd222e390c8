// A contact that closes bounces: for some milliseconds it opens and closes many times. As a value that receives edges and
// asked for levels, so that a test can bounce it at will. It goes by the edges' own stamps: how late they are read
// changes nothing.

/// Makes levels that last of edges that may not.
struct Debouncer: Hashable, Sendable {
  /// A level of the contact, and since when.
  struct Level: Hashable, Sendable {
    var isActive: Bool
    var since: Duration
  }

  /// The newest level that lasted.
  private(set) var isActive: Bool
  /// What the newest edge came to, while that has not lasted. Also where it is the old level again: edges may have been
  /// lost, and the contact is asked once they have ended.
  private var candidate: Level?

  /// - Parameter isActive: what the contact is at first.
  init(isActive: Bool) {
    self.isActive = isActive
  }

  /// When the contact will have been at rest for long enough; nil while it has been.
  var deadline: Duration? { candidate.map { $0.since + BoardLimits.debounceTime } }

  /// Whether no edge came until now for as long as a level has to last.
  func rests(until now: Duration) -> Bool { deadline.map { now >= $0 } ?? false }

  /// - Returns: the levels between the edges that lasted and are new.
  mutating func take(_ edges: [LineEdge]) -> [Level] { edges.compactMap { take($0) } }

  /// An edge came.
  /// - Returns: the level before it, where that lasted and is new.
  mutating func take(_ edge: LineEdge) -> Level? {
    let settled = settle(at: edge.time)
    candidate = Level(isActive: edge.isActive, since: edge.time)
    return settled
  }

  /// No edge came until now.
  /// - Parameter reading: the level that the contact has now.
  /// - Returns: the new level, where it has lasted.
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
