// The only place where programs are applied to lines. Real lines, simulated lines and tests all use it, so the signals
// that a chip model accepts in a test are those that the real chip gets.

/// A player of programs at the pace of their waits.
public struct ProgramPlayer: Sendable {
  let clock: any BoardClock

  /// The results of playing a program.
  public struct Findings: Hashable, Sendable {
    /// The samples that found another level than expected.
    public var mismatches = 0
    /// The time at which the last line was set; nil for a program that sets none.
    public var lastSet: Duration?
  }

  /// Plays a program to its end. A wait lasts at least as long as it says, counted from the step before it.
  /// - Throws: the group's fault; the lines then keep their levels.
  public func play(_ program: LineProgram, on group: any LineGroup) throws(LineFault) -> Findings {
    var findings = Findings()
    for step in program.steps {
      switch step {
      case .set(let mask, let levels):
        try group.set(mask: mask, levels: levels)
        findings.lastSet = clock.now()
      case .wait(let nanoseconds):
        clock.wait(until: clock.now() + .nanoseconds(Int64(nanoseconds)))
      case .expect(let line, let level):
        if try group.level(of: Int(line)) != level { findings.mismatches += 1 }
      }
    }
    return findings
  }
}
