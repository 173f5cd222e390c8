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

  /// Uptime at a time of an edge.
  private let uptime: (Duration) -> Duration
  private let report: (BoardReport) -> Void

  /// - Parameter button: nil for the ring/silent switch.
  init(
    _ device: BoardDevice, button: AlertButton?, _ request: InputRequest, _ bank: any LineBank,
    uptime: @escaping (Duration) -> Duration, _ report: @escaping (BoardReport) -> Void
  ) {
    lines = DeviceLines(device, report) { () throws(LineFault) in try bank.open(request) }
    press = button.map(ButtonPress.init)
    self.uptime = uptime
    self.report = report
  }

  /// Readable when there is something to look at; nil while the line is lost.
  var descriptor: Int32? { lines.handle?.descriptor }

  /// When to look again where nothing happens before.
  var deadline: Duration? { [debouncer.deadline, press?.deadline].compactMap(\.self).min() }

  /// When to try again to take the line; nil while that is not a matter of time.
  var retryAt: Duration? { lines.retryAt }

  /// Takes the line where it is lost and that is due.
  mutating func retry(at now: Duration, _ reason: DeviceRetry) {
    guard lines.retry(at: now, reason) else { return }
    forget()
    readLevel(at: now)
  }

  /// Chips came or went: is this one's still there?
  mutating func probe(at now: Duration) {
    do {
      _ = try lines.handle?.isActive()
    } catch {
      fail(error, at: now)
    }
  }

  /// Says what became of the edges so far.
  mutating func look(at now: Duration) {
    do {
      for level in try takeLevels(at: now) { handle(level) }
    } catch {
      fail(error, at: now)
    }
    if let button = press?.button, let done = press?.settle(at: now) {
      report(.pressed(button, done.length, at: uptime(done.at)))
    }
  }

  /// Lines that failed must be let go before they are opened anew: no reference to them may outlive this call.
  private mutating func takeLevels(at now: Duration) throws(LineFault) -> [Debouncer.Level] {
    guard let line = lines.handle else { return [] }
    var levels = debouncer.take(try line.takeEdges())
    guard debouncer.rests(until: now) else { return levels }
    let reading = try line.isActive()
    // What changed the reading just now may be an edge, which comes in its order.
    levels += debouncer.take(try line.takeEdges())
    if debouncer.rests(until: now), let level = debouncer.rest(until: now, reading: reading) { levels.append(level) }
    return levels
  }

  private mutating func handle(_ level: Debouncer.Level) {
    if let button = press?.button {
      if let done = press?.change(to: level) { report(.pressed(button, done.length, at: uptime(done.at))) }
    } else if saidSilent != level.isActive {
      saidSilent = level.isActive
      report(.silentSwitch(level.isActive, at: uptime(level.since)))
    }
  }

  /// The line is new: a switch may have been moved meanwhile, and a button that is down was not pressed now.
  private mutating func readLevel(at now: Duration) {
    do {
      guard let isActive = try lines.handle?.isActive() else { return }
      debouncer = Debouncer(isActive: isActive)
      lines.worked()
      if press == nil { handle(Debouncer.Level(isActive: isActive, since: now)) }
    } catch {
      forget()
      lines.failed(error, at: now)
    }
  }

  private mutating func fail(_ fault: LineFault, at now: Duration) {
    forget()
    lines.failed(fault, at: now)
    readLevel(at: now)
  }

  private mutating func forget() {
    debouncer = Debouncer(isActive: debouncer.isActive)
    press?.forget()
  }
}
