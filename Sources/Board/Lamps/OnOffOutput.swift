// A lamp or motor with its line. It compares levels: being asked for what is there sets nothing.

/// What is on or off, through loss and return. Used on the panel's thread.
struct OnOffOutput {
  private let driver: OnOffDriver
  private var lines: DeviceLines<any LineGroup>
  /// What the line shows; nil where that is not known.
  private(set) var isOn: Bool?

  init(_ device: BoardDevice, _ output: BoardDescription.Output, boardChip: String) {
    driver = output.driver
    let request = LineRequest(
      chip: output.chip ?? boardChip, lines: [output.line], initialLevels: output.driver.idleLevels)
    lines = DeviceLines(device) { bank throws(LineFault) in try bank.open(request) }
  }

  var isOpen: Bool { lines.handle != nil }

  var retryAt: Duration? { lines.retryAt }

  mutating func open(from bank: any LineBank, at now: Duration, _ report: (BoardReport) -> Void) {
    isOn = nil
    if let news = lines.open(from: bank, at: now) { report(news) }
  }

  /// Takes the line where it is lost and that is due.
  mutating func retry(
    from bank: any LineBank, at now: Duration, _ reason: DeviceRetry, _ report: (BoardReport) -> Void
  ) {
    if lines.isRetryDue(at: now, reason) { open(from: bank, at: now, report) }
  }

  /// Chips came or went: is this one's still there?
  mutating func probe(_ bank: any LineBank, at now: Duration, _ report: (BoardReport) -> Void) {
    do {
      _ = try lines.handle?.level(of: 0)
    } catch {
      isOn = nil
      if let news = lines.failed(error, bank: bank, at: now) { report(news) }
    }
  }

  /// Makes the line what it should be.
  /// - Returns: when it was set, on the player's clock; nil where it was that already, or is lost.
  mutating func set(
    _ on: Bool, _ player: ProgramPlayer, bank: any LineBank, at now: Duration, _ report: (BoardReport) -> Void
  ) -> Duration? {
    while isOn != on && isOpen {
      do {
        let setAt = try play(on, player)
        isOn = on
        if let news = lines.worked() { report(news) }
        return setAt
      } catch {
        if let news = lines.failed(error, bank: bank, at: now) { report(news) }
      }
    }
    return nil
  }

  /// Switches off for good.
  func darken(_ player: ProgramPlayer) { _ = try? play(false, player) }

  /// Lines that failed must be let go before they are opened anew: no reference to them may outlive this call.
  private func play(_ on: Bool, _ player: ProgramPlayer) throws(LineFault) -> Duration? {
    guard let group = lines.handle else { return nil }
    return try player.play(driver.program(on: on), on: group).lastSet
  }
}
