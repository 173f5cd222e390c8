// A lamp or motor with its line. It compares levels: being asked for what is there sets nothing.

/// What is on or off, through loss and return. Used on the panel's thread.
struct OnOffOutput {
  private let activeHigh: Bool
  private let player: ProgramPlayer
  private var lines: DeviceLines<any LineGroup>
  /// What the line shows; nil where that is not known.
  private(set) var isOn: Bool?

  init(
    _ device: BoardDevice, _ output: BoardDescription.Output, _ bank: any LineBank, _ player: ProgramPlayer,
    _ report: @escaping (BoardReport) -> Void
  ) {
    activeHigh = output.activeHigh
    self.player = player
    let request = LineRequest(chip: output.chip, lines: [output.line], initialLevels: output.activeHigh ? 0 : 1)
    lines = DeviceLines(device, report) { () throws(LineFault) in try bank.open(request) }
  }

  var isOpen: Bool { lines.handle != nil }

  var retryAt: Duration? { lines.retryAt }

  /// Takes the line where it is lost and that is due.
  mutating func retry(at now: Duration, _ reason: DeviceRetry) {
    if lines.retry(at: now, reason) { isOn = nil }
  }

  /// Chips came or went: is this one's still there?
  mutating func probe(at now: Duration) {
    do {
      _ = try lines.handle?.level(of: 0)
    } catch {
      isOn = nil
      lines.failed(error, at: now)
    }
  }

  /// Makes the line what it should be.
  /// - Returns: when it was set, on the player's clock; nil where it was that already, or is lost.
  mutating func set(_ on: Bool, at now: Duration) -> Duration? {
    while isOn != on && isOpen {
      do {
        let setAt = try play(on)
        isOn = on
        lines.worked()
        return setAt
      } catch {
        lines.failed(error, at: now)
      }
    }
    return nil
  }

  /// Switches off for good.
  func darken() { _ = try? play(false) }

  /// Lines that failed must be let go before they are opened anew: no reference to them may outlive this call.
  private func play(_ on: Bool) throws(LineFault) -> Duration? {
    guard let group = lines.handle else { return nil }
    return try player.play(LineProgram([.set(mask: 1, levels: on == activeHigh ? 1 : 0)]), on: group).lastSet
  }
}
