import FoundationEssentials
import HTTP
import HandsetCore

/// The parameters of one request. They come as header fields, in the query, or as JSON, under several names each.
struct NtfyParameters {
  enum Key: String, CaseIterable, Sendable {
    case message, title, priority, tags, delay, actions, click, attach, markdown, icon, filename, email, call, cache
    case firebase, unifiedpush, template, badge
    case sequenceID = "sequence_id"
    case topic

    /// The names, in lower case, in order of precedence. Each may also begin with `x-`.
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
      case .click, .icon, .call, .cache, .firebase, .badge, .topic: [rawValue]
      }
    }
  }

  private(set) var texts: [Key: String] = [:]
  /// The actions, if they came as a JSON array; nil if they came as text.
  private(set) var actions: Actions?
  private var tags: [String]?

  enum Actions {
    case values([JSONValue])
    /// Longer than the notification and the payload have room for.
    case tooLong
  }

  /// Every name, with its parameter and its rank. The lowest rank takes precedence.
  private static let ranks: [String: (key: Key, rank: Int)] = {
    var ranks: [String: (Key, Int)] = [:]
    for key in Key.allCases where key != .topic {
      for (place, name) in key.names.enumerated() {
        ranks["x-\(name)"] = (key, 4 * place)
        ranks[name] = (key, 4 * place + 1)
      }
    }
    return ranks
  }()
  private static let longestName = ranks.keys.map(\.utf8.count).max() ?? 0

  /// Reads the header fields and the query. A field takes precedence over the same name in the query. Each field is
  /// looked at once: there may be thousands.
  init(_ head: RequestHead, _ target: RequestTarget) {
    var found: [Key: (rank: Int, value: String)] = [:]
    func note(_ name: String, _ value: String, after fields: Int) {
      guard !value.isEmpty, name.utf8.count <= NtfyParameters.longestName, let (key, rank) = NtfyParameters.ranks[name]
      else { return }
      if key == .priority, isPriorityOfHTTP(value) { return }
      if rank + fields < found[key]?.rank ?? .max { found[key] = (rank + fields, value) }
    }
    for field in head.headers.fields { note(field.name.lowercased(), field.value, after: 0) }
    for (name, value) in target.query { note(name, value, after: 2) }
    texts = found.mapValues { decodedWords($0.value) }
  }

  subscript(key: Key) -> String? { texts[key] }

  private static let names = JSONNames<Key>()

  /// Adds the parameters of a JSON object, which override the others.
  /// - Throws: 400 for a value of the wrong type.
  mutating func add(_ object: JSONObject, _ limits: PortLimits) throws(KeyedRefusal) {
    for (key, value) in object.members(NtfyParameters.names).known.all where !value.isNull {
      if let text = value.string {
        if !text.isEmpty { texts[key] = text }
        continue
      }
      switch (key, value.kind) {
      case (.badge, .number): texts[key] = value.integer.map(String.init) ?? "a fraction"
      case (.priority, .number): texts[key] = value.integer.map(String.init) ?? ""
      case (.markdown, .bool), (.cache, .bool), (.firebase, .bool), (.call, .bool), (.unifiedpush, .bool):
        texts[key] = value.bool == true ? "yes" : "no"
      case (.tags, .array):
        tags = value.array.map { Array($0.lazy.compactMap(\.string).prefix(limits.messageTagBytes + 1)) }
      case (.actions, .array):
        actions = value.fits(in: limits.messageExtrasBytes) ? .values(value.array?.map(JSONValue.init) ?? []) : .tooLong
      default:
        throw .bad("'\(key.rawValue)' cannot be \(value.kindName)", code: 40017)
      }
    }
  }

  /// The name of the template that makes the message from the body; nil for none, and for ntfy's inline templates,
  /// which are in the message itself.
  var template: String? {
    has(.template, in: ["yes", "true", "1", "no", "false", "0"]) ? nil : self[.template]
  }

  /// Sets the result of a template. A priority that the sender has given stays.
  mutating func fill(text: String, title: String?, level: InterruptionLevel) {
    texts[.message] = text
    if let title { texts[.title] = title }
    if texts[.priority] == nil {
      let priorities: [InterruptionLevel: String] = [.passive: "2", .timeSensitive: "4", .critical: "5"]
      texts[.priority] = priorities[level] ?? "3"
    }
    texts[.template] = nil
  }

  /// Returns the tags of the array or of the comma-separated text, at least as many as there is room for.
  func tagList(_ limits: PortLimits) -> [String] { tags ?? (self[.tags] ?? "").separatedByCommas(limits) }

  /// Returns true if the parameter is one of the words, in upper or lower case.
  func has(_ key: Key, in words: [String]) -> Bool {
    // A longer text is none of the words, and lowercasing it takes time.
    guard let text = self[key], text.utf8.count <= 8 else { return false }
    return words.contains(text.lowercased())
  }
}

/// Returns true if a value is for HTTP's own field `Priority`, which browsers and proxies send [RFC 9218]: a list of
/// `u=`, `i` and parameters not defined yet, each with a name and usually a value.
private func isPriorityOfHTTP(_ text: String) -> Bool {
  guard text.utf8.count <= 64 else { return false }
  let members = text.lowercased().split(separator: ",").map(\.trimmingSpaces)
  return members.contains { $0 == "i" || $0.hasPrefix("i=?") || $0.hasPrefix("i;") || $0.hasPrefix("u=") }
}

/// Texts are cut and trimmed by bytes and Unicode scalars. Each backward step over Characters scans back to the start
/// of the Character, or of the flags before it.
extension StringProtocol {
  /// The text without white space at both ends: a command's output ends with a line feed.
  var trimmingWhitespace: String {
    trimming { scalar in
      // Unicode's White_Space, which is stable. Reading a scalar's properties takes ten times as long.
      switch scalar.value {
      case 0x20, 0x09...0x0D, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: true
      default: false
      }
    }
  }

  /// The text without spaces and tabs at both ends.
  var trimmingSpaces: String { trimming { $0 == " " || $0 == "\t" } }

  private func trimming(_ isSpace: (Unicode.Scalar) -> Bool) -> String {
    guard let first = unicodeScalars.firstIndex(where: { !isSpace($0) }),
      let last = unicodeScalars.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(self[first..<unicodeScalars.index(after: last)])
  }
}

extension String {
  /// Returns the parts between commas, at most one more than there is room for as tags.
  func separatedByCommas(_ limits: PortLimits) -> [String] {
    utf8.split(separator: UInt8(ascii: ","), maxSplits: limits.messageTagBytes, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
  }
}
