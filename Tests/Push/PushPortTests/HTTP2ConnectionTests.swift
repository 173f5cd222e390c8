// Tests of decisions on single frames, without a socket. For connections see ConnectionLimitTests and Tests/Clients.

import HTTP2Session
import NIOCore
import Synchronization
import Testing

@testable import PushPort

@Suite("The frames of a connection of HTTP/2")
struct HTTP2ConnectionTests {
  typealias Machine = HTTP2Connection.StateMachine
  typealias Step = Machine.Step

  func headers(_ stream: UInt32, ends: Bool = true) -> [UInt8] {
    frame(FrameHeader.Kind.headers, flags: ends ? 5 : 4, stream, [0x82])
  }

  func reset(_ stream: UInt32, _ code: UInt8 = 5) -> [UInt8] {
    frame(FrameHeader.Kind.reset, stream, [0, 0, 0, code])
  }

  func windowUpdate(_ stream: UInt32, _ increment: UInt32) -> [UInt8] {
    let bytes = withUnsafeBytes(of: increment.bigEndian) { Array($0) }
    return frame(FrameHeader.Kind.windowUpdate, stream, bytes)
  }

  let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
  let acknowledgement: [UInt8] = [0, 0, 0, 4, 1, 0, 0, 0, 0]
  func machine(_ limits: PortLimits = .standard, uptime: @escaping @Sendable () -> Duration = { .zero }) -> Machine {
    var machine = Machine(.withoutProviders(limits, uptime: uptime))
    _ = machine.settings()
    return machine
  }

  /// Returns a machine that has received the client's preface, but no acknowledgement.
  func greeted(_ limits: PortLimits = .standard, uptime: @escaping @Sendable () -> Duration = { .zero }) -> Machine {
    var machine = machine(limits, uptime: uptime)
    _ = steps(&machine, ProtocolDetector.preface + settings)
    return machine
  }

  func steps(
    _ machine: inout Machine, _ bytes: [UInt8], streams: [UInt32: HTTP2Connection.StreamState] = [:]
  ) -> [Step] {
    machine.receive(ByteBuffer(bytes: bytes))
    var result: [Step] = []
    while let step = machine.next({ streams[$0] ?? .closed }) {
      result.append(step)
      if case .end = step { break }
    }
    return result
  }

  func forwarded(_ steps: [Step]) -> [UInt8] {
    steps.flatMap { step -> [UInt8] in
      if case .forward(let bytes) = step { Array(bytes.readableBytesView) } else { [] }
    }
  }

  func end(_ steps: [Step]) -> HTTP2ErrorCode? {
    if case .end(let code, _)? = steps.last { code } else { nil }
  }

  @Test("A header is read and written as nine bytes")
  func header() throws {
    let bytes: [UInt8] = [0x01, 0x02, 0x03, 0x09, 0x2D, 0xFF, 0x02, 0x03, 0x04]
    let header = try #require(FrameHeader(at: 0, of: ByteBuffer(bytes: bytes)))
    #expect(header == FrameHeader(length: 0x010203, kind: 9, flags: 0x2D, stream: 0x7F02_0304))
    var written = ByteBuffer()
    header.write(to: &written)
    #expect(Array(written.readableBytesView) == [0x01, 0x02, 0x03, 0x09, 0x2D, 0x7F, 0x02, 0x03, 0x04])
    #expect(FrameHeader(at: 1, of: ByteBuffer(bytes: bytes)) == nil)
  }

  @Test("libnghttp2 gets the same bytes however they are cut, without the acknowledgement of our SETTINGS")
  func cuts() {
    let wire =
      ProtocolDetector.preface + settings + headers(1, ends: false) + acknowledgement
      + frame(FrameHeader.Kind.data, flags: 1, 1, Array(repeating: 7, count: 100)) + frame(0x16, 0, [1, 2, 3])
    let due =
      ProtocolDetector.preface + settings + headers(1, ends: false)
      + frame(FrameHeader.Kind.data, flags: 1, 1, Array(repeating: 7, count: 100)) + frame(0x16, 0, [1, 2, 3])
    for size in 1...wire.count {
      var machine = machine()
      var result: [Step] = []
      for start in stride(from: 0, to: wire.count, by: size) {
        result += steps(&machine, Array(wire[start..<min(start + size, wire.count)]), streams: [1: .receiving])
      }
      #expect(forwarded(result) == due)
      #expect(result.filter { $0 == .acknowledged }.count == 1)
      #expect(!machine.isWithinFrame)
    }
  }

  @Test("SETTINGS allow one stream, then as many as a provider may have")
  func advertised() {
    var machine = Machine(.withoutProviders())
    #expect(
      Array(machine.settings().readableBytesView)
        == [0, 0, 12, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0x80, 0])
    #expect(
      Array(machine.authenticated().readableBytesView)
        == [0, 0, 12, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0x03, 0xE8, 0, 6, 0, 0, 0x80, 0])
  }

  @Test("A session is made at the first complete header block, or other frame that is no greeting")
  func waking() {
    var machine = greeted()
    #expect(!machine.needsSession)
    _ = steps(&machine, [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1])
    _ = steps(&machine, acknowledgement)
    #expect(!machine.needsSession)
    for more in [settings, [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1], acknowledgement, headers(1), frame(0x16)] {
      var awake = machine
      _ = steps(&awake, more)
      #expect(awake.needsSession)
    }
    for (last, needs) in [
      (frame(FrameHeader.Kind.continuation, 1, [0x84]), false),
      (frame(FrameHeader.Kind.continuation, flags: 4, 1, [0x84]), true),
      (frame(FrameHeader.Kind.headers, 3, [0x84]), true), (settings, true),
    ] {
      var slow = machine
      _ = steps(&slow, frame(FrameHeader.Kind.headers, 1, [0x82]))
      #expect(!slow.needsSession)
      _ = steps(&slow, last)
      #expect(slow.needsSession == needs)
    }
    var stranger = self.machine()
    _ = steps(&stranger, ProtocolDetector.preface + [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1])
    #expect(stranger.needsSession)
  }

  @Test("Bytes that are not the preface, and a frame of the largest size and of one byte more")
  func sizes() {
    var stranger = machine()
    #expect(steps(&stranger, Array("PRI * HTTP/2".utf8)) == [])
    #expect(end(steps(&stranger, Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\rX".utf8))) == .protocolError)
    for (bytes, code) in [(16_384, nil), (16_385, HTTP2ErrorCode.frameSizeError)] {
      var machine = greeted()
      _ = steps(&machine, headers(1, ends: false))
      let data = frame(FrameHeader.Kind.data, 1, Array(repeating: 1, count: bytes))
      #expect(end(steps(&machine, data, streams: [1: .receiving])) == code)
    }
  }

  @Test("Before it has acknowledged the limit a client may open 1,000 streams; then one, until it has authenticated")
  func streams() {
    var machine = greeted()
    #expect(machine.admitsStream(beside: 999) && !machine.admitsStream(beside: 1_000))
    #expect(steps(&machine, acknowledgement) == [.acknowledged])
    #expect(machine.admitsStream(beside: 0) && !machine.admitsStream(beside: 1))
    _ = machine.authenticated()
    #expect(machine.admitsStream(beside: 999) && !machine.admitsStream(beside: 1_000))
    #expect(steps(&machine, acknowledgement) == [])
    // libnghttp2 refuses one acknowledgement too many.
    #expect(forwarded(steps(&machine, acknowledgement)) == acknowledgement)
  }

  @Test("Refused streams are accepted up to a limit, and frames on their way to them are no error")
  func refused() {
    var machine = greeted(.standard { $0.overheadFrames = 19 })
    _ = steps(&machine, headers(1, ends: false) + headers(3, ends: false))
    #expect(machine.streamRefused(1) == .reset(1, .refusedStream))
    let data = frame(FrameHeader.Kind.data, flags: 1, 1, [1])
    #expect(forwarded(steps(&machine, data)) == data)
    #expect(machine.streamRefused(3) == .reset(3, .refusedStream))
    #expect(end([machine.streamRefused(5)]) == .enhanceYourCalm)
  }

  @Test("HEADERS on a closed stream, and on one that was never opened")
  func closedStreams() {
    var machine = greeted()
    _ = steps(&machine, headers(1))
    #expect(end(steps(&machine, headers(1))) == .streamClosed)
    machine = greeted()
    _ = steps(&machine, headers(5))
    #expect(end(steps(&machine, headers(3))) == .protocolError)
    machine = greeted()
    _ = steps(&machine, headers(5))
    #expect(end(steps(&machine, headers(5))) == .streamClosed)
    // For an open stream, libnghttp2 decides.
    machine = greeted()
    _ = steps(&machine, headers(1))
    #expect(forwarded(steps(&machine, headers(1), streams: [1: .received])) == headers(1))
  }

  @Test("DATA on a closed stream ends the connection; for other streams libnghttp2 decides")
  func closedStreamsData() {
    let data = frame(FrameHeader.Kind.data, 3, Array(repeating: 1, count: 64))
    for (state, code) in [
      (HTTP2Connection.StreamState.closed, HTTP2ErrorCode.streamClosed), (.receiving, nil), (.received, nil),
      (.answered, nil),
    ] {
      var machine = greeted()
      #expect(forwarded(steps(&machine, data)) == data)
      _ = steps(&machine, headers(3))
      #expect(end(steps(&machine, data, streams: [3: state])) == code)
    }
  }

  @Test("Frames on their way to a stream that we reset are no error, for a limited number of streams")
  func givenUp() {
    var machine = greeted(.standard { $0.rememberedStreams = 2 })
    for stream in [1, 3, 5] as [UInt32] {
      _ = steps(&machine, headers(stream, ends: false))
      #expect(machine.resetSent(stream, code: 8, .receiving) == nil)
    }
    for (stream, bytes) in [
      (3, frame(FrameHeader.Kind.data, 3, [1, 2, 3])), (3, frame(FrameHeader.Kind.data, flags: 1, 3)),
      (5, frame(FrameHeader.Kind.data, 5, [1])), (5, headers(5)),
    ] as [(UInt32, [UInt8])] {
      #expect(forwarded(steps(&machine, bytes)) == bytes, "\(stream)")
    }
    for stream in [1, 3, 5] as [UInt32] {
      var copy = machine
      #expect(end(steps(&copy, frame(FrameHeader.Kind.data, stream, [1]))) == .streamClosed)
    }
    // Nothing is in flight on a stream that the client has ended.
    _ = steps(&machine, headers(7))
    _ = machine.resetSent(7, code: 8, .received)
    #expect(end(steps(&machine, frame(FrameHeader.Kind.data, 7, [1]))) == .streamClosed)
  }

  @Test(
    "Frames without use end the connection above a limit, which requests raise",
    arguments: [
      [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1],  // WINDOW_UPDATE
      [0, 0, 0, 0x16, 0, 0, 0, 0, 0],  // of unknown type
      [0, 0, 7, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],  // GOAWAY, too short to be one
      [0, 0, 1, 0, 0, 0, 0, 0, 1, 0],  // DATA of one byte
      [0, 0, 4, 3, 0, 0, 0, 0, 3, 0, 0, 0, 8],  // RST_STREAM of a stream that has its answer
    ] as [[UInt8]])
  func overhead(bytes: [UInt8]) {
    var limits = PortLimits.standard
    limits.overheadFrames = 3
    limits.overheadFramesPerRequest = 2
    var machine = greeted(limits)
    _ = steps(&machine, headers(1, ends: false) + headers(3))
    let streams: [UInt32: HTTP2Connection.StreamState] = [1: .receiving]
    for _ in 0..<3 { #expect(forwarded(steps(&machine, bytes, streams: streams)) == bytes) }
    _ = steps(&machine, headers(5))
    for _ in 0..<2 { #expect(forwarded(steps(&machine, bytes, streams: streams)) == bytes) }
    #expect(end(steps(&machine, bytes, streams: streams)) == .enhanceYourCalm)
  }

  @Test("DATA that ends a stream or has more than a few bytes is no overhead")
  func usefulData() {
    var limits = PortLimits.standard
    limits.overheadFrames = 0
    limits.smallDataBytes = 10
    var machine = greeted(limits)
    _ = steps(&machine, headers(1, ends: false) + headers(3, ends: false))
    let streams: [UInt32: HTTP2Connection.StreamState] = [1: .receiving, 3: .answered]
    let large = frame(FrameHeader.Kind.data, 1, Array(repeating: 1, count: limits.smallDataBytes))
    #expect(forwarded(steps(&machine, large, streams: streams)) == large)
    let last = frame(FrameHeader.Kind.data, flags: 1, 1, [1])
    #expect(forwarded(steps(&machine, last, streams: streams)) == last)
    let small = frame(FrameHeader.Kind.data, 3, Array(repeating: 1, count: limits.smallDataBytes - 1))
    #expect(end(steps(&machine, small, streams: streams)) == .enhanceYourCalm)
  }

  @Test(
    "The rate of frames is limited; old ones are forgiven",
    arguments: [
      [0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8],  // PING
      [0, 0, 0, 4, 0, 0, 0, 0, 0],  // SETTINGS
      [0, 0, 5, 2, 0, 0, 0, 0, 9, 0, 0, 0, 0, 1],  // PRIORITY
      [0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 8],  // RST_STREAM before the answer
    ] as [[UInt8]])
  func rates(bytes: [UInt8]) {
    var limits = PortLimits.standard
    limits.controlFramesPerWindow = 3
    limits.resetsPerWindow = 3
    let uptime = Mutex(Duration.zero)
    var machine = greeted(limits, uptime: { uptime.withLock { $0 } })
    _ = steps(&machine, headers(1))
    // The client's first SETTINGS count too.
    uptime.withLock { $0 += .seconds(10) }
    let streams: [UInt32: HTTP2Connection.StreamState] = [1: .received]
    for _ in 0..<3 { #expect(forwarded(steps(&machine, bytes, streams: streams)) == bytes) }
    uptime.withLock { $0 += .seconds(10) }
    #expect(forwarded(steps(&machine, bytes, streams: streams)) == bytes)
    #expect(end(steps(&machine, bytes, streams: streams)) == .enhanceYourCalm)
  }

  @Test("Malformed streams are counted by our resets other than CANCEL and REFUSED_STREAM")
  func malformed() {
    var machine = greeted(.standard { $0.streamErrorsPerWindow = 1 })
    for code in [7, 8] as [UInt32] { #expect(machine.resetSent(1, code: code, .received) == nil) }
    #expect(machine.resetSent(3, code: 1, .received) == nil)
    #expect(machine.resetSent(5, code: 1, .received).flatMap { end([$0]) } == .enhanceYourCalm)
  }

  @Test("libnghttp2 judges a reset that is malformed or of a stream that was never opened")
  func resetsOfNone() {
    var limits = PortLimits.standard
    limits.overheadFrames = 0
    limits.resetsPerWindow = 0
    var machine = greeted(limits)
    _ = steps(&machine, headers(1))
    for bytes in [reset(3), reset(2), reset(0), frame(FrameHeader.Kind.reset, 1, [0, 0, 5])] {
      #expect(forwarded(steps(&machine, bytes)) == bytes)
    }
    // No other frame may come within a header block.
    _ = steps(&machine, frame(FrameHeader.Kind.headers, flags: 1, 3, [0x82]))
    #expect(forwarded(steps(&machine, reset(1))) == reset(1))
  }

  @Test("The last stream is the highest whose request was accepted")
  func lastStream() {
    var machine = greeted()
    _ = steps(&machine, headers(1) + headers(3) + headers(5))
    for stream in [1, 3] as [UInt32] { machine.streamOpened(stream) }
    #expect(machine.lastStream == 3)
  }

  @Test("WINDOW_UPDATE of 0 on a stream resets it, open or not; libnghttp2 judges other ones")
  func windows() {
    for state in [HTTP2Connection.StreamState.closed, .receiving, .received, .answered] {
      var machine = greeted()
      _ = steps(&machine, headers(1, ends: false))
      for increment in [0, 0x8000_0000] as [UInt32] {
        let bytes = windowUpdate(1, increment)
        #expect(steps(&machine, bytes, streams: [1: state]) == [.reset(1, .protocolError)])
        // The frame may be cut anywhere.
        for cut in 1..<bytes.count {
          #expect(steps(&machine, Array(bytes[..<cut]), streams: [1: state]) == [])
          #expect(machine.isWithinFrame)
          #expect(steps(&machine, Array(bytes[cut...]), streams: [1: state]) == [.reset(1, .protocolError)])
        }
      }
      for bytes in [
        windowUpdate(1, 0x7FFF_FFFF), windowUpdate(0, 0), windowUpdate(2, 0), windowUpdate(3, 0),
        frame(FrameHeader.Kind.windowUpdate, 1, [0, 0, 0]),
      ] { #expect(forwarded(steps(&machine, bytes, streams: [1: state])) == bytes) }
    }
  }

  @Test("As many CONTINUATION frames as are allowed, and one more")
  func continuations() {
    var machine = greeted(.standard { $0.continuationFrames = 2 })
    let streams: [UInt32: HTTP2Connection.StreamState] = [1: .receiving]
    let begun = frame(FrameHeader.Kind.headers, 1, [0x82])
    let more = frame(FrameHeader.Kind.continuation, 1, [0x82])
    let last = frame(FrameHeader.Kind.continuation, flags: 4, 1, [0x82])
    for _ in 0..<2 {
      let bytes = begun + more + last
      #expect(forwarded(steps(&machine, bytes, streams: streams)) == bytes)
    }
    #expect(end(steps(&machine, begun + more + more + last, streams: streams)) == .enhanceYourCalm)
  }

  @Test("An unfinished frame or header block is reported, and frames are counted")
  func withinFrames() {
    var machine = greeted()
    #expect(!machine.isWithinFrame)
    _ = steps(&machine, [0, 0])
    #expect(machine.isWithinFrame)
    _ = steps(&machine, [8, 6, 0, 0, 0, 0, 0])
    let count = machine.frameCount
    _ = steps(&machine, [1, 2, 3])
    #expect(machine.isWithinFrame && machine.frameCount == count)
    _ = steps(&machine, [4, 5, 6, 7, 8])
    #expect(!machine.isWithinFrame)
    _ = steps(&machine, frame(FrameHeader.Kind.headers, flags: 1, 1, [0x82]))
    let block = machine.frameCount
    #expect(machine.isWithinFrame && block == count + 2)
    _ = steps(&machine, frame(FrameHeader.Kind.continuation, 1, [0x84]))
    #expect(machine.isWithinFrame && machine.frameCount == block)
    _ = steps(&machine, frame(FrameHeader.Kind.continuation, flags: 4, 1, [0x87]))
    #expect(!machine.isWithinFrame)
  }

  @Test("GOAWAY is reported, and not passed to libnghttp2")
  func goAway() {
    var machine = greeted()
    #expect(steps(&machine, frame(FrameHeader.Kind.goAway, 0, Array(repeating: 0, count: 9))) == [.clientGoesAway])
  }
}
