import DeskbellDaemon

enum AppWords {
  static func list(_ apps: [AppReport]) -> String {
    if apps.isEmpty { return "no app is installed; deskbell app install DIR installs one" }
    let rows = apps.map { app in
      [
        app.id, oneLine(app.name), registration(app), lifecycle(app), badge(app), "\(app.notifications)",
        app.held == nil ? "" : "an update",
      ]
    }
    return table([["APP", "NAME", "REGISTERED FOR", "IS", "BADGE", "LISTED", "HELD"]] + rows)
  }

  static func made(_ app: AppReport) -> String {
    """
    \(oneLine(app.name)) (\(app.id)) is installed and registered
    next: deskbell push \(app.id) --title Hello, or a line of curl: deskbell topic add NAME --app \(app.id)
    """
  }

  static func installed(_ report: InstallReport) -> String {
    let app = report.app
    let next =
      app.registration == "registered"
      ? "\nregistered for \(kinds(app))" : "\nnext: deskbell app register \(app.id)"
    let notes = report.notes.map { "\nnote: \($0)" }.joined()
    return "installed \(oneLine(app.name)) (\(app.id))\ntoken \(app.token)" + notes + next
  }

  static func installed(_ reports: [HandsetInstallReport]) -> String {
    let name = reports.first?.app.map { "\(oneLine($0.name)) (\($0.id))" } ?? "nothing"
    let notes = Set(reports.flatMap(\.notes)).sorted().map { "\nnote: \($0)" }.joined()
    return "installed \(name) on \(counted(reports.count, "handset", plural: "handsets"))" + notes
      + "\ntokens: deskbell app tokens --all-handsets"
  }

  /// Nil if the handset has the app.
  static func refused(_ report: HandsetInstallReport) -> String? {
    report.refusal.map { refusal in
      "deskbell: handset '\(report.handset)': \(refusal.error)" + (refusal.hint.map { "\n  \($0)" } ?? "")
    }
  }

  static func tokens(_ tokens: [TokenReport], withHandset: Bool) -> String {
    if tokens.isEmpty { return "no app is installed; deskbell app install DIR installs one" }
    let rows = tokens.map { token in
      (withHandset ? [token.handset] : []) + [token.app, token.isRegistered ? "yes" : "no", token.token]
    }
    return table([(withHandset ? ["HANDSET"] : []) + ["APP", "REGISTERED", "TOKEN"]] + rows)
  }

  static func registered(_ app: AppReport) -> String {
    switch app.registration {
    case "registered": "\(app.id) is registered for \(kinds(app))\ntoken \(app.token)"
    case "unregistered": "\(app.id) is unregistered; its token answers as gone"
    default: "\(app.id) has not registered yet"
    }
  }

  static func moved(_ app: AppReport) -> String {
    switch app.lifecycle {
    case "foreground", "background": "\(app.id) is in the \(app.lifecycle)"
    default: "\(app.id) is \(lifecycle(app))"
    }
  }

  static func badged(_ app: AppReport) -> String {
    "\(app.id) has badge \(badge(app))"
  }

  static func presenting(_ app: AppReport) -> String {
    let kinds = app.foregroundPresentation
    return "\(app.id) in the foreground: \(kinds.isEmpty ? "nothing" : kinds.joined(separator: ", ")) is presented"
  }

  private static func registration(_ app: AppReport) -> String {
    app.registration == "registered" ? kinds(app) : app.registration
  }

  private static func kinds(_ app: AppReport) -> String {
    app.kinds.isEmpty ? "nothing" : app.kinds.joined(separator: ", ")
  }

  private static func lifecycle(_ app: AppReport) -> String {
    switch app.lifecycle {
    case "notRunning": "not running"
    case "forceQuit": "force-quit"
    default: app.lifecycle
    }
  }

  private static func badge(_ app: AppReport) -> String {
    app.visibleBadge == app.badge ? "\(app.badge)" : "\(app.badge) (not shown)"
  }
}
