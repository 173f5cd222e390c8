// From arguments to an exit code, so that every command reports errors in the same form.

import ArgumentParser
import CommandSupport
import DeskbellDaemon
import FleetCommands
import FleetLink
import HTTP
import InputRecording
import Installation
import ProviderClient
import StrictYAML

public enum Program {
  typealias Exit = CommandExit

  struct End: Equatable {
    var code: Int32
    /// The text for standard output if the code is 0, else for standard error.
    var message: String?
    var hint: String?

    var complaint: String? { message.map { "deskbell: \($0)" + (hint.map { "\n  \($0)" } ?? "") } }

    /// The message for a script that asked for JSON.
    var json: String? {
      try? message.map { try Output.jsonText(["error": $0, "hint": hint].compactMapValues(\.self)) }
    }
  }

  /// Runs the command in the arguments.
  /// - Parameter arguments: without the program's own name.
  /// - Returns: the process's exit code: 0 done, 1 refused or failed, 2 usage, 3 no daemon is running.
  public static func run(_ arguments: [String]) async -> Int32 {
    let end = await outcome(of: arguments)
    if end.code == Exit.done {
      if let message = end.message { try? Output.line(message) }
    } else if let words = arguments.contains("--json") ? end.json : end.complaint {
      Output.complaint(words)
    }
    return end.code
  }

  private static func outcome(of arguments: [String]) async -> End {
    if let failure = unknownCommand(arguments) { return end(of: failure) }
    do {
      var command = try await Deskbell.asyncParseAsRoot(arguments)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      return End(code: Exit.done)
    } catch {
      return end(of: error)
    }
  }

  static func unknownCommand(_ arguments: [String]) -> Failure? {
    var command: any ParsableCommand.Type = Deskbell.self
    for word in arguments {
      let subcommands = command.configuration.subcommands
      if subcommands.isEmpty || word.hasPrefix("-") || word == "help" { return nil }
      guard let next = subcommands.first(where: { $0._commandName == word }) else {
        let names = subcommands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
        return Failure("there is no command '\(word)'", hint: suggestion(for: word, among: names), code: Exit.usage)
      }
      command = next
    }
    return nil
  }

  static func end(of error: any Error) -> End {
    switch error {
    case let failure as Failure: End(code: failure.code, message: failure.message, hint: failure.hint)
    case let error as HTTPClientError: end(of: Failure(error))
    case let error as FleetError: end(of: Failure(error.message, hint: error.hint))
    case is ProviderClientError, is DaemonError, is RecordingError, is InstallationError:
      End(code: Exit.failed, message: "\(error)")
    case is OutputClosed: End(code: Exit.done)
    case is CancellationError: End(code: Exit.failed, message: "interrupted")
    case let code as ExitCode: End(code: code.rawValue)
    default: endOfParsing(error)
    }
  }

  /// Returns those of the argument parser: requested help, and usage errors.
  private static func endOfParsing(_ error: any Error) -> End {
    let text = Deskbell.fullMessage(for: error)
    if Deskbell.exitCode(for: error) == .success { return End(code: Exit.done, message: text) }
    let prefix = "Error: "
    return End(code: Exit.usage, message: text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text)
  }
}

/// Suggests the nearest name, or lists them all.
func suggestion(for word: String, among names: [String]) -> String {
  nearest(word, among: names).map { "did you mean '\($0)'?" } ?? "there are \(names.joined(separator: ", "))"
}

extension Failure {
  init(_ error: HTTPClientError) {
    switch error {
    case .noSocket(let address), .connectionRefused(let address): self = .noDaemon("no daemon answers at \(address)")
    case .noPermission(let address): self = .noPermission("\(address)")
    case .cannotConnect(let address, let reason): self = .noDaemon("no daemon answers at \(address): \(reason)")
    case .refused(_, let message, let hint): self.init(message, hint: hint)
    case .timedOut, .closedEarly, .answerTooLarge, .malformedAnswer: self.init(error.description)
    }
  }

  static func noDaemon(_ message: String) -> Failure {
    Failure(
      message,
      hint: "start one with 'deskbell serve' ('deskbell serve --board simulated' needs no board), "
        + "or name its socket with --control",
      code: Program.Exit.noDaemon)
  }
}
