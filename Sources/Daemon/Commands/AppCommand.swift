import ArgumentParser
import CommandSupport
import DeskbellDaemon
import FoundationEssentials
import HandsetCore

struct AppCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "app",
    abstract: "Install apps and control their lifecycle.",
    discussion: """
      Examples:
        deskbell app new parcels
        deskbell app install mailroom
        deskbell app register com.example.mailroom --kinds badge,sound
        deskbell app launch com.example.mailroom
        deskbell app list
        deskbell app list --handset kitchen
      """,
    subcommands: [
      New.self, Install.self, Uninstall.self, List.self, Register.self, Keep.self, Unregister.self, Token.self,
      Tokens.self, Activities.self, Launch.self, Background.self, Kill.self, ForceQuit.self, Badge.self, Present.self,
      Listen.self, Key.self,
    ])

  struct New: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "new",
      abstract: "Create an app from a name; install and register it.",
      discussion: """
        For senders that need no sounds or programs of their own. A name without dots becomes home.NAME. The digits \
        count the app's unseen notifications; 'deskbell settings APP badge-shows sent' shows the badges of its pushes \
        instead.

        Examples:
          deskbell app new parcels
          deskbell app new washing --name 'Washing machine'
          deskbell app new com.example.alerts
        """)

    @Argument(help: ArgumentHelp("A word, or a whole bundle identifier.", valueName: "name"))
    var id: String
    @Option(help: ArgumentHelp("The name that people read. Default: the word with a capital.", valueName: "text"))
    var name: String?
    @OptionGroup var options: HandsetQuery

    func run() async throws {
      let id = id.contains(".") ? id : "home.\(id.lowercased())"
      let word = self.id.split(separator: ".").last.map(String.init) ?? self.id
      let client = try options.client()
      if try await client.apps().contains(where: { $0.id == id }) {
        throw Failure("\(id) is installed already", hint: "deskbell topic add and deskbell push ring it as it is")
      }
      let app = try await AppCommand.make(id, named: name ?? word.prefix(1).uppercased() + word.dropFirst(), client)
      try options.json.print(app, AppCommand.made)
    }
  }

  /// Installs an app that has a manifest of two lines, and registers it for everything.
  static func make(_ id: String, named name: String, _ client: ControlClient) async throws -> AppReport {
    guard AppID(id) != nil else {
      throw Failure("'\(id)' is no bundle identifier", hint: "expected letters, digits, dots and dashes")
    }
    // A JSON string is a YAML string.
    let quoted = String(decoding: try JSONEncoder().encode(name), as: UTF8.self)
    let manifest = "id: \"\(id)\"\nname: \(quoted)\n"
    _ = try await client.install(id, BundleUpload(files: [BundleUpload.manifestPath: Data(manifest.utf8)]))
    // Senders with curl do not count badges.
    _ = try await client.set(AppSettings.Key.badgeShows.rawValue, to: BadgeNumber.unseen.rawValue, of: id)
    return try await client.register(id, kinds: NotificationKinds.all.names)
  }

  struct Uninstall: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "uninstall", abstract: "Uninstall an app and delete its data.")
    @OptionGroup var app: AppOptions

    func run() async throws {
      try await app.control.client().uninstall(app.id)
      try Output.line("\(app.id) is uninstalled")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the installed apps.")
    @OptionGroup var options: HandsetQuery

    func run() async throws { try options.json.print(await options.client().apps(), AppCommand.list) }
  }

  struct Register: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "register",
      abstract: "Register an app for notifications; its pushes are presented from then on.",
      discussion: """
        Examples:
          deskbell app register com.example.mailroom
          deskbell app register com.example.mailroom --kinds badge,sound
          deskbell app register com.example.mailroom --provisional
        """)
    @OptionGroup var app: AppOptions
    @Option(help: ArgumentHelp("Any of \(kindNames), separated by commas.", valueName: "kinds"))
    var kinds = NotificationKinds.all
    @Flag(help: "Only list its notifications until the person decides: deskbell app keep, or a setting (Q4).")
    var provisional = false

    func run() async throws {
      let kinds = provisional ? kinds.union(.provisional) : kinds
      let report = try await app.control.client().register(app.id, kinds: kinds.names)
      try Output.line(AppCommand.registered(report))
    }
  }

  struct Keep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "keep",
      abstract: "Keep the notifications of an app that registered provisionally: they are presented in full.",
      discussion: """
        The same as setting allow-notifications to on. To turn them off: deskbell settings \
        APP allow-notifications off

        Example:
          deskbell app keep com.example.mailroom
        """)
    @OptionGroup var app: AppOptions

    func run() async throws {
      let client = try app.control.client()
      _ = try await client.set("allow-notifications", to: "on", of: app.id)
      try Output.line(AppCommand.registered(try await client.app(app.id)))
    }
  }

  struct Unregister: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "unregister",
      abstract: "Unregister an app; its token becomes invalid, and registering again creates a new one.")
    @OptionGroup var app: AppOptions

    func run() async throws {
      try Output.line(AppCommand.registered(try await app.control.client().unregister(app.id)))
    }
  }

  struct Token: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "token",
      abstract: "Print an app's device token.",
      discussion: """
        Example:
          token=$(deskbell app token com.example.mailroom)
          curl … https://localhost:2197/3/device/$token
        """)
    @OptionGroup var app: AppOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
      let report = try await app.control.client().app(app.id)
      try json.print(["app": report.id, "token": report.token]) { _ in report.token }
    }
  }

  struct Tokens: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "tokens",
      abstract: "List the device tokens of all apps.",
      discussion: """
        Examples:
          deskbell app tokens
          deskbell app tokens --all-handsets --json | jq -r '.[].token'
        """)
    @OptionGroup var handsets: AllHandsetsQuery

    func run() async throws {
      let client = try handsets.options.client()
      let tokens = try await handsets.areMeant ? client.allTokens() : client.tokens()
      try handsets.options.json.print(tokens) { AppCommand.tokens($0, withHandset: handsets.areMeant) }
    }
  }

  struct Launch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "launch", abstract: "Open an app: move it to the foreground.")
    @OptionGroup var app: AppOptions
    func run() async throws { try await move(app, .launch) }
  }

  struct Background: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "background", abstract: "Move an app to the background.")
    @OptionGroup var app: AppOptions
    func run() async throws { try await move(app, .background) }
  }

  struct Kill: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "kill", abstract: "Kill an app, as the system does.")
    @OptionGroup var app: AppOptions
    func run() async throws { try await move(app, .kill) }
  }

  struct ForceQuit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "force-quit", abstract: "Force-quit an app; it is not woken until it is launched again.")
    @OptionGroup var app: AppOptions
    func run() async throws { try await move(app, .forceQuit) }
  }

  struct Badge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "badge",
      abstract: "Set a running app's own badge.",
      discussion: """
        Zero clears the badge and the app's notifications.

        Example:
          deskbell app badge com.example.mailroom 3
        """)
    @OptionGroup var app: AppOptions
    @Argument(help: ArgumentHelp("0 or more.", valueName: "number"))
    var number: Int

    func validate() throws { try AppCommand.requireBadge(number) }

    func run() async throws {
      try Output.line(AppCommand.badged(try await app.control.client().setBadge(app.id, number)))
    }
  }

  /// Checks rule B2.
  static func requireBadge(_ number: Int?) throws {
    if let number, number < 0 { throw ValidationError("A badge is 0 or more, not \(number).") }
  }

  struct Present: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "present",
      abstract: "Choose what is presented while an app is in the foreground.",
      discussion: """
        The default is the manifest's foreground-presentation, which is empty unless set. Installing the app again \
        restores that default. The app receives the push in any case.

        Examples:
          deskbell app present com.example.mailroom --foreground badge,alert
          deskbell app present com.example.mailroom --foreground none
        """)
    @OptionGroup var app: AppOptions
    @Option(help: ArgumentHelp("Any of \(kindNames), separated by commas; or none.", valueName: "kinds"))
    var foreground: ForegroundKinds

    func run() async throws {
      let client = try app.control.client()
      try Output.line(AppCommand.presenting(try await client.present(app.id, inForeground: foreground.kinds.names)))
    }
  }

  struct Key: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "key",
      abstract: "Print the key with which an app's receiver checks acknowledgements.",
      discussion: """
        The daemon calls the address at acknowledge: in the manifest when a notification of the app is answered. It signs \
        each call with this key.

        Examples:
          deskbell app key com.example.mailroom
          deskbell app key com.example.mailroom --new
        """)
    @OptionGroup var app: AppOptions
    @Flag(help: "Make a new key; the old one becomes invalid.")
    var new = false
    @OptionGroup var json: JSONOption

    func run() async throws {
      try json.print(await app.control.client().key(of: app.id, isNew: new)) { $0.key }
    }
  }

  private static let noApp = "no app is installed; deskbell app install DIR installs one"

  static func list(_ apps: [AppReport]) -> String {
    let rows = apps.map { app in
      [
        app.id, oneLine(app.name), registration(app), lifecycle(app), badge(app), "\(app.notifications)",
        app.held == nil ? "" : "an update",
      ]
    }
    return table(["APP", "NAME", "REGISTERED FOR", "IS", "BADGE", "LISTED", "HELD"], rows) ?? noApp
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
    return "installed \(name) on \(counted(reports.count, "handset"))" + notes
      + "\ntokens: deskbell app tokens --all-handsets"
  }

  static func refused(_ report: HandsetInstallReport) -> String? {
    report.refusal.map { refusal in
      "deskbell: handset '\(report.handset)': \(refusal.error)" + (refusal.hint.map { "\n  \($0)" } ?? "")
    }
  }

  static func tokens(_ tokens: [TokenReport], withHandset: Bool) -> String {
    let rows = tokens.map { token in
      (withHandset ? [token.handset] : []) + [token.app, token.isRegistered ? "yes" : "no", token.token]
    }
    return table((withHandset ? ["HANDSET"] : []) + ["APP", "REGISTERED", "TOKEN"], rows) ?? noApp
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

/// `--all-handsets` beside the options of a query, for commands that can apply to all of them at once.
struct AllHandsetsQuery: ParsableArguments {
  @Flag(name: .customLong("all-handsets"), help: "All handsets of the daemon.")
  var areMeant = false
  @OptionGroup var options: HandsetQuery

  func validate() throws {
    if areMeant && options.control.name != nil { throw ValidationError("Give --handset or --all-handsets, not both.") }
  }
}

struct AppOptions: ParsableArguments {
  @Argument(help: ArgumentHelp("The app's bundle identifier.", valueName: "app"), completion: .apps)
  var id: String
  @OptionGroup var control: HandsetOptions
}

/// `badge,alert`, or `none`.
struct ForegroundKinds: ExpressibleByArgument, Equatable {
  var kinds: NotificationKinds

  init?(argument: String) {
    guard let kinds = argument == "none" ? [] : NotificationKinds(argument: argument) else { return nil }
    self.kinds = kinds
  }
}

private func move(_ app: AppOptions, _ command: LifecycleCommand) async throws {
  try Output.line(AppCommand.moved(try await app.control.client().changeLifecycle(app.id, command.rawValue)))
}

private let kindNames = NotificationKinds.all.names.joined(separator: ", ")

/// `badge,sound`; not empty.
extension NotificationKinds: ExpressibleByArgument {
  public init?(argument: String) {
    self.init(names: splitList(argument))
    if isEmpty { return nil }
  }

  public var defaultValueDescription: String { names.joined(separator: ",") }
}

func splitList(_ text: String) -> [String] {
  text.split(separator: ",").map { String($0).trimmed() }.filter { !$0.isEmpty }
}
