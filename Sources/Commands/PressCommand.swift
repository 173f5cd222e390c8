// deskbell press: the buttons of the alert on top.

import ArgumentParser
import HandsetCore

struct PressCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "press",
    abstract: "Press a button of the alert on top.",
    discussion: """
      view dismisses the alert and launches its app; close only dismisses it.

      Example:
        deskbell press view
      """)

  @Argument(help: ArgumentHelp(valueName: "view|close"))
  var button: AlertButton
  @OptionGroup var json: JSONOption
  @OptionGroup var control: ControlOptions

  func run() async throws {
    let then = try await control.client().press(button.rawValue)
    if json.isWanted { try Output.json(then) } else { try Output.line(StateWords.pressed(button.rawValue, then)) }
  }
}

extension AlertButton: ExpressibleByArgument {}
