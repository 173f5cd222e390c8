// `Actions` in its short form: `http, Open, https://…, clear=true; view, …`. Values may be in quotes.

/// Reads a message's actions.
enum NtfyActions {
  /// [ntfy: at most 3].
  static let limit = 3

  enum Key: String, CaseIterable, Sendable { case actions }
  static let names = JSONNames<Key>()

  private static let kinds = ["view", "http", "broadcast", "copy"]
  /// The parts of each kind that need no name, in order.
  private static let positional = ["action", "label", "url"]

  /// - Returns: each as an object; nil where a text is neither of the forms.
  static func parse(_ text: String) -> [JSONValue]? {
    let text = text.trimmingSpaces
    var actions: [JSONValue] = []
    for part in split(text, at: ";") {
      guard let action = action(part) else { return nil }
      actions.append(action)
      guard actions.count <= limit else { return nil }
    }
    return actions
  }

  /// Those of a JSON array.
  static func check(_ actions: [JSONValue]) -> Bool {
    actions.count <= limit
      && actions.allSatisfy { action in
        guard case .object(let values) = action, case .string(let kind)? = values["action"] else { return false }
        return kinds.contains(kind)
      }
  }

  private static func action(_ text: String) -> JSONValue? {
    var values: [String: JSONValue] = [:]
    var maps: [String: [String: JSONValue]] = [:]
    var unnamed = 0
    for part in split(text, at: ",") {
      var (name, value) = ("", part.trimmingSpaces)
      if let equals = value.firstIndex(of: "="), value[..<equals].allSatisfy({ $0.isLetter || ".-_".contains($0) }) {
        name = value[..<equals].trimmingSpaces.lowercased()
        value = value[value.index(after: equals)...].trimmingSpaces
      } else {
        guard unnamed < positional.count else { return nil }
        name = positional[unnamed]
        unnamed += 1
      }
      guard name.utf8.count <= JSONElement.nameLimit else { return nil }
      value = unquoted(value)
      if let dot = name.firstIndex(of: ".") {
        maps[String(name[..<dot]), default: [:]][String(name[name.index(after: dot)...])] = .string(value)
      } else if name == "clear" {
        values[name] = .bool(["1", "true", "yes"].contains(value.lowercased()))
      } else {
        values[name] = .string(value)
      }
    }
    for (name, map) in maps { values[name] = .object(map) }
    guard case .string(let kind)? = values["action"], kinds.contains(kind), values["label"] != nil else { return nil }
    return .object(values)
  }

  /// At a separator outside of quotes.
  private static func split(_ text: String, at separator: Character) -> [String] {
    var parts: [String] = []
    var part = ""
    var quote: Character?
    for character in text {
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "'" || character == "\"" {
        // An apostrophe within a word opens no quotation.
        if part.last.map({ " =,".contains($0) }) ?? true { quote = character }
      } else if character == separator {
        parts.append(part)
        part = ""
        continue
      }
      part.append(character)
    }
    if !part.trimmingSpaces.isEmpty { parts.append(part) }
    return parts
  }

  private static func unquoted(_ text: String) -> String {
    guard text.count >= 2, let first = text.first, first == "'" || first == "\"", text.last == first else {
      return text
    }
    return String(text.dropFirst().dropLast())
  }
}
