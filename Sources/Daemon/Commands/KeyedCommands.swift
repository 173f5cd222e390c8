// The common part of topics and hooks: both are access keys.

import ArgumentParser
import CommandSupport
import DeskbellDaemon
import FoundationEssentials
import HTTP

protocol KeyedCommand {
  static var way: KeyKind { get }
}

struct KeyListCommand<Kind: KeyedCommand>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "list", abstract: "List the \(Kind.way.rawValue)s.")
  }

  @OptionGroup var options: DaemonQuery

  func run() async throws {
    try options.json.print(await options.client().keys(Kind.way)) { KeyWords.list($0, Kind.way) }
  }
}

struct KeyRenewCommand<Kind: KeyedCommand>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    let (kind, key, example) = Kind.way == .hook ? ("hook", "address", "ci") : ("topic", "key", "parcels")
    return CommandConfiguration(
      commandName: "key", abstract: "Give a \(kind) a new \(key); the old one becomes invalid.",
      discussion: """
        Example:
          deskbell \(kind) key \(example)
        """)
  }

  @Argument(help: ArgumentHelp("The \(Kind.way.rawValue).", valueName: "name"), completion: .keys(Kind.way))
  var name: String
  @OptionGroup var output: KeyOutputOptions

  func run() async throws {
    try await output.show { try await $0.renewKey(Kind.way, name) }
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

/// Topics and hooks for the user: the lines that ring them are to be copied.
enum KeyWords {
  static func text(_ report: KeyReport) -> String { report.template.map { hook(report, $0) } ?? topic(report) }

  private static func topic(_ report: KeyReport) -> String {
    var lines = ["\(report.name) rings \(target(report))."]
    guard let key = report.key else {
      return lines[0] + " It keeps its key; 'deskbell topic key \(report.name)' makes a new one."
    }
    if let line = line(report) { lines += ["", "Ring it, from any machine on the network:", "", "  \(line)"] }
    if let url = report.httpURL { lines += ["", "Or without TLS:", "", "  \(curl(url, key, pin: nil))"] }
    lines += [
      "", "The key is shown this once: \(key)",
      "Programs that know ntfy want it as access token, programs that know Gotify as application token.",
    ]
    return lines.joined(separator: "\n")
  }

  /// Returns the line that rings a topic; nil if its key is not shown, or there is no port.
  static func line(_ report: KeyReport) -> String? {
    guard let key = report.key, let url = report.url else { return nil }
    return curl(url, key, pin: report.pin)
  }

  private static func hook(_ report: KeyReport, _ template: String) -> String {
    var lines = ["\(report.name) rings \(target(report)), and reads by the template \(template)."]
    guard report.key != nil else {
      return lines[0] + " It keeps its address; 'deskbell hook key \(report.name)' makes a new one."
    }
    if let url = report.url {
      lines += [
        "", "Its address, which is shown once; anyone who has it can ring the bell:", "", "  \(url)", "", "Try it:", "",
      ]
      lines.append("  curl \(trust(report.pin))-d 'Hello' \(url)")
    }
    if let url = report.httpURL { lines += ["", "Or without TLS:", "", "  \(url)"] }
    return lines.joined(separator: "\n")
  }

  /// Returns an address that rings it when a phone opens it; without TLS if there is such a port, so that the phone
  /// shows no warning. Nil if the key was not just made.
  static func opening(_ report: KeyReport) -> String? {
    guard let key = report.key, let url = report.httpURL ?? report.url else { return nil }
    guard report.template == nil else { return url }
    return "\(url)/trigger?auth=\(base64URL(Data("Bearer \(key)".utf8)))"
  }

  static func list(_ reports: [KeyReport], _ way: KeyKind) -> String {
    let hasTemplate = way == .hook
    let rows = reports.map {
      [$0.name, $0.app, $0.handset ?? ""] + (hasTemplate ? [$0.template ?? ""] : [$0.url ?? ""])
    }
    return table(["NAME", "APP", "HANDSET", hasTemplate ? "TEMPLATE" : "ADDRESS"], rows)
      ?? "there is no \(way.rawValue); deskbell \(way.rawValue) add --help shows how to make one"
  }

  private static func target(_ report: KeyReport) -> String {
    report.app + (report.handset.map { " on \($0)" } ?? "")
  }

  private static func curl(_ url: String, _ key: String, pin: String?) -> String {
    "curl \(trust(pin))-H 'Authorization: Bearer \(key)' -d 'A parcel' \(url)"
  }

  /// Returns curl's options for the pin, which replaces the authority that the other machine does not have.
  private static func trust(_ pin: String?) -> String { pin.map { "-k --pinnedpubkey '\($0)' " } ?? "" }
}
