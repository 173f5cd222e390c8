// The requests behind the table of answers about channels in docs/apns.md.

import Foundation
import HandsetCore
import NIOHPACK
import Testing

@testable import PushPort

private typealias Row = Conformance.Row

extension Conformance.Stage {
  /// Sends a request about channels, with the given changes.
  func manage(
    _ method: String, _ place: String = "channels", app: String = bell.text, channel: ChannelID? = nil,
    _ changes: [String: String?] = [:], also: [(String, String)] = [], body: String = "", authorization: String? = nil
  ) async throws -> Response {
    var own: [String: String?] = [":method": method, ":path": "/1/apps/\(app)/\(place)", "apns-topic": nil]
    if let channel { own["apns-channel-id"] = channel.text }
    return try await client.send(
      fields(
        own.merging(changes) { $1 }, authorization: authorization ?? "bearer \(providerToken)", also: also), body)
  }

  func create(_ body: String = Conformance.newChannel, app: String = bell.text) async throws -> Response {
    try await manage("POST", app: app, body: body)
  }

  /// Sends a valid broadcast with the given changes.
  func broadcast(
    _ changes: [String: String?] = [:], app: String = bell.text, body: String = Conformance.broadcast
  ) async throws -> Response {
    let own: [String: String?] = [
      ":path": "/4/broadcasts/apps/\(app)", "apns-topic": nil, "apns-channel-id": TestChannels.stored.text,
      "apns-push-type": "liveactivity", "apns-priority": "10", "apns-expiration": "0",
    ]
    return try await client.send(
      fields(own.merging(changes) { $1 }, authorization: "bearer \(providerToken)"), body)
  }
}

extension Conformance {
  static let newChannel = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#
  static let broadcast =
    #"{"aps":{"timestamp":1795248000,"event":"update","content-state":{"home":2}}}"#

  /// Returns the rows in the order in which requests are judged.
  static func channelRows() throws -> [Row] {
    try done() + heads() + credentials() + apps() + bodies() + broadcasts() + registry()
  }

  private static func done() -> [Row] {
    [
      Row(201, nil, "`POST …/channels`: a channel, named by `apns-channel-id`; no body") { try await $0.create() },
      Row(
        200, nil,
        "`GET …/channels` with `apns-channel-id`: `{\"message-storage-policy\":1,\"push-type\":\"LiveActivity\"}`"
      ) {
        try await $0.manage("GET", channel: TestChannels.stored)
      },
      Row(204, nil, "`DELETE …/channels` with `apns-channel-id`; no body") {
        try await $0.manage("DELETE", channel: TestChannels.stored)
      },
      Row(200, nil, "`GET …/all-channels`: `{\"channels\":[\"…\"]}`, in the order of their bytes") {
        try await $0.manage("GET", "all-channels")
      },
      Row(200, nil, "a good broadcast; no body") { try await $0.broadcast() },
      Row(200, nil, "a broadcast of 5,120 bytes") { try await $0.broadcast(body: padded(to: 5_120)) },
    ]
  }

  private static func heads() -> [Row] {
    [
      Row(431, .headersTooLarge, "more than 8,192 bytes of headers, as HPACK counts them") {
        try await $0.manage("GET", "all-channels", ["x-padding": String(repeating: "x", count: 8_192)])
      },
      Row(400, .badMessageID, "`apns-request-id: 42`") {
        try await $0.manage("GET", "all-channels", ["apns-request-id": "42"])
      },
      Row(404, .badPath, "`GET …/channels/CHANNEL`: the channel is in the path") {
        try await $0.manage("GET", "channels/\(TestChannels.unstored.text)")
      },
      Row(404, .badPath, "a bundle identifier that is none") { try await $0.manage("GET", app: "no+app") },
      Row(404, .badPath, "a broadcast at the port for the management of channels") { try await $0.broadcast() }
        .with { $0.managesOnly = true },
      Row(405, .methodNotAllowed, "`PUT …/channels`, or `GET` of a broadcast") {
        _ = try await $0.broadcast([":method": "GET"], body: "")
        return try await $0.manage("PUT", body: newChannel)
      },
      Row(400, .duplicateHeaders, "`apns-channel-id` twice") {
        try await $0.manage("GET", channel: TestChannels.stored, also: [("apns-channel-id", TestChannels.stored.text)])
      },
    ]
  }

  private static func credentials() throws -> [Row] {
    let own = try TestCertificate()
    let sandbox = try TestCertificate(marks: [1])
    return try [
      Row(403, .missingProviderToken, "neither `authorization` nor a client certificate") {
        try await $0.manage("GET", "all-channels", ["authorization": nil])
      },
      Row(403, .invalidProviderToken, "a token of a key that no provider has") {
        try await $0.manage(
          "GET", "all-channels", authorization: "bearer \(TestProvider(keyID: "KEY0000000").token())")
      },
      Row(403, .expiredProviderToken, "a token whose `iat` is more than an hour old") {
        let token = $0.provider.token(issuedAt: now.advanced(by: .seconds(-3_601)))
        return try await $0.manage("GET", "all-channels", authorization: "bearer \(token)")
      },
      Row(403, .badCertificate, "a client certificate that no provider has") {
        try await $0.manage("GET", "all-channels")
      }.with { $0.certificate = own },
      Row(403, .badCertificateEnvironment, "a client certificate that is for the development service only") {
        try await $0.manage("GET", "all-channels")
      }.showing(sandbox),
      Row(429, .tooManyProviderTokenUpdates, "a second change of the token within 20 minutes, pushes included") {
        stage in
        func token(_ second: Int) -> String {
          "bearer \(stage.provider.token(issuedAt: now.advanced(by: .seconds(second))))"
        }
        _ = try await stage.send(authorization: token(0))
        _ = try await stage.manage("GET", "all-channels", authorization: token(1))
        return try await stage.manage("GET", "all-channels", authorization: token(2))
      },
      Row(429, .tooManyRequests, "more than 1,000 requests a second of one provider, pushes included, for 10 seconds") {
        stage in
        _ = try await stage.send()
        return try await stage.manage("GET", "all-channels")
      }.with {
        $0.limits.requestsPerSecond = 1
        $0.limits.burstSeconds = 1
      },
    ]
  }

  private static func apps() -> [Row] {
    [
      Row(400, .topicDisallowed, "a bundle identifier with the suffix of a topic, `….push-type.liveactivity`") {
        try await $0.manage("GET", "all-channels", app: bell.text + ".push-type.liveactivity")
      },
      Row(403, .topicMismatch, "an app that the provider may not push to") {
        try await $0.manage("GET", "all-channels", app: "com.example.foreign")
      },
      Row(400, .missingChannelID, "no `apns-channel-id`") { try await $0.manage("GET") },
      Row(400, .badChannelID, "`apns-channel-id` that is not 1 to 64 digits of Base64") {
        try await $0.manage("GET", "channels", ["apns-channel-id": "#1"])
      },
    ]
  }

  private static func bodies() -> [Row] {
    [
      Row(413, .payloadTooLarge, "a body of 5,121 bytes") { try await $0.create(padded(to: 5_121)) },
      Row(400, .payloadEmpty, "`POST …/channels` without a body") { try await $0.create("") },
      Row(400, .badRequestPayload, "a body that is not JSON, or no object") { try await $0.create("[1]") },
      Row(400, .badRequestParams, "an attribute besides `message-storage-policy` and `push-type`") {
        try await $0.create(#"{"message-storage-policy":1,"push-type":"LiveActivity","name":"goals"}"#)
      },
      Row(400, .badRequestParams, "a missing attribute, a policy other than 0 and 1, a type other than `LiveActivity`")
      {
        _ = try await $0.create(#"{"push-type":"LiveActivity"}"#)
        _ = try await $0.create(#"{"message-storage-policy":1,"push-type":"alert"}"#)
        return try await $0.create(#"{"message-storage-policy":2,"push-type":"LiveActivity"}"#)
      },
    ]
  }

  private static func broadcasts() -> [Row] {
    [
      Row(400, .missingPushType, "a broadcast without `apns-push-type`") {
        try await $0.broadcast(["apns-push-type": nil])
      },
      Row(400, .invalidPushType, "a broadcast with `apns-push-type: alert`") {
        try await $0.broadcast(["apns-push-type": "alert"])
      },
      Row(400, .badExpirationDate, "a broadcast without `apns-expiration`, or with one that is no number") {
        _ = try await $0.broadcast(["apns-expiration": "soon"])
        return try await $0.broadcast(["apns-expiration": nil])
      },
      Row(400, .badPriority, "a broadcast without `apns-priority`, or with `7`") {
        _ = try await $0.broadcast(["apns-priority": "7"])
        return try await $0.broadcast(["apns-priority": nil])
      },
      Row(413, .payloadTooLarge, "a broadcast of 5,121 bytes") { try await $0.broadcast(body: padded(to: 5_121)) },
      Row(503, .channelsUnavailable, "a body that does not end within 6 s") { stage in
        let head = fields(
          [":path": "/1/apps/\(bell.text)/channels", "apns-topic": nil],
          authorization: "bearer \(stage.providerToken)")
        return try await stage.client.open(head).response()
      }.with { $0.limits.bodyDuration = .milliseconds(100) },
      Row(400, .payloadEmpty, "a broadcast without a body, or without an object `aps`") {
        _ = try await $0.broadcast(body: "")
        return try await $0.broadcast(body: #"{"acme":1}"#)
      },
      Row(400, .badRequestPayload, "a broadcast that is not JSON") { try await $0.broadcast(body: "{") },
    ]
  }

  private static func registry() -> [Row] {
    [
      Row(400, .featureNotEnabled, "an app whose `app.yaml` lacks `broadcast: true`, or that is not installed") {
        try await $0.create(app: other.text)
      },
      Row(400, .cannotCreateChannel, "one more than 10,000 channels of an app, or 100,000 of all") { stage in
        _ = try await stage.create()
        return try await stage.create()
      },
      Row(400, .channelNotRegistered, "a channel that was never made, or was deleted") { stage in
        _ = try await stage.manage("DELETE", channel: TestChannels.stored)
        return try await stage.broadcast()
      },
      Row(400, .badExpirationDate, "a broadcast with another `apns-expiration` than 0 on a channel with policy 0") {
        try await $0.broadcast([
          "apns-channel-id": TestChannels.unstored.text, "apns-expiration": "1795251600",
        ])
      },
      Row(503, .channelsUnavailable, "any, while the database cannot be written") { try await $0.create() }
        .with { $0.outcome = .failed("the disk is full") },
    ]
  }
}
