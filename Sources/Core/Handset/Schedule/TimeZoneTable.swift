/// A time zone, which the daemon reads from the system: its offsets from UTC and the start of each.
public struct TimeZoneTable: Hashable, Sendable, Codable {
  /// The start of an offset: from `time` on, local time is `offset` ahead of UTC.
  public struct Transition: Hashable, Sendable, SingleValueCodable {
    /// Seconds since 1970-01-01T00:00:00Z.
    public var time: Int64
    /// Seconds that local time is ahead of UTC; negative west of Greenwich.
    public var offset: Int

    public init(time: Int64, offset: Int) {
      self.time = time
      self.offset = offset
    }

    public var coded: [Int64] { [time, Int64(offset)] }

    public init?(coded pair: [Int64]) {
      guard pair.count == 2 else { return nil }
      self.init(time: pair[0], offset: Int(clamping: pair[1]))
    }
  }

  /// Its name in the system: `Europe/Berlin`.
  public let name: String
  /// The offset before the first transition, in seconds ahead of UTC.
  public let initialOffset: Int
  /// The transitions, ascending in time. After the last its offset stays.
  public let transitions: [Transition]

  public static let utc = TimeZoneTable(name: "UTC")

  private init(name: String) {
    self.name = name
    initialOffset = 0
    transitions = []
  }

  /// Nil unless the times ascend, the offsets are within `Policy.timeZoneOffsetLimit`, and there are at most
  /// `Policy.timeZoneTransitionLimit` transitions.
  public init?(name: String, initialOffset: Int, transitions: [Transition]) {
    let offsets = [initialOffset] + transitions.map(\.offset)
    guard transitions.count <= Policy.timeZoneTransitionLimit,
      offsets.allSatisfy({ $0.magnitude < Policy.timeZoneOffsetLimit }),
      zip(transitions, transitions.dropFirst()).allSatisfy({ $0.time < $1.time }),
      transitions.allSatisfy({ TimeZoneTable.times.contains($0.time) })
    else { return nil }
    self.name = name
    self.initialOffset = initialOffset
    self.transitions = transitions
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let table = TimeZoneTable(
      name: try values.decode(String.self, forKey: .name),
      initialOffset: try values.decode(Int.self, forKey: .initialOffset),
      transitions: try values.decode([Transition].self, forKey: .transitions))
    guard let table else {
      throw DecodingError.dataCorruptedError(forKey: .transitions, in: values, debugDescription: "it is no time zone")
    }
    self = table
  }

  /// The times of transitions, limited to the years that microseconds can express, so that nothing overflows.
  private static let times = (Int64.min / 1_000_000)...(Int64.max / 1_000_000)

  /// Returns the second of the local day, 0 to 86,399.
  public func secondOfDay(at wall: WallTime) -> Int {
    let local = localSeconds(at: wall)
    return Int(local - floorDivide(local, by: 86_400) * 86_400)
  }

  /// Returns the seconds that local time is ahead of UTC; negative west of Greenwich.
  public func offset(at wall: WallTime) -> Int {
    offset(before: firstTransition(after: floorDivide(wall.microseconds, by: 1_000_000)))
  }

  /// Returns the time at which the offset next changes; nil if it does not.
  func nextTransition(after wall: WallTime) -> WallTime? {
    let index = firstTransition(after: floorDivide(wall.microseconds, by: 1_000_000))
    return index < transitions.count ? WallTime(seconds: transitions[index].time) : nil
  }

  /// Returns the seconds since 1970-01-01T00:00:00 on local clocks.
  public func localSeconds(at wall: WallTime) -> Int64 {
    floorDivide(wall.microseconds, by: 1_000_000) + Int64(offset(at: wall))
  }

  /// Returns the time at which local clocks show `local`: the first one of two, or the end of the gap that skips it.
  /// - Parameter local: seconds since 1970-01-01T00:00:00 on local clocks.
  public func time(ofLocal local: Int64) -> WallTime {
    // Only offsets within the limit before and after can matter.
    var index = firstTransition(after: local - Int64(Policy.timeZoneOffsetLimit))
    while true {
      let time = local - Int64(offset(before: index))
      guard index < transitions.count, time >= transitions[index].time else { return WallTime(seconds: time) }
      if local - Int64(transitions[index].offset) < transitions[index].time {
        return WallTime(seconds: transitions[index].time)
      }
      index += 1
    }
  }

  private func offset(before index: Int) -> Int { index == 0 ? initialOffset : transitions[index - 1].offset }

  private func firstTransition(after seconds: Int64) -> Int { transitions.firstPlace { $0.time > seconds } }
}
