// The outcome of a push: its messages in the stream, and the events that the desks have reported.

import FleetLink
import FoundationEssentials

/// The servers' records of a push.
public struct FleetPushReport: Sendable {
  /// A message of the push to one desk.
  public struct Stored: Encodable, Equatable, Sendable {
    public var desk: String
    /// The name of the handset; `_` for the one on the board.
    public var handset: String
    public var app: String
    /// The position in the stream.
    public var sequence: UInt64
    /// The time of acceptance in microseconds since 1970; nil if the gateway did not report it.
    public var accepted: Int64?
    public var gateway: String?
    /// True if the desk has not taken it yet.
    public var isWaiting: Bool
  }

  public struct Event: Sendable {
    public var desk: String
    /// The event as JSON, as `deskbell events --json` prints it, with the desk.
    public var line: String
  }

  public var stored: [Stored] = []
  /// The events in the order in which they were stored.
  public var events: [Event] = []
}

extension FleetServers {
  /// Returns the report of a push.
  /// - Parameter push: its apns-id.
  public func explanation(of push: String) async throws -> FleetPushReport {
    var report = FleetPushReport()
    try await read(FleetNames.pushes, "bell.push.>", from: .behind(0), headersOnly: true) { message in
      let fields = message.message.fields
      guard let id = fields["Bell-Id"], id.lowercased() == push.lowercased() else { return }
      let words = message.message.subject.split(separator: ".").map(String.init)
      guard words.count == 5 else { return }
      report.stored.append(
        .init(
          desk: words[2], handset: words[3], app: fields["Bell-Topic"] ?? words[4], sequence: message.sequence,
          accepted: fields["Bell-Accepted"].flatMap { Int64($0) }, gateway: fields["Bell-Gateway"], isWaiting: false))
    }
    struct Line: Decodable {
      var push: String?
    }
    let letters = Array(push.lowercased().utf8)
    try await read(FleetNames.events, FleetNames.events(of: "*"), from: .behind(0)) { message in
      let desk = message.message.subject.split(separator: ".").last.map(String.init) ?? ""
      for line in message.message.payload.split(separator: UInt8(ascii: "\n")) {
        // Most lines need no JSON decoding.
        let lower: [UInt8] = line.map { (65...90).contains($0) ? $0 + 32 : $0 }
        guard lower.contains(letters),
          let event = try? JSONDecoder().decode(Line.self, from: Data(line)),
          event.push?.lowercased() == push.lowercased()
        else { continue }
        report.events.append(.init(desk: desk, line: String(decoding: line, as: UTF8.self)))
      }
    }
    for index in report.stored.indices {
      let stored = report.stored[index]
      let isTaken = try await lastSeen(stored.desk).map { $0.position >= stored.sequence } ?? false
      report.stored[index].isWaiting = !isTaken && !report.events.contains { $0.desk == stored.desk }
    }
    return report
  }
}
