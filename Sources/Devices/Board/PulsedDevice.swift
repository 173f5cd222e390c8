// A device that runs in pulses: the motor, which switches on and off, and the buzzer, which does so or gets a tone.

import HandsetCore

/// The pulses of a device as a function of time. Like a sound they last their real time, on the clock of pulses.
struct PulsePlan: Sendable {
  private var current: (pattern: VibrationPattern, since: Duration)?

  /// Replaces the previous pattern.
  /// - Parameter pattern: nil stops the device.
  mutating func play(_ pattern: VibrationPattern?, at now: Duration) { current = pattern.map { ($0, now) } }

  func runs(at now: Duration) -> Bool { current.map { $0.pattern.runs(after: now - $0.since) } ?? false }

  /// Moves the rest of the pattern after a late start of the device, caused by the drawing of a display or a thread that
  /// slept too long, so that no pulse is shorter than in its pattern.
  mutating func started(at time: Duration, plannedAt planned: Duration) {
    guard let (pattern, since) = current else { return }
    current = (pattern, time - pattern.stepStart(at: planned - since))
  }

  /// Returns the time at which the device next starts or stops by itself; nil if it does not.
  func nextChange(after now: Duration) -> Duration? {
    current.flatMap { current in current.pattern.nextChange(after: now - current.since).map { current.since + $0 } }
  }
}

/// A device and its pulses. Used on the front's thread.
struct PulsedDevice {
  private var device: DrivenDevice<Bool>
  private var plan = PulsePlan()
  /// The next change by itself, counted from the present state: one that became due since then must not be missed.
  private(set) var nextChange: Duration?
  private var reported = false
  /// What plays the tone while the device runs; nil if it only needs a level.
  private let tone: (scan: ScanLoop, wave: LineProgram, idleLevels: UInt32)?
  private var order = 0

  /// - Parameter scan: plays the tone of a buzzer that needs one.
  init(
    _ device: BoardDevice, _ output: BoardDescription.Output, _ bank: any LineBank, _ player: ProgramPlayer,
    tone scan: ScanLoop? = nil, _ report: @escaping (BoardReport) -> Void
  ) {
    let idle: UInt32 = output.activeHigh ? 0 : 1
    let request = LineRequest(chip: output.chip, lines: [output.line], initialLevels: idle)
    self.device = DrivenDevice(device, request, bank, player, report) { runs in
      LineProgram([.set(mask: 1, levels: runs ? 1 - idle : idle)])
    }
    tone = scan.flatMap { scan in output.wave.map { (scan, $0, idle) } }
  }

  var retryAt: Duration? { device.retryAt }
  /// The time of the next change; nil also while the line is lost.
  var dueAt: Duration? { device.group == nil ? nil : nextChange }

  mutating func play(_ pattern: VibrationPattern?, at now: Duration) { plan.play(pattern, at: now) }
  mutating func retry(at now: Duration, _ reason: DeviceRetry) { device.retry(at: now, reason) }

  /// Checks after a change of chips that this device's chip is still present. While a tone is played its loop finds out.
  mutating func probe(at now: Duration) { if tone == nil || device.shown != true { device.probe(at: now) } }

  /// - Returns: the new state, and its time on the clock of pulses; nil if it is the one that was last returned.
  mutating func draw(at now: Duration) -> (runs: Bool, at: Duration)? {
    takeFault(at: now)
    let runs = plan.runs(at: now)
    let setAt = show(runs, at: now)
    if runs, let setAt { plan.started(at: setAt, plannedAt: now) }
    nextChange = plan.nextChange(after: runs ? setAt ?? now : now)
    guard device.shown == runs, reported != runs else { return nil }
    reported = runs
    return (runs, setAt ?? now)
  }

  /// Stops the device before its line is released.
  mutating func leave() {
    if tone != nil, device.shown == true { _ = show(false, at: .zero) } else { device.leave(false) }
  }

  /// - Returns: the time at which the line was set; nil if it was so already, or is lost.
  private mutating func show(_ runs: Bool, at now: Duration) -> Duration? {
    guard let tone else { return device.show(runs, at: now)?.lastSet }
    guard device.shown != runs, let group = device.group else { return nil }
    order += 1
    tone.scan.play(
      runs ? tone.wave : device.program(false), on: group, idleLevels: tone.idleLevels, turn: tone.wave.duration / 2,
      repeats: runs, number: order)
    device.shown = runs
    return now
  }

  private mutating func takeFault(at now: Duration) {
    guard let tone, let failure = tone.scan.takeNews().fault, failure.number == order else { return }
    tone.scan.letGo()
    device.failed(failure.fault, at: now)
  }
}

extension BoardDescription.Output {
  /// One period of its tone; nil if it has none.
  var wave: LineProgram? {
    frequency.map { hertz in
      let half = UInt32(500_000_000 / hertz)
      return LineProgram([
        .set(mask: 1, levels: 1), .wait(nanoseconds: half), .set(mask: 1, levels: 0), .wait(nanoseconds: half),
      ])
    }
  }
}
