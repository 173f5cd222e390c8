// Everything that happens on a handset, as it happens.

import FoundationEssentials
import HTTPRoutes
import HandsetCore

/// The events of one handset.
public protocol EventsBackend: Sendable {
  /// Events as JSON lines, without newlines, beginning after that sequence number. Throws `ControlError` where the
  /// journal cannot be read.
  /// - Parameter follow: whether it goes on with what happens from now on, or ends with what is there.
  func events(after sequence: UInt64, follow: Bool) async throws(ControlError) -> AsyncThrowingStream<String, any Error>
}

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
    let container = try decoder.container(keyedBy: AnyKey.self)
    sequence = try container.decode(UInt64.self, forKey: AnyKey("sequence"))
    uptimeMicroseconds = try container.decode(Int64.self, forKey: AnyKey("uptimeMicroseconds"))
    wallMicroseconds = try container.decode(Int64.self, forKey: AnyKey("wallMicroseconds"))
    event = try container.decode(String.self, forKey: AnyKey("event"))
    app = try container.decodeIfPresent(String.self, forKey: AnyKey("app"))
    push = try container.decodeIfPresent(String.self, forKey: AnyKey("push"))
    fields = [:]
    for key in container.allKeys where !EventReport.own.contains(key.stringValue) {
      fields[key.stringValue] = try EventReport.field(key, in: container)
    }
  }

  /// As it was read: one flat object.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: AnyKey.self)
    try container.encode(sequence, forKey: AnyKey("sequence"))
    try container.encode(uptimeMicroseconds, forKey: AnyKey("uptimeMicroseconds"))
    try container.encode(wallMicroseconds, forKey: AnyKey("wallMicroseconds"))
    try container.encode(event, forKey: AnyKey("event"))
    try container.encodeIfPresent(app, forKey: AnyKey("app"))
    try container.encodeIfPresent(push, forKey: AnyKey("push"))
    for (name, value) in fields { try value.encode(into: &container, forKey: AnyKey(name)) }
  }

  private static func field(_ key: AnyKey, in container: KeyedDecodingContainer<AnyKey>) throws -> Event.Field {
    if let flag = try? container.decode(Bool.self, forKey: key) { return .flag(flag) }
    if let number = try? container.decode(Int.self, forKey: key) { return .number(number) }
    if let list = try? container.decode([String].self, forKey: key) { return .list(list) }
    return .text(try container.decode(String.self, forKey: key))
  }

  private static let own: Set = ["sequence", "uptimeMicroseconds", "wallMicroseconds", "event", "app", "push"]
}

enum EventsResource {
  static let routes = [HandsetRoute("GET", "/events", query: ["after", "follow"], events)]

  /// JSON lines: without `follow` those that are there, with it until the reader leaves or the daemon stops. A journal
  /// that cannot be read ends them with a line that is an `ErrorBody`.
  @Sendable private static func events(
    _ handset: HandsetResources, _ request: HTTPRequest
  ) async throws -> HTTPResponse {
    var after: UInt64 = 0
    if let text = request.target.queryValue("after") {
      guard let number = UInt64(text) else {
        throw ControlError(400, "after is an event's sequence number, 0 or more, not '\(shown(text))'")
      }
      after = number
    }
    let follow: Bool
    switch request.target.queryValue("follow") {
    case nil, "false": follow = false
    case "true": follow = true
    case let text?: throw ControlError(400, "follow is true or false, not '\(shown(text))'")
    }
    let lines = try await handset.events.events(after: after, follow: follow)
    return HTTPResponse(
      headers: ["Content-Type": "application/x-ndjson", "Cache-Control": "no-store"],
      body: .stream { write in
        do {
          for try await line in lines { try await write(Array(line.utf8) + newline) }
        } catch let error as ControlError {
          try await write(ErrorBody(error: error.message, hint: error.hint).eventLine() + newline)
        }
      })
  }

  private static let newline = [UInt8(ascii: "\n")]
}

extension ErrorBody {
  /// How the last line of a stream begins that could not go on. No event does.
  private static let lineStart = #"{"error":"#

  fileprivate func eventLine() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(self))
  }

  /// Nil for the line of an event.
  init?(eventLine line: String) {
    guard line.hasPrefix(ErrorBody.lineStart),
      let body = try? JSONDecoder().decode(ErrorBody.self, from: Data(line.utf8))
    else { return nil }
    self = body
  }
}
