import HandsetCore

/// One contact of the board: turns the edges of a button's, a switch's or a sensor's line into presses and positions.
/// Used on the front's thread.
struct ContactWatch {
  private var lines: DeviceLines<any InputLine>
  private var debouncer = Debouncer(isActive: false)
  private let meaning: Meaning
  /// The press of the button; nil for a position.
  private var press: ButtonPress?
  /// The position that was last reported; nil before the first report.
  private var said: Bool?

  /// Converts the time of an edge to uptime.
  private let uptime: (Duration) -> Duration
  private let report: (BoardReport) -> Void

  /// What the contact is to the handset.
  enum Meaning {
    case button(BoardKey)
    /// Returns the report of a position and its time.
    case position((Bool, Duration) -> BoardReport)
  }

  init(
    _ device: BoardDevice, _ meaning: Meaning, _ request: InputRequest, _ bank: any LineBank,
    uptime: @escaping (Duration) -> Duration, _ report: @escaping (BoardReport) -> Void
  ) {
    lines = DeviceLines(device, report) { () throws(LineFault) in try bank.open(request) }
    self.meaning = meaning
    if case .button = meaning { press = ButtonPress() }
    self.uptime = uptime
    self.report = report
  }

  /// The descriptor that is readable when `look` has something to read; nil while the line is lost.
  var descriptor: Int32? { lines.handle?.descriptor }

  /// The time of the next `look` if no edge comes before.
  var deadline: Duration? { [debouncer.deadline, press?.deadline].compactMap(\.self).min() }

  var retryAt: Duration? { lines.retryAt }

  /// Opens the line if it is lost and an attempt is due.
  mutating func retry(at now: Duration, _ reason: DeviceRetry) {
    guard lines.retry(at: now, reason) else { return }
    forget()
    readLevel(at: now)
  }

  /// Checks after a change of chips that this contact's chip is still present.
  mutating func probe(at now: Duration) {
    do {
      _ = try lines.handle?.isActive()
    } catch {
      fail(error, at: now)
    }
  }

  mutating func look(at now: Duration) {
    do {
      for level in try takeLevels(at: now) { handle(level) }
    } catch {
      fail(error, at: now)
    }
    if case .button(let button) = meaning, let done = press?.settle(at: now) {
      report(.pressed(button, done.length, at: uptime(done.at)))
    }
  }

  /// Reads the edges and returns the levels that lasted. No reference to the line may outlive this call: failed lines
  /// must be released before they are opened again.
  private mutating func takeLevels(at now: Duration) throws(LineFault) -> [Debouncer.Level] {
    guard let line = lines.handle else { return [] }
    var levels = debouncer.take(try line.takeEdges())
    guard debouncer.rests(until: now) else { return levels }
    let reading = try line.isActive()
    // The level may have changed just now; its edge is then taken in order.
    levels += debouncer.take(try line.takeEdges())
    if debouncer.rests(until: now), let level = debouncer.rest(until: now, reading: reading) { levels.append(level) }
    return levels
  }

  private mutating func handle(_ level: Debouncer.Level) {
    switch meaning {
    case .button(let button):
      if let done = press?.change(to: level) { report(.pressed(button, done.length, at: uptime(done.at))) }
    case .position(let position):
      guard said != level.isActive else { return }
      said = level.isActive
      report(position(level.isActive, uptime(level.since)))
    }
  }

  /// Reads the level of a newly opened line. A switch may have been moved meanwhile; a button that is down now does not
  /// count as pressed.
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

/// A filter that turns edges into levels that last: for some milliseconds a closing contact opens and closes many times.
/// It uses the edges' own timestamps, so late reads do not change the result.
struct Debouncer: Hashable, Sendable {
  /// A level of the contact and the time of its beginning.
  struct Level: Hashable, Sendable {
    var isActive: Bool
    var since: Duration
  }

  /// The newest level that lasted.
  private(set) var isActive: Bool
  /// The level after the newest edge, until it has lasted. It may equal the old level: edges may have been lost, so the
  /// contact is read once the edges have ended.
  private var candidate: Level?

  init(isActive: Bool) {
    self.isActive = isActive
  }

  /// The time at which the contact will have been at rest for long enough; nil if it already has.
  var deadline: Duration? { candidate.map { $0.since + BoardLimits.debounceTime } }

  /// Returns true if no edge came during the time that a level has to last.
  func rests(until now: Duration) -> Bool { deadline.map { now >= $0 } ?? false }

  /// Takes edges in their order.
  /// - Returns: the levels between them that lasted and are new.
  mutating func take(_ edges: [LineEdge]) -> [Level] { edges.compactMap { take($0) } }

  /// - Returns: the level before it if that lasted and is new.
  mutating func take(_ edge: LineEdge) -> Level? {
    let settled = settle(at: edge.time)
    candidate = Level(isActive: edge.isActive, since: edge.time)
    return settled
  }

  /// Ends the wait after the last edge: no edge came until now.
  /// - Returns: the new level if it has lasted.
  mutating func rest(until now: Duration, reading: Bool) -> Level? {
    guard let level = candidate, level.isActive != reading else { return settle(at: now) }
    candidate = Level(isActive: reading, since: now)
    return nil
  }

  private mutating func settle(at now: Duration) -> Level? {
    guard let level = candidate, now - level.since >= BoardLimits.debounceTime else { return nil }
    candidate = nil
    guard level.isActive != isActive else { return nil }
    isActive = level.isActive
    return level
  }
}

/// The state of one button. A press counts as long while the finger is still down, so that the user gets feedback at
/// once.
struct ButtonPress: Hashable, Sendable {
  /// The time since which the button is held; nil once its press was reported.
  private var heldSince: Duration?

  /// The time at which the press becomes a long one; nil if it cannot.
  var deadline: Duration? { heldSince.map { $0 + Policy.longPressTime } }

  /// - Returns: the length and time of the press if they are known now.
  mutating func change(to level: Debouncer.Level) -> (length: PressLength, at: Duration)? {
    if level.isActive {
      heldSince = level.since
      return nil
    }
    if let long = settle(at: level.since) { return long }
    guard heldSince != nil else { return nil }
    heldSince = nil
    return (.short, level.since)
  }

  /// Reports a long press once its time has passed.
  mutating func settle(at now: Duration) -> (length: PressLength, at: Duration)? {
    guard let deadline, now >= deadline else { return nil }
    heldSince = nil
    return (.long, deadline)
  }

  /// Discards the press after the loss of the line: the state of the button is unknown.
  mutating func forget() { heldSince = nil }
}
