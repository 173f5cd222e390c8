// Broadcast channels, administered here; providers use Apple's requests at the port.

import HTTP
import HandsetCore
import PushPort

public struct ChannelReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "A broadcast channel of an app."

  public var app: String
  public var channel: String
  public var policy: Int
  public var madeWallMicroseconds: Int64
  public var subscriptions: Int
  public var subscribers: Int
  public var published: Int
  public var delivered: Int

  static let meanings: [String: Meaning] = [
    "channel": "Its identifier: apns-channel-id.",
    "policy": .number(0...1, "The message-storage-policy. 0: nothing is stored; 1: the newest broadcast is, for 8 h."),
    "madeWallMicroseconds": "When it was made, in microseconds since 1970-01-01T00:00:00Z.",
    "subscriptions": .count("Live Activities that are subscribed to it and have not ended."),
    "subscribers": .count("Handsets with such an activity."),
    "published": .count("Broadcasts since the daemon's start."),
    "delivered": .count("Handsets on which these changed a Live Activity, summed over the broadcasts."),
  ]
}

public struct NewChannel: RequestBody, Sendable {
  static let meaning = "A channel to make."

  public var app: String
  public var policy: Int?

  static let meanings: [String: Meaning] = [
    "policy": .number(0...1, "The message-storage-policy; absent is 0, with which nothing is stored.")
  ]
}

public struct BroadcastRequest: RequestBody, Sendable {
  static let meaning = "A broadcast on a channel."

  public var payload: String
  public var priority: Int?
  public var expiration: Int64?

  static let meanings: [String: Meaning] = [
    "payload": "The payload, JSON of at most 5,120 bytes: aps has event update or end, timestamp and content-state.",
    "priority": .number(1...10, "10, 5 or 1; absent is 10."),
    "expiration": .count("Seconds since 1970; absent or 0: it is not stored."),
  ]
}

public struct BroadcastReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "A broadcast that is stored."

  public var push: String
}

enum ChannelsResource {
  static let routes: [DaemonRoute] = [
    DaemonRoute(
      "GET", "/v1/channels", "channels", in: .providers, "List the channels of broadcasts", query: [.app],
      answer: "By app and identifier."
    ) { daemon, request -> [ChannelReport] in
      try await daemon.channelReports(of: request.target.queryValue("app").map { try appID($0) })
    },
    DaemonRoute(
      "POST", "/v1/channels", "makeChannel", in: .providers, "Make a channel",
      body: NewChannel(app: "com.example.match", policy: 1), answer: "The channel.",
      refusals: [409: "The app's manifest has no broadcast: true, or there are as many channels as there can be."]
    ) { daemon, request -> ChannelReport in
      let body = try request.body(NewChannel.self)
      guard let policy = StoragePolicy(rawValue: body.policy ?? 0) else {
        throw ControlError(400, "policy is \(body.policy ?? 0), expected 0 or 1")
      }
      let app = try appID(body.app)
      let answer = try await daemon.channels.ask(.create(policy), of: app)
      guard case .created(let channel) = answer else { throw ControlError(503, "there is no channel") }
      return try await daemon.channelReport(channel, of: app)
    },
    DaemonRoute(
      "GET", "/v1/channels/{id}/{channel}", "channel", in: .providers, "Get a channel", answer: "The channel.",
      refusals: [404: ""]
    ) { daemon, request -> ChannelReport in
      let (app, channel) = try place(request)
      return try await daemon.channelReport(channel, of: app)
    },
    DaemonRoute(
      "DELETE", "/v1/channels/{id}/{channel}", "deleteChannel", in: .providers,
      "Delete a channel; its identifier is never given again", refusals: [404: ""]
    ) { daemon, request in
      let (app, channel) = try place(request)
      try daemon.channels.check(await daemon.channels.delete(channel, of: app), of: app)
    },
    DaemonRoute(
      "POST", "/v1/channels/{id}/{channel}/broadcasts", "broadcast", in: .providers, "Broadcast on a channel",
      body: BroadcastRequest(
        payload: #"{"aps":{"timestamp":1795248000,"event":"update","content-state":{"home":2}}}"#, priority: 10),
      answer: "The broadcast's identifier.", refusals: [404: "", 409: "The app's manifest has no broadcast: true."]
    ) { daemon, request -> BroadcastReport in
      let (app, channel) = try place(request)
      let push = try push(request.body(BroadcastRequest.self), to: app)
      _ = try await daemon.channels.ask(.publish(push, on: channel), of: app)
      return BroadcastReport(push: push.id.description)
    },
  ]

  private static func appID(_ text: String) throws(ControlError) -> AppID {
    guard let app = AppID(text) else { throw ControlError(400, "'\(shown(text))' is no bundle identifier") }
    return app
  }

  private static func place(_ request: HTTPRequest) throws -> (app: AppID, channel: ChannelID) {
    let text = try request.parameter("channel")
    guard let channel = ChannelID(text) else { throw ControlError(404, "'\(shown(text))' is no channel's identifier") }
    return (try appID(request.parameter("id")), channel)
  }

  private static func push(_ request: BroadcastRequest, to app: AppID) throws(ControlError) -> Push {
    let priority = request.priority ?? 10
    guard [1, 5, 10].contains(priority) else { throw ControlError(400, "priority is \(priority), expected 10, 5 or 1") }
    let seconds = request.expiration ?? 0
    guard (0...Int64(UInt32.max)).contains(seconds) else {
      throw ControlError(400, "expiration is \(seconds), expected 0 to \(UInt32.max)")
    }
    do {
      return try Push(
        broadcast: .random(), to: app, priority: priority,
        expiration: seconds == 0 ? .once : .at(WallTime(seconds: seconds)), payload: Array(request.payload.utf8),
        provider: nil)
    } catch {
      throw ControlError(400, error.problem)
    }
  }
}

extension ControlError {
  fileprivate init(_ refusal: ChannelRefusal, _ app: AppID) {
    switch refusal {
    case .featureNotEnabled:
      self.init(
        409, "no installed app \(app) takes broadcasts", hint: "write broadcast: true into its app.yaml, and install it"
      )
    case .notRegistered:
      self.init(404, "\(app) has no such channel", hint: "'deskbell channel list' lists them")
    case .tooMany:
      self.init(
        409, "there are as many channels as there can be: \(ChannelLimits.ofApp) of an app", hint: "delete some")
    case .mustNotBeStored:
      self.init(409, "the channel stores nothing", hint: "leave the expiration out, or use a channel with policy 1")
    }
  }
}

extension ChannelAdapter {
  /// - Throws: `ControlError` if it is refused, 503 if it could not be stored.
  fileprivate func ask(_ request: ChannelRequest, of app: AppID) async throws(ControlError) -> ChannelAnswer {
    let answer = await withCheckedContinuation { continuation in
      handle(request, of: app, from: "") { continuation.resume(returning: $0) }
    }
    try check(answer, of: app)
    return answer
  }

  /// - Throws: the same for an answer.
  fileprivate func check(_ answer: ChannelAnswer, of app: AppID) throws(ControlError) {
    switch answer {
    case .refused(let refusal): throw ControlError(refusal, app)
    case .failed(let why):
      throw ControlError(503, "nothing has changed, it could not be stored: \(why)", hint: "try again")
    default: break
    }
  }
}

extension ControlParts {
  fileprivate func channelReports(of app: AppID?) async throws(ControlError) -> [ChannelReport] {
    let subscriptions = await channels.subscriptions(on: handsets.all.map(\.id))
    return channels.registry.all.filter { app == nil || $0.app == app }.map { item in
      let counts = subscriptions[item.app]?[item.id] ?? .init()
      return ChannelReport(
        app: item.app.text, channel: item.id.text, policy: item.channel.policy.rawValue,
        madeWallMicroseconds: item.channel.made.microseconds, subscriptions: counts.activities,
        subscribers: counts.handsets, published: item.channel.use.published, delivered: item.channel.use.delivered)
    }
  }

  fileprivate func channelReport(_ channel: ChannelID, of app: AppID) async throws(ControlError) -> ChannelReport {
    let reports = try await channelReports(of: app)
    guard let report = reports.first(where: { $0.channel == channel.text }) else {
      throw ControlError(.notRegistered, app)
    }
    return report
  }
}

extension ControlClient {
  /// - Parameter app: nil for the channels of all apps.
  public func channels(of app: String?) async throws -> [ChannelReport] {
    try await get(daemonPath("channels") + (app.map { "?app=" + RequestTarget.encodedSegment($0) } ?? ""))
  }

  public func channel(_ channel: String, of app: String) async throws -> ChannelReport {
    try await get(daemonPath("channels", app, channel))
  }

  public func makeChannel(of app: String, policy: Int) async throws -> ChannelReport {
    try await send("POST", daemonPath("channels"), NewChannel(app: app, policy: policy))
  }

  public func deleteChannel(_ channel: String, of app: String) async throws {
    try await send("DELETE", daemonPath("channels", app, channel))
  }

  public func broadcast(
    _ payload: String, on channel: String, of app: String, priority: Int? = nil, expiration: Int64? = nil
  ) async throws -> BroadcastReport {
    try await send(
      "POST", daemonPath("channels", app, channel, "broadcasts"),
      BroadcastRequest(payload: payload, priority: priority, expiration: expiration))
  }
}
