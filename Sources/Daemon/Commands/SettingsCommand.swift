import ArgumentParser
import CommandSupport
import DeskbellDaemon
import HandsetCore
import StrictYAML

struct SettingsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings",
    abstract: "Show or change settings of the handset or of an app.",
    usage: "deskbell settings [<app>] [<key> [<value>]] [--json] [--handset <name>] [--control <socket>]",
    discussion: """
      Of the handset: \(HandsetSettings.Key.allCases.map(\.rawValue).joined(separator: ", ")).
      Of an app: \(AppSettings.Key.allCases.map(\.rawValue).joined(separator: ", ")).

      Examples:
        deskbell settings
        deskbell settings notifications off
        deskbell settings night-hours 21:00-07:00
        deskbell settings com.example.mailroom
        deskbell settings com.example.mailroom style alert
        deskbell settings com.example.mailroom volume 40%
        deskbell settings --handset kitchen quiet-hours 22:00-07:00
      """)

  @Argument(help: ArgumentHelp("An app, a key, and a new value.", valueName: "word"), completion: .appsAndSettings)
  var words: [String] = []
  @OptionGroup var options: HandsetQuery

  struct Subject: Equatable {
    /// The app; nil for the handset.
    var app: String?
    var key: String?
    var value: String?
  }

  func validate() throws { _ = try subject }

  /// The first word is a setting of the handset, or an app.
  var subject: Subject {
    get throws {
      var rest = words[...]
      var subject = Subject()
      if let first = rest.first, HandsetSettings.Key(rawValue: first) == nil {
        if AppSettings.Key(rawValue: first) != nil {
          throw ValidationError(
            "'\(first)' is a setting of an app: name the app first, as in deskbell settings com.example.mailroom "
              + words.joined(separator: " "))
        }
        // Bundle identifiers contain dots, settings do not.
        if !first.contains("."), let near = nearest(first, among: HandsetSettings.Key.allCases.map(\.rawValue)) {
          throw ValidationError("'\(first)' is neither a setting of the handset nor an app; did you mean '\(near)'?")
        }
        subject.app = rest.removeFirst()
      }
      subject.key = rest.popFirst()
      subject.value = rest.popFirst()
      guard rest.isEmpty else { throw ValidationError("Too many words: expected [APP] [KEY [VALUE]].") }
      return subject
    }
  }

  func run() async throws {
    let client = try options.client()
    let subject = try subject
    if let key = subject.key, let value = subject.value {
      return try options.json.print([await client.set(key, to: value, of: subject.app)], settingsTable)
    }
    let settings = try await client.settings(of: subject.app)
    guard let key = subject.key else {
      let app = options.json.isWanted ? nil : try await SettingsCommand.app(subject.app, client)
      return try options.json.print(settings) { settingsTable($0) + (app.map(SettingsCommand.note) ?? "") }
    }
    guard let setting = settings.first(where: { $0.key == key }) else {
      throw Failure("there is no setting '\(key)'", hint: suggestion(for: key, among: settings.map(\.key)))
    }
    try options.json.print(setting) { $0.value }
  }
}

extension SettingsCommand {
  private static func app(_ id: String?, _ client: ControlClient) async throws -> AppReport? {
    guard let id else { return nil }
    return try await client.app(id)
  }

  /// Returns a line about an app that is not in the notification settings (rules R2, L4); empty for others.
  static func note(_ app: AppReport) -> String {
    app.hasSettings ? "" : "\(app.id) has neither registered nor scheduled a notification; they apply once it does."
  }
}

func settingsTable(_ settings: [SettingReport]) -> String { table(settings.map { [$0.key, $0.value] }) }
