// The requests behind the table of answers in docs/apns.md, and the port that answers them.

import Foundation
import HandsetCore
import NIOHPACK
import Testing

@testable import PushPort

enum Conformance {
  static let other = AppID("com.example.other")!
  static let left = AppID("com.example.left")!
  static let payload = #"{"aps":{"alert":"It rings"}}"#

  /// A port with one handset; three apps, one unregistered; two providers with keys, and more if a row needs them.
  struct Stage {
    let receiver: HandsetReceiver
    let provider: TestProvider
    /// The token of all requests: signing again makes another token.
    let providerToken: String
    let directory: ProviderDirectory
    let client: TestClient
    let channels: TestChannels

    /// Sends a valid request with the given changes.
    func send(
      _ changes: [String: String?] = [:], also: [(String, String)] = [], body: String = payload,
      authorization: String? = nil
    ) async throws -> Response {
      try await client.send(
        fields(changes, authorization: authorization ?? "bearer \(providerToken)", also: also), body)
    }
  }

  struct Row {
    var status: Int
    var reason: APNsReason?
    /// The description of the request for the table.
    var request: String
    var limits = PortLimits.patient
    var environment = PushEnvironment.production
    var outcome: Input.Outcome?
    /// True for the port that only manages channels.
    var managesOnly = false
    var certificate: TestCertificate?
    /// The provider of the client certificate; nil if none was added.
    var certified: Provider?
    var cause: @Sendable (Stage) async throws -> Response

    init(
      _ status: Int, _ reason: APNsReason?, _ request: String,
      _ cause: @escaping @Sendable (Stage) async throws -> Response
    ) {
      self.status = status
      self.reason = reason
      self.request = request
      self.cause = cause
    }

    func with(_ change: (inout Row) -> Void) -> Row {
      var row = self
      change(&row)
      return row
    }

    /// The same row with a client certificate, which belongs to a provider.
    func showing(_ certificate: TestCertificate) throws -> Row {
      var row = self
      row.certificate = certificate
      row.certified = try certificate.provider()
      return row
    }

    func run() async throws -> Response {
      let receiver = HandsetReceiver(outcome: outcome)
      receiver.install(bell, token: DeviceToken(hex: token)!)
      receiver.install(other, token: DeviceToken(hex: "bb")!)
      receiver.install(left, token: DeviceToken(hex: "cc")!)
      _ = receiver.submit(.unregister(left))
      let provider = TestProvider()
      let directory = try ProviderDirectory(
        [provider.provider(topics: [bell, other, left])] + (certified.map { [$0] } ?? []))
      var clock = PortClock.standing()
      // On a busy machine, two requests may be a second apart.
      clock.uptime = { .zero }
      let channels = TestChannels(failing: outcome != nil)
      let server = try await TestServer(
        receiver, channels: channels, managesOnly: managesOnly, providers: directory, limits: limits, clock: clock,
        environment: environment)
      return try await cause(
        Stage(
          receiver: receiver, provider: provider, providerToken: provider.token(), directory: directory,
          client: TestClient(server, certificate: certificate), channels: channels))
    }
  }

  static func padded(to bytes: Int) -> String {
    let frame = #"{"aps":{"alert":"x"},"pad":""}"#
    return frame.dropLast(2) + String(repeating: "x", count: bytes - frame.utf8.count) + "\"}"
  }

  /// Returns the rows in the order in which requests are judged.
  static func rows() throws -> [Row] {
    try accepted() + heads() + tokens() + certificates() + topics() + pushes() + outcomes()
  }

  private static func accepted() throws -> [Row] {
    let own = try TestCertificate()
    return try [
      Row(200, nil, "a good alert") { try await $0.send() },
      Row(200, nil, "a good background update, without `apns-priority`") {
        try await $0.send(["apns-push-type": "background"], body: #"{"aps":{"content-available":1}}"#)
      },
      Row(200, nil, "a payload of 4,096 bytes") { try await $0.send(body: padded(to: 4_096)) },
      Row(200, nil, "a `voip` push of 5,120 bytes to the app's `.voip` topic") {
        try await $0.send(["apns-push-type": "voip", "apns-topic": bell.text + ".voip"], body: padded(to: 5_120))
      },
      Row(200, nil, "a `voip` push without `aps`") {
        try await $0.send(["apns-push-type": "voip", "apns-topic": bell.text + ".voip"], body: #"{"caller":"Ada"}"#)
      },
      Row(200, nil, "a `location` push with a provider token") {
        try await $0.send(
          ["apns-push-type": "location", "apns-topic": bell.text + ".location-query"], body: #"{"aps":{}}"#)
      },
      Row(200, nil, "a `widgets` push to the app's ordinary token") {
        try await $0.send(
          ["apns-push-type": "widgets", "apns-topic": bell.text + ".push-type.widgets"],
          body: #"{"aps":{"content-changed":true}}"#)
      },
      Row(200, nil, "a `fileprovider` push without `aps`") {
        try await $0.send(
          ["apns-push-type": "fileprovider", "apns-topic": bell.text + ".pushkit.fileprovider"],
          body: #"{"container-identifier":"NSFileProviderWorkingSetContainerItemIdentifier","domain":"work"}"#)
      },
      Row(200, nil, "`{\"mdm\":\"…\"}`, with and without `apns-push-type: mdm`") { stage in
        _ = try await stage.send(["apns-push-type": "mdm"], body: #"{"mdm":"B0B5-MAGIC"}"#)
        return try await stage.send(body: #"{"mdm":"B0B5-MAGIC"}"#)
      },
      Row(200, nil, "a token whose signature is DER") {
        try await $0.send(
          authorization: "bearer \($0.provider.token { try! $0.signature(for: $1).derRepresentation })")
      },
      Row(200, nil, "a token whose `iat` is a string") {
        try await $0.send(
          authorization: "bearer \($0.provider.token(claims: #"{"iss":"TEAM012345","iat":"1795248000"}"#))")
      },
      Row(200, nil, "no `apns-topic`, and a client certificate with one topic") {
        try await $0.send(["apns-topic": nil])
      }.showing(own),
    ]
  }

  private static func heads() -> [Row] {
    [
      Row(431, .headersTooLarge, "more than 8,192 bytes of headers, as HPACK counts them") {
        try await $0.send(["x-padding": String(repeating: "x", count: 8_192)])
      },
      Row(400, .badMessageID, "`apns-id: 42`") { try await $0.send(["apns-id": "42"]) },
      Row(405, .methodNotAllowed, "`GET` instead of `POST`") { try await $0.send([":method": "GET"], body: "") },
      Row(404, .badPath, "`/3/devices/…`") { try await $0.send([":path": "/3/devices/" + token]) },
      Row(404, .badPath, "`/4/…` other than broadcasts") { try await $0.send([":path": "/4/device/" + token]) },
      Row(400, .missingDeviceToken, "`/3/device/` without a token") { try await $0.send([":path": "/3/device/"]) },
      Row(400, .badDeviceToken, "`/3/device/xyz`: not hexadecimal") { try await $0.send([":path": "/3/device/xyz"]) },
      Row(400, .duplicateHeaders, "`apns-topic` twice, even with the same value") {
        try await $0.send(also: [("apns-topic", bell.text)])
      },
    ]
  }

  private static func tokens() -> [Row] {
    [
      Row(403, .missingProviderToken, "neither `authorization` nor a client certificate") {
        try await $0.client.send(fields(), payload)
      },
      Row(403, .missingProviderToken, "`authorization: Basic …`") {
        try await $0.send(authorization: "Basic Zm9vOmJhcg==")
      },
      Row(403, .invalidProviderToken, "a token of a key that no provider has") {
        try await $0.send(authorization: "bearer \(TestProvider(keyID: "KEY0000000").token())")
      },
      Row(403, .invalidProviderToken, "a token signed with another key than its `kid` says") {
        try await $0.send(authorization: "bearer \(TestProvider().token())")
      },
      Row(403, .invalidProviderToken, "a token whose `iat` is more than 5 minutes ahead") {
        try await $0.send(authorization: "bearer \($0.provider.token(issuedAt: now.advanced(by: .seconds(301))))")
      },
      Row(403, .badEnvironmentKeyID, "a token of a key that is for the development service only") { stage in
        try stage.directory.replace(with: [stage.provider.provider(environment: .development)])
        return try await stage.send()
      },
      Row(403, .unrelatedKeyID, "a token of another key than the first one on the connection") { stage in
        let second = TestProvider(keyID: "KEY9999999")
        try stage.directory.replace(with: [stage.provider.provider(), second.provider("second")])
        _ = try await stage.send()
        return try await stage.send(authorization: "bearer \(second.token())")
      },
      Row(403, .expiredProviderToken, "a token whose `iat` is more than an hour old") {
        try await $0.send(authorization: "bearer \($0.provider.token(issuedAt: now.advanced(by: .seconds(-3_601))))")
      },
      Row(429, .tooManyProviderTokenUpdates, "a second change of the token within 20 minutes on a connection") {
        stage in
        func response(_ second: Int) async throws -> Response {
          try await stage.send(
            authorization: "bearer \(stage.provider.token(issuedAt: now.advanced(by: .seconds(second))))")
        }
        _ = try await response(0)
        _ = try await response(1)
        return try await response(2)
      },
    ]
  }

  private static func certificates() throws -> [Row] {
    let own = try TestCertificate()
    let expired = try TestCertificate(until: Date(timeIntervalSince1970: 1_795_247_999))
    let early = try TestCertificate(from: Date(timeIntervalSince1970: 1_795_248_001))
    let sandbox = try TestCertificate(marks: [1])
    return try [
      Row(403, .badCertificate, "a client certificate that no provider has") { try await $0.send() }
        .with { $0.certificate = own },
      Row(403, .badCertificate, "a provider's client certificate that has expired") { try await $0.send() }.showing(
        expired),
      Row(403, .badCertificate, "a provider's client certificate that is not valid yet") { try await $0.send() }
        .showing(early),
      Row(403, .badCertificateEnvironment, "a client certificate that is for the development service only") {
        try await $0.send()
      }.showing(sandbox),
      Row(403, .forbidden, "a client certificate whose provider was removed after the connection began") { stage in
        _ = try await stage.send()
        try stage.directory.replace(with: [])
        return try await stage.send()
      }.showing(own),
      Row(429, .tooManyRequests, "more than 1,000 requests a second of one provider, for 10 seconds") { stage in
        _ = try await stage.send()
        return try await stage.send()
      }.with {
        $0.limits.requestsPerSecond = 1
        $0.limits.burstSeconds = 1
      },
    ]
  }

  private static func topics() throws -> [Row] {
    let own = try TestCertificate()
    let several = try TestCertificate(topics: [(bell.text, ["app"]), (bell.text + ".voip", ["voip"])])
    return try [
      Row(400, .missingTopic, "no `apns-topic`, and a token") { try await $0.send(["apns-topic": nil]) },
      Row(400, .missingTopic, "no `apns-topic`, and a client certificate with several topics") {
        try await $0.send(["apns-topic": nil])
      }.showing(several),
      Row(400, .badTopic, "`apns-topic: not a topic`") { try await $0.send(["apns-topic": "not a topic"]) },
      Row(400, .topicDisallowed, "the topic of an app that the provider may not push to") {
        try await $0.send(["apns-topic": "com.example.foreign"])
      },
      Row(400, .topicDisallowed, "a topic that the client certificate does not name") {
        try await $0.send(["apns-topic": other.text])
      }.showing(own),
      Row(400, .topicDisallowed, "the app's `.voip` topic with `apns-push-type: alert`") {
        try await $0.send(["apns-topic": bell.text + ".voip", "apns-push-type": "alert"])
      },
    ]
  }

  private static func pushes() throws -> [Row] {
    try [
      Row(400, .invalidPushType, "`apns-push-type: shout`") { try await $0.send(["apns-push-type": "shout"]) },
      Row(403, .missingProviderToken, "a `location` push with a client certificate, also with a provider token") {
        try await $0.send(
          ["apns-push-type": "location", "apns-topic": bell.text + ".location-query"], body: #"{"aps":{}}"#)
      }.showing(TestCertificate(topics: [(bell.text + ".location-query", ["app"])])),
      Row(400, .badPriority, "`apns-priority: 7`") { try await $0.send(["apns-priority": "7"]) },
      Row(400, .badPriority, "`apns-push-type: background` with `apns-priority: 10`") {
        try await $0.send(["apns-push-type": "background", "apns-priority": "10"])
      },
      Row(400, .badExpirationDate, "`apns-expiration: tomorrow`") {
        try await $0.send(["apns-expiration": "tomorrow"])
      },
      Row(400, .badCollapseID, "`apns-collapse-id` of 65 bytes") {
        try await $0.send(["apns-collapse-id": String(repeating: "c", count: 65)])
      },
      Row(413, .payloadTooLarge, "a payload of 4,097 bytes") { try await $0.send(body: padded(to: 4_097)) },
      Row(413, .payloadTooLarge, "a `voip` push of 5,121 bytes") {
        try await $0.send(["apns-push-type": "voip", "apns-topic": bell.text + ".voip"], body: padded(to: 5_121))
      },
      Row(503, .serviceUnavailable, "a body that does not end within 6 s") { stage in
        try await stage.client.open(fields(authorization: "bearer \(stage.providerToken)")).response()
      }.with { $0.limits.bodyDuration = .milliseconds(100) },
      Row(400, .payloadEmpty, "an empty body") { try await $0.send(body: "") },
      Row(400, .payloadEmpty, "a body that is not JSON, or no object") { try await $0.send(body: "[1]") },
      Row(400, .payloadEmpty, "a payload without an object `aps`, of a type that needs one") {
        try await $0.send(body: #"{"acme":1}"#)
      },
      Row(400, .payloadEmpty, "a payload that is nested deeper than 32 levels") {
        try await $0.send(
          body: #"{"aps":{},"a":"# + String(repeating: "[", count: 32) + String(repeating: "]", count: 32) + "}")
      },
    ]
  }

  private static func outcomes() -> [Row] {
    [
      Row(400, .badDeviceToken, "a token that no app has") { try await $0.send([":path": "/3/device/ffff"]) },
      Row(400, .deviceTokenNotForTopic, "the token of another app than the topic's") {
        try await $0.send([":path": "/3/device/bb"])
      },
      Row(410, .unregistered, "the token of an app that unregistered or was uninstalled; `timestamp` says since when") {
        try await $0.send([":path": "/3/device/cc", "apns-topic": left.text])
      },
      Row(410, .expiredDeviceToken, "a token whose app registered again and has another one; `timestamp` likewise") {
        stage in
        _ = stage.receiver.submit(.register(left, .all, token: DeviceToken(hex: "dd")!))
        return try await stage.send([":path": "/3/device/cc", "apns-topic": left.text])
      },
      Row(503, .serviceUnavailable, "any, while the database cannot be written") { try await $0.send() }
        .with { $0.outcome = .failed("the disk is full") },
      Row(500, .internalServerError, "any that meets a fault of the daemon's own") { try await $0.send() }
        .with { $0.outcome = .stored(.refused(.tooManyApps)) },
    ]
  }
}
