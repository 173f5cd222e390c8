// The panel's thread: takes the newest presentation, makes the lines what the plan says for this moment, and sleeps
// until the plan changes by itself. It compares levels, so being woken for nothing draws nothing.

import HandsetCore

/// Everything that the panel's thread owns. Made and used on that thread.
final class PanelLoop {
  private let bank: any LineBank
  private let clock: any BoardClock
  private let player: ProgramPlayer
  private let isWireOnUptime: Bool
  private let scan: ScanLoop?
  private let mailbox: PanelMailbox
  private let report: (BoardReport) -> Void

  private var plan: PanelPlan
  private let lampDriver: LampDriver?
  private let displayDriver: (any DisplayDriver)?
  private var lamp: DeviceLines?
  private var display: DeviceLines?

  /// The moment whose light the lines show.
  private var drawnAt: Duration = .zero
  /// What the lines show; nil where that is not known.
  private var drawnLamp: Bool?
  private var drawnDigits: LitDigits?
  /// What was said last, so that only changes are reported.
  private var reportedLamp: (lit: Bool, pattern: String?) = (false, nil)
  private var reportedText: SegmentText
  private var isReportedUnanswered = false
  /// The newest order to the scan loop, and the text it will show.
  private var order: (number: Int, text: SegmentText)
  private var lastRetry: Duration?
  private let realClock = MonotonicClock()

  init(
    description: BoardDescription, bank: any LineBank, clock: any BoardClock, wireClock: (any BoardClock)?,
    scan: ScanLoop?, mailbox: PanelMailbox, report: @escaping (BoardReport) -> Void
  ) {
    self.bank = bank
    self.clock = clock
    self.player = ProgramPlayer(clock: wireClock ?? clock)
    self.isWireOnUptime = wireClock == nil
    self.scan = scan
    self.mailbox = mailbox
    self.report = report
    lampDriver = description.lamp?.driver
    lamp = description.lamp.map { lamp in
      DeviceLines(
        device: .lamp,
        request: LineRequest(
          chip: lamp.chip ?? description.chip, lines: [lamp.line], initialLevels: lamp.driver.idleLevels))
    }
    displayDriver = description.display?.driver
    display = description.display.map { display in
      DeviceLines(
        device: .display,
        request: LineRequest(
          chip: display.chip ?? description.chip, lines: display.lines, drive: display.driver.drive,
          initialLevels: display.driver.idleLevels))
    }
    plan = PanelPlan(
      width: displayDriver?.digits ?? 0, hasDecimalPoints: description.display?.hasDecimalPoints ?? false,
      brightness: description.display?.brightness ?? .fixed)
    reportedText = plan.text
    order = (0, plan.text)
  }

  /// The thread's body.
  func run() {
    // Watched before looked at: a chip that appears in between is seen.
    var arrivals = bank.arrivalDirectory.flatMap { ChipArrivals(in: $0) }
    tell(lamp?.open(from: bank))
    tell(display?.open(from: bank))
    while true {
      let mail = mailbox.take()
      if mail.quits { break }
      if let presentation = mail.presentation { plan.show(presentation, at: clock.now()) }
      let chipArrived = arrivals?.take() ?? false
      if mail.retries || chipArrived || (mail.presentation != nil && isBusyRetryDue()) { retryLost() }
      takeScanNews()
      draw(at: clock.now())
      watch(&arrivals)
      rest(or: arrivals?.descriptor)
    }
    darken()
  }

  /// A folder is watched while something is missing that can appear in it.
  private func watch(_ arrivals: inout ChipArrivals?) {
    let isMissing = lamp?.fault != nil || display?.fault != nil
    if !isMissing {
      arrivals = nil
    } else if arrivals == nil, let directory = bank.arrivalDirectory {
      arrivals = ChipArrivals(in: directory)
      // It may have come back before the watch was set.
      if arrivals != nil {
        retryLost()
        draw(at: clock.now())
      }
    }
  }

  /// Blocks until there is mail, or the plan changes.
  private func rest(or arrivals: Int32?) {
    // Counted from what was drawn: a change that fell due meanwhile must not be slept through.
    let lampChange = lamp?.group == nil ? nil : plan.nextLampChange(after: drawnAt)
    let displayChange = display?.group == nil ? nil : plan.nextDisplayChange(after: drawnAt)
    let change = [lampChange, displayChange].compactMap(\.self).min()
    mailbox.rest.withLock { $0.nextChange = change }
    mailbox.bell.wait(timeout: change.flatMap { clock.realTime(until: $0) }, or: arrivals)
    mailbox.rest.withLock { $0.wakeCount += 1 }
  }

  private func draw(at now: Duration) {
    drawnAt = now
    drawLamp(lit: plan.lampIsLit(at: now), pattern: plan.lamp?.pattern.name, at: now)
    drawDisplay(plan.digits(at: now))
  }

  private func drawLamp(lit: Bool, pattern: String?, at now: Duration) {
    guard let lampDriver else { return }
    var setAt = now
    while drawnLamp != lit && lamp?.group != nil {
      do {
        setAt = uptime(ofWire: try play(lampDriver.program(lit: lit), on: lamp).lastSet)
        drawnLamp = lit
        tell(lamp?.worked())
      } catch {
        tell(lamp?.failed(error, bank: bank))
      }
    }
    guard drawnLamp == lit, reportedLamp != (lit, pattern) else { return }
    reportedLamp = (lit, pattern)
    report(.lamp(lit: lit, pattern: pattern, at: setAt))
  }

  private func drawDisplay(_ digits: LitDigits) {
    guard let displayDriver else { return }
    func program() -> LineProgram {
      displayDriver.program(showing: digits.segments, brightness: digits.brightness)
    }
    if scan != nil {
      if drawnDigits != digits || plan.text != order.text {
        scanOrder(program(), repeats: !digits.isDark)
      }
      if display?.group != nil { drawnDigits = digits }
      return
    }
    while drawnDigits != digits && display?.group != nil {
      do {
        let findings = try play(program(), on: display)
        drawnDigits = digits
        tell(display?.worked())
        reportAnswer(findings.mismatches)
        reportText(plan.text, at: uptime(ofWire: findings.lastSet))
      } catch {
        tell(display?.failed(error, bank: bank))
      }
    }
    // The lines may show this text already: the dark half of a blink looks like an empty display.
    if drawnDigits == digits { reportText(plan.text, at: clock.now()) }
  }

  private func scanOrder(_ frame: LineProgram, repeats: Bool) {
    guard let scan, let group = display?.group else { return }
    order = (order.number + 1, plan.text)
    scan.play(ScanLoop.Order(frame: frame, group: group, repeats: repeats, number: order.number))
  }

  /// Lines that failed must be let go before they are opened anew: no reference to them may outlive this call.
  private func play(_ program: LineProgram, on lines: DeviceLines?) throws(LineFault) -> ProgramPlayer.Findings {
    guard let group = lines?.group else { return ProgramPlayer.Findings() }
    return try player.play(program, on: group)
  }

  /// A time of the player's as reports give it.
  private func uptime(ofWire time: Duration?) -> Duration {
    if isWireOnUptime, let time { time } else { clock.now() }
  }

  private func tell(_ news: BoardReport?) {
    if let news { report(news) }
  }

  private func takeScanNews() {
    guard let news = scan?.takeNews() else { return }
    if let shown = news.shown {
      tell(display?.worked())
      if shown.number == order.number { reportText(order.text, at: uptime(ofWire: shown.at)) }
    }
    if let failure = news.fault, failure.number == order.number {
      drawnDigits = nil
      tell(display?.failed(failure.fault, bank: bank))
    }
  }

  private func reportText(_ text: SegmentText, at time: Duration) {
    guard text != reportedText else { return }
    reportedText = text
    report(.digits(text: text.characters, blinks: text.blinks, at: time))
  }

  private func reportAnswer(_ mismatches: Int) {
    guard mismatches > 0 else {
      isReportedUnanswered = false
      return
    }
    guard !isReportedUnanswered, let display,
      let advice = displayDriver?.advice(mismatches: mismatches, lines: display.request.lines)
    else { return }
    isReportedUnanswered = true
    report(.unanswered(.display, reason: "display on chip '\(display.request.chip)': \(advice); drawing goes on"))
  }

  private func retryLost() {
    lastRetry = realClock.now()
    if lamp?.fault != nil {
      drawnLamp = nil
      tell(lamp?.open(from: bank))
    }
    if display?.fault != nil {
      drawnDigits = nil
      tell(display?.open(from: bank))
    }
  }

  private func isBusyRetryDue() -> Bool {
    guard lamp?.fault?.kind == .busy || display?.fault?.kind == .busy else { return false }
    guard let lastRetry else { return true }
    return realClock.now() - lastRetry >= BoardLimits.busyRetryInterval
  }

  /// The last thing that the board shows is nothing: a lamp that nobody drives any more would lie.
  private func darken() {
    if let lampDriver, let group = lamp?.group { _ = try? player.play(lampDriver.program(lit: false), on: group) }
    guard let displayDriver, let group = display?.group else { return }
    let dark = displayDriver.program(showing: [], brightness: 0)
    if let scan {
      scan.play(ScanLoop.Order(frame: dark, group: group, repeats: false, number: order.number + 1))
    } else {
      _ = try? player.play(dark, on: group)
    }
  }
}
