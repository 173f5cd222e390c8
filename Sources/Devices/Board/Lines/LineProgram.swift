/// The levels of the lines of one group over time, as plain values: the driver that makes them does no I/O.
public struct LineProgram: Hashable, Sendable {
  /// One step. Lines are bits: bit 0 is the group's first line.
  public enum Step: Hashable, Sendable {
    /// Sets the lines in `mask` to their bits in `levels`, all in one bulk set. On an open-drain line 1 releases it.
    case set(mask: UInt32, levels: UInt32)
    /// Leaves the lines as they are for at least this long.
    case wait(nanoseconds: UInt32)
    /// Samples one line; a level other than `level` is noted and changes nothing else.
    case expect(line: UInt8, level: Bool)
    /// Reads one line, as a bit of the chip's answer.
    case read(line: UInt8)
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

  mutating func read(_ line: UInt8) { steps.append(.read(line: line)) }

  mutating func expect(_ line: UInt8, _ level: Bool) { steps.append(.expect(line: line, level: level)) }
}

/// A player of programs at the pace of their waits, for real lines, simulated lines and tests, so the signals that a chip
/// model accepts in a test are those that the real chip gets.
public struct ProgramPlayer: Sendable {
  let clock: any BoardClock

  /// The results of playing a program.
  public struct Findings: Hashable, Sendable {
    /// The samples that found another level than expected, numbered from 0 in the order of the program.
    public var missed: [Int] = []
    /// The levels that were read, in their order.
    public var answer: [Bool] = []
    /// The time at which the last line was set; nil for a program that sets none.
    public var lastSet: Duration?
  }

  /// Plays a program to its end. A wait lasts at least as long as it says, counted from the step before it.
  /// - Throws: the group's fault; the lines then keep their levels.
  public func play(_ program: LineProgram, on group: any LineGroup) throws(LineFault) -> Findings {
    var findings = Findings()
    var samples = 0
    for step in program.steps {
      switch step {
      case .set(let mask, let levels):
        try group.set(mask: mask, levels: levels)
        findings.lastSet = clock.now()
      case .wait(let nanoseconds):
        clock.wait(until: clock.now() + .nanoseconds(Int64(nanoseconds)))
      case .expect(let line, let level):
        if try group.level(of: Int(line)) != level { findings.missed.append(samples) }
        samples += 1
      case .read(let line):
        findings.answer.append(try group.level(of: Int(line)))
      }
    }
    return findings
  }
}
