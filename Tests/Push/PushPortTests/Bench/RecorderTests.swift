// The recorder's hooks, over real sockets: what a bench of the port gets to know of each request.

import HTTP
import HandsetCore
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import Synchronization
import Testing

@testable import PushPort

/// A bench that notes everything, and whose faults a test chooses.
private final class NotedBench: PortBench {
  struct State {
    var connections = 0
    var closed: [String] = []
    var requests: [RecordedRequest] = []
  }

  private let state = Mutex(State())
  private let ends: AsyncStream<RecordedRequest>.Continuation
  /// The requests as they end.
  let ended: AsyncStream<RecordedRequest>
  private let closings: AsyncStream<String>.Continuation
  let closed: AsyncStream<String>
  private let choose: @Sendable (BenchPoint, RecordedRequest) -> BenchFault?

  init(_ choose: @escaping @Sendable (BenchPoint, RecordedRequest) -> BenchFault? = { _, _ in nil }) {
    (ended, ends) = AsyncStream.makeStream()
    (closed, closings) = AsyncStream.makeStream()
    self.choose = choose
  }

  var requests: [RecordedRequest] { state.withLock(\.requests) }

  func connectionOpened(from address: String?) -> RecordedConnection {
    state.withLock { state in
      state.connections += 1
      return RecordedConnection(number: state.connections, address: address)
    }
  }

  func connectionClosed(_ connection: RecordedConnection, why: String) { closings.yield(why) }

  func requestBegan(_ request: RecordedRequest) -> RecordedRequest {
    state.withLock { state in
      var request = request
      request.number = state.requests.count + 1
      state.requests.append(request)
      return request
    }
  }

  func bodyReceived(_ body: [UInt8], size: Int, of request: Int, provider: String?) {
    _ = change(request) { request in
      (request.payload, request.payloadBytes, request.provider) = (body, size, provider)
    }
  }

  func answered(_ request: Int, _ answer: RecordedAnswer, provider: String?) {
    ends.yield(change(request) { $0.answer = answer })
  }

  func ended(_ request: Int, _ end: String) { ends.yield(change(request) { $0.end = end }) }

  func fault(at point: BenchPoint, of request: RecordedRequest) -> BenchFault? { choose(point, request) }

  private func change(_ number: Int, _ body: (inout RecordedRequest) -> Void) -> RecordedRequest {
    state.withLock { state in
      body(&state.requests[number - 1])
      return state.requests[number - 1]
    }
  }
}

@Suite("The recorder of a bench's port", .timeLimit(.minutes(10)))
struct RecorderTests {
  private let provider = TestProvider()
  private let body = #"{"aps":{"badge":3}}"#

  private func authorized(_ changes: [String: String?] = [:]) -> HPACKHeaders {
    fields(changes, authorization: "bearer " + provider.token())
  }

  private func server(
    _ bench: NotedBench, _ receiver: RecordingReceiver = RecordingReceiver(), limits: PortLimits = .patient
  ) async throws -> TestServer {
    try await TestServer(receiver, providers: provider.directory, limits: limits, bench: bench)
  }

  @Test("A push is recorded with its head, payload and answer, and without its provider token")
  func push() async throws {
    let (bench, receiver) = (NotedBench(), RecordingReceiver())
    let client = try await TestClient(server(bench, receiver))
    let id = "123E4567-e89b-12d3-A456-426655440000"
    let headers = authorized([
      "apns-id": id, "apns-push-type": "alert", "apns-priority": "10", "apns-expiration": "0",
      "apns-collapse-id": "one",
    ])
    #expect(try await client.send(headers, body).status == 200)
    #expect(try await client.send(authorized(), body).status == 200)
    let requests = bench.requests
    #expect(requests.map(\.number) == [1, 2] && requests.map(\.connection) == [1, 1])
    #expect(requests.map(\.stream) == [1, 3])
    let first = try #require(requests.first)
    #expect((first.frontEnd, first.method, first.path) == ("apns", "POST", path))
    #expect((first.app, first.token, first.push) == (bell.text, token, id))
    #expect((first.pushType, first.priority, first.expiration) == ("alert", "10", "0"))
    #expect(first.collapseID == "one" && first.provider == "bellringer")
    #expect(first.payload == Array(body.utf8) && first.payloadBytes == body.utf8.count)
    let secret = try #require(first.header("authorization"))
    #expect(secret.hasPrefix("bearer …") && secret.count == "bearer …".count + 8)
    #expect(first.answer?.status == 200 && first.answer?.by == .handset && first.answer?.reason == nil)
    #expect(first.answer?.headers.first { $0.name == "apns-id" }?.value == id)
    #expect(receiver.pushes.count == 2)
  }

  @Test("The receiver of a push is told which request it was")
  func context() async throws {
    final class Noting: PushReceiver {
      let seen = Mutex<[Int?]>([])
      func receive(_ push: Push, completion: @escaping @Sendable (Input.Outcome) -> Void) {
        seen.withLock { $0.append(BenchContext.request) }
        completion(.stored(.accepted))
      }
      func note(_ refusal: RefusedPush) {}
    }
    let receiver = Noting()
    let server = try await TestServer(receiver, providers: provider.directory, bench: NotedBench())
    let client = try await TestClient(server)
    for _ in 1...2 { #expect(try await client.send(authorized(), body).status == 200) }
    #expect(receiver.seen.withLock(\.self) == [1, 2])
  }

  @Test("Refused requests are recorded with their bodies; limits are named")
  func refusals() async throws {
    let bench = NotedBench()
    let client = try await TestClient(server(bench))
    #expect(try await client.send(authorized(["apns-id": "Zebra"]), body).status == 400)
    #expect(try await client.send(authorized(), String(repeating: "x", count: 4_097)).status == 413)
    #expect(try await client.send(fields(), body).status == 403)
    let requests = bench.requests
    #expect(requests.map(\.answer?.reason) == ["BadMessageId", "PayloadTooLarge", "MissingProviderToken"])
    #expect(requests.map(\.answer?.by) == [.handset, .limit, .handset])
    #expect(requests.map(\.payload) == [Array(body.utf8), nil, Array(body.utf8)])
  }

  @Test("A request without an end is recorded with the reason: its client reset it, or left")
  func ends() async throws {
    let bench = NotedBench()
    let receiver = RecordingReceiver(outcome: nil)
    let client = try await TestClient(server(bench, receiver))
    var ended = bench.ended.makeAsyncIterator()
    let first = try await client.put(authorized(), body)
    var arrivals = receiver.arrivals.makeAsyncIterator()
    _ = await arrivals.next()
    try? await first.channel.close()
    #expect(await ended.next()?.end == "reset")
    _ = try await client.put(authorized(), body)
    _ = await arrivals.next()
    try await client.close()
    #expect(await ended.next()?.end == "cut")
    var closed = bench.closed.makeAsyncIterator()
    #expect(await closed.next() == "the client closed it")
    receiver.release(.stored(.accepted))
  }

  @Test(
    "A fault's answer takes the place of the handset's, before or after the push is stored", arguments: [false, true])
  func faultAnswers(afterCommit: Bool) async throws {
    let refusal = BenchFault(
      name: "busy",
      actions: [
        .answer(
          status: 503, headers: [RecordedField("retry-after", "2")],
          body: Array(#"{"reason":"ServiceUnavailable"}"#.utf8))
      ])
    let bench = NotedBench { point, request in
      point == (afterCommit ? .beforeAnswer : .beforeCommit) && request.number == 1 ? refusal : nil
    }
    let receiver = RecordingReceiver()
    let client = try await TestClient(server(bench, receiver))
    let refused = try await client.send(authorized(), body)
    #expect(refused.status == 503 && refused.retryAfter == "2")
    #expect(try await client.send(authorized(), body).status == 200)
    #expect(receiver.pushes.count == (afterCommit ? 2 : 1))
    let answers = bench.requests.map(\.answer)
    #expect(answers.map(\.?.by) == [.fault, .handset] && answers.map(\.?.fault) == ["busy", nil])
    #expect(answers[0]?.reason == "ServiceUnavailable")
    #expect(bench.requests[0].payload == Array(body.utf8))
  }

  @Test("A fault of the head takes the request before it is judged, and its body is recorded")
  func faultOfHead() async throws {
    let bench = NotedBench { point, _ in
      point == .head
        ? BenchFault(name: "gone", actions: [.answer(status: 410, headers: [], body: [])]) : nil
    }
    let receiver = RecordingReceiver()
    let client = try await TestClient(server(bench, receiver))
    // Nothing of it is judged: it has no provider token.
    #expect(try await client.send(fields(), body).status == 410)
    #expect(receiver.pushes.isEmpty && receiver.refusals == [])
    #expect(bench.requests.map(\.payload) == [Array(body.utf8)])
    #expect(bench.requests[0].answer?.fault == "gone" && bench.requests[0].provider == nil)
  }

  @Test("A fault keeps an answer back: the request ends in silence, and the next is answered")
  func silence() async throws {
    let bench = NotedBench { point, request in
      point == .beforeAnswer && request.number == 1 ? BenchFault(name: "mute", actions: [.silence]) : nil
    }
    let client = try await TestClient(server(bench))
    var ended = bench.ended.makeAsyncIterator()
    _ = try await client.put(authorized(), body)
    #expect(await ended.next()?.end == "silence")
    #expect(try await client.send(authorized(), body).status == 200)
    #expect(bench.requests.map(\.answer?.status) == [nil, 200])
  }

  @Test("A request over HTTP/1.1 is recorded, also one that cannot be read")
  func http1() async throws {
    let bench = NotedBench()
    let server = try await server(bench)
    for request in ["POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", "nonsense\r\n\r\n"] {
      let (channel, received) = try await openConnection(
        to: server.port, clientContext(server.authority, alpn: "http/1.1"))
      try await channel.writeAndFlush(ByteBuffer(string: request))
      for await _ in received {}
    }
    let requests = bench.requests
    #expect(requests.map(\.stream) == [nil, nil] && requests.map(\.connection) == [1, 2])
    #expect(requests.map(\.path) == ["/nowhere", ""])
    #expect(requests[0].payload == Array("{}".utf8))
    #expect(requests.map(\.answer?.by) == [.handset, .limit])
  }
}
