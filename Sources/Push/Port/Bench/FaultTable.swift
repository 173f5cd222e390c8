import HandsetCore

/// The armed faults of a bench, in the order in which they were added: the first that matches a request wins. Later ones
/// do not count that request, so two faults of two requests each make four answers in a row.
public struct FaultTable: Sendable {
  /// The largest number of faults in a table, those included that have ended.
  public static let limit = 1_000
  /// The largest number of device tokens whose requests one fault counts. If there are more, it begins anew.
  public static let tokenLimit = 10_000

  public struct Entry: Sendable {
    public let fault: Fault
    /// The number of requests in its scope so far, or of connections.
    public fileprivate(set) var seen = 0
    public fileprivate(set) var hits = 0
    fileprivate let armedAt: Duration
    fileprivate var random: SplitMix64
    /// The requests of each device token, for a fault that counts them.
    private var paces: [String: (began: Duration, count: Int)] = [:]

    fileprivate init(_ fault: Fault, now: Duration) {
      self.fault = fault
      armedAt = now
      if case .share(_, let seed) = fault.which { random = SplitMix64(seed) } else { random = SplitMix64(0) }
    }

    /// False once it has ended.
    public func isArmed(now: Duration) -> Bool {
      if let count = fault.end.count, hits >= count { return false }
      if let duration = fault.end.duration, now - armedAt >= duration { return false }
      if case .range(let range) = fault.which { return seen < range.upperBound }
      return true
    }

    /// The time at which it ends by itself; nil if it has none.
    public var endsAt: Duration? { fault.end.duration.map { armedAt + $0 } }

    /// Counts a request in its scope. Returns true if it strikes.
    fileprivate mutating func strikes(_ facts: FaultFacts, now: Duration) -> Bool {
      seen += 1
      let isHit =
        switch fault.which {
        case .all: true
        case .range(let range): range.contains(seen)
        case .every(let number): seen % number == 0
        case .share(let share, _): random.next() < share
        case .perToken(let limit, let time): exceeds(limit, in: time, facts.token, now: now)
        case .refusals(let number): facts.refusals?.contains(number) == true
        }
      if isHit { hits += 1 }
      return isHit
    }

    /// Counts a request of a device token. Returns true if it is one too many.
    private mutating func exceeds(_ limit: Int, in time: Duration, _ token: String?, now: Duration) -> Bool {
      guard let token else { return false }
      if var pace = paces[token], now - pace.began < time {
        pace.count += 1
        paces[token] = pace
        return pace.count > limit
      }
      if paces.count >= FaultTable.tokenLimit { paces = paces.filter { now - $0.value.began < time } }
      if paces.count >= FaultTable.tokenLimit { paces = [:] }
      paces[token] = (now, 1)
      return limit < 1
    }
  }

  public struct Hit: Sendable, Hashable {
    public var name: String
    public var action: Fault.Action
    /// 1 for the fault's first.
    public var number: Int
  }

  public private(set) var entries: [Entry] = []
  private var added = 0

  public init() {}

  /// Adds a fault behind the others. Conditions hit at once.
  ///
  /// - Returns: the name, which is made if the fault has none.
  /// - Throws: `FaultError` if its name is taken, or the table is full.
  @discardableResult
  public mutating func add(_ fault: Fault, now: Duration) throws(FaultError) -> String {
    var fault = fault
    guard entries.count < FaultTable.limit else {
      throw FaultError("", "there are \(FaultTable.limit) faults", valid: "remove some, or reset the bench")
    }
    added += 1
    while fault.name.isEmpty {
      let name = "fault-\(added)"
      if has(name) { added += 1 } else { fault.name = name }
    }
    guard !has(fault.name) else {
      throw FaultError(FaultWord.name, "there is a fault '\(fault.name)' already", valid: "another name")
    }
    var entry = Entry(fault, now: now)
    if fault.moment == .always { (entry.seen, entry.hits) = (1, 1) }
    entries.append(entry)
    return fault.name
  }

  private func has(_ name: String) -> Bool { entries.contains { $0.fault.name == name } }

  /// - Returns: the removed fault; nil if there is none of that name.
  @discardableResult
  public mutating func remove(_ name: String) -> Entry? {
    entries.firstIndex { $0.fault.name == name }.map { entries.remove(at: $0) }
  }

  /// - Returns: the removed faults.
  @discardableResult
  public mutating func removeAll() -> [Entry] {
    added = 0
    return exchange(&entries, with: [])
  }

  /// Finds the faults for a request, or a connection, at one of its moments, and counts them.
  ///
  /// - Parameter now: the time on a clock that does not go back; a fault's duration is measured by it.
  /// - Returns: the first that matches, behind those before it that only change the connection.
  public mutating func strike(_ facts: FaultFacts, at moment: Fault.Moment, now: Duration) -> [Hit] {
    var found: [Hit] = []
    for index in entries.indices where entries[index].fault.moment == moment {
      let fault = entries[index].fault
      guard fault.includes(facts), entries[index].isArmed(now: now), entries[index].strikes(facts, now: now) else {
        continue
      }
      found.append(Hit(name: fault.name, action: fault.action, number: entries[index].hits))
      if !fault.action.kind.leavesRequest(of: facts.stream) { break }
    }
    return found
  }

  /// The names of the faults that have not struck yet. In a test that is an error: it did not test what it says.
  public var unfired: [String] { entries.filter { $0.hits == 0 }.map(\.fault.name) }
}

/// A generator whose numbers are the same for a seed on every machine and in every version.
struct SplitMix64: Sendable {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  /// Returns a number from 0 up to, and without, 1.
  mutating func next() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    return Double(mixed >> 11) * 0x1p-53
  }
}
