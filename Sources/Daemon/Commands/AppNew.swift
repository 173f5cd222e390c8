import ArgumentParser
import CommandSupport
import DeskbellDaemon
import FoundationEssentials
import HandsetCore

extension AppCommand {
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
      let app = try await NewApp.make(id, named: name ?? word.prefix(1).uppercased() + word.dropFirst(), client)
      try options.json.print(app, AppWords.made)
    }
  }
}

enum NewApp {
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
}
