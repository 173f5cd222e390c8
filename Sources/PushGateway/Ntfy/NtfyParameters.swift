// A message's parameters come as header fields, in the query, or as JSON, under several names each.

import FoundationEssentials
import HTTPRoutes

/// The parameters of one request.
struct NtfyParameters {
  enum Key: String, CaseIterable, Sendable {
    case message, title, priority, tags, delay, actions, click, attach, markdown, icon, filename, email, call, cache
    case firebase, unifiedpush, template
    case sequenceID = "sequence_id"
    case topic

    /// In lower case, without `x-`. Header fields may have it before any of them.
    var names: [String] {
      switch self {
      case .message: ["message", "m"]
      case .title: ["title", "t"]
      case .priority: ["priority", "prio", "p"]
      case .tags: ["tags", "tag", "ta"]
      case .delay: ["delay", "at", "in"]
      case .actions: ["actions", "action"]
      case .attach: ["attach", "a"]
      case .markdown: ["markdown", "md"]
      case .filename: ["filename", "file", "f"]
      case .email: ["email", "e-mail", "mail", "e"]
      case .unifiedpush: ["unifiedpush", "up"]
      case .template: ["template", "tpl"]
      case .sequenceID: ["sequence-id", "sequence_id", "sid"]
      case .click, .icon, .call, .cache, .firebase, .topic: [rawValue]
      }
    }
  }

  private(set) var texts: [Key: String] = [:]
  /// What came as JSON, where that is no text.
  private(set) var actions: [JSONValue]?
  private(set) var tags: [String]?

  /// Of the header fields and the query; a field goes before the query.
  init(_ head: RequestHead, _ target: RequestTarget) {
    for key in Key.allCases where key != .topic {
      for name in key.names {
        if let value = head.fields["x-\(name)"] ?? head.fields[name] ?? target.queryValue(name)
          ?? target.queryValue("x-\(name)"),
          !value.isEmpty
        {
          texts[key] = decodedWords(value)
          break
        }
      }
    }
  }

  subscript(key: Key) -> String? { texts[key] }

  private static let names = JSONNames<Key>()

  /// Adds those of a JSON object, which go before the others.
  /// - Throws: 400 for a value of the wrong type.
  mutating func add(_ object: JSONObject) throws(KeyedRefusal) {
    for (key, value) in object.members(NtfyParameters.names).known where !value.isNull {
      if let text = value.string {
        if !text.isEmpty { texts[key] = text }
        continue
      }
      switch (key, value.kind) {
      case (.priority, .number): texts[key] = value.integer.map(String.init) ?? ""
      case (.markdown, .bool), (.cache, .bool), (.firebase, .bool), (.call, .bool), (.unifiedpush, .bool):
        texts[key] = value.bool == true ? "yes" : "no"
      case (.tags, .array): tags = value.array?.compactMap(\.string)
      case (.actions, .array): actions = value.array?.map(JSONValue.init)
      default:
        throw KeyedRefusal(400, "BadRequest", "'\(key.rawValue)' cannot be \(value.kindName)", code: 40017)
      }
    }
  }

  /// The words of a list that is separated by commas.
  var tagList: [String] {
    let list = tags ?? (self[.tags] ?? "").split(separator: ",").map(String.init)
    return list.map { $0.trimmingSpaces }.filter { !$0.isEmpty }
  }
}

extension String {
  /// Without white space at both ends: a command's output has a line's end.
  var trimmingWhitespace: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}

extension StringProtocol {
  /// Without spaces and tabs at both ends.
  var trimmingSpaces: String {
    let rest = drop { $0 == " " || $0 == "\t" }
    return String(rest.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }
}

/// A header field that may have encoded words [RFC 2047], in UTF-8 alone. What is no such word stays as it is.
func decodedWords(_ text: String) -> String {
  guard text.contains("=?") else { return text }
  var result = ""
  var rest = Substring(text)
  while let start = rest.firstRange(of: "=?") {
    let word = rest[start.lowerBound...]
    let parts = word.dropFirst(2).split(separator: "?", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].lowercased() == "utf-8", let end = parts[2].firstRange(of: "?="),
      let bytes = encodedBytes(parts[2][..<end.lowerBound], parts[1].lowercased()),
      let decoded = String(validating: bytes, as: UTF8.self)
    else {
      result += rest[..<start.upperBound]
      rest = rest[start.upperBound...]
      continue
    }
    let before = rest[..<start.lowerBound]
    // White space between two encoded words belongs to neither.
    if !(before.allSatisfy { $0 == " " } && !result.isEmpty) { result += before }
    result += decoded
    rest = rest[end.upperBound...]
  }
  return result + rest
}

private func encodedBytes(_ text: Substring, _ encoding: String) -> [UInt8]? {
  switch encoding {
  case "b": return Data(base64Encoded: String(text)).map { Array($0) }
  case "q":
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "_"): bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "="):
        guard let high = rest.popFirst(), let low = rest.popFirst(),
          let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
        else { return nil }
        bytes.append(value)
      default: bytes.append(byte)
      }
    }
    return bytes
  default: return nil
  }
}
