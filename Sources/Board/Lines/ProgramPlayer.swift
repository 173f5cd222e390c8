// The one place where a program meets lines. Real lines, simulated lines and tests all go through it, so what a chip
// model accepts in a test is what the silicon gets.

/// Plays programs at the pace that their waits ask for.
public struct ProgramPlayer: Sendable {
  let clock: any BoardClock

  public init(clock: any BoardClock) {
    self.clock = clock
  }

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
      if case .wait(let nanoseconds) = step {
        clock.wait(until: clock.now() + .nanoseconds(Int64(nanoseconds)))
      } else {
        try perform(step, on: group, &findings)
      }
    }
    return findings
  }

  /// Waits of a frame up to this long are kept whole: a blank that a late wake-up has eaten shows ghosts.
  static let wholeWaitNanoseconds: UInt32 = 100_000

  /// Plays one frame of a scanned display. Longer waits are counted from `start`, so that what the sets take does not
  /// add up and frames follow each other evenly. A wake-up later than a quarter of its wait moves all that follows:
  /// one digit is then bright for a moment, instead of its neighbours dark.
  /// - Returns: when the next frame is due.
  func playFrame(
    _ program: LineProgram, on group: any LineGroup, start: Duration, _ findings: inout Findings
  ) throws(LineFault) -> Duration {
    var due = start
    for step in program.steps {
      guard case .wait(let nanoseconds) = step else {
        try perform(step, on: group, &findings)
        continue
      }
      let wait = Duration.nanoseconds(Int64(nanoseconds))
      due += wait
      if nanoseconds <= ProgramPlayer.wholeWaitNanoseconds {
        clock.wait(until: clock.now() + wait)
      } else {
        clock.wait(until: due)
        let now = clock.now()
        if now - due > wait / 4 { due = now }
      }
    }
    return due
  }

  private func perform(
    _ step: LineProgram.Step, on group: any LineGroup, _ findings: inout Findings
  ) throws(LineFault) {
    switch step {
    case .set(let mask, let levels):
      try group.set(mask: mask, levels: levels)
      findings.lastSet = clock.now()
    case .wait: break
    case .expect(let line, let level):
      if try group.level(of: Int(line)) != level { findings.mismatches += 1 }
    }
  }
}
