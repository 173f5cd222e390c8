// Tests of what a client sees of each fault, frame by frame, over real sockets.

import HTTP
import HandsetCore
import NIOCore
import NIOHPACK
import NIOPosix
import NIOSSL
import Synchronization
import TestSupport
import Testing

@testable import PushPort

@Suite("What a client sees of a fault: answers", .timeLimit(.minutes(5)))
struct FaultAnswerTests {
  @Test("The first two get 503 with Retry-After, the handset gets none of them; the third is its own")
  func answer() async throws {
    let rig = try await FaultRig(
      ["name": "busy", "answer": .integer(503), "retry-after": "2s", "pushes": .integer(2), "provider": "bellringer"])
    var client = try await rig.client()
    for _ in 1...2 {
      let response = try await client.send(rig.headers, rig.body)
      #expect(response.status == 503 && response.body == #"{"reason":"ServiceUnavailable"}"#)
      #expect(response.retryAfter == "2" && response.id.utf8.count == 36)
    }
    #expect(rig.pushes == 0)
    #expect(try await client.send(rig.headers, rig.body).status == 200)
    #expect(rig.pushes == 1)
    let answers = rig.bench.answers
    #expect(answers[1]?.by == .fault && answers[1]?.fault == "busy" && answers[1]?.reason == "ServiceUnavailable")
    #expect(answers[3]?.by == .handset && answers[3]?.fault == nil)
  }

  @Test("Timestamp, unknown reason, malformed and empty body, and the identifier that was sent")
  func bodies() async throws {
    let rig = try await FaultRig(
      ["answer": .integer(410), "timestamp": .integer(1_767_225_600_000), "pushes": .integer(1)],
      ["answer": .integer(400), "reason": "Whatever", "pushes": .integer(1)],
      ["answer": .integer(500), "body": #"{"reason":"#, "pushes": .integer(1)],
      ["answer": .integer(429), "body": "", "pushes": .integer(1)])
    var client = try await rig.client()
    let id = "12345678-1234-4234-8234-123456789ABC"
    var seen: [Response] = []
    for _ in 1...4 { seen.append(try await client.send(rig.headers(with: "apns-id", id), rig.body)) }
    #expect(seen.map(\.status) == [410, 400, 500, 429])
    #expect(
      seen.map(\.body) == [
        #"{"reason":"Unregistered","timestamp":1767225600000}"#, #"{"reason":"Whatever"}"#, #"{"reason":"#, "",
      ])
    #expect(seen.allSatisfy { $0.id == id })
  }

  @Test("After the commit the handset has the push, whatever the answer says")
  func afterCommit() async throws {
    let rig = try await FaultRig(["answer": .integer(500), "at": "after-commit"])
    var client = try await rig.client()
    #expect(try await client.send(rig.headers, rig.body).body == #"{"reason":"InternalServerError"}"#)
    #expect(rig.pushes == 1)
  }

  @Test("After the commit the answer names the handset's push, also one whose identifier was made here")
  func sameIdentifier() async throws {
    let rig = try await FaultRig(["answer": .integer(503), "at": "after-commit"])
    var client = try await rig.client()
    let response = try await client.send(rig.headers, rig.body)
    let push = try #require(rig.receiver.pushes.first)
    #expect(response.status == 503 && PushID(response.id) == push.id)
  }

  @Test("A push whose client leaves during a delay before the commit is not stored; the connection goes on")
  func leavesDuringDelay() async throws {
    let rig = try await FaultRig(["delay": "300ms", "at": "before-commit", "pushes": "1-2"])
    var client = try await rig.client()
    let stream = try await client.put(rig.headers, rig.body)
    try await client.write(frame(FrameHeader.Kind.reset, stream, [0, 0, 0, 8]))
    // The second waits as long, so the first one's time is over when it is answered.
    #expect(try await client.send(rig.headers, rig.body).status == 200)
    #expect(rig.pushes == 1 && rig.bench.ends == [1: "reset"] && rig.bench.answers[1] == nil)
  }

  @Test("A push that waits while the bench is reset is not stored: its stream is reset")
  func resetDuringDelay() async throws {
    let rig = try await FaultRig(["delay": "300ms", "at": "before-commit", "pushes": .integer(1)])
    var client = try await rig.client()
    let stream = try await client.put(rig.headers, rig.body)
    // Its answer says that the first request has begun.
    #expect(try await client.send(rig.headers, rig.body).status == 200)
    rig.bench.reset()
    #expect(await client.reset(of: stream) == 8)
    #expect(rig.pushes == 1 && rig.bench.ends == [1: "reset"])
  }

  @Test("A delay before the commit, and one after it", arguments: ["before-commit", "after-commit"])
  func delay(at moment: String) async throws {
    let rig = try await FaultRig(["delay": "50ms", "at": .string(moment)])
    var client = try await rig.client()
    var status = 0
    let time = try await ContinuousClock().measure { status = try await client.send(rig.headers, rig.body).status }
    #expect(status == 200 && time >= .milliseconds(50) && rig.pushes == 1)
  }

  @Test("One device token gets 429, the others flow")
  func oneToken() async throws {
    let rig = try await FaultRig(["preset": "device-too-often", "token": .string(token)])
    var client = try await rig.client()
    let authorization = rig.headers.first(name: "authorization")
    let other = fields([":path": "/3/device/" + String(repeating: "b2", count: 32)], authorization: authorization)
    #expect(try await client.send(rig.headers, rig.body).body == #"{"reason":"TooManyRequests"}"#)
    #expect(try await client.send(other, rig.body).status == 200)
    #expect(try await client.send(rig.headers, rig.body).status == 429)
  }

  @Test("Answers cease: the push is stored, its stream stays silent, and the next one is answered")
  func silence() async throws {
    let rig = try await FaultRig(["silent": true, "pushes": .integer(1)])
    var client = try await rig.client()
    try await client.put(rig.headers, rig.body)
    await rig.arrival()
    try await client.put(rig.headers, rig.body)
    #expect(await client.lines(until: "HEADERS") == ["HEADERS 3 200 end"])
    #expect(rig.pushes == 2 && rig.bench.ends == [1: "silence"])
  }
}

@Suite("What a client sees of a fault: streams", .timeLimit(.minutes(5)))
struct FaultStreamTests {
  @Test(
    "RST_STREAM before and after the commit; the connection goes on",
    arguments: [("before-commit", 0), ("after-commit", 1)])
  func reset(at moment: String, pushes: Int) async throws {
    let rig = try await FaultRig(["reset": "refused-stream", "at": .string(moment), "pushes": .integer(1)])
    var client = try await rig.client()
    try await client.put(rig.headers, rig.body)
    #expect(await client.lines(until: "RST_STREAM") == ["RST_STREAM 1 7"])
    #expect(rig.pushes == pushes && rig.bench.ends == [1: "reset"])
    #expect(try await client.send(rig.headers, rig.body).status == 200)
  }

  @Test("Resets are faults, not errors of the client, however many there are")
  func manyResets() async throws {
    let rig = try await FaultRig(["reset": "protocol-error", "pushes": .integer(300)])
    var client = try await rig.client()
    for _ in 1...300 {
      let stream = try await client.put(rig.headers, rig.body)
      #expect(await client.reset(of: stream) == 1)
    }
    #expect(try await client.send(rig.headers, rig.body).status == 200)
  }

  @Test("GOAWAY names the struck stream, which is answered; then the connection closes")
  func goAway() async throws {
    let rig = try await FaultRig(["goaway": "no-error"])
    var client = try await rig.client()
    try await client.put(rig.headers, rig.body)
    #expect(await client.lines(until: "end") == ["GOAWAY 1 0", "HEADERS 1 200 end", "end"])
    #expect(rig.pushes == 1)
  }

  @Test(
    "Ten refusals close a connection: BadDeviceToken counts twice, 200 and 410 do not, another connection begins at none"
  )
  func closesAfterRefusals() async throws {
    let rig = try await FaultRig(["preset": "closes-after-refusals"])
    let refused = fields([":path": "/3/device/zz"], authorization: rig.headers.first(name: "authorization"))
    var (client, other) = (try await rig.client(), try await rig.client())
    for _ in 1...3 { #expect(try await client.send(rig.headers, rig.body).status == 200) }
    for _ in 1...4 {
      #expect(try await client.send(refused, rig.body).status == 400)
      #expect(try await other.send(refused, rig.body).status == 400)
    }
    #expect(try await client.send(rig.headers(with: "apns-priority", "7"), rig.body).status == 400)
    try rig.bench.arm(["answer": .integer(410), "count": .integer(1)])
    #expect(try await client.send(rig.headers, rig.body).status == 410)
    #expect(try await client.send(rig.headers, rig.body).status == 200)
    #expect(rig.bench.hits == [0, 1])
    try await client.put(rig.headers(with: "apns-priority", "7"), rig.body)
    let lines = await client.lines(until: "end")
    #expect(lines.prefix(2) == ["GOAWAY 21 0", "HEADERS 21 400"] && lines.last == "end", "\(lines)")
    #expect(rig.bench.hits == [1, 1])
    #expect(try await other.send(rig.headers, rig.body).status == 200)
  }

  @Test("Apple's limits: 429 for one device token only, and answers of faults count among the refusals")
  func appleLimits() async throws {
    let rig = try await FaultRig(["preset": "apple-limits", "per-token": "2/1m", "refusals": .integer(4)])
    var client = try await rig.client()
    for _ in 1...2 { #expect(try await client.send(rig.headers, rig.body).status == 200) }
    for _ in 1...4 { #expect(try await client.send(rig.headers, rig.body).status == 429) }
    // No fault was asked about those, so the next refusal closes the connection.
    var headers = fields(
      [":path": "/3/device/" + String(repeating: "0f", count: 32)],
      authorization: rig.headers.first(name: "authorization"))
    #expect(try await client.send(headers, rig.body).status == 200)
    headers.add(name: "apns-priority", value: "7")
    try await client.put(headers, rig.body)
    let lines = await client.lines(until: "end")
    #expect(lines.prefix(2) == ["GOAWAY 15 0", "HEADERS 15 400"] && lines.last == "end", "\(lines)")
    #expect(rig.bench.hits == [4, 1])
    #expect(rig.pushes == 3)
  }

  @Test("GOAWAY names the stream before: the struck one is not processed, and gets no answer")
  func goAwayPrevious() async throws {
    let rig = try await FaultRig(
      ["goaway": "enhance-your-calm", "last-stream": "previous", "times": .integer(2), "pushes": "2-2"])
    var client = try await rig.client()
    #expect(try await client.send(rig.headers, rig.body).status == 200)
    try await client.put(rig.headers, rig.body)
    #expect(await client.lines(until: "end") == ["GOAWAY 2147483647 0", "GOAWAY 1 11", "end"])
    #expect(rig.pushes == 1 && rig.bench.ends == [2: "goaway"])
  }

  @Test("GOAWAY in the middle of streams: those that it accepts are answered, the others are not")
  func goAwayInTheMiddle() async throws {
    let receiver = RecordingReceiver(outcome: nil)
    let rig = try await FaultRig(
      ["goaway": "no-error", "last-stream": .integer(1), "pushes": "3-3"], receiver: receiver)
    var client = try await rig.client()
    for _ in 1...2 {
      try await client.put(rig.headers, rig.body)
      await rig.arrival()
    }
    try await client.put(rig.headers, rig.body)
    #expect(await client.lines(until: "GOAWAY") == ["GOAWAY 1 0"])
    #expect(rig.pushes == 2)
    receiver.release(.stored(.accepted))
    #expect(await client.lines(until: "end") == ["HEADERS 1 200 end", "end"])
  }

  @Test("GOAWAY without close: later streams are ignored, and the connection stays")
  func goAwayWithoutClose() async throws {
    let rig = try await FaultRig(["goaway": "no-error", "close": false, "pushes": .integer(1)])
    var client = try await rig.client()
    #expect(try await client.send(rig.headers, rig.body).status == 200)
    try await client.put(rig.headers, rig.body)
    try await client.write(frame(FrameHeader.Kind.ping, 0, Array(repeating: 1, count: 8)))
    #expect(await client.lines(until: "PING") == ["PING end"])
    #expect(rig.pushes == 1)
  }

  @Test("One stream at a time from the beginning: the second of a burst is refused")
  func oneStream() async throws {
    let receiver = RecordingReceiver(outcome: nil)
    let rig = try await FaultRig(["streams": .integer(1), "window": .integer(1)], receiver: receiver)
    var client = try await rig.client()
    try await client.put(rig.headers, rig.body)
    await rig.arrival()
    try await client.put(rig.headers, rig.body)
    #expect(await client.nextLine() == "SETTINGS 3=1 4=1 6=32768")
    #expect(await client.lines(until: "RST_STREAM").last == "RST_STREAM 3 7")
    receiver.release(.stored(.accepted))
    #expect(await client.lines(until: "HEADERS").last == "HEADERS 1 200 end")
  }

  @Test("A window of one byte: each byte is answered with the next one's permission")
  func window() async throws {
    let rig = try await FaultRig(["window": .integer(1)])
    var client = try await rig.client()
    try await client.write(try client.request(rig.headers, ends: false))
    let bytes = Array(rig.body.utf8)
    for (index, byte) in bytes.enumerated() {
      let isLast = index == bytes.count - 1
      try await client.write(frame(FrameHeader.Kind.data, flags: isLast ? 1 : 0, 1, [byte]))
      if !isLast { #expect(await client.lines(until: "WINDOW_UPDATE").last == "WINDOW_UPDATE 1 1") }
    }
    #expect(await client.lines(until: "HEADERS").last == "HEADERS 1 200 end")
    #expect(rig.pushes == 1)
  }

  @Test("Settings change while streams are open: what they have sent of the smaller window is given back")
  func changed() async throws {
    let rig = try await FaultRig(
      ["streams": .integer(1), "window": .integer(2), "at": "before-commit", "pushes": .integer(1)])
    var client = try await rig.client()
    let slow = client.stream
    try await client.write(
      try client.request(rig.headers, ends: false) + frame(FrameHeader.Kind.data, slow, Array(rig.body.utf8.prefix(5))))
    try await client.put(rig.headers, rig.body)
    #expect(await client.lines(until: "SETTINGS 3=1 4=2").last == "SETTINGS 3=1 4=2 6=32768")
    #expect(await client.lines(until: "WINDOW_UPDATE") == ["WINDOW_UPDATE 1 5"])
    #expect(await client.lines(until: "HEADERS").last == "HEADERS 3 200 end")
    try await client.write(frame(FrameHeader.Kind.data, flags: 1, slow, Array(rig.body.utf8.dropFirst(5))))
    #expect(await client.lines(until: "HEADERS").last == "HEADERS 1 200 end")
  }

  @Test("Apple's burst: SETTINGS with one stream, 403, two refused streams, and all is well again")
  func expiredToken() async throws {
    let rig = try await FaultRig(["preset": "expired-token-in-a-burst"])
    var client = try await rig.client()
    #expect(try await client.send(rig.headers, rig.body).body == #"{"reason":"ExpiredProviderToken"}"#)
    for stream: UInt32 in [3, 5] {
      try await client.put(rig.headers, rig.body)
      #expect(await client.reset(of: stream) == 7)
    }
    #expect(try await client.send(rig.headers, rig.body).status == 200)
    #expect(rig.bench.hits == [1, 1, 2])
  }
}

@Suite("What a client sees of a fault: connections", .timeLimit(.minutes(5)))
struct FaultConnectionTests {
  @Test("Accepted and closed: no byte arrives; the next connection is good")
  func accept() async throws {
    let rig = try await FaultRig(["cut": "accept", "pushes": .integer(1)])
    let (channel, received) = try await openConnection(to: rig.server.port)
    for await _ in received { Issue.record("bytes arrived") }
    try await channel.closeFuture.get()
    var client = try await rig.client()
    #expect(try await client.send(rig.headers, rig.body).status == 200)
  }

  @Test(
    "The connection is cut after the head, and in place of the answer, before and after the commit",
    arguments: [("request", nil, 0), ("answer", "before-commit", 0), ("answer", nil, 1)] as [(String, String?, Int)])
  func cut(place: String, moment: String?, pushes: Int) async throws {
    var words: [String: JSONValue] = ["cut": .string(place), "pushes": .integer(1)]
    if let moment { words["at"] = .string(moment) }
    let rig = try await FaultRig(words)
    var client = try await rig.client()
    try await client.put(rig.headers, rig.body)
    #expect(await client.lines(until: "end") == ["end"])
    #expect(rig.pushes == pushes && rig.bench.ends == [1: "cut"])
    var again = try await rig.client()
    #expect(try await again.send(rig.headers, rig.body).status == 200)
  }

  @Test("A request that is cut at its head has its connection's provider")
  func providerOfCut() async throws {
    let rig = try await FaultRig(["cut": "request", "pushes": "2-2"])
    var client = try await rig.client()
    #expect(try await client.send(rig.headers, rig.body).status == 200)
    try await client.put(rig.headers, rig.body)
    #expect(await client.lines(until: "end") == ["end"])
    #expect(rig.bench.state.withLock(\.requests).map(\.provider) == [nil, "bellringer"])
  }

  @Test("The connection is cut after the answer's headers, and within its body")
  func cutAnswer() async throws {
    let rig = try await FaultRig(
      ["cut": "headers", "pushes": .integer(1)], ["cut": "body", "pushes": .integer(1)])
    var client = try await rig.client()
    try await client.put(rig.headers, rig.body)
    #expect(await client.lines(until: "end") == ["HEADERS 1 200", "end"])
    client = try await rig.client()
    try await client.put(rig.headers(with: "apns-priority", "7"), rig.body)
    #expect(await client.lines(until: "end") == ["HEADERS 1 400", #"DATA 1 {"reason":"B"#, "end"])
    #expect(rig.bench.answers[1]?.status == 200 && rig.bench.answers[1]?.by == .fault)
  }

  @Test("A certificate that no client accepts, for new connections only", arguments: Fault.CertificateFault.allCases)
  func certificate(kind: Fault.CertificateFault) async throws {
    let rig = try await FaultRig()
    var old = try await rig.client()
    #expect(try await old.send(rig.headers, rig.body).status == 200)
    try rig.bench.arm(["certificate": .string(kind.rawValue), "pushes": .integer(2)])
    let shown = try await shownCertificate(of: rig.server)
    let now = PortClock.system.real().microseconds / 1_000_000
    #expect((Int64(shown.notValidAfter) < now) == (kind == .expired))
    #expect((Int64(shown.notValidBefore) > now) == (kind == .notYetValid))
    await #expect(throws: (any Error).self) {
      let client = try await TestClient(rig.server)
      _ = try await client.send(rig.headers, rig.body)
    }
    #expect(try await old.send(rig.headers, rig.body).status == 200)
    var next = try await rig.client()
    #expect(try await next.send(rig.headers, rig.body).status == 200)
    #expect(rig.bench.hits == [2])
  }

  /// Returns the certificate that the server presents, whatever it is.
  private func shownCertificate(of server: TestServer) async throws -> NIOSSLCertificate {
    let context = try clientContext(server.authority)
    let (shown, continuation) = AsyncStream.makeStream(of: NIOSSLCertificate.self)
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let tls = try NIOSSLClientHandler(context: context, serverHostname: "localhost") { chain, promise in
            if let first = chain.first { continuation.yield(first) }
            promise.succeed(NIOSSLVerificationResult.failed)
          }
          try channel.pipeline.syncOperations.addHandler(tls)
        }
      }.connect(host: "127.0.0.1", port: server.port).get()
    var iterator = shown.makeAsyncIterator()
    let certificate = try #require(await iterator.next())
    try? await channel.close()
    return certificate
  }

  @Test("A desk's port has no faults, whatever is asked of it")
  func desk() async throws {
    let (provider, receiver) = (TestProvider(), RecordingReceiver())
    let server = try await TestServer(receiver, providers: provider.directory)
    var client = try await RawClient(server)
    let bearer = "bearer \(provider.token())"
    for (method, path) in [
      ("POST", "/v1/faults"), ("GET", "/v1/faults"), ("DELETE", "/v1/faults/busy"), ("POST", "/v1/bench/reset"),
      ("POST", "/3/faults"), ("POST", "/3/device/\(token)/faults"),
    ] {
      let asked = fields([":method": method, ":path": path], authorization: bearer)
      let response = try await client.send(asked, #"{"name":"busy","answer":503}"#)
      #expect([400, 404, 405].contains(response.status), "\(method) \(path)")
    }
    for name in ["fault", "deskbell-fault", "x-fault", "preset"] {
      let asked = fields([name: "answer=503"], authorization: bearer)
      #expect(try await client.send(asked, #"{"aps":{"badge":1},"fault":{"answer":503}}"#).status == 200)
    }
    #expect(receiver.pushes.count == 4)
  }

  @Test("HTTP/1.1: an answer, a cut in its place, one within its body; a reset of HTTP/2 never strikes")
  func http1() async throws {
    let bench = try FaultBench(
      ["name": "never", "reset": "cancel"], ["answer": .integer(503), "retry-after": "3s", "pushes": .integer(1)],
      ["cut": "answer", "at": "before-commit", "pushes": .integer(1)], ["cut": "body", "pushes": .integer(1)])
    let server = try await TestServer(
      publishing: NodesInMemory(), providers: ProviderDirectory([passwordProvider]), bench: bench)
    var client = try await TextClient(server)
    let response = try await client.request("GET \(inbox)")
    #expect(response.status == 503 && response.header("Retry-After") == "3")
    #expect(response.body == "ServiceUnavailable\n")
    #expect(try await client.request("GET \(inbox)").status == 0)
    client = try await TextClient(server)
    // The head promises more than arrives.
    #expect(try await client.request("GET \(inbox)").status == 0)
    try await client.end()
    client = try await TextClient(server)
    #expect(try await client.request("GET \(inbox)").status == 404)
    #expect(bench.hits == [0, 1, 1, 1])
    #expect(bench.state.withLock { $0.table.unfired } == ["never"])
  }
}
