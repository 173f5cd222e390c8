import ArgumentParser
import CommandSupport
import DeskbellDaemon
import HandsetCore

/// The tables that docs/reference is made from, as JSON. No help lists it.
struct ReferenceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reference",
    abstract: "Print the settings and conditions with their meanings, as JSON.",
    discussion: """
      Example:
        deskbell reference
      """, shouldDisplay: false)

  func run() throws { try Output.json(Reference()) }
}

struct Reference: Encodable {
  /// A setting that the person changes while the daemon runs.
  struct Setting: Encodable {
    var key: String
    var values: [String]
    var initial: String
    var meaning: String
  }

  var file = DescribedSetting.all
  var handset = HandsetSettings.Key.allCases.map { key in
    Setting(
      key: key.rawValue, values: HandsetSettings.values(of: key), initial: HandsetSettings()[key],
      meaning: HandsetSettings.meaning(of: key))
  }
  var app = AppSettings.Key.allCases.map { key in
    Setting(
      key: key.rawValue, values: AppSettings.values(of: key), initial: AppSettings()[key],
      meaning: AppSettings.meaning(of: key))
  }
  var conditions = Condition.allCases.map { ["key": $0.rawValue, "meaning": $0.meaning] }
}

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
