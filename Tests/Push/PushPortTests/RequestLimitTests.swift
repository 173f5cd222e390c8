// Tests of a provider API request's limits: each is lowered, met, and exceeded by one. Also that every limit has such a
// test.

import Foundation
import HandsetCore
import NIOHPACK
import Testing

@testable import PushPort

private let body = #"{"aps":{"alert":"It rings"}}"#

@Suite("Limits of a request", .timeLimit(.minutes(10)))
struct RequestLimitTests {
  private let provider = TestProvider()

  private func good(_ changes: [String: String?] = [:], token: String? = nil) -> HPACKHeaders {
    fields(changes, authorization: "bearer " + (token ?? provider.token()))
  }

  /// Returns the status and reason of each request, each on a connection of its own.
  private func answers(
    _ limits: PortLimits, _ requests: [(HPACKHeaders, String)]
  ) async throws -> [String] {
    let server = try await TestServer(providers: provider.directory, limits: limits)
    var answers: [String] = []
    for (headers, body) in requests {
      let client = try await TestClient(server)
      let answer = try await client.send(headers, body)
      answers.append(answer.body.isEmpty ? "\(answer.status)" : "\(answer.status) \(answer.body)")
      try await client.close()
    }
    return answers
  }

  @Test("Header fields above the limit are refused; above the advertised size the connection ends")
  func headers() async throws {
    var limits = PortLimits.patient
    limits.headerListBytes = 1_000
    limits.advertisedHeaderListBytes = 1_500
    let token = provider.token()
    func padded(to bytes: Int) -> HPACKHeaders {
      let own = good(token: token)
      let used = own.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 } + "x-padding".utf8.count + 32
      var padded = own
      padded.add(name: "x-padding", value: String(repeating: "x", count: bytes - used))
      return padded
    }
    let tooLarge = #"431 {"reason":"RequestHeaderFieldsTooLarge"}"#
    #expect(
      try await answers(limits, [1_000, 1_001, 1_500].map { (padded(to: $0), body) }) == ["200", tooLarge, tooLarge])
    let client = try await TestClient(TestServer(providers: provider.directory, limits: limits))
    await #expect(throws: (any Error).self) { try await client.send(padded(to: 1_501), body) }
    try await client.channel.closeFuture.get()
  }

  @Test("Payloads, and those of voip pushes")
  func payloads() async throws {
    var limits = PortLimits.patient
    limits.payloadBytes = 100
    limits.voipPayloadBytes = 120
    func payload(_ bytes: Int) -> String { body + String(repeating: " ", count: bytes - body.utf8.count) }
    let voip = good(["apns-topic": "\(bell.text).voip", "apns-push-type": "voip"])
    let tooLarge = #"413 {"reason":"PayloadTooLarge"}"#
    #expect(
      try await answers(
        limits, [(good(), payload(100)), (good(), payload(101)), (voip, payload(120)), (voip, payload(121))])
        == ["200", tooLarge, "200", tooLarge])
  }

  @Test("The depth of a payload")
  func depth() async throws {
    func payload(_ levels: Int) -> String {
      #"{"aps":{},"own":"# + String(repeating: "[", count: levels - 1) + String(repeating: "]", count: levels - 1) + "}"
    }
    #expect(
      try await answers(.patient { $0.payloadDepth = 4 }, [(good(), payload(4)), (good(), payload(5))])
        == ["200", #"400 {"reason":"PayloadEmpty"}"#])
  }

  @Test("The number of a payload's faults that are recorded")
  func faults() async throws {
    let receiver = RecordingReceiver()
    let client = try await TestClient(
      TestServer(receiver, providers: provider.directory, limits: .patient { $0.payloadFaults = 2 }))
    for payload in [
      #"{"aps":{"sound":1,"thread-id":2}}"#, #"{"aps":{"badge":"x","sound":1,"thread-id":2,"alert":[]}}"#,
    ] {
      #expect(try await client.send(good(), payload).status == 200)
    }
    // Two faults, and one more for the omitted ones.
    #expect(receiver.pushes.map(\.faults.count) == [2, 3])
  }

  @Test("The length of a provider token")
  func tokenLength() async throws {
    var limits = PortLimits.patient
    let token = provider.token()
    limits.providerTokenBytes = token.utf8.count
    #expect(try await answers(limits, [(good(token: token), body)]) == ["200"])
    limits.providerTokenBytes -= 1
    #expect(
      try await answers(limits, [(good(token: token), body)]) == [#"403 {"reason":"InvalidProviderToken"}"#])
  }

  @Test("The age of a provider token, and how far ahead of the clock it is")
  func tokenAge() async throws {
    var limits = PortLimits.patient
    limits.tokenAge = .seconds(10)
    limits.tokenLead = .seconds(5)
    func request(_ seconds: Int64) -> (HPACKHeaders, String) {
      (good(token: provider.token(issuedAt: now.advanced(by: .seconds(seconds)))), body)
    }
    #expect(
      try await answers(limits, [request(-10), request(-11), request(5), request(6)]) == [
        "200", #"403 {"reason":"ExpiredProviderToken"}"#, "200", #"403 {"reason":"InvalidProviderToken"}"#,
      ])
  }

  /// A limit that no test sets has never been exceeded.
  @Test func everyLimitIsMadeSmallByATest() throws {
    let elsewhere: Set = [
      // No answer shows how many are remembered; LimitTests.buckets checks the table's limit.
      "rememberedAddresses", "rememberedProviders",
      // Memory between two answers; Tests/Clients/idle_connections.py measures it.
      "preservedOutboundBytes",
    ]
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    var text = ""
    for case let file as URL in FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) ?? .init()
    where file.pathExtension == "swift" {
      text += try String(contentsOf: file, encoding: .utf8)
    }
    let names = Mirror(reflecting: PortLimits.standard).children.compactMap(\.label)
    #expect(names.count > 50)
    #expect(names.filter { !elsewhere.contains($0) && !text.contains(".\($0) =") } == [])
  }
}
