// A bench's port accepts providers that nobody has added, over real sockets.

import Foundation
import HTTP
import HandsetCore
import NIOHPACK
import Testing

@testable import PushPort

/// A bench that records nothing, and accepts everybody.
private struct OpenBench: PortBench {
  let catchAll: CatchAll?

  func connectionOpened(from address: String?) -> RecordedConnection { RecordedConnection(number: 1, address: address) }
  func connectionClosed(_ connection: RecordedConnection, why: String) {}
  func requestBegan(_ request: RecordedRequest) -> RecordedRequest { request }
  func bodyReceived(_ body: [UInt8], size: Int, of request: Int, provider: String?) {}
  func answered(_ request: Int, _ answer: RecordedAnswer, provider: String?) {}
  func ended(_ request: Int, _ end: String) {}
}

@Suite("A port that accepts every provider", .timeLimit(.minutes(10)))
struct CatchAllTests {
  private let own = TestProvider()
  private let stranger = TestProvider(teamID: "STRANGER01", keyID: "STRANGEKEY")
  private let body = #"{"aps":{"alert":"It rings"}}"#
  private let receiver = RecordingReceiver()
  private let bench: OpenBench

  init() throws {
    bench = OpenBench(
      catchAll: try CatchAll(teamID: own.teamID, keyID: own.keyID, key: own.key.publicKey.pemRepresentation))
  }

  private func client(_ providers: [Provider] = [], certificate: TestCertificate? = nil) async throws -> TestClient {
    let server = try await TestServer(receiver, providers: ProviderDirectory(providers), bench: bench)
    return try await TestClient(server, certificate: certificate)
  }

  private func send(
    _ client: TestClient, _ token: String?, _ changes: [String: String?] = [:]
  ) async throws -> String {
    let answer = try await client.send(fields(changes, authorization: token.map { "bearer \($0)" }), body)
    return answer.status == 200 ? "200" : "\(answer.status) \(answer.body)"
  }

  @Test("The bench's own key is verified, for any topic")
  func ownKey() async throws {
    let client = try await client()
    #expect(try await send(client, own.token()) == "200")
    #expect(try await send(client, own.token(), ["apns-topic": "org.example.never-named"]) == "200")
    #expect(receiver.pushes.map(\.provider) == [CatchAll.ownName, CatchAll.ownName])
    #expect(receiver.pushes.map(\.topic.text) == [bell.text, "org.example.never-named"])
    var forger = own
    forger.key = stranger.key
    #expect(try await send(client, forger.token()) == #"403 {"reason":"InvalidProviderToken"}"#)
  }

  @Test("A key that nobody knows is accepted, and its provider is marked")
  func unknownKey() async throws {
    #expect(try await send(client(), stranger.token()) == "200")
    let provider = receiver.pushes.first?.provider
    #expect(provider == "unverified STRANGER01/STRANGEKEY")
    #expect(CatchAll.isUnverified(provider: provider) && !CatchAll.isUnverified(provider: CatchAll.ownName))
  }

  @Test("A token is still read: an old one, one of another key and one that is none are refused")
  func tokensAreRead() async throws {
    let client = try await client()
    let old = stranger.token(issuedAt: now.advanced(by: .seconds(-3_700)))
    #expect(try await send(client, old) == #"403 {"reason":"ExpiredProviderToken"}"#)
    #expect(try await send(client, "none") == #"403 {"reason":"InvalidProviderToken"}"#)
    #expect(try await send(client, nil) == #"403 {"reason":"MissingProviderToken"}"#)
    #expect(try await send(client, stranger.token()) == "200")
    #expect(try await send(client, own.token()) == #"403 {"reason":"UnrelatedKeyIdInToken"}"#)
  }

  @Test("A topic with a type's suffix is the app's; an added provider keeps its limits")
  func topics() async throws {
    let voip = try await client()
    #expect(
      try await send(voip, own.token(), ["apns-topic": "org.example.phone.voip", "apns-push-type": "voip"]) == "200")
    #expect(receiver.pushes.map(\.topic.text) == ["org.example.phone"])
    let added = try await client([stranger.provider()])
    #expect(try await send(added, stranger.token()) == "200")
    #expect(
      try await send(added, stranger.token(), ["apns-topic": "org.example.x"]) == #"400 {"reason":"TopicDisallowed"}"#)
  }

  @Test("Client certificates are accepted; one that names topics is good for these alone, and while it is valid")
  func certificates() async throws {
    let named = try await client(certificate: TestCertificate())
    #expect(try await send(named, nil) == "200")
    #expect(try await send(named, nil, ["apns-topic": "org.example.x"]) == #"400 {"reason":"TopicDisallowed"}"#)
    let plain = try await client(certificate: TestCertificate(userID: nil))
    #expect(try await send(plain, nil, ["apns-topic": "org.example.x"]) == "200")
    let ended = try await client(certificate: TestCertificate(until: Date(timeIntervalSince1970: 1_700_000_000)))
    #expect(try await send(ended, nil) == #"403 {"reason":"BadCertificate"}"#)
    #expect(receiver.pushes.allSatisfy { CatchAll.isUnverified(provider: $0.provider) })
  }

  @Test("Without a catch-all nobody is accepted")
  func closed() async throws {
    let server = try await TestServer(
      receiver, providers: ProviderDirectory(), bench: OpenBench(catchAll: nil))
    let answer = try await send(TestClient(server), own.token())
    #expect(answer == #"403 {"reason":"InvalidProviderToken"}"#)
  }

  @Test("Rates, failures and refusals are forgotten")
  func forgetting() throws {
    let port = testPort(own.directory, limits: .patient { ($0.requestsPerSecond, $0.burstSeconds) = (1, 1) })
    #expect(port.admitsRequest(of: own.provider()) && !port.admitsRequest(of: own.provider()))
    port.countRefusal(status: 429)
    port.forgetClients()
    #expect(port.admitsRequest(of: own.provider()) && port.refusedRequests == [:])
  }
}
