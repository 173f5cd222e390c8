// deskbell press: the handset's two buttons.

import ArgumentParser
import HandsetCore

struct PressCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "press",
    abstract: "Press a button: of the alert on top, or to have seen it all.",
    discussion: """
      view dismisses the alert and launches its app; close only dismisses it. With no alert up, close silences what \
      plays and marks all as seen; a long press of it clears Notification Center.

      Examples:
        deskbell press view
        deskbell press close --long
      """)

  @Argument(help: ArgumentHelp(valueName: "view|close"))
  var button: AlertButton
  @Flag(help: "Hold it down.")
  var long = false
  @OptionGroup var json: JSONOption
  @OptionGroup var control: ControlOptions

  func run() async throws {
    let then = try await control.client().press(button.rawValue, (long ? PressLength.long : .short).rawValue)
    if json.isWanted { try Output.json(then) } else { try Output.line(StateWords.pressed(button.rawValue, then)) }
  }
}

extension AlertButton: ExpressibleByArgument {}
