import StrictYAML

/// A text with `${variables}`, whose values are known when the scenario runs.
struct Template: Sendable, Hashable {
  enum Part: Sendable, Hashable {
    case text(String)
    case variable(String)
  }

  let source: String
  let parts: [Part]

  /// - Throws: `TemplateError` for a variable that is not closed or has no name.
  init(_ source: String) throws(TemplateError) {
    self.source = source
    var parts: [Part] = []
    var rest = source[...]
    while let begin = rest.firstRange(of: "${") {
      if begin.lowerBound > rest.startIndex { parts.append(.text(String(rest[..<begin.lowerBound]))) }
      guard let end = rest[begin.upperBound...].firstIndex(of: "}") else {
        throw TemplateError(description: "has a variable without an end: write ${NAME}")
      }
      let name = String(rest[begin.upperBound..<end])
      guard !name.isEmpty, !name.contains("$") else {
        throw TemplateError(description: "has a variable without a name: write ${NAME}")
      }
      parts.append(.variable(name))
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty { parts.append(.text(String(rest))) }
    self.parts = parts
  }

  var variables: [String] {
    parts.compactMap { part in
      if case .variable(let name) = part { name } else { nil }
    }
  }

  /// - Throws: `TemplateError` for a variable without a value.
  func text(_ values: [String: String]) throws(TemplateError) -> String {
    var text = ""
    for part in parts {
      switch part {
      case .text(let piece): text += piece
      case .variable(let name):
        guard let value = values[name] ?? ScenarioVariables.madeToken(name) else {
          throw TemplateError(description: "${\(name)} has no value: the bench did not give one")
        }
        text += value
      }
    }
    return text
  }
}

struct TemplateError: Error, Hashable, CustomStringConvertible {
  var description: String
}

/// The names of variables.
enum ScenarioVariables {
  /// The addresses and credentials that a bench gives providers.
  static let bell = ["url", "ca", "key", "key-id", "team-id", "control", "clock", "host", "port"]
  static let provider = ["provider.port", "provider.out"]
  /// Of the request that met the last expectation of an answer.
  static let last = ["last.connection", "last.push", "last.token"]

  /// The device tokens of an app: its own, the one that starts Live Activities, and that of the newest of them.
  static let tokens = ["token", "start-token", "activity-token"]

  /// Returns all names that a scenario with these apps may use.
  static func names(apps: [String]) -> [String] {
    bell.map { "bell.\($0)" } + provider + last + apps.flatMap { app in tokens.map { "\(app).\($0)" } }
  }

  /// Returns a device token that is well formed and the same in every run: `token.old`. The bench accepts any.
  static func madeToken(_ name: String) -> String? {
    guard name.hasPrefix("token."), name.count > "token.".count else { return nil }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    var hex = ""
    for round in 0..<UInt8(4) {
      for byte in Array(name.utf8) + [round] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      let digits = String(hash, radix: 16)
      hex += String(repeating: "0", count: 16 - digits.count) + digits
    }
    return hex
  }
}
