// The one place where a program meets lines. Real lines, simulated lines and tests all go through it, so what a chip
// model accepts in a test is what the silicon gets.

/// Plays programs at the pace that their waits ask for.
public struct ProgramPlayer: Sendable {
  let clock: any BoardClock

  /// What playing a program brought to light.
  public struct Findings: Hashable, Sendable {
    /// Samples that found another level than expected.
    public var mismatches = 0
    /// When the last line was set; nil for a program that sets none.
    public var lastSet: Duration?
  }

  /// Plays to the end. A wait lasts at least as long as it says, counted from the step before it.
  /// - Throws: the group's fault; lines then keep the levels that they had.
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
