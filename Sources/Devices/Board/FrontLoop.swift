// The front's thread takes the newest presentation, sets the lines to the plan for this moment, reads buttons, and
// sleeps until the plan changes by itself. It compares levels, so an unnecessary wake-up draws nothing.

import Glibc
import HandsetCore
import SystemThreads

/// The state of the front's thread. Created and used on that thread.
final class FrontLoop {
  private let bank: any LineBank
  private let clock: any BoardClock
  /// The clock of pulses, contacts and retries: real time, even if uptime is virtual.
  private let wireClock: any BoardClock
  /// Converts a time of the player to uptime, for reports.
  private let uptime: (Duration?) -> Duration
  private let scan: ScanLoop?
  private let mailbox: FrontMailbox
  private let report: (BoardReport) -> Void

  private var plan: FrontPlan
  private var lamp: DrivenDevice<LampLight>?
  private let lampBrightness: Brightness
  private var motor: PulsedDevice?
  private var buzzer: PulsedDevice?
  private let displayDescription: BoardDescription.Display?
  private var display: DrivenDevice<LitDigits>?
  private var contacts: [ContactWatch]
  /// The keys of the display; nil if none has a meaning.
  private var keys: KeyWatch?

  /// The moment for which the lines were last drawn.
  private var drawnAt: Duration = .zero
  /// The last reports, so that only changes are reported.
  private var reportedLamp: (lit: Bool, pattern: String?) = (false, nil)
  private var reportedText: SegmentText
  private var isReportedUnanswered = false
  /// The newest order to the scan loop, and the text it will show.
  private var order: (number: Int, text: SegmentText)

  init(
    description: BoardDescription, bank: any LineBank, clock: any BoardClock, wireClock: (any BoardClock)?,
    scan: ScanLoop?, tone: ScanLoop?, mailbox: FrontMailbox, report: @escaping (BoardReport) -> Void
  ) {
    self.bank = bank
    self.clock = clock
    self.wireClock = wireClock ?? clock
    let player = ProgramPlayer(clock: wireClock ?? clock)
    let uptime = { (time: Duration?) in if wireClock == nil, let time { time } else { clock.now() } }
    self.uptime = uptime
    self.scan = scan
    self.mailbox = mailbox
    // Dims by mail to this thread, which the board does by itself, and passes each report on.
    let report = { (fact: BoardReport) in
      switch fact {
      case .darkness(let isDark, _): mailbox.put { $0.isDark = isDark }
      case .pressed(.dim, _, _): mailbox.put { $0.dimPresses += 1 }
      default: break
      }
      report(fact)
    }
    self.report = report
    lampBrightness = description.lamp?.brightness ?? .fixed
    lamp = description.lamp.map { lamp in
      let request = LineRequest(chip: lamp.chip, lines: lamp.lines, initialLevels: lamp.driver.idleLevels)
      return DrivenDevice(.lamp, request, bank, player, report) {
        lamp.driver.program(showing: $0.colour, brightness: $0.brightness)
      }
    }
    motor = description.motor.map { PulsedDevice(.motor, $0, bank, player, report) }
    buzzer = description.buzzer.map { PulsedDevice(.buzzer, $0, bank, player, tone: tone, report) }
    displayDescription = description.display
    display = description.display.map { display in
      let driver = display.driver
      let request = LineRequest(
        chip: display.chip, lines: display.lines, drive: driver.drive, initialLevels: driver.idleLevels)
      return DrivenDevice(.display, request, bank, player, report) {
        driver.program(showing: $0.segments, brightness: $0.brightness)
      }
    }
    let inputs: [(BoardDevice, ContactWatch.Meaning, InputRequest?)] = [
      (.viewButton, .button(.view), description.viewButton), (.closeButton, .button(.close), description.closeButton),
      (.dimButton, .button(.dim), description.dimButton),
      (.silentSwitch, .position { .silentSwitch($0, at: $1) }, description.silentSwitch),
      (.lightSensor, .position { .darkness($0, at: $1) }, description.lightSensor),
    ]
    contacts = inputs.compactMap { device, meaning, contact in
      contact.map { ContactWatch(device, meaning, $0, bank, uptime: uptime, report) }
    }
    keys = KeyWatch(description.display)
    plan = FrontPlan(
      width: description.display?.driver.digits ?? 0,
      hasDecimalPoints: description.display?.hasDecimalPoints ?? false,
      brightness: description.display?.brightness ?? .fixed,
      displayHasLamps: (description.display?.driver as? TM1638)?.hasLamps ?? false)
    reportedText = plan.text
    order = (0, plan.text)
  }

  func run() {
    // The watch begins before the first look, so that a chip that appears in between is seen.
    let changes = bank.arrivalDirectory.flatMap(FrontLoop.watch)
    retry(.now)
    while true {
      let mail = mailbox.take()
      if mail.quits { break }
      if let presentation = mail.presentation { plan.show(presentation, at: clock.now()) }
      if let pattern = mail.vibration { motor?.play(pattern, at: wireClock.now()) }
      if let pattern = mail.beeps { buzzer?.play(pattern, at: wireClock.now()) }
      if let isDark = mail.isDark { plan.show(isDark: isDark) }
      for _ in 0..<mail.dimPresses { plan.pressDim() }
      let chipsChanged = changes?.take().contains { $0.hasPrefix("gpiochip") } ?? false
      if chipsChanged { probe() }
      retry(mail.retries || chipsChanged ? .now : mail.presentation != nil ? .wanted : .time)
      takeScanNews()
      let now = wireClock.now()
      for place in contacts.indices { contacts[place].look(at: now) }
      lookAtKeys(at: now)
      draw(at: clock.now())
      if let (runs, at) = motor?.draw(at: now) { report(.motor(runs: runs, at: uptime(at))) }
      if let (sounds, at) = buzzer?.draw(at: now) { report(.buzzer(sounds: sounds, at: uptime(at))) }
      rest(or: changes?.descriptor)
    }
    darken()
  }

  /// Blocks until there is mail, an edge of a contact or of a chip, or something changes by itself.
  private func rest(or changes: Int32?) {
    // Counted from the time of the last drawing: a change that became due meanwhile must not be missed.
    let lampChange = lamp?.group != nil ? plan.nextLampChange(after: drawnAt) : nil
    let displayChange = display?.group == nil ? nil : plan.nextDisplayChange(after: drawnAt)
    let change = [lampChange, displayChange].compactMap(\.self).min()
    var due = contacts.flatMap { [$0.deadline, $0.retryAt] } + [lamp?.retryAt, display?.retryAt]
    due += [motor, buzzer].flatMap { [$0?.dueAt, $0?.retryAt] }
    if display?.group != nil { due.append(keys?.dueAt) }
    let dueOnWire = due.compactMap(\.self).min()
    mailbox.rest.withLock { $0.nextChange = change }
    let timeout = [
      change.flatMap { clock.realTime(until: $0) }, dueOnWire.flatMap { wireClock.realTime(until: $0) },
    ].compactMap(\.self).min()
    mailbox.bell.wait(timeout: timeout, or: contacts.compactMap(\.descriptor) + (changes.map { [$0] } ?? []))
    mailbox.rest.withLock { $0.wakeCount += 1 }
  }

  // MARK: Lamp

  private func draw(at now: Duration) {
    drawnAt = now
    drawLamp(plan.light(at: now, lampBrightness), pattern: plan.lamp?.pattern.name, at: now)
    drawDisplay(plan.digits(at: now))
  }

  private func drawLamp(_ light: LampLight, pattern: String?, at now: Duration) {
    let setAt = lamp?.show(light, at: wireClock.now())?.lastSet
    let lit = light != .dark
    guard lamp?.shown == light, reportedLamp != (lit, pattern) else { return }
    reportedLamp = (lit, pattern)
    report(.lamp(lit: lit, pattern: pattern, at: setAt.map(uptime) ?? now))
  }

  // MARK: Display

  private func drawDisplay(_ digits: LitDigits) {
    if scan != nil {
      if display?.shown != digits || plan.text != order.text { scanOrder(digits, repeats: !digits.isDark) }
      if display?.group != nil { display?.shown = digits }
      return
    }
    if let findings = display?.show(digits, at: wireClock.now()) {
      // A display with keys answers when these are read.
      if keys == nil { reportAnswer(missed: findings.missed) }
      reportText(plan.text, at: uptime(findings.lastSet))
    }
    // A lost display reports its own return.
    if display?.group == nil { isReportedUnanswered = false }
    // The lines may already show this text: the dark half of a blink looks like an empty display.
    if display?.shown == digits { reportText(plan.text, at: clock.now()) }
  }

  /// Reads the display's keys, if it is time. A chip that does not answer is reported as for its digits.
  private func lookAtKeys(at now: Duration) {
    guard let question = keys?.program(at: now) else { return }
    guard let answer = display?.ask(question, at: now)?.answer else {
      keys?.forget()
      return
    }
    let presses = keys?.take(answer, at: now)
    reportAnswer(missed: presses == nil ? [0] : [])
    for press in presses ?? [] { report(.pressed(press.key, press.length, at: uptime(press.at))) }
  }

  private func scanOrder(_ digits: LitDigits, repeats: Bool) {
    guard let scan, let display, let group = display.group, let driver = displayDescription?.driver else { return }
    order = (order.number + 1, plan.text)
    let frame = display.program(digits)
    scan.play(
      frame, on: group, idleLevels: driver.idleLevels, turn: frame.duration / driver.digits, repeats: repeats,
      number: order.number)
  }

  private func takeScanNews() {
    guard let scan else { return }
    let news = scan.takeNews()
    if let shown = news.shown {
      display?.worked()
      if shown.number == order.number { reportText(order.text, at: uptime(shown.at)) }
    }
    if let failure = news.fault, failure.number == order.number {
      scan.letGo()
      display?.failed(failure.fault, at: wireClock.now())
    }
  }

  private func reportText(_ text: SegmentText, at time: Duration) {
    guard text != reportedText else { return }
    reportedText = text
    report(.digits(text: text.characters, overflows: text.overflows, at: time))
  }

  private func reportAnswer(missed: [Int]) {
    guard !missed.isEmpty else {
      if isReportedUnanswered { report(.back(.display)) }
      isReportedUnanswered = false
      return
    }
    guard !isReportedUnanswered, let description = displayDescription,
      let advice = description.driver.advice(missed: missed, lines: description.lines)
    else { return }
    isReportedUnanswered = true
    report(.unanswered(.display, reason: "display on chip '\(description.chip)': \(advice); drawing goes on"))
  }

  // MARK: Loss and return

  /// Watches the folder of device files: a chip that is plugged in, or that udev makes accessible a moment later, appears
  /// there, and an unplugged one disappears, also while nothing is drawn that could fail. Nil if the folder cannot be
  /// watched; lost devices then wait for `Front.retry()`.
  private static func watch(_ folder: String) -> FolderWatch? {
    // The kernel creates the file, then udev sets the mode that gives us access.
    try? FolderWatch(folder, for: UInt32(IN_CREATE | IN_ATTRIB | IN_MOVED_TO | IN_DELETE))
  }

  /// Checks all devices after a chip came or went: idle lines do not fail, so their return would not be seen.
  private func probe() {
    let now = wireClock.now()
    lamp?.probe(at: now)
    motor?.probe(at: now)
    buzzer?.probe(at: now)
    for place in contacts.indices { contacts[place].probe(at: now) }
    // The scan loop owns a scanned display's lines and detects their loss itself while it shows something.
    guard scan == nil else { return }
    display?.probe(at: now)
  }

  private func retry(_ reason: DeviceRetry) {
    let now = wireClock.now()
    lamp?.retry(at: now, reason)
    motor?.retry(at: now, reason)
    buzzer?.retry(at: now, reason)
    display?.retry(at: now, reason)
    for place in contacts.indices { contacts[place].retry(at: now, reason) }
  }

  /// Darkens the board before its lines are released: an undriven lamp could show a wrong state.
  private func darken() {
    lamp?.leave(.dark)
    motor?.leave()
    buzzer?.leave()
    let dark = LitDigits.dark(width: plan.width)
    if scan != nil { scanOrder(dark, repeats: false) } else { display?.leave(dark) }
  }
}

extension Doorbell {
  /// Waits until the bell was rung (and resets it), a descriptor is readable, or the timeout has passed. Poll counts
  /// milliseconds; a lamp's edges need a finer timeout.
  /// - Parameter timeout: nil waits without end.
  fileprivate func wait(timeout: Duration?, or descriptors: [Int32] = []) {
    var others = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let milliseconds = timeout.map { Int32(clamping: $0.inMicroseconds / 1_000) }
    switch wait(with: &others, milliseconds: milliseconds ?? -1) {
    case .rung: clear()
    case .ready: return
    case .timedOut:
      guard let timeout, let milliseconds else { return }
      // The remaining fraction is slept. More than that remains only after a month; the caller then waits again.
      var rest = timespec(timeout - .milliseconds(milliseconds))
      if rest.tv_sec == 0 { nanosleep(&rest, nil) }
    }
  }
}
