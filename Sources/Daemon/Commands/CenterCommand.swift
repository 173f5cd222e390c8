import ArgumentParser
import CommandSupport
import DeskbellDaemon

struct CenterCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "center",
    abstract: "List Notification Center, newest first, open a notification, or clear.",
    discussion: """
      Examples:
        deskbell center
        deskbell center com.example.mailroom --limit 5
        deskbell center --open 17
        deskbell center com.example.mailroom --clear
        deskbell center --remove 17
      """)

  @Argument(help: ArgumentHelp("Only this app.", valueName: "app"), completion: .apps)
  var app: String?
  @Option(help: ArgumentHelp("The maximum number to list.", valueName: "number"))
  var limit = ControlLimits.defaultNotifications
  @Flag(help: "Clear the app's section, or everything if no app is given.")
  var clear = false
  @Option(help: ArgumentHelp("Remove the notification with this number.", valueName: "number"))
  var remove: UInt64?
  @Option(help: ArgumentHelp("Open the notification with this number, and so its app.", valueName: "number"))
  var open: UInt64?
  @OptionGroup var options: HandsetQuery

  func validate() throws {
    guard (1...ControlLimits.notifications).contains(limit) else {
      throw ValidationError("--limit is 1 to \(ControlLimits.notifications).")
    }
    if remove != nil && (clear || app != nil) {
      throw ValidationError("--remove takes a number and neither an app nor --clear.")
    }
    if open != nil && (remove != nil || clear || app != nil) {
      throw ValidationError("--open takes a number and neither an app nor --remove nor --clear.")
    }
  }

  func run() async throws {
    let client = try options.client()
    if let open {
      let then = try await client.respond(to: open)
      try options.json.print(then) { StateCommand.done("opened notification \(open)", $0) }
    } else if let remove {
      try await client.clearNotification(remove)
      try options.json.print(ClearedReport(notification: remove)) { _ in "removed notification \(remove)" }
    } else if clear {
      try await client.clearCenter(of: app)
      try options.json.print(ClearedReport(app: app)) { _ in
        app.map { "cleared the notifications of \($0)" } ?? "cleared Notification Center"
      }
    } else {
      try options.json.print(await client.center(of: app, limit: limit)) { CenterCommand.text($0) }
    }
  }

  static func text(_ notifications: [NotificationReport], _ clock: ClockFace = .local) -> String {
    let rows = grouped(notifications).map { notification, place, count in
      let actions = (notification.actions ?? []).map { " [\($0.title)]" }.joined()
      return [
        "\(notification.id)", clock.dateAndTime(notification.arrivedWallMicroseconds),
        notification.isSeen ? "" : "new", oneLine(notification.appName),
        (place > 0 ? "└ " : count > 1 ? "(\(count)) " : "") + oneLine(message(notification) + actions),
      ]
    }
    return table(["NUMBER", "ARRIVED", "", "APP", "MESSAGE"], rows) ?? "Notification Center is empty"
  }

  /// Groups the notifications of a thread at the place of its newest one (rule N19). Each has its place in its group, and
  /// the count of the group.
  private static func grouped(_ notifications: [NotificationReport]) -> [(NotificationReport, place: Int, count: Int)] {
    func thread(_ notification: NotificationReport) -> [String]? {
      notification.threadID.map { [notification.app, $0] }
    }
    let threads = Dictionary(grouping: notifications, by: thread)
    var shown: Set<[String]> = []
    return notifications.flatMap { notification -> [(NotificationReport, place: Int, count: Int)] in
      guard let own = thread(notification) else { return [(notification, 0, 1)] }
      guard shown.insert(own).inserted else { return [] }
      let group = threads[own] ?? []
      return group.enumerated().map { ($1, $0, group.count) }
    }
  }

  static func message(_ notification: NotificationReport) -> String {
    [notification.title, notification.subtitle, notification.body].compactMap(\.self).joined(separator: " – ")
  }
}

/// The answer of `--json` after notifications were cleared: all of an app, one by number, or all if both are absent.
private struct ClearedReport: Encodable {
  var app: String?
  var notification: UInt64?
  var cleared = true
}
