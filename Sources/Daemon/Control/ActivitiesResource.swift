// Live Activities (rules LA1 to LA9): the list, and what their apps and the person do with them.

import Board
import FoundationEssentials
import HTTP
import HandsetCore

/// An object of JSON with any members.
struct AnyJSON: Recordable, Codable, Sendable, Equatable {
  var value: JSONValue

  static var form: Form { .anyObject }
  static func sample() -> AnyJSON { AnyJSON(value: .object([:])) }

  init(value: JSONValue) { self.value = value }
  init(from decoder: any Decoder) throws { value = try JSONValue(from: decoder) }
  func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

public struct ActivityReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "A Live Activity."

  public var id: UInt64
  public var app: String
  public var attributesType: String?
  public var state: String
  public var started: Int64
  public var updated: Int64
  public var stale: Int64?
  public var dismissal: Int64?
  public var relevance: Double?
  var content: AnyJSON
  public var alert: [String: String]?
  public var channel: String?
  public var token: String?
  public var display: String?
  public var waiting: String?

  static let meanings: [String: Meaning] = [
    "id": .count("Its number."),
    "attributesType": "The type of its attributes; absent if the app gave none.",
    "state": .one(of: LiveActivity.State.self, "Its state (LA3 to LA5)."),
    "started": "When it started, in microseconds since 1970-01-01T00:00:00Z, as the other times.",
    "updated": "When its state changed last.",
    "stale": "Its stale date; absent if it has none.",
    "dismissal": "When it is dismissed at the latest, if it has ended and the time was given.",
    "relevance": "Its relevance score; the highest is on top.",
    "content": "Its state, as the app defines it.",
    "alert": "title and body of its last alert.",
    "channel": "The channel that it is subscribed to.",
    "token": "Its device token; absent while it has none.",
    "display": "What the digits show while it is on top; a countdown by its end on the uptime clock, in microseconds.",
    "waiting": "The push that waits for its budget, or until the handset is reached (LA6, LA7).",
  ]

  public var contentText: String { (try? content.encoded()).map { String(decoding: $0, as: UTF8.self) } ?? "{}" }
}

extension ActivityReport {
  init(_ activity: LiveActivity, of handset: Handset, at now: Moment) {
    func written(_ text: MessageText?) -> String? {
      text?.resolved(from: handset.apps[activity.app]?.manifest.strings ?? [:])
    }
    let content = try? JSONDecoder().decode(JSONValue.self, from: Data(activity.content.utf8))
    let words = ["title": written(activity.message?.title), "body": written(activity.message?.body)]
    let display: String? =
      switch handset.display(of: activity, at: now) {
      case nil: nil
      case .text(let text)?: text
      case .countdown(let end)?: "\(end.inMicroseconds)"
      }
    self.init(
      id: activity.id.number, app: activity.app.text, attributesType: activity.attributesType,
      state: activity.state.rawValue, started: activity.started.wall.microseconds,
      updated: activity.updated.microseconds, stale: activity.staleDate?.microseconds,
      dismissal: activity.dismissalDate?.microseconds, relevance: activity.relevance,
      content: AnyJSON(value: content ?? .object([:])),
      alert: activity.message == nil ? nil : words.compactMapValues(\.self),
      channel: activity.channel?.text, token: handset.purposeTokens(of: activity.app)[.activity(activity.id)]?.hex,
      display: display, waiting: activity.waiting?.id.description)
  }
}

public struct AppActivitiesReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "The Live Activities of an app, and the token that starts them."

  public var app: String
  public var startToken: String?
  public var activities: [ActivityReport]

  static let meanings: [String: Meaning] = [
    "startToken": "The push-to-start token; absent if the manifest has no live-activity, or the app is not registered.",
    "activities": "Oldest first.",
  ]
}

struct ActivityRequest: RequestBody, Sendable {
  static let meaning = "What an app does with a Live Activity of its own."

  var content: AnyJSON?
  var attributesType: String?
  var channel: String?
  var staleSeconds: Int64?
  var dismissalSeconds: Int64?
  var relevance: Double?

  static let meanings: [String: Meaning] = [
    "content": "Its new state; absent is an empty one.",
    "attributesType": "The type of its attributes.",
    "channel": "The channel to subscribe it to when it starts; absent gives it a token.",
    "staleSeconds": .number(0...86_400, "When it becomes stale, from now."),
    "dismissalSeconds": .number(0...14_400, "When it is dismissed after its end; absent is four hours."),
    "relevance": "Its relevance score as a number.",
  ]

  func update(_ event: ActivityUpdate.Event, at now: Moment) throws -> ActivityUpdate {
    let bytes = try content?.value.encoded() ?? Array("{}".utf8)
    guard bytes.first == UInt8(ascii: "{"), bytes.count <= Policy.activityContentLimit else {
      throw ControlError(400, "the state is an object of at most \(Policy.activityContentLimit) bytes")
    }
    let channel = try self.channel.map { text -> ChannelID in
      guard let channel = ChannelID(text) else { throw ControlError(400, "'\(text)' is no channel") }
      return channel
    }
    let seconds = WallTime(seconds: now.wall.microseconds / 1_000_000)
    var update = ActivityUpdate(event, timestamp: seconds, content: String(decoding: bytes, as: UTF8.self))
    (update.attributesType, update.channel) = (attributesType, channel)
    update.staleDate = staleSeconds.map { seconds.advanced(by: .seconds($0)) }
    update.dismissalDate = dismissalSeconds.map { seconds.advanced(by: .seconds($0)) }
    update.relevance = relevance
    return update
  }
}

enum ActivitiesResource {
  static let routes: [HandsetRoute] = [
    HandsetRoute(
      "GET", "/activities", "activities", in: .local, "List the Live Activities", query: [.app], answer: "Oldest first."
    ) { handset, request in try await reports(of: handset.access.queriedApp(request), on: handset.access) },
    HandsetRoute(
      "DELETE", "/activities/{identifier}", "dismissActivity", in: .local, "Dismiss a Live Activity, as the person does"
    ) { handset, request in try await handset.access.apply(.dismissActivity(id(request))) },
    HandsetRoute(
      "GET", "/apps/{id}/activities", "appActivities", in: .local,
      "List an app's Live Activities with their tokens, and the token that starts them", answer: "The activities."
    ) { handset, request -> AppActivitiesReport in
      let app = try await handset.access.appID(request)
      let activities = try await reports(of: app, on: handset.access)
      let token = try await handset.access.read { handset, _, _, _ in handset.purposeTokens(of: app)[.pushToStart] }
      return AppActivitiesReport(app: app.text, startToken: token?.hex, activities: activities)
    },
    HandsetRoute(
      "POST", "/apps/{id}/activities", "startActivity", in: .local, "Start a Live Activity for its app",
      body: ActivityRequest(content: AnyJSON(value: ["score": "2:1"])), answer: "The activity.", refusals: [409: ""]
    ) { handset, request in try await change(.start, handset, request) },
    HandsetRoute(
      "POST", "/apps/{id}/activities/{identifier}/update", "updateActivity", in: .local, "Update it for its app",
      body: ActivityRequest(content: AnyJSON(value: ["score": "2:2"])), answer: "The activity.", refusals: [409: ""]
    ) { handset, request in try await change(.update, handset, request) },
    HandsetRoute(
      "POST", "/apps/{id}/activities/{identifier}/end", "endActivity", in: .local, "End it for its app",
      body: ActivityRequest(content: AnyJSON(value: ["score": "3:2"])), answer: "The activity.", refusals: [409: ""]
    ) { handset, request in try await change(.end, handset, request) },
  ]

  private static func id(_ request: HTTPRequest) throws -> ActivityID {
    let text = try request.parameter("identifier")
    guard let id = ActivityID(text) else { throw ControlError(404, "there is no Live Activity '\(text)'") }
    return id
  }

  private static func reports(of app: AppID?, on access: HandsetAccess) async throws -> [ActivityReport] {
    try await access.read { handset, _, _, now in
      handset.liveActivities.filter { app == nil || $0.app == app }.map { ActivityReport($0, of: handset, at: now) }
    }
  }

  private static func change(
    _ event: ActivityUpdate.Event, _ handset: HandsetParts, _ request: HTTPRequest
  ) async throws -> ActivityReport {
    let app = try await handset.access.appID(request)
    let wanted: ActivityRequest = try request.body()
    let activity = event == .start ? nil : try id(request)
    let now = try await handset.access.read { _, _, _, now in now }
    try await handset.access.apply(.changeActivity(app, activity, wanted.update(event, at: now)))
    let all = try await reports(of: app, on: handset.access)
    guard let report = activity.map({ id in all.first { $0.id == id.number } }) ?? all.last else {
      throw ControlError(409, "the Live Activity has been dismissed already")
    }
    return report
  }
}

extension ControlClient {
  /// - Parameter app: nil for all apps.
  public func activities(_ app: String? = nil) async throws -> [ActivityReport] {
    try await get(path("activities", app: app))
  }

  public func appActivities(_ app: String) async throws -> AppActivitiesReport {
    try await get(path("apps", app, "activities"))
  }

  public func dismissActivity(_ id: UInt64) async throws { try await send("DELETE", path("activities", "\(id)")) }

  /// Starts, updates or ends an activity for its app.
  /// - Parameters:
  ///   - id: nil to start one.
  ///   - content: its state, an object of JSON.
  public func changeActivity(
    _ app: String, _ id: UInt64?, isEnd: Bool = false, content: JSONValue?, type: String? = nil, channel: String? = nil,
    staleSeconds: Int64? = nil, dismissalSeconds: Int64? = nil, relevance: Double? = nil
  ) async throws -> ActivityReport {
    let request = ActivityRequest(
      content: content.map { AnyJSON(value: $0) }, attributesType: type, channel: channel, staleSeconds: staleSeconds,
      dismissalSeconds: dismissalSeconds, relevance: relevance)
    let target =
      id.map { path("apps", app, "activities", "\($0)", isEnd ? "end" : "update") } ?? path("apps", app, "activities")
    return try await send("POST", target, request)
  }
}
