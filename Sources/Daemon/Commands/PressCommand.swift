import ArgumentParser
import HandsetCore

struct PressCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "press",
    abstract: "Press the board's View or Close button, or choose an action of a notification.",
    discussion: """
      view dismisses the top alert and opens its app; close only dismisses it. If the alert has actions, view \
      selects the next one, which is performed 2 seconds after the last press. Without an alert, close stops the sound \
      and marks all notifications as seen. A long press of close clears Notification Center; \
      one of view snoozes the app of the top alert, or all apps.

      Anything else is an action of the top alert, or with --notification of that notification: its identifier or title.

      Examples:
        deskbell press view
        deskbell press close --long
        deskbell press REPLY --text "On my way"
        deskbell press "Open the gate" --notification 17
      """)

  @Argument(help: ArgumentHelp(valueName: "view|close|action"))
  var button: String
  @Flag(help: "A long press.")
  var long = false
  @Option(help: ArgumentHelp("The text, for an action that takes one.", valueName: "text"))
  var text: String?
  @Option(help: ArgumentHelp("The notification with this number, not the top alert.", valueName: "number"))
  var notification: UInt64?
  @OptionGroup var options: HandsetQuery

  func validate() throws {
    let isButton = AlertButton(rawValue: button) != nil
    if isButton && (text != nil || notification != nil) {
      throw ValidationError("--text and --notification are for actions, not for \(button).")
    }
    if !isButton && long { throw ValidationError("--long is for view and close.") }
  }

  func run() async throws {
    let client = try options.client()
    let then =
      if AlertButton(rawValue: button) != nil {
        try await client.press(button, (long ? PressLength.long : .short).rawValue)
      } else if let notification {
        try await client.respond(to: notification, button, text: text)
      } else {
        try await client.choose(button, text: text)
      }
    try options.json.print(then) { StateCommand.done("pressed \(button)", $0) }
  }
}
