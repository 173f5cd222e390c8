/// A lamp, motor or display and its present state, through loss and return. A request for that state plays nothing. Used
/// on the front's thread.
struct DrivenDevice<Shown: Equatable> {
  private let player: ProgramPlayer
  /// Returns the program that makes the lines show a state.
  let program: (Shown) -> LineProgram
  private var lines: DeviceLines<any LineGroup>
  /// The state that the lines show; nil if it is unknown.
  var shown: Shown?

  init(
    _ device: BoardDevice, _ request: LineRequest, _ bank: any LineBank, _ player: ProgramPlayer,
    _ report: @escaping (BoardReport) -> Void, program: @escaping (Shown) -> LineProgram
  ) {
    self.player = player
    self.program = program
    lines = DeviceLines(device, report) { () throws(LineFault) in try bank.open(request) }
  }

  /// The lines; nil while the device is lost.
  var group: (any LineGroup)? { lines.handle }

  var retryAt: Duration? { lines.retryAt }

  mutating func retry(at now: Duration, _ reason: DeviceRetry) {
    if lines.retry(at: now, reason) { shown = nil }
  }

  /// Checks after a change of chips that this device's chip is still present.
  mutating func probe(at now: Duration) {
    do {
      _ = try lines.handle?.level(of: 0)
    } catch {
      failed(error, at: now)
    }
  }

  /// - Returns: the findings of the player; nil if the lines already show the state, or are lost.
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

  /// Plays a program that changes nothing of what the lines show, and reads an answer.
  /// - Returns: nil if the lines are lost.
  mutating func ask(_ question: LineProgram, at now: Duration) -> ProgramPlayer.Findings? {
    do {
      let findings = try lines.handle.map { group throws(LineFault) in try player.play(question, on: group) }
      if findings != nil { lines.worked() }
      return findings
    } catch {
      failed(error, at: now)
      return nil
    }
  }

  /// Shows the final state before the lines are released.
  func leave(_ dark: Shown) { _ = try? play(dark) }

  /// Handles a failure of the lines in the scan loop.
  mutating func failed(_ fault: LineFault, at now: Duration) {
    shown = nil
    lines.failed(fault, at: now)
  }

  /// Records a successful use of the lines by the scan loop.
  mutating func worked() { lines.worked() }

  /// Plays the program of the state. No reference to the lines may outlive this call: failed lines must be released
  /// before they are opened again.
  private func play(_ wanted: Shown) throws(LineFault) -> ProgramPlayer.Findings {
    guard let group = lines.handle else { return ProgramPlayer.Findings() }
    return try player.play(program(wanted), on: group)
  }
}
