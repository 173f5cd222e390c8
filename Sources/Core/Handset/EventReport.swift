/// An event in the form that a reader of the stream gets: one flat object of JSON.
public struct EventReport: Codable, Hashable, Sendable {
  private enum CodingKeys: CodingKey { case sequence, uptimeMicroseconds, wallMicroseconds, event, app, push }

  public var sequence: UInt64
  public var uptimeMicroseconds: Int64
  public var wallMicroseconds: Int64
  public var event: String
  public var app: String?
  /// The identifier of the push that it is about, as its provider wrote it.
  public var push: String?
  public var fields: [String: Event.Field] = [:]

  init(sequence: UInt64, moment: Moment, event: String, app: String?, push: PushID?) {
    self.sequence = sequence
    uptimeMicroseconds = moment.uptime.inMicroseconds
    wallMicroseconds = moment.wall.microseconds
    self.event = event
    self.app = app
    self.push = push?.description
  }

  public init(_ event: Event) {
    self.init(sequence: event.sequence, moment: event.moment, event: "", app: event.app?.text, push: event.push)
    event.write(to: &self)
  }

  /// Creates a report that replaces stored events that cannot be read.
  /// - Parameter sequence: the number of the first of them.
  public init(unreadable sequence: UInt64, problem: String) {
    let never = Moment(uptime: .zero, wall: WallTime(microseconds: 0))
    self.init(sequence: sequence, moment: never, event: Event.Name.unreadable.rawValue, app: nil, push: nil)
    fields["problem"] = .text(problem)
  }

  /// Returns true if it is about the push, or about one that replaced the push or that the push replaced. A push has
  /// two identifiers if the development service accepted it.
  public func names(_ id: PushID) -> Bool {
    if push.flatMap({ PushID($0) }) == id { return true }
    return ["replaces", "replacedBy", "uniqueID"].contains { name in
      if case .text(let text) = fields[name] { PushID(text) == id } else { false }
    }
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    sequence = try container.decode(UInt64.self, forKey: .sequence)
    uptimeMicroseconds = try container.decode(Int64.self, forKey: .uptimeMicroseconds)
    wallMicroseconds = try container.decode(Int64.self, forKey: .wallMicroseconds)
    event = try container.decode(String.self, forKey: .event)
    app = try container.decodeIfPresent(String.self, forKey: .app)
    push = try container.decodeIfPresent(String.self, forKey: .push)
    fields = try [String: Event.Field](from: decoder).filter { CodingKeys(stringValue: $0.key) == nil }
  }

  public func encode(to encoder: any Encoder) throws { try flat.encode(to: encoder) }

  /// One object of JSON with sorted keys, without a line break.
  public var line: String {
    var line = ""
    for (name, value) in flat.sorted(by: { $0.key < $1.key }) {
      line += line.isEmpty ? "{" : ","
      line.appendQuoted(name)
      line += ":"
      switch value {
      case .text(let text): line.appendQuoted(text)
      case .number(let number): line += "\(number)"
      case .flag(let flag): line += "\(flag)"
      case .list(let list):
        line += "["
        for (place, text) in list.enumerated() {
          if place > 0 { line += "," }
          line.appendQuoted(text)
        }
        line += "]"
      }
    }
    return line + "}"
  }

  private var flat: [String: Event.Field] {
    var all = fields
    all["sequence"] = .number(Int(clamping: sequence))
    all["uptimeMicroseconds"] = .number(Int(clamping: uptimeMicroseconds))
    all["wallMicroseconds"] = .number(Int(clamping: wallMicroseconds))
    all["event"] = .text(event)
    all["app"] = app.map { .text($0) }
    all["push"] = push.map { .text($0) }
    return all
  }
}

extension EventReport: EventValues {
  mutating func begin(_ name: Event.Name) { event = name.rawValue }
  mutating func add(_ name: StaticString, _ value: Event.Value) {
    for (name, value) in value.fields(named: name.description) { fields[name] = value }
  }
}

extension String {
  /// Appends the text as a string of JSON [RFC 8259, section 7].
  fileprivate mutating func appendQuoted(_ text: String) {
    append("\"")
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        append("\\")
        unicodeScalars.append(scalar)
      case "\n": append("\\n")
      case "\r": append("\\r")
      case "\t": append("\\t")
      case "\u{8}": append("\\b")
      case "\u{C}": append("\\f")
      case ..<" ": append("\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16))
      default: unicodeScalars.append(scalar)
      }
    }
    append("\"")
  }
}
