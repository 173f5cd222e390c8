import HTTP

/// An event of the handset, as the stream has it.
struct SeenEvent: Decodable, Sendable {
  var sequence: UInt64
  var event: String
  var app: String?
  var push: String?
  var fields: [String: JSONValue]

  private enum CodingKeys: CodingKey { case sequence, event, app, push }

  init(sequence: UInt64 = 0, event: String, app: String? = nil, push: String? = nil, fields: [String: JSONValue] = [:])
  {
    (self.sequence, self.event, self.app, self.push, self.fields) = (sequence, event, app, push, fields)
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    sequence = try container.decode(UInt64.self, forKey: .sequence)
    event = try container.decode(String.self, forKey: .event)
    app = try container.decodeIfPresent(String.self, forKey: .app)
    push = try container.decodeIfPresent(String.self, forKey: .push)
    fields = try [String: JSONValue](from: decoder)
  }
}

/// A line of a story's transcript that names a part of an event: `badge mail P1 number=1`. What it does not name does
/// not matter.
struct EventPattern: Sendable, Hashable {
  let name: String
  let app: String?
  /// 1 for the scenario's first push.
  let push: Int?
  let fields: [String: String]
  let words: String

  init?(_ words: [String]) {
    guard let name = words.first, !name.contains("=") else { return nil }
    self.name = name
    self.words = words.joined(separator: " ")
    var (app, push, fields): (String?, Int?, [String: String]) = (nil, nil, [:])
    for word in words.dropFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      if parts.count == 2 {
        guard !parts[0].isEmpty, fields.updateValue(parts[1], forKey: parts[0]) == nil else { return nil }
      } else if word.hasPrefix("P"), let number = Int(word.dropFirst()), number > 0 {
        guard push == nil else { return nil }
        push = number
      } else {
        guard app == nil else { return nil }
        app = word
      }
    }
    (self.app, self.push, self.fields) = (app, push, fields)
  }

  /// - Parameter pushes: the identifiers of the scenario's pushes, in the order in which they came.
  func matches(_ event: SeenEvent, pushes: [String]) -> Bool {
    guard event.event == name, app == nil || event.app == app else { return false }
    if let push {
      guard pushes.indices.contains(push - 1), let id = event.push,
        id.uppercased() == pushes[push - 1].uppercased()
      else { return false }
    }
    return fields.allSatisfy { key, wanted in event.fields[key].map { EventPattern.text($0, pushes) == wanted } ?? false
    }
  }

  /// Returns a field as a transcript has it: `yes`, `a,b`, `P1`.
  private static func text(_ value: JSONValue, _ pushes: [String]) -> String {
    switch value {
    case .bool(let flag): flag ? "yes" : "no"
    case .array(let items): items.isEmpty ? "none" : items.map { text($0, pushes) }.joined(separator: ",")
    case .string(let text):
      pushes.firstIndex { $0.uppercased() == text.uppercased() }.map { "P\($0 + 1)" } ?? text
    default: plainText(value)
    }
  }
}

/// Returns a JSON value as text: numbers and texts as they are, the others as JSON.
func plainText(_ value: JSONValue) -> String {
  switch value {
  case .null: "null"
  case .bool(let flag): "\(flag)"
  case .integer(let number): "\(number)"
  case .unsigned(let number): "\(number)"
  case .decimal(let number): "\(number)"
  case .double(let number): "\(number)"
  case .string(let text): text
  case .array, .object: (try? value.encoded()).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
