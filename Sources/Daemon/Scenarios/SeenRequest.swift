import FoundationEssentials
import HTTP

/// A request as the bench recorded it; only what scenarios use.
struct SeenRequest: Decodable, Sendable {
  struct Answer: Decodable, Sendable {
    var status: Int
    var reason: String?
    var by: String?
    var fault: String?
    var uptimeMicroseconds: Int64?
  }

  var request: UInt64
  var connection: Int
  var headers: [[String]]
  var payload: String?
  var uptimeMicroseconds: Int64
  /// The handset's time, in microseconds since 1970.
  var wallMicroseconds: Int64
  var app: String?
  var token: String?
  var push: String?
  var answer: Answer?
  /// How it ended without an answer.
  var end: String?
  var lint: [String]
  /// The names of the faults that struck it, in their order.
  var faults: [String]

  private enum CodingKeys: CodingKey {
    case request, connection, headers, payload, uptimeMicroseconds, wallMicroseconds, app, token, push, answer, end,
      lint, faults
  }

  init(
    request: UInt64, connection: Int = 1, headers: [[String]] = [], payload: String? = nil, at uptime: Int64 = 0,
    wall: Int64 = 0, app: String? = nil, token: String? = nil, push: String? = nil, answer: Answer? = nil,
    end: String? = nil, lint: [String] = [], faults: [String] = []
  ) {
    (self.request, self.connection, self.headers, self.payload) = (request, connection, headers, payload)
    (uptimeMicroseconds, wallMicroseconds, self.app, self.token) = (uptime, wall, app, token)
    (self.push, self.answer, self.end, self.lint, self.faults) = (push, answer, end, lint, faults)
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func optional<Value: Decodable>(_ key: CodingKeys) throws -> Value? {
      try container.decodeIfPresent(Value.self, forKey: key)
    }
    self.init(
      request: try container.decode(UInt64.self, forKey: .request),
      connection: try container.decode(Int.self, forKey: .connection), headers: try optional(.headers) ?? [],
      payload: try optional(.payload), at: try optional(.uptimeMicroseconds) ?? 0,
      wall: try optional(.wallMicroseconds) ?? 0,
      app: try optional(.app), token: try optional(.token), push: try optional(.push), answer: try optional(.answer),
      end: try optional(.end), lint: try optional(.lint) ?? [],
      faults: try optional(.faults) ?? [])
  }
}

extension SeenRequest {
  /// True once nothing more can come of it.
  var isOver: Bool { answer != nil || end != nil }

  func header(_ name: String) -> String? {
    headers.first { $0.count == 2 && $0[0].lowercased() == name }?[1]
  }

  /// Returns what a scenario names, as in `same: [apns-id, payload]`; nil if the request has none.
  func value(named name: String) -> String? {
    switch name {
    case "payload": payload
    case "token": token
    case "app": app
    case "connection": "c\(connection)"
    case "apns-id": (header("apns-id") ?? push)?.uppercased()
    default: header(name)
    }
  }

  /// Returns the text of a member of the payload: `aps.alert.body`; nil if there is none.
  func payloadText(at path: String) -> String? {
    guard let payload, let value = try? JSONDecoder().decode(JSONValue.self, from: Data(payload.utf8)) else {
      return nil
    }
    var found = value
    for key in path.split(separator: ".") {
      guard case .object(let members) = found, let member = members[String(key)] else { return nil }
      found = member
    }
    return plainText(found)
  }

  /// `503 (fault busy)`.
  var outcome: String {
    if let answer {
      let reason = answer.reason.map { " \($0)" } ?? ""
      return "\(answer.status)\(reason)" + (answer.fault.map { " (fault \($0))" } ?? "")
    }
    return end.map { "no answer: \($0)" } ?? "no answer yet"
  }
}

/// `8C07…`
func short(_ id: String) -> String { id.count > 6 ? id.prefix(4) + "…" : id }
