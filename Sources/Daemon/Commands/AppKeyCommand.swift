import ArgumentParser
import DeskbellDaemon

extension AppCommand {
  struct Key: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "key",
      abstract: "Print the key with which an app's receiver checks acknowledgements.",
      discussion: """
        The manifest's acknowledge: is called when a notification of the app is answered. The call is signed with this key.

        Examples:
          deskbell app key com.example.mailroom
          deskbell app key com.example.mailroom --new
        """)
    @OptionGroup var app: AppOptions
    @Flag(help: "Make another key; the old one is worth nothing from then on.")
    var new = false
    @OptionGroup var json: JSONOption

    func run() async throws {
      try json.print(await app.control.client().key(of: app.id, isNew: new)) { $0.key }
    }
  }
}
