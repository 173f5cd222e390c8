// The pushes that wait in the service, and fetching them (rules F1, F4).

import HTTP
import HandsetCore

public struct WaitingReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "A push that waits in the service."

  public var app: String
  public var node: String?
  public var push: String
  public var since: Int64?
  public var until: Int64?

  static let meanings: [String: Meaning] = [
    "node": "The publishing node's name; absent if it was sent to the app.",
    "since": "Since when it waits, on the wall clock, in microseconds; absent if an earlier version stored it.",
    "until": Meaning(
      "The end of the fetch interval, on the wall clock, in microseconds; absent if it waits until the handset is "
        + "online, or until somebody fetches."),
  ]
}

extension [WaitingReport] {
  /// In the order in which they were sent.
  init(of handset: Handset, at now: Moment) {
    let until = handset.fetchesAt.map { now.wall.advanced(by: $0 - now.uptime).microseconds }
    self = handset.waiting().map { slot, kept in
      WaitingReport(
        app: slot.app.text, node: slot.node, push: kept.push.id.description, since: kept.since?.microseconds,
        until: until)
    }
  }
}

struct FetchRequest: RequestBody, Sendable {
  static let meaning = "What is to be fetched."

  var app: String?

  static let meanings: [String: Meaning] = ["app": "Only this app's; absent is all."]
}

public struct FetchReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "The result of a fetch."

  public var fetched: Int

  static let meanings: [String: Meaning] = ["fetched": .count("The pushes that waited and have arrived.")]
}

enum FetchResource {
  static let routes: [HandsetRoute] = [
    HandsetRoute(
      "POST", "/fetch", "fetch", in: .state, "Fetch the pushes that wait in the service (F4)", body: FetchRequest(),
      answer: "How many waited. They have arrived, in the order in which they were sent.", refusals: [409: ""]
    ) { handset, request -> FetchReport in
      let text = try request.body(FetchRequest.self).app
      let app: AppID? = if let text { try await handset.access.appID(text) } else { nil }
      // One that comes between the two is fetched, too, and not counted.
      let count = try await handset.access.read { handset, _, _, _ in handset.waiting(for: app).count }
      try await handset.access.apply(.fetch(app))
      return FetchReport(fetched: count)
    }
  ]
}

extension ControlClient {
  /// - Parameter app: nil for all.
  public func fetch(_ app: String?) async throws -> FetchReport {
    try await send("POST", path("fetch"), FetchRequest(app: app))
  }
}
