import ArgumentParser
import HandsetCore

struct PressCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "press",
    abstract: "Press the board's View or Close button.",
    discussion: """
      view dismisses the top alert and opens its app; close only dismisses it. Without an alert, close stops the sound \
      and marks all notifications as seen. A long press of close clears Notification Center; \
      one of view snoozes the app of the top alert, or all apps.

      Examples:
        deskbell press view
        deskbell press close --long
      """)

  @Argument(help: ArgumentHelp(valueName: "view|close"))
  var button: AlertButton
  @Flag(help: "A long press.")
  var long = false
  @OptionGroup var json: JSONOption
  @OptionGroup var control: HandsetOptions

  func run() async throws {
    let then = try await control.client().press(button.rawValue, (long ? PressLength.long : .short).rawValue)
    try json.print(then) { StateWords.pressed(button.rawValue, $0) }
  }
}

extension AlertButton: ExpressibleByArgument {}
