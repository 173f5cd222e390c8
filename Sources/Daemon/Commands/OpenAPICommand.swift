import ArgumentParser
import CommandSupport
import DeskbellDaemon

/// The command by which `make reference` gets the description of the control API.
struct OpenAPICommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "openapi",
    abstract: "Print the description of the control API in the format of OpenAPI.",
    discussion: """
      Example:
        deskbell openapi > openapi.json
      """,
    shouldDisplay: false)

  func run() { Output.prompt(OpenAPI.document) }
}
