// A lamp, motor or display with its lines. It compares: being asked for what is there plays nothing.

/// What is lit, drawn or running, through loss and return. Used on the panel's thread.
struct DrivenDevice<Shown: Equatable> {
  private let player: ProgramPlayer
  /// Makes its lines show that.
  let program: (Shown) -> LineProgram
  private var lines: DeviceLines<any LineGroup>
  /// What the lines show; nil where that is not known.
  var shown: Shown?

  init(
    _ device: BoardDevice, _ request: LineRequest, _ bank: any LineBank, _ player: ProgramPlayer,
    _ report: @escaping (BoardReport) -> Void, program: @escaping (Shown) -> LineProgram
  ) {
    self.player = player
    self.program = program
    lines = DeviceLines(device, report) { () throws(LineFault) in try bank.open(request) }
  }

  /// Nil while it is lost.
  var group: (any LineGroup)? { lines.handle }

  var retryAt: Duration? { lines.retryAt }

  /// Takes the lines where they are lost and that is due.
  mutating func retry(at now: Duration, _ reason: DeviceRetry) {
    if lines.retry(at: now, reason) { shown = nil }
  }

  /// Chips came or went: is this one's still there?
  mutating func probe(at now: Duration) {
    do {
      _ = try lines.handle?.level(of: 0)
    } catch {
      failed(error, at: now)
    }
  }

  /// Makes the lines show what they should.
  /// - Returns: what playing brought to light; nil where they show that already, or are lost.
  mutating func show(_ wanted: Shown, at now: Duration) -> ProgramPlayer.Findings? {
    while shown != wanted && group != nil {
      do {
        let findings = try play(wanted)
        shown = wanted
        lines.worked()
        return findings
      } catch {
        lines.failed(error, at: now)
      }
    }
    return nil
  }

  /// Shows it for good.
  func leave(_ dark: Shown) { _ = try? play(dark) }

  /// Others used the lines, which failed.
  mutating func failed(_ fault: LineFault, at now: Duration) {
    shown = nil
    lines.failed(fault, at: now)
  }

  /// Others used the lines.
  mutating func worked() { lines.worked() }

  /// Lines that failed must be let go before they are opened anew: no reference to them may outlive this call.
  private func play(_ wanted: Shown) throws(LineFault) -> ProgramPlayer.Findings {
    guard let group = lines.handle else { return ProgramPlayer.Findings() }
    return try player.play(program(wanted), on: group)
  }
}
