import ArgumentParser
import CommandSupport
import DeskbellDaemon

struct StateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "state",
    abstract: "Show the display, lamp, banner, alert and devices.",
    discussion: """
      With --wait, a script that has just started the daemon continues when it is ready. Exits with 3 if no daemon answers.

      Examples:
        deskbell state
        deskbell state --json
        deskbell state --handset kitchen
        deskbell serve --board simulated & deskbell state --wait 30s
      """)

  private static let pause: Duration = .milliseconds(50)

  @Option(help: ArgumentHelp("Wait at most this long until the daemon is ready: 30s.", valueName: "time"))
  var wait: WaitingTime?
  @OptionGroup var options: HandsetQuery

  func run() async throws {
    try options.json.print(await state(), StateCommand.text)
  }

  private func state() async throws -> StateReport {
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: wait?.duration ?? .zero)
    while true {
      do {
        return try await options.client().state()
      } catch {
        // The wait is only for a daemon that has not started yet.
        guard clock.now < end, Program.end(of: error).code == Program.Exit.noDaemon else { throw error }
        try await Task.sleep(for: StateCommand.pause)
      }
    }
  }

  static func text(_ state: StateReport) -> String {
    let shown = state.presentation
    let dimmed = shown.dimmed ? ", dimmed: it is night" : ""
    let display = shown.digits.map { "\"\($0)\"\(dimmed)" }
    var rows: [[String]] =
      state.isOnBoard ? [] : [["handset", "\(state.name), which is not on the board"]]
    rows += [
      ["display", display ?? "none; the badge is \(shown.badge)"],
      ["lamp", shown.lamp?.pattern ?? "dark"],
      ["banner", shown.banner.map(line) ?? "none"],
      ["alert", alert(shown)],
      ["unseen", "\(state.unseen)"],
      ["apps", "\(state.apps)"],
      ["push to", state.pushAddress ?? "nowhere"],
      ["device ID", state.deviceID],
    ]
    if !state.snoozes.isEmpty { rows.append(["snoozed", snoozes(state.snoozes, separator: "; ")]) }
    if !state.waiting.isEmpty { rows.append(["waiting", waiting(state.waiting)]) }
    if !state.activities.isEmpty { rows.append(["activities", activities(state.activities)]) }
    if let mode = state.focus.mode {
      let end = state.focus.untilWallMicroseconds.map { " until \(ClockFace.local.dateAndTime($0))" } ?? ""
      rows.append(["focus", "\(mode)\(end)"])
    }
    if state.deferred > 0 {
      let next =
        state.summary.nextWallMicroseconds.map { "; the summary is at \(ClockFace.local.dateAndTime($0))" } ?? ""
      rows.append(["deferred", "\(state.deferred), \(state.summary.count) of them for the summary\(next)"])
    }
    if let scan = state.scan {
      let priority = scan.isRealTime ? "" : ", without real-time priority"
      rows.append(["scan", "\(scan.frames) frames, \(scan.lateFrames) late\(priority)"])
    }
    let devices = state.devices.map { device in
      [device.name, device.works ? "works" : "does not work: \(oneLine(device.problem ?? "no reason given"))"]
    }
    var paragraphs = [
      "Deskbell \(state.version), up \(roughly(microseconds: state.daemonUptimeMicroseconds))", table(rows),
    ]
    if !devices.isEmpty { paragraphs.append(table(devices)) }
    if let usage = state.usage { paragraphs.append(text(usage)) }
    return paragraphs.joined(separator: "\n\n")
  }

  /// Returns `everything until 2026-11-21 08:06:27`, one line for each app.
  static func snoozes(_ snoozes: [SnoozeReport], separator: String = "\n", _ clock: ClockFace = .local) -> String {
    if snoozes.isEmpty { return "nothing is snoozed" }
    return snoozes.map { "\($0.app ?? "everything") until \(clock.dateAndTime($0.untilWallMicroseconds))" }
      .joined(separator: separator)
  }

  /// Returns `2 pushes in the service, until 2026-11-21 08:06:27: home.washing, com.example.mail/Inbox`.
  static func waiting(_ waiting: [WaitingReport], _ clock: ClockFace = .local) -> String {
    let (count, shown) = (waiting.count, 5)
    let until = waiting.first?.until.map { ", until \(clock.dateAndTime($0))" } ?? ""
    let names = waiting.prefix(shown).map { $0.app + ($0.node.map { "/\($0)" } ?? "") }
    let more = count > shown ? ", and \(count - shown) more" : ""
    return "\(count) \(count == 1 ? "push" : "pushes") in the service\(until): " + names.joined(separator: ", ") + more
  }

  /// Returns `com.example.match {"score":"1:0"}; com.example.tea {}, ended`, the newest first.
  static func activities(_ activities: [ActivityReport]) -> String {
    let shown = 3
    let texts = activities.reversed().prefix(shown).map { activity in
      "\(activity.app) \(activity.contentText)" + (activity.state == "active" ? "" : ", \(activity.state)")
    }
    let more = activities.count > shown ? "; and \(activities.count - shown) more" : ""
    return texts.joined(separator: "; ") + more
  }

  private static func text(_ usage: UsageReport) -> String {
    func bytes(_ quota: UsageReport.Quota) -> String {
      // Rounded up: `0.1` for any positive value.
      let tenths = (quota.used * 10 + 1_048_575) / 1_048_576
      return "\(tenths / 10).\(tenths % 10) of \(quota.limit >> 20) MB"
    }
    func count(_ quota: UsageReport.Quota) -> String { "\(quota.used) of \(quota.limit)" }
    var rows = [["all apps", count(usage.notifications), bytes(usage.bytes), count(usage.events)]]
    rows += usage.apps.map { [$0.app, count($0.notifications), bytes($0.bytes)] }
    let providers = usage.providers.map { provider in
      let (requests, refused) = ("\(provider.requests)", "\(provider.refusedRequests)")
      return [oneLine(provider.provider), count(provider.connections), requests, refused]
    }
    return [
      table(["KEPT OF", "NOTIFICATIONS", "TEXTS", "EVENTS"], rows),
      table(["PROVIDER", "CONNECTIONS", "REQUESTS", "TOO MANY"], providers),
    ].compactMap(\.self).joined(separator: "\n\n")
  }

  /// Returns what was done, and the alert after it: `pressed view; no alert is up now`.
  static func done(_ deed: String, _ then: PresentationReport) -> String {
    deed + "; " + (then.alert == nil ? "no alert is up now" : "the alert is now \(alert(then))")
  }

  private static func alert(_ shown: PresentationReport) -> String {
    guard let alert = shown.alert else { return "none" }
    let buttons = (alert.buttons + (alert.actions ?? []).map(\.title)).map { "[\($0)]" }.joined(separator: " ")
    let below = shown.alertsBelow == 0 ? "" : "; \(shown.alertsBelow) more below"
    return "\(line(alert)) \(buttons)".trimmingEnd() + below
  }

  private static func line(_ notification: NotificationReport) -> String {
    oneLine("\(notification.appName): \(CenterCommand.message(notification))")
  }
}
