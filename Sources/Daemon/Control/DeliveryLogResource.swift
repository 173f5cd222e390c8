// The delivery log of a push and the counts of all, in the words of Apple's Push Notifications Console.

import HTTP
import HandsetCore

public struct DeliveryLogLine: Codable, Sendable, Equatable, WireType {
  static let meaning = "A line of a push's delivery log."

  public var time: String
  public var wallMicroseconds: Int64
  public var line: String
  public var isApples: Bool
  public var status: String?
  public var event: String
  public var rule: String?
  public var text: String?
  public var push: String?
  public var app: String?

  static let meanings: [String: Meaning] = [
    "time": "The handset's time, UTC: `2026-01-01T08:00:00.123456Z`.",
    "line": "The line, as Apple's Delivery Log has it.",
    "isApples": "True if Apple has published the line; false if the words are ours.",
    "status": .one(
      of: DeliveryStatus.self, "The status that counts it; absent if Apple's console has no such status."),
    "event": .one(of: Event.Name.self, "The event that it is made of."),
    "rule": "The number of the event's rule in docs/handset.md.",
    "text": "The reason, in words.",
    "push": "The push's apns-id, as its provider wrote it.",
    "app": "The app that it is for.",
  ]

  init(_ line: DeliveryLog.Line) {
    (wallMicroseconds, event) = (line.event.wallMicroseconds, line.event.event)
    time = WallTime(microseconds: wallMicroseconds).utc
    (self.line, isApples, status) = (line.step.line, line.step.isApples, line.status?.rawValue)
    (rule, text) = (line.event.text("rule"), line.event.text("text"))
    (push, app) = (line.event.push, line.event.app)
  }
}

public struct DeliveryStatusCount: Codable, Sendable, Equatable, WireType {
  static let meaning = "The number of pushes of a type that had a status."

  public var pushType: String
  public var status: String
  public var count: Int
  public var date: String?

  static let meanings: [String: Meaning] = [
    "pushType": .one(of: PushType.self, "The push type."),
    "status": .one(of: DeliveryStatus.self, "The status, as Apple's console names it."),
    "count": .count("The number of pushes."),
    "date": "The day, UTC, of the handsets' clock: `2026-01-01`. Absent for all days together.",
  ]
}

enum DeliveryLogResource {
  static let ofHandsets: [HandsetRoute] = [
    HandsetRoute(
      "GET", "/pushes/{id}/delivery-log", "deliveryLog", in: .events, "A push's way, as Apple's Delivery Log tells it",
      details: "Apple keeps its log for 7 days; this one goes back as far as the journal of events.",
      parameters: ["id": "The push's apns-unique-id or apns-id, a UUID; letters of either case."],
      answer: "The lines, oldest first; of several pushes with that apns-id, those of the newest.",
      refusals: [404: "The journal has nothing of it."]
    ) { handset, request -> [DeliveryLogLine] in
      let push = try PushesResource.pushID(request)
      let lines = try await handset.deliveryLog(of: push)
      guard !lines.isEmpty else { throw PushesResource.nothing(of: push) }
      return lines
    }
  ]
  static let routes: [DaemonRoute] = [
    DaemonRoute(
      "GET", "/v1/delivery-statuses", "deliveryStatuses", in: .daemon,
      "The numbers of pushes by type and status, as Apple's console counts them",
      details: "Of all handsets, since the daemon's start, of the last \(DeliveryCounts.dayLimit) days with pushes.",
      query: [
        Operation.Query(
          name: "byDay", meaning: "True for the numbers of each day.", form: .flag, standard: false)
      ],
      answer: "The numbers other than 0, by day, push type and status."
    ) { daemon, request -> [DeliveryStatusCount] in
      let word = request.target.queryValue("byDay") ?? "false"
      guard let byDay = Bool(word) else { throw ControlError(400, "byDay is true or false, not '\(shown(word))'") }
      return daemon.counters.counts.deliveries.report(byDay: byDay)
    }
  ]
}

extension DeliveryCounts.Day {
  /// `2026-01-01`.
  fileprivate var date: String { String(WallTime(seconds: number * 86_400).parts.date) }
}

extension DeliveryCounts {
  /// Returns the numbers other than 0, in the order of days, push types and statuses.
  func report(byDay: Bool) -> [DeliveryStatusCount] {
    func counts(_ days: [Day], date: String?) -> [DeliveryStatusCount] {
      PushType.allCases.flatMap { type in
        DeliveryStatus.allCases.compactMap { status in
          let kind = Day.Kind(type: type, status: status)
          let count = days.reduce(0) { sum, day in
            day.counts.counters.reduce(sum) { $1.label == kind ? $0 + $1.count : $0 }
          }
          guard count > 0 else { return nil }
          return DeliveryStatusCount(pushType: type.rawValue, status: status.rawValue, count: count, date: date)
        }
      }
    }
    guard byDay else { return counts(days, date: nil) }
    return days.sorted { $0.number < $1.number }.flatMap { counts([$0], date: $0.date) }
  }
}

extension HandsetParts {
  /// Returns the lines of the newest push with that identifier; none if the journal has nothing of it.
  func deliveryLog(of push: PushID) async throws(ControlError) -> [DeliveryLogLine] {
    var log = DeliveryLog()
    let id = try await providersID(of: push)
    try await eachEvent(naming: id) { event, _ in
      if event.push.flatMap({ PushID($0) }) == id { log.read(event) }
    }
    return log.lines.map { DeliveryLogLine($0) }
  }
}

extension ControlClient {
  /// - Parameter push: its `apns-unique-id` or `apns-id`.
  public func deliveryLog(of push: String) async throws -> [DeliveryLogLine] {
    try await get(path("pushes", push, "delivery-log"))
  }

  public func deliveryStatuses(byDay: Bool) async throws -> [DeliveryStatusCount] {
    try await send("GET", "/v1/delivery-statuses?byDay=\(byDay)")
  }
}
