// The common part of topics and hooks: both are access keys.

import ArgumentParser
import DeskbellDaemon

/// Topics, or hooks.
protocol KeyedCommand {
  static var way: KeyedWay { get }
  /// The effect of a new key.
  static var renewal: String { get }
  /// A name for examples.
  static var example: String { get }
  static func text(_ report: KeyReport) -> String
}

struct KeyListCommand<Kind: KeyedCommand>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "list", abstract: "List the \(Kind.way.rawValue)s.")
  }

  @OptionGroup var json: JSONOption
  @OptionGroup var control: ControlOptions

  func run() async throws {
    try json.print(await control.client().keys(Kind.way)) { KeyWords.list($0, Kind.way) }
  }
}

struct KeyRenewCommand<Kind: KeyedCommand>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "key", abstract: Kind.renewal,
      discussion: """
        Example:
          deskbell \(Kind.way.rawValue) key \(Kind.example)
        """)
  }

  @Argument(help: ArgumentHelp("The \(Kind.way.rawValue).", valueName: "name"), completion: .keys(Kind.way))
  var name: String
  @OptionGroup var code: QRCodeOption
  @OptionGroup var json: JSONOption
  @OptionGroup var control: ControlOptions

  func run() async throws {
    try code.print(await control.client().renewKey(Kind.way, name), json, Kind.text)
  }
}

struct KeyRemoveCommand<Kind: KeyedCommand>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "remove", abstract: "Remove a \(Kind.way.rawValue).")
  }

  @Argument(help: ArgumentHelp("The \(Kind.way.rawValue).", valueName: "name"), completion: .keys(Kind.way))
  var name: String
  @OptionGroup var control: ControlOptions

  func run() async throws {
    try await control.client().removeKey(Kind.way, name)
    try Output.line("Removed \(Kind.way.rawValue) \(name).")
  }
}
