import HandsetCore
import NIOCore
import NIOHPACK
import NIOHTTP2
import Testing

@testable import PushPort

private let body = #"{"aps":{"alert":"It rings"}}"#
private let calm = UInt32(HTTP2ErrorCode.enhanceYourCalm.networkCode)

@Suite("Limits of a connection of HTTP/2", .timeLimit(.minutes(10)))
struct ConnectionLimitTests {
  private let provider = TestProvider()
  private let token: String

  init() {
    token = provider.token()
  }

  private var good: HPACKHeaders { fields(authorization: "bearer " + token) }
  /// A request refused at its headers.
  private var bad: HPACKHeaders { fields(["apns-id": "Zebra"], authorization: "bearer " + token) }

  /// Opens a connection that has acknowledged our SETTINGS and pushed once.
  private func pushedClient(
    _ limits: PortLimits, receiver: RecordingReceiver = RecordingReceiver()
  ) async throws -> RawClient {
    var client = try await RawClient(TestServer(receiver, providers: provider.directory, limits: limits))
    // In one piece, so that no timeout can fall in between.
    try await client.write(
      frame(FrameHeader.Kind.settings, flags: 1) + client.request(good, ends: false)
        + frame(FrameHeader.Kind.data, flags: 1, 1, Array(body.utf8)))
    #expect(try await client.response(on: 1).status == 200)
    return client
  }

  // MARK: Time

  @Test("A client that does not acknowledge our SETTINGS gets SETTINGS_TIMEOUT; one that does is served")
  func unacknowledgedSettings() async throws {
    func farewells(within limit: Duration) async throws -> [UInt32?] {
      let server = try await TestServer(
        providers: provider.directory, limits: .patient { $0.handshakeDuration = limit })
      var polite = try await RawClient(server)
      try await polite.acknowledgeSettings()
      guard try await polite.send(good, body).status == 200 else { return [] }
      var silent = try await RawClient(server)
      var pushing = try await RawClient(server)
      _ = try await pushing.send(good, body)
      let codes = [await silent.farewell(), await pushing.farewell()]
      return try await polite.send(good, body).status == 200 ? codes : []
    }
    // The same limit bounds the handshake, which is slow on a busy machine.
    for milliseconds in [100, 1_000, 10_000, 100_000] {
      guard let codes = try? await farewells(within: .milliseconds(milliseconds)), !codes.contains(nil) else {
        continue
      }
      #expect(codes == [4, 4], "SETTINGS_TIMEOUT")
      return
    }
    Issue.record("no handshake was done in time")
  }

  @Test(
    "A frame or header block that does not end in time ends the connection",
    arguments: [
      [0, 0],
      [0, 0, 8, 6, 0, 0, 0, 0, 0],
      [0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7],
      [0, 0, 1, 1, 0, 0, 0, 0, 3, 0x82],
    ] as [[UInt8]])
  func unfinishedFrame(bytes: [UInt8]) async throws {
    var limits = PortLimits.patient
    limits.frameDuration = .milliseconds(100)
    limits.goAwayDelay = .milliseconds(10)
    var client = try await pushedClient(limits)
    try await client.write(bytes)
    #expect(await client.farewell() == calm)
  }

  @Test("A connection that is idle after a push gets GOAWAY")
  func idle() async throws {
    var limits = PortLimits.patient
    limits.idleDuration = .milliseconds(200)
    limits.lastGoAwayDelay = .milliseconds(10)
    var client = try await pushedClient(limits)
    #expect(await client.farewell() == 0)
  }

  // MARK: Answers that are not taken

  @Test("A client that grants no window for error bodies gets the status and a reset, and blocks no stream")
  func noWindow() async throws {
    var limits = PortLimits.patient
    limits.answerDuration = .milliseconds(50)
    limits.streams = 4
    var client = try await pushedClient(limits)
    try await client.write(frame(FrameHeader.Kind.settings, 0, [0, 4, 0, 0, 0, 0]))
    // More requests than streams: each is answered only if the stuck streams are given up.
    for _ in 0..<2 {
      let first = client.stream
      for _ in 0..<4 { try await client.write(try client.request(bad, ends: true)) }
      var statuses: [UInt32: UInt8] = [:]
      var resets: Set<UInt32> = []
      while resets.count < 4, let next = await client.nextFrame(), next.kind != FrameHeader.Kind.goAway {
        if next.kind == FrameHeader.Kind.headers { statuses[next.stream] = next.flags & 1 }
        if next.kind == FrameHeader.Kind.reset { resets.insert(next.stream) }
      }
      let streams = stride(from: first, to: first + 8, by: 2)
      #expect(resets == Set(streams))
      #expect(statuses == Dictionary(uniqueKeysWithValues: streams.map { ($0, 0) }))
    }
    #expect(try await client.send(good, body).status == 200)
  }

  @Test("A client that does not read is not read from, and then disconnected")
  func unread() async throws {
    var limits = PortLimits.patient
    limits.unsentBytes = 1_024
    limits.answerDuration = .milliseconds(200)
    let receiver = RecordingReceiver()
    // 28 MB of answers, each of which repeats its identifier: more than the kernel buffers for a socket.
    let count = 4_000
    let long = fields(["apns-id": String(repeating: "i", count: 7_000)], authorization: "bearer " + token)
    var client = try await pushedClient(limits, receiver: receiver)
    try await client.stopReading()
    for _ in 0..<count { client.push(try client.request(long, ends: true)) }
    try await client.end()
    #expect((1..<count).contains(receiver.refusals.count))
  }

  // MARK: Frames

  @Test("Bytes that a client sends after our GOAWAY are read")
  func afterGoAway() async throws {
    var limits = PortLimits.patient
    limits.goAwayDelay = .seconds(3_600)
    limits.overheadFrames = 0
    var client = try await pushedClient(limits)
    try await client.write(frame(0x16, 0, [1]))
    while let next = await client.nextFrame(), next.kind != FrameHeader.Kind.goAway {}
    // More than the kernel buffers for two sockets, so that only a server that reads lets all of it be written.
    for _ in 0..<200 { try await client.write(Array(repeating: 0, count: 100_000)) }
  }

  @Test("A stream that was reset after its refusal makes room for another, and nothing more is sent on it")
  func resetMakesRoom() async throws {
    var client = try await pushedClient(.patient { $0.streams = 1 })
    for _ in 0..<3 {
      let stream = client.stream
      try await client.write(try client.request(bad, ends: false))
      #expect(try await client.response(on: stream).status == 400)
      try await client.write(frame(FrameHeader.Kind.reset, stream, [0, 0, 0, 8]))
    }
    try await client.write(frame(FrameHeader.Kind.ping, 0, Array(repeating: 7, count: 8)))
    let next = await client.nextFrame()
    #expect(next?.kind == FrameHeader.Kind.ping)
  }

  @Test("GOAWAY names the last accepted stream, whatever the reason")
  func lastStream() async throws {
    var limits = PortLimits.patient
    limits.controlFramesPerWindow = 20
    limits.resetsPerWindow = 2
    limits.streamErrorsPerWindow = 2
    limits.overheadFrames = 2
    limits.overheadFramesPerRequest = 0
    var malformed = good
    malformed.add(name: "content-length", value: "5")
    func repeated(_ count: Int, _ make: () throws -> [UInt8]) rethrows -> [UInt8] {
      try (0..<count).flatMap { _ in try make() }
    }
    let offences: [(HTTP2ErrorCode, last: UInt32, (inout RawClient) throws -> [UInt8])] = [
      (.enhanceYourCalm, 5, { _ in repeated(30) { frame(FrameHeader.Kind.ping, 0, Array(repeating: 0, count: 8)) } }),
      (.enhanceYourCalm, 5, { _ in repeated(3) { frame(0x16, 0, [1]) } }),
      (.enhanceYourCalm, 5, { client in try repeated(3) { try client.request(malformed, ends: true) } }),
      (
        .enhanceYourCalm, 11,
        { client in
          try repeated(3) {
            let stream = client.stream
            return try client.request(good, ends: false) + frame(FrameHeader.Kind.reset, stream, [0, 0, 0, 8])
          }
        }
      ),
      (.frameSizeError, 5, { _ in frame(FrameHeader.Kind.reset, 5, [0, 0, 8]) }),
      (.streamClosed, 5, { client in frame(FrameHeader.Kind.headers, flags: 5, 3, try client.block(good)) }),
      (.compressionError, 5, { _ in frame(FrameHeader.Kind.headers, flags: 5, 7, [0x80]) }),
      (.protocolError, 5, { _ in frame(FrameHeader.Kind.data, 101, [1]) }),
    ]
    for (code, last, make) in offences {
      var client = try await pushedClient(limits)
      for _ in 0..<2 { #expect(try await client.send(good, body).status == 200) }
      try await client.write(try make(&client))
      let goAway = await client.goAway()
      #expect(goAway == RawClient.GoAway(lastStream: last, code: UInt32(code.networkCode)))
    }
  }

  @Test("An error of a stream ends that stream only")
  func streamErrors() async throws {
    let zero = [UInt8](repeating: 0, count: 4)
    let most: [UInt8] = [0x7F, 0xFF, 0xFF, 0xFF]
    let update = FrameHeader.Kind.windowUpdate
    let offences: [(HTTP2ErrorCode, (UInt32) -> [UInt8])] = [
      (.protocolError, { frame(update, $0, zero) }),
      (.flowControlError, { frame(update, $0, most) + frame(update, $0, most) }),
      // A second header block that does not end the stream.
      (.protocolError, { frame(FrameHeader.Kind.headers, flags: 4, $0, [0x00, 1, 0x61, 1, 0x62]) }),
    ]
    for (code, make) in offences {
      var client = try await pushedClient(.patient)
      // Before the answer.
      let open = client.stream
      try await client.write(try client.request(good, ends: false) + make(open))
      #expect(await client.reset(of: open) == UInt32(code.networkCode))
      #expect(try await client.send(good, body).status == 200)
      // After the answer.
      let answered = client.stream
      try await client.write(try client.request(bad, ends: false))
      #expect(try await client.response(on: answered).status == 400)
      try await client.write(make(answered))
      #expect(await client.reset(of: answered) == UInt32(code.networkCode))
      #expect(try await client.send(good, body).status == 200)
    }
  }

  @Test("A greeting of as many bytes as are withheld, and of one more, in pieces", arguments: [33, 32])
  func cutGreeting(limit: Int) async throws {
    var client = try await RawClient(
      TestServer(providers: provider.directory, limits: .patient { $0.withheldBytes = limit }))
    let bytes = try client.request(bad, ends: true)
    for cut in [20, 60] {
      // Each part in a TLS record of its own, as the server reads record by record.
      try await client.write(Array(bytes.prefix(cut).dropFirst(cut == 60 ? 20 : 0)))
    }
    try await client.write(Array(bytes.dropFirst(60)))
    #expect(try await client.response(on: 1).body == #"{"reason":"BadMessageId"}"#)
  }

  // MARK: Streams

  @Test("One stream before the first valid token, then as many as are allowed; only the one above is refused")
  func streams() async throws {
    var limits = PortLimits.patient
    limits.streams = 2
    limits.streamsBeforeFirstToken = 1
    let refused = UInt32(HTTP2ErrorCode.refusedStream.networkCode)
    let server = try await TestServer(providers: provider.directory, limits: limits)
    var stranger = try await RawClient(server)
    try await stranger.acknowledgeSettings()
    let unknown = fields(authorization: "bearer " + TestProvider().token())
    try await stranger.write(try stranger.request(unknown, ends: false) + stranger.request(good, ends: false))
    #expect(await stranger.reset(of: 3) == refused)
    await stranger.close()

    var client = try await RawClient(server)
    try await client.acknowledgeSettings()
    try await client.write(
      try client.request(good, ends: false) + client.request(good, ends: false) + client.request(good, ends: false))
    #expect(await client.reset(of: 5) == refused)
    try await client.write(frame(FrameHeader.Kind.data, flags: 1, 3, Array(body.utf8)))
    #expect(try await client.response(on: 3).status == 200)
  }

  @Test("A refused request's body is discarded up to the limit; one byte more resets its stream")
  func discarded() async throws {
    var client = try await pushedClient(.patient { $0.discardedBytes = 1_000 })
    for bytes in [1_000, 1_001] {
      let stream = client.stream
      try await client.write(
        try client.request(bad, ends: false)
          + frame(FrameHeader.Kind.data, stream, Array(repeating: 1, count: bytes)))
      #expect(try await client.response(on: stream).status == 400)
      if bytes == 1_000 {
        try await client.write(frame(FrameHeader.Kind.data, flags: 1, stream))
        #expect(try await client.send(good, body).status == 200)
      } else {
        #expect(await client.reset(of: stream) != nil)
      }
    }
  }
}
