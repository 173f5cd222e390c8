// A display driver produces a program of line levels, as plain values. A program can be compared, counted and played on
// real lines, on simulated lines and in a test; the driver itself does no I/O.

/// The levels of the lines of one group over time.
public struct LineProgram: Hashable, Sendable {
  /// One step. Lines are bits: bit 0 is the group's first line.
  public enum Step: Hashable, Sendable {
    /// Sets the lines in `mask` to their bits in `levels`, all in one bulk set. On an open-drain line 1 releases it.
    case set(mask: UInt32, levels: UInt32)
    /// Leaves the lines as they are for at least this long.
    case wait(nanoseconds: UInt32)
    /// Samples one line; a level other than `level` is counted and changes nothing else.
    case expect(line: UInt8, level: Bool)
  }

  public private(set) var steps: [Step]

  public init(_ steps: [Step] = []) {
    self.steps = steps
  }

  /// The sum of the waits; sets and samples take additional time.
  public var duration: Duration {
    steps.reduce(.zero) { sum, step in
      if case .wait(let nanoseconds) = step { sum + .nanoseconds(Int64(nanoseconds)) } else { sum }
    }
  }

  mutating func set(_ mask: UInt32, _ levels: UInt32) { steps.append(.set(mask: mask, levels: levels & mask)) }

  mutating func wait(_ nanoseconds: UInt32) { steps.append(.wait(nanoseconds: nanoseconds)) }

  mutating func expect(_ line: UInt8, _ level: Bool) { steps.append(.expect(line: line, level: level)) }
}
