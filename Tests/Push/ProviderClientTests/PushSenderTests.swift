// Servers that misbehave by a script, over real TLS and HTTP/2.

import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import ProviderClient

private let push = PushRequest(deviceToken: "0a", topic: "com.example", payload: Array(#"{"aps":{}}"#.utf8))

/// Values that a test records and reads afterwards.
private final class Notes<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])

  var all: [Value] { values.withLock(\.self) }

  /// - Returns: the new number of values.
  @discardableResult func add(_ value: Value) -> Int {
    values.withLock { values in
      values.append(value)
      return values.count
    }
  }
}

@Suite struct PushSenderTests {
  private let node = PublishingCall.Node(publisher: "com.example.mail", device: "0d", name: "Inbox")
  private let user = PublishingUser(name: "com.example.mail", password: "correct horse")
  private let pauses = Notes<Duration>()

  /// Makes a sender that records its pauses and makes none.
  private func makeSender(
    for server: TestPushServer, token: ProviderTokenSigner? = nil, attempts: Int = 5,
    noting retries: Notes<PushSender.Retry> = Notes()
  ) -> PushSender {
    var policy = RetryPolicy()
    policy.attempts = attempts
    return PushSender(
      to: server.endpoint, trust: .authorities(pem: server.authority.pem), token: token, limits: .patient,
      policy: policy, sleep: { [pauses] in pauses.add($0) }, willRetry: { retries.add($0) })
  }

  /// Starts a server that accepts every push but one.
  private func server(
    push number: Int = 1, streams: Int = 100, meets respond: @escaping @Sendable (ReceivedPush) -> Void
  ) async throws -> TestPushServer {
    let arrivals = Notes<Void>()
    return try await TestPushServer.start(maxConcurrentStreams: streams) { push in
      if arrivals.add(()) == number { respond(push) } else { push.answer(200) }
    }
  }

  @Test func aPublicationIsTriedAgainAndOneThatIsGoneIsNot() async throws {
    let paths = Notes<String?>()
    let server = try await TestPushServer.start { push in
      switch paths.add(push.header(":path")) {
      case 1: push.answer(503, [("retry-after", "7")], body: "it cannot be stored just now; try again\n")
      case 2: push.answer(200)
      default: push.answer(410, body: "com.example.mail is uninstalled\n")
      }
    }
    let sender = makeSender(for: server)
    let call = PublishingCall.publish([1], through: node)
    #expect(try await sender.send(call, as: user) == PushReceipt(answer: PushAnswer(status: 200), attempts: 2))
    #expect(pauses.all == [.seconds(7)])
    let gone = PushAnswer(status: 410, reason: "com.example.mail is uninstalled")
    #expect(try await sender.send(call, as: user) == PushReceipt(answer: gone, attempts: 1))
    #expect(try await sender.send(call, as: user) == PushReceipt(answer: gone, attempts: 0))
    #expect(paths.all == Array(repeating: "/com.example.mail/0d/Inbox", count: 3))
  }

  @Test func aBusyServerIsAskedAgainWhenItSays() async throws {
    let ids = Notes<String?>()
    let retries = Notes<PushSender.Retry>()
    let server = try await TestPushServer.start { push in
      switch ids.add(push.header("apns-id")) {
      case 1: push.answer(429, [("retry-after", "7")], body: #"{"reason":"TooManyRequests"}"#)
      case 2: push.answer(503, [("retry-after", "9")], body: #"{"reason":"ServiceUnavailable"}"#)
      case 3: push.answer(500, [("retry-after", "11")])
      default: push.answer(200)
      }
    }
    let sender = makeSender(for: server, noting: retries)
    let receipt = try await sender.send(push)
    #expect(receipt == PushReceipt(answer: PushAnswer(status: 200, apnsID: ids.all.first ?? nil), attempts: 4))
    #expect(pauses.all == [.seconds(7), .seconds(9), .seconds(11)])
    // The identifier is made once, so that a duplicate can be recognised.
    #expect(Set(ids.all).count == 1 && ids.all.first??.count == 36)
    #expect(
      retries.all.map { "\($0.problem), \($0.attempt)" }
        == ["429 TooManyRequests, 2", "503 ServiceUnavailable, 3", "500, 4"])
    #expect(server.observed.value.withLock { $0.connections.count } == 1)
  }

  @Test func withoutATimeThePausesDouble() async throws {
    let server = try await TestPushServer.start { $0.answer(503) }
    let sender = makeSender(for: server, attempts: 4)
    let receipt = try await sender.send(push)
    #expect(receipt.answer.status == 503 && receipt.attempts == 4)
    let ranges = [0.5...1, 1...2, 2...4].map { Duration.seconds($0.lowerBound)...Duration.seconds($0.upperBound) }
    #expect(pauses.all.count == 3 && zip(ranges, pauses.all).allSatisfy { $0.contains($1) }, "\(pauses.all)")
  }

  @Test func aTokenThatIsGoneIsSentNothingMore() async throws {
    let tokens = Notes<String?>()
    let server = try await TestPushServer.start { push in
      tokens.add(push.header(":path"))
      if push.header(":path") == "/3/device/0a" {
        push.answer(410, body: #"{"reason":"Unregistered","timestamp":1700000000123}"#)
      } else {
        push.answer(200)
      }
    }
    let sender = makeSender(for: server)
    let first = try await sender.send(push)
    #expect(first.answer.reason == "Unregistered" && first.attempts == 1)
    let second = try await sender.send(push)
    #expect(second == PushReceipt(answer: first.answer, attempts: 0))
    var other = push
    other.deviceToken = "0b"
    #expect(try await sender.send(other).answer.isAccepted)
    #expect(tokens.all == ["/3/device/0a", "/3/device/0b"])
  }

  private func providerToken() throws -> ProviderTokenSigner {
    try ProviderTokenSigner(privateKeyPEM: keyPEM, keyID: "KEY4567890", teamID: "TEAM567890", now: { 1_000_000 })
  }

  @Test func anExpiredTokenIsSignedAnewOnceForAll() async throws {
    let first = Mutex<String?>(nil)
    let bearers = Notes<String?>()
    let server = try await TestPushServer.start { push in
      let bearer = push.header("authorization")
      bearers.add(bearer)
      let expired = first.withLock { first in
        first = first ?? bearer
        return first == bearer
      }
      if expired { push.answer(403, body: #"{"reason":"ExpiredProviderToken"}"#) } else { push.answer(200) }
    }
    let sender = try makeSender(for: server, token: providerToken())
    try await withThrowingTaskGroup(of: PushReceipt.self) { group in
      for _ in 0..<20 { group.addTask { try await sender.send(push) } }
      for try await receipt in group { #expect(receipt.answer.isAccepted && receipt.attempts <= 2) }
    }
    #expect(Set(bearers.all).count == 2)
    #expect(pauses.all.isEmpty)
  }

  @Test func aLostConnectionIsMadeAgainAtOnce() async throws {
    let server = try await self.server { $0.channel.parent?.close(promise: nil) }
    let sender = makeSender(for: server)
    let receipt = try await sender.send(push)
    #expect(receipt.answer.isAccepted && receipt.attempts == 2)
    #expect(pauses.all.isEmpty)
    #expect(server.observed.value.withLock { $0.connections.count } == 2)
  }

  @Test func aServerThatLeavesIsLeftForANewConnection() async throws {
    let server = try await self.server { $0.answer(503, [("retry-after", "3")], body: #"{"reason":"Shutdown"}"#) }
    let sender = makeSender(for: server)
    #expect(try await sender.send(push).attempts == 2)
    #expect(pauses.all == [.seconds(3)])
    #expect(server.observed.value.withLock { $0.connections.count } == 2)
  }

  @Test func aStreamThatIsResetCostsNoConnection() async throws {
    let server = try await self.server { $0.channel.close(promise: nil) }
    let sender = makeSender(for: server)
    #expect(try await sender.send(push).attempts == 2)
    #expect(server.observed.value.withLock { $0.connections.count } == 1)
  }

  @Test func itGivesUp() async throws {
    let arrivals = Notes<Void>()
    let server = try await TestPushServer.start { push in
      arrivals.add(())
      push.channel.parent?.close(promise: nil)
    }
    let sender = makeSender(for: server, attempts: 3)
    await #expect(throws: ProviderClientError.connectionClosed(server.endpoint, reason: nil)) {
      try await sender.send(push)
    }
    #expect(arrivals.all.count == 3)
    #expect(pauses.all.count == 1)
  }

  @Test func whereNobodyListensIsSaidAtOnce() async throws {
    let port = try HeldPort()
    let unheard = Endpoint(host: "127.0.0.1", port: port.number)
    let sender = PushSender(to: unheard, token: nil, sleep: { [pauses] in pauses.add($0) })
    await #expect(throws: ProviderClientError.connectionRefused(unheard)) { try await sender.connect() }
    #expect(pauses.all.isEmpty)
    await sender.close()
    withExtendedLifetime(port) {}
  }

  @Test func manyShareAConnectionThatIsMadeAgain() async throws {
    let server = try await self.server(push: 100, streams: 10) { $0.channel.parent?.close(promise: nil) }
    let sender = makeSender(for: server)
    try await sender.connect()
    try await withThrowingTaskGroup(of: PushReceipt.self) { group in
      for _ in 0..<300 { group.addTask { try await sender.send(push) } }
      for try await receipt in group { #expect(receipt.answer.isAccepted) }
    }
    let observed = server.observed.value.withLock { $0 }
    #expect(observed.connections.count == 2)
    #expect(observed.mostOpen <= 20)
  }
}
