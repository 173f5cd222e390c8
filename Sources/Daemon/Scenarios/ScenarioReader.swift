import HTTP
import StrictYAML

/// The problem of a fault's words.
public struct FaultComplaint: Error, Sendable {
  /// The word that is wrong; nil if none of them alone is.
  public var key: String?
  public var message: String

  public init(key: String?, message: String) { (self.key, self.message) = (key, message) }
}

/// Reads scenarios. Everything in a file that has no meaning is an error with its line and column.
public struct ScenarioReader: Sendable {
  public static let limits = YAMLLimits(bytes: 256 * 1024, depth: 12, nodes: 10_000)
  static let steps = 1...1_000
  static let apps = 0...100
  static let faults = 0...100

  /// Checks a fault's words, which are those of the control API.
  public typealias FaultCheck = @Sendable ([String: JSONValue]) throws(FaultComplaint) -> Void

  let checkFault: FaultCheck

  public init(checkingFaults check: @escaping FaultCheck = { (_) throws(FaultComplaint) in }) { checkFault = check }

  /// - Throws: `StrictYAMLError` with all errors of the file.
  public func scenario(contentsOf path: String) throws(StrictYAMLError) -> Scenario {
    try scenario(YAMLDocument.parse(contentsOf: path, limits: ScenarioReader.limits), file: path)
  }

  /// - Parameter file: the name at the beginning of messages.
  public func scenario(_ bytes: [UInt8], file: String) throws(StrictYAMLError) -> Scenario {
    try scenario(YAMLDocument.parse(bytes, file: file, limits: ScenarioReader.limits), file: file)
  }

  private func scenario(_ document: YAMLDocument, file: String) throws(StrictYAMLError) -> Scenario {
    try document.decode { root in
      let title = root.required("scenario") { try $0.string(bytes: 1...200) }
      let provider = root.mapping("provider", required: false) { self.provider($0) }
      let apps = root.optional("apps", default: []) { try self.apps($0) }
      let faults = root.optional("faults", default: []) { try self.faults($0, root) }
      var reader = StepReader(faults: self, known: faults.map(\.name), diagnostics: root)
      let steps = root.list("steps", count: ScenarioReader.steps) { try reader.step($0) }
      root.checkVariables(of: apps.map(\.id))
      guard let title, let steps else { return nil }
      if provider == nil, steps.contains(where: \.tells) {
        root.report("there is a 'tell' and no 'provider' that it could be told: add 'provider: { run: … }'")
      }
      return Scenario(
        file: file, title: title, position: root.position, provider: provider, apps: apps, faults: faults, steps: steps)
    }
  }

  private func provider(_ reader: MappingReader) -> ProviderProgram? {
    let command = reader.required("run") { try ScenarioReader.command($0.string(), at: $0) }
    let folder = reader.optional("folder") { try $0.string() }
    let environment = reader.optional("env", default: []) { node -> [(name: String, value: Template)] in
      try node.entries(count: 0...100).map { entry -> (name: String, value: Template) in
        guard !entry.key.isEmpty, !entry.key.contains("=") else {
          throw Diagnostic("'\(entry.key)' is no name of a variable", at: entry.keyPosition)
        }
        return (name: entry.key, value: try template(entry.value))
      }
    }
    let ready = reader.mapping("ready", required: false) { $0.required("line") { try $0.string() } }
    return command.map {
      ProviderProgram(
        position: reader.position, command: $0, folder: folder, environment: environment, readyLine: ready)
    }
  }

  /// Splits a command at spaces.
  static func command(_ text: String, at node: YAMLNode) throws -> [Template] {
    guard let words = scenarioWords(text), !words.isEmpty else {
      throw node.diagnostic("must be a program and its arguments; a double quote keeps spaces together")
    }
    return try words.map { try Template($0) }
  }

  private func apps(_ node: YAMLNode) throws -> [ScenarioApp] {
    try node.entries(count: ScenarioReader.apps).map { entry in
      guard isScenarioApp(entry.key) else {
        throw Diagnostic(
          "'\(entry.key)' is no bundle identifier: letters, digits, dots and dashes, as in com.example.mail",
          at: entry.keyPosition)
      }
      guard case .object(let manifest) = try json(entry.value, emptyAsMapping: true) else {
        throw entry.value.diagnostic(
          "must be a mapping of keys of app.yaml: mail: { background-modes: [remote-notification] }")
      }
      guard manifest["id"] == nil else {
        throw entry.value.diagnostic("has the key 'id'; the app's identifier is the key before it")
      }
      return ScenarioApp(id: entry.key, position: entry.keyPosition, manifest: manifest)
    }
  }

  /// Reads faults by their names.
  func faults(_ node: YAMLNode, _ reader: MappingReader) throws -> [ScenarioFault] {
    try node.entries(count: ScenarioReader.faults).map { entry in
      let words = try entry.value.entries(count: 1...32)
      var plain: [String: JSONValue] = [:]
      let members = try words.map { word -> (key: String, value: ScenarioFault.Value) in
        if let text = word.value.text, let template = try? Template(text), !template.variables.isEmpty {
          // Tokens and connections are known later.
          plain[word.key] = .string(word.key == "connection" ? "1" : String(repeating: "0", count: 64))
          return (word.key, .text(template))
        }
        let value = try json(word.value)
        plain[word.key] = value
        return (word.key, .json(value))
      }
      do throws(FaultComplaint) {
        try checkFault(plain)
      } catch {
        let word = words.first { $0.key == error.key }
        throw Diagnostic("fault '\(entry.key)': \(error.message)", at: word?.keyPosition ?? entry.keyPosition)
      }
      return ScenarioFault(name: entry.key, position: entry.keyPosition, members: members)
    }
  }
}

/// - Throws: `Diagnostic` for a variable that is not closed.
func template(_ node: YAMLNode) throws -> Template {
  let text = try node.string(bytes: 0...YAMLLimits.stringBytes)
  do throws(TemplateError) {
    return try Template(text)
  } catch {
    throw node.diagnostic(error.description)
  }
}

func isScenarioApp(_ text: String) -> Bool {
  !text.isEmpty && text.utf8.count <= 255
    && text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D
        || byte == 0x2E
    }
}

/// Returns the value as JSON: decimal integers, true and false without quotation marks, and texts.
func json(_ node: YAMLNode, emptyAsMapping: Bool = false) throws -> JSONValue {
  switch node.content {
  case .mapping(let entries):
    return .object(Dictionary(try entries.map { ($0.key, try json($0.value)) }) { first, _ in first })
  case .sequence(let items): return .array(try items.map { try json($0) })
  case .scalar(let text, let isPlain):
    if isPlain, text.isEmpty {
      guard emptyAsMapping else { throw node.diagnostic("must have a value") }
      return .object([:])
    }
    if isPlain, let number = Int64(text), "\(number)" == text { return .integer(number) }
    if isPlain, text == "true" || text == "false" { return .bool(text == "true") }
    return .string(text)
  }
}

extension ScenarioStep {
  fileprivate var tells: Bool { if case .tell = action { true } else { false } }
}
