// Checks of the user's files without a daemon, so that an error is found before the daemon starts.

import Board
import FoundationEssentials
import HandsetCore
import Installation
import StrictYAML

public struct CheckReport: Encodable, Sendable {
  public var file: String
  /// All errors, one line each, as `file:line:column: error: …`; empty if there are none.
  public var errors: [String]
  /// The contents of a valid board file, for programs that draw it or list its lines.
  public var board: YAMLContent?
}

/// Reads a file or folder as the daemon would.
/// - Parameters:
///   - path: a board, display or header file, a configuration file, an app's `app.yaml`, or its folder.
///   - display: the display that is on a board; nil for the one that its file names.
public func check(path: String, display: String? = nil) -> CheckReport {
  var report = CheckReport(file: path, errors: [])
  if SharedFiles.isFolder(path) {
    report.errors = checkBundle(path)
  } else if path.hasSuffix("/app.yaml") || path == "app.yaml" {
    report.errors = checkBundle(SharedFiles.parent(of: path))
  } else {
    do {
      let document = try YAMLDocument.parse(contentsOf: path, emptyAsMapping: true)
      let entries = try document.root.entries()
      let keys = Set(entries.map(\.key))
      // In the settings `display` is a name.
      let hasDisplaySection = entries.contains { $0.key == "display" && $0.value.text == nil }
      if keys.contains("supplies") {
        _ = try BoardHeader(contentsOf: path)
      } else if keys.contains("type") {
        try ShippedDisplay.examine(path)
      } else if keys.isDisjoint(with: ["chip", "lamp"]), !hasDisplaySection {
        report.errors = try problems(of: Configuration(document), in: document).map(\.description)
      } else {
        let board = try ShippedBoard.document(of: path, display: display)
        _ = try board.description()
        report.board = YAMLContent(node: board.root)
      }
    } catch let error as StrictYAMLError {
      report.errors = error.diagnostics.map(\.description)
    } catch {
      report.errors = ["\(error)"]
    }
  }
  return report
}

/// Returns the reasons for which a start would refuse a readable settings file, each at its key.
private func problems(of configuration: Configuration, in document: YAMLDocument) throws -> [Diagnostic] {
  let places = Dictionary(
    try document.root.entries().map { ($0.key, $0.value.position) }, uniquingKeysWith: { first, _ in first })
  return configuration.problems(hasPanelPassword: configuration.hasStoredPanelPassword).flatMap { problem in
    // An invalid board file has a line for each of its own errors.
    problem.text.split(separator: "\n").map {
      Diagnostic(String($0), at: places[problem.key] ?? document.root.position)
    }
  }
}

extension Machine {
  /// Checks the configuration file, reading it as the daemon does.
  public static func configuration(at path: String) -> [Finding] {
    let errors = check(path: path).errors
    if errors.isEmpty { return [Finding("configuration", .fine, "\(path) is fine")] }
    return errors.map { Finding("configuration", .broken, $0, advice: "fix that line, then: deskbell check \(path)") }
  }

  /// Returns the finding for a missing settings file, which is no fault.
  public static func noConfiguration(isRunning: Bool) -> Finding {
    Finding(
      "configuration", .fine,
      isRunning ? "the daemon runs without a settings file" : "there is no settings file: 'deskbell setup' writes one")
  }

  /// Reports that the connection to a broker can be read by others; empty if it cannot, or there is no broker.
  public static func broker(config: String?) -> [Finding] {
    guard let home = (try? config.map { try Configuration(contentsOf: $0) })?.flatMap(\.home) else { return [] }
    guard !home.broker.isSecure, !Configuration.Address(host: home.broker.host, port: 0).isLoopback else { return [] }
    return [
      Finding(
        "broker", .notable,
        "mqtt://\(home.broker.host): anyone on the network can read the broker's password and messages there, and ring",
        advice: "use mqtts:// in the settings file as soon as the broker speaks TLS")
    ]
  }

  /// Examines the state directory that a configuration names, or the default one.
  public static func state(config: String?) -> Finding {
    let configuration = try? config.map { try Configuration(contentsOf: $0) }
    return state(in: configuration?.state ?? Configuration.defaultState)
  }
}

private func checkBundle(_ folder: String) -> [String] {
  var files: [String: [UInt8]] = [:]
  for path in SharedFiles.filesBelow(folder) {
    guard let bytes = FileManager.default.contents(atPath: "\(folder)/\(path)") else {
      return ["\(folder)/\(path):1:1: error: cannot be read"]
    }
    files[path] = Array(bytes)
  }
  do {
    return try AppBundle(files: files, folder: folder, language: "en").notes.map { "\(folder)/\($0)" }
  } catch {
    return error.diagnostics.map(\.description)
  }
}

/// YAML that was read without errors, to be written as JSON for programs that draw a board file. Integers and booleans
/// are recognised by the same rules as in `YAMLNode`, so `17` is a line's number and `"17"` its label here too.
public struct YAMLContent: Encodable, Sendable {
  var node: YAMLNode

  public func encode(to encoder: any Encoder) throws {
    switch node.content {
    case .mapping(let entries):
      var container = encoder.container(keyedBy: AnyKey.self)
      for entry in entries {
        try container.encode(YAMLContent(node: entry.value), forKey: AnyKey(entry.key))
      }
    case .sequence(let items):
      var container = encoder.unkeyedContainer()
      for item in items { try container.encode(YAMLContent(node: item)) }
    case .scalar(let text, _):
      var container = encoder.singleValueContainer()
      if let integer = try? node.integer() {
        try container.encode(integer)
      } else if let boolean = try? node.boolean() {
        try container.encode(boolean)
      } else {
        try container.encode(text)
      }
    }
  }
}
