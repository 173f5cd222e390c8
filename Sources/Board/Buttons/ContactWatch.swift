// A button or the ring/silent switch, from the edges of its line to what the finger meant. What that does is decided
// elsewhere.

import HandsetCore

/// One contact of the board. Used on the panel's thread.
struct ContactWatch {
  private var lines: DeviceLines<any InputLine>
  private var debouncer = Debouncer(isActive: false)
  /// Nil for the switch.
  private var press: ButtonPress?
  /// Where the switch was said to be; nil before that.
  private var saidSilent: Bool?

  /// - Parameter button: nil for the ring/silent switch.
  init(_ device: BoardDevice, button: AlertButton?, _ contact: BoardDescription.Contact, boardChip: String) {
    let request = InputRequest(
      chip: contact.chip ?? boardChip, line: contact.line, activeLow: contact.activeLow, bias: contact.bias)
    lines = DeviceLines(device) { bank throws(LineFault) in try bank.open(request) }
    press = button.map(ButtonPress.init)
  }

  /// Readable when there is something to look at; nil while the line is lost.
  var descriptor: Int32? { lines.handle?.descriptor }

  /// When to look again where nothing happens before.
  var deadline: Duration? { [debouncer.deadline, press?.deadline].compactMap(\.self).min() }

  /// When to try again to take the line; nil while that is not a matter of time.
  var retryAt: Duration? { lines.retryAt }

  /// Takes the line.
  mutating func open(from bank: any LineBank, at now: Duration, _ report: (BoardReport) -> Void) {
    forget()
    if let news = lines.open(from: bank, at: now) { report(news) }
    readLevel(bank, at: now, report)
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
      _ = try lines.handle?.isActive()
    } catch {
      fail(error, bank, at: now, report)
    }
  }

  /// Says what became of the edges so far.
  mutating func look(_ bank: any LineBank, at now: Duration, _ report: (BoardReport) -> Void) {
    do {
      for level in try takeLevels(at: now) { handle(level, report) }
    } catch {
      fail(error, bank, at: now, report)
    }
    if let button = press?.button, let done = press?.settle(at: now) {
      report(.pressed(button, done.length, at: done.at))
    }
  }

  /// Lines that failed must be let go before they are opened anew: no reference to them may outlive this call.
  private mutating func takeLevels(at now: Duration) throws(LineFault) -> [Debouncer.Level] {
    guard let line = lines.handle else { return [] }
    var levels: [Debouncer.Level] = []
    for edge in try line.takeEdges() {
      if let level = debouncer.take(edge) { levels.append(level) }
    }
    if let deadline = debouncer.deadline, now >= deadline,
      let level = debouncer.rest(until: now, reading: try line.isActive())
    {
      levels.append(level)
    }
    return levels
  }

  private mutating func handle(_ level: Debouncer.Level, _ report: (BoardReport) -> Void) {
    guard let button = press?.button else { return say(level, report) }
    if let done = press?.change(to: level) { report(.pressed(button, done.length, at: done.at)) }
  }

  /// The switch.
  private mutating func say(_ level: Debouncer.Level, _ report: (BoardReport) -> Void) {
    guard saidSilent != level.isActive else { return }
    saidSilent = level.isActive
    report(.silentSwitch(level.isActive, at: level.since))
  }

  /// The line is new: a switch may have been moved meanwhile, and a button that is down was not pressed now.
  private mutating func readLevel(_ bank: any LineBank, at now: Duration, _ report: (BoardReport) -> Void) {
    do {
      guard let isActive = try lines.handle?.isActive() else { return }
      debouncer = Debouncer(isActive: isActive)
      if let news = lines.worked() { report(news) }
      if press == nil { say(Debouncer.Level(isActive: isActive, since: now), report) }
    } catch {
      forget()
      if let news = lines.failed(error, bank: bank, at: now) { report(news) }
    }
  }

  private mutating func fail(
    _ fault: LineFault, _ bank: any LineBank, at now: Duration, _ report: (BoardReport) -> Void
  ) {
    forget()
    if let news = lines.failed(fault, bank: bank, at: now) { report(news) }
    readLevel(bank, at: now, report)
  }

  private mutating func forget() {
    debouncer = Debouncer(isActive: debouncer.isActive)
    press?.forget()
  }
}
