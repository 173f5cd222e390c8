// One line of the event stream, for its readers. What events there are, and their fields, HandsetCore says.

import HandsetCore

/// A line of `GET /v1/events`.
public struct EventReport: Codable, Sendable, Equatable {
  public var sequence: UInt64
  public var uptimeMicroseconds: Int64
  public var wallMicroseconds: Int64
  /// `accepted`, `presented`, `badge`, …
  public var event: String
  public var app: String?
  /// The push that it is about, as its provider wrote the identifier.
  public var push: String?
  /// What the event says beyond that.
  public var fields: [String: Event.Field]

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    sequence = try container.decode(UInt64.self, forKey: Key("sequence"))
    uptimeMicroseconds = try container.decode(Int64.self, forKey: Key("uptimeMicroseconds"))
    wallMicroseconds = try container.decode(Int64.self, forKey: Key("wallMicroseconds"))
    event = try container.decode(String.self, forKey: Key("event"))
    app = try container.decodeIfPresent(String.self, forKey: Key("app"))
    push = try container.decodeIfPresent(String.self, forKey: Key("push"))
    fields = [:]
    for key in container.allKeys where !EventReport.own.contains(key.stringValue) {
      fields[key.stringValue] = try EventReport.field(key, in: container)
    }
  }

  /// As it was read: one flat object.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(sequence, forKey: Key("sequence"))
    try container.encode(uptimeMicroseconds, forKey: Key("uptimeMicroseconds"))
    try container.encode(wallMicroseconds, forKey: Key("wallMicroseconds"))
    try container.encode(event, forKey: Key("event"))
    try container.encodeIfPresent(app, forKey: Key("app"))
    try container.encodeIfPresent(push, forKey: Key("push"))
    for (name, value) in fields { try value.encode(into: &container, forKey: Key(name)) }
  }

  private static func field(_ key: Key, in container: KeyedDecodingContainer<Key>) throws -> Event.Field {
    if let flag = try? container.decode(Bool.self, forKey: key) { return .flag(flag) }
    if let number = try? container.decode(Int.self, forKey: key) { return .number(number) }
    if let list = try? container.decode([String].self, forKey: key) { return .list(list) }
    return .text(try container.decode(String.self, forKey: key))
  }

  private static let own: Set = ["sequence", "uptimeMicroseconds", "wallMicroseconds", "event", "app", "push"]

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
