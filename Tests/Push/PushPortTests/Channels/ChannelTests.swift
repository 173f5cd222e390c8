// Channels and broadcasts over real sockets: what the table of answers in docs/apns.md does not show.

import Foundation
import HTTP
import HandsetCore
import NIOHPACK
import Testing

@testable import PushPort

@Suite("Channels and broadcasts", .timeLimit(.minutes(10)))
struct ChannelTests {
  private let provider: TestProvider
  /// One for all requests: a new one within 20 minutes is refused.
  private let token: String
  private let receiver = RecordingReceiver()
  private let channels = TestChannels()
  private let id = "123E4567-e89b-12d3-A456-426655440000"

  init() {
    provider = TestProvider()
    token = provider.token()
  }

  private func client(
    managesOnly: Bool = false, environment: PushEnvironment = .production, providers: ProviderDirectory? = nil,
    limits: PortLimits = .patient, bench: (any PortBench)? = nil
  ) async throws -> TestClient {
    try await TestClient(
      TestServer(
        receiver, channels: channels, managesOnly: managesOnly, providers: providers ?? provider.directory,
        limits: limits, environment: environment, bench: bench))
  }

  /// The fields of a request without `apns-topic`.
  private func head(
    _ method: String, _ path: String, _ changes: [String: String?] = [:], authorization: String? = nil
  ) -> HPACKHeaders {
    let own: [String: String?] = [":method": method, ":path": path, "apns-topic": nil]
    return fields(
      own.merging(changes) { $1 }, authorization: authorization ?? "bearer \(token)")
  }

  private func broadcast(_ changes: [String: String?] = [:], authorization: String? = nil) -> HPACKHeaders {
    let own: [String: String?] = [
      "apns-channel-id": TestChannels.stored.text, "apns-push-type": "liveactivity", "apns-priority": "5",
      "apns-expiration": "1795248060",
    ]
    return head(
      "POST", "/4/broadcasts/apps/\(bell.text)", own.merging(changes) { $1 }, authorization: authorization)
  }

  private var place: String { "/1/apps/\(bell.text)" }

  @Test("A channel is made, read, listed and deleted; each answer has apns-request-id as sent, and its exact body")
  func life() async throws {
    let client = try await client()
    let made = try await client.send(
      head("POST", "\(place)/channels", ["apns-request-id": id]),
      #"{"push-type":"LiveActivity","message-storage-policy":0}"#)
    #expect(made.status == 201 && made.body.isEmpty && made.id == id)
    let channel = try #require(made.channelID)
    #expect(Data(base64Encoded: channel)?.count == 16)

    let read = try await client.send(head("GET", "\(place)/channels", ["apns-channel-id": channel]), "")
    #expect(read.status == 200 && read.body == #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#)
    #expect(PushID(read.id) != nil && read.channelID == nil)

    let listed = try await client.send(head("GET", "\(place)/all-channels"), "")
    let all = [channel, TestChannels.stored.text, TestChannels.unstored.text].sorted()
    #expect(listed.body == #"{"channels":["# + all.map { "\"\($0)\"" }.joined(separator: ",") + "]}")

    let deleted = try await client.send(
      head("DELETE", "\(place)/channels", ["apns-channel-id": channel, "apns-request-id": id]), "")
    #expect(deleted.status == 204 && deleted.body.isEmpty && deleted.id == id)
    let again = try await client.send(
      head("DELETE", "\(place)/channels", ["apns-channel-id": channel, "apns-request-id": id]), "")
    #expect(again.status == 400 && again.body == #"{"reason":"ChannelNotRegistered"}"# && again.id == id)
  }

  @Test("A broadcast becomes a push without a token, whose identifier is apns-request-id")
  func publish() async throws {
    let client = try await client()
    let answer = try await client.send(broadcast(["apns-request-id": id]), Conformance.broadcast)
    #expect(answer.status == 200 && answer.body.isEmpty && answer.id == id && answer.uniqueID == nil)
    let push = try #require(channels.published.first)
    #expect(push.id.description == id && push.hasProviderID && push.token == nil && push.topic == bell)
    #expect(push.type == .liveactivity && push.priority == 5 && push.provider == "bellringer")
    #expect(push.expiration == .at(WallTime(seconds: 1_795_248_060)))
    #expect(push.payload == Array(Conformance.broadcast.utf8) && push.activity?.event == .update)
    #expect(receiver.pushes.isEmpty)
  }

  @Test("A broadcast is stored for 8 hours at most, and not at all with expiration 0")
  func storage() async throws {
    let client = try await client()
    let limit = now.advanced(by: .seconds(8 * 3600))
    let seconds = limit.microseconds / 1_000_000
    for expiration in ["\(seconds)", "\(seconds + 1)", "0"] {
      #expect(try await client.send(broadcast(["apns-expiration": expiration]), Conformance.broadcast).status == 200)
    }
    #expect(channels.published.map(\.expiration) == [.at(limit), .at(limit), .once])
  }

  @Test("A fault inside aps refuses nothing, also an event that no broadcast has")
  func faults() async throws {
    let client = try await client()
    for body in [#"{"aps":{}}"#, #"{"aps":{"event":"start","timestamp":1}}"#, #"{"aps":{"event":7}}"#] {
      #expect(try await client.send(broadcast(), body).status == 200)
    }
    #expect(channels.published.allSatisfy { $0.activity?.event != .update })
  }

  @Test("A body has so many bytes, and not one more")
  func size() async throws {
    var limits = PortLimits.patient
    limits.channelBodyBytes = Conformance.broadcast.utf8.count
    let client = try await client(limits: limits)
    #expect(try await client.send(broadcast(), Conformance.broadcast).status == 200)
    let larger = try await client.send(broadcast(), Conformance.broadcast + " ")
    #expect(larger.status == 413 && larger.body == #"{"reason":"PayloadTooLarge"}"#)
    #expect(channels.published.count == 1)
  }

  @Test("Only the development service answers a broadcast with apns-unique-id")
  func uniqueID() async throws {
    let client = try await client(environment: .development)
    let first = try await client.send(broadcast(), Conformance.broadcast)
    let second = try await client.send(broadcast(), Conformance.broadcast)
    #expect(first.uniqueID.flatMap { PushID($0) } != nil && first.uniqueID != second.uniqueID)
    #expect(try await client.send(head("GET", "\(place)/all-channels"), "").uniqueID == nil)
  }

  @Test("Pushes and broadcasts of a connection have one key in common")
  func oneKey() async throws {
    let second = TestProvider(keyID: "KEY9999999")
    let client = try await client(
      providers: ProviderDirectory([provider.provider(), second.provider("second")]))
    #expect(
      try await client.send(fields(authorization: "bearer \(token)"), Conformance.payload).status == 200)
    let answer = try await client.send(
      broadcast(authorization: "bearer \(second.token())"), Conformance.broadcast)
    #expect(answer.status == 403 && answer.body == #"{"reason":"UnrelatedKeyIdInToken"}"#)
  }

  @Test("A refusal by the head, by the body and by the registry is recorded once each, with its cause")
  func refusals() async throws {
    let client = try await client()
    _ = try await client.send(broadcast(["apns-priority": "7"]), Conformance.broadcast)
    _ = try await client.send(broadcast(), "{")
    _ = try await client.send(broadcast(["apns-channel-id": "bm9uZQ=="]), Conformance.broadcast)
    #expect(receiver.refusals.map(\.reason) == ["BadPriority", "BadRequestPayload", "ChannelNotRegistered"])
    #expect(receiver.refusals.allSatisfy { $0.topic == bell && $0.status == 400 && $0.provider == "bellringer" })
    #expect(receiver.refusals.map(\.detail).allSatisfy { !$0.isEmpty })
  }

  @Test("At the port for management alone every other path is BadPath, also a push")
  func ownPort() async throws {
    let client = try await client(managesOnly: true)
    #expect(try await client.send(head("GET", "\(place)/all-channels"), "").status == 200)
    for path in ["/4/broadcasts/apps/\(bell.text)", path, "/", "/1/apps/\(bell.text)/channels/"] {
      let answer = try await client.send(head("POST", path), "{}")
      #expect(answer.status == 404 && answer.body == #"{"reason":"BadPath"}"#, "\(path)")
    }
    #expect(channels.published.isEmpty && receiver.pushes.isEmpty)
  }

  @Test("The 2008 service keeps its paths over HTTP/1.1, and broadcasts have HTTP/2 only")
  func claims() {
    let frontEnd = ChannelsFrontEnd(channels)
    let apns = APNsFrontEnd(receiver)
    for path in ["/1/apps/\(bell.text)/channels", "/1/apps/x", "/4/broadcasts/apps/\(bell.text)"] {
      #expect(frontEnd.claims(RequestHead(head("GET", path))) && !apns.claims(RequestHead(head("GET", path))))
    }
    for path in ["/3/device/aa", "/4/broadcast", "/4/", "/1/app/x", "/1/apps"] {
      #expect(!frontEnd.claims(RequestHead(head("GET", path))), "\(path)")
    }
    #expect(apns.claims(RequestHead(head("POST", "/4/broadcast"))))
  }

  @Test("Requests with several mistakes get the answer of the first check")
  func order() async throws {
    let client = try await client()
    // Each line has the mistakes of all lines below it.
    var changes: [String: String?] = [
      ":path": "/4/broadcasts/apps/com.example.foreign", ":method": "GET", "authorization": nil,
      "apns-request-id": "42", "apns-channel-id": nil, "apns-push-type": nil, "apns-expiration": nil,
      "apns-priority": nil,
    ]
    let corrections: [(reason: String, name: String, value: String?)] = [
      ("BadMessageId", "apns-request-id", id), ("MethodNotAllowed", ":method", "POST"),
      ("MissingProviderToken", "authorization", "bearer \(provider.token())"),
      ("TopicMismatch", ":path", "/4/broadcasts/apps/\(bell.text)"),
      ("MissingChannelId", "apns-channel-id", "bm9uZQ=="),
      ("MissingPushType", "apns-push-type", "liveactivity"), ("BadExpirationDate", "apns-expiration", "0"),
      ("BadPriority", "apns-priority", "10"), ("PayloadEmpty", "", nil),
    ]
    for (reason, name, value) in corrections {
      let answer = try await client.send(broadcast(changes), "")
      #expect(answer.body == #"{"reason":"\#(reason)"}"#)
      if !name.isEmpty { changes[name] = .some(value) }
    }
    #expect(try await client.send(broadcast(changes), "{").body == #"{"reason":"BadRequestPayload"}"#)
    #expect(
      try await client.send(broadcast(changes), Conformance.broadcast).body == #"{"reason":"ChannelNotRegistered"}"#)
  }

  @Test("A test bench records the app and the request's identifier, and its faults answer in this form")
  func bench() async throws {
    let bench = try FaultBench(["answer": .integer(503), "app": .string(bell.text), "pushes": .integer(1)])
    let client = try await client(bench: bench)
    let answer = try await client.send(broadcast(["apns-request-id": id]), Conformance.broadcast)
    #expect(answer.status == 503 && answer.body == #"{"reason":"Service Unavailable"}"# && answer.id == id)
    #expect(try await client.send(head("GET", "\(place)/all-channels"), "").status == 200)
    let requests = bench.state.withLock(\.requests)
    #expect(requests.map(\.frontEnd) == ["channels", "channels"] && requests.map(\.app) == [bell.text, bell.text])
    #expect(requests.first?.push == id && requests.first?.pushType == "liveactivity" && channels.published.isEmpty)
  }
}

@Suite("Identifiers of channels")
struct ChannelIDTests {
  @Test("Made ones are 16 bytes in Base64, and differ")
  func random() {
    let made = (0..<100).map { _ in ChannelID.random() }
    #expect(Set(made).count == 100 && made.allSatisfy { Data(base64Encoded: $0.text)?.count == 16 })
  }

  @Test("1 to 64 digits of Base64, and nothing else")
  func form() {
    for text in ["A", "dHN0LXNyY2gtY2hubA==", String(repeating: "a", count: 64)] {
      #expect(ChannelID(text)?.text == text)
    }
    for text in ["", "a b", "#", "ä", String(repeating: "a", count: 65)] { #expect(ChannelID(text) == nil, "\(text)") }
  }
}
