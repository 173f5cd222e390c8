// What the gate before NIO decides, frame by frame, without a socket. Whole connections are in Tests/Clients.

import NIOCore
import NIOHTTP2
import Testing

@testable import PushGateway

@Suite("The gate before HTTP/2")
struct FrameGateTests {
  typealias Step = FrameGate.StateMachine.Step

  func frame(_ kind: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
    var buffer = ByteBuffer()
    FrameHeader(length: payload.count, kind: kind, flags: flags, stream: stream).write(to: &buffer)
    buffer.writeBytes(payload)
    return Array(buffer.readableBytesView)
  }

  func headers(_ stream: UInt32, ends: Bool = true) -> [UInt8] {
    frame(FrameHeader.Kind.headers, flags: ends ? 5 : 4, stream: stream, [0x82])
  }

  func reset(_ stream: UInt32, _ code: UInt8 = 5) -> [UInt8] {
    frame(FrameHeader.Kind.reset, stream: stream, [0, 0, 0, code])
  }

  func windowUpdate(_ stream: UInt32, _ increment: UInt32) -> [UInt8] {
    let bytes = withUnsafeBytes(of: increment.bigEndian) { Array($0) }
    return frame(FrameHeader.Kind.windowUpdate, stream: stream, bytes)
  }

  /// We end a stream.
  func answer(_ machine: inout FrameGate.StateMachine, _ stream: UInt32, body: Int = 0) {
    if body > 0 {
      // As NIO writes it: the header by itself.
      var head = ByteBuffer()
      FrameHeader(length: body, kind: FrameHeader.Kind.data, flags: 1, stream: stream).write(to: &head)
      check(machine.send(&head), true)
      var bytes = ByteBuffer(repeating: 7, count: body)
      check(machine.send(&bytes), true)
    } else {
      var bytes = ByteBuffer(bytes: headers(stream))
      check(machine.send(&bytes), true)
    }
  }

  let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
  let acknowledgement: [UInt8] = [0, 0, 0, 4, 1, 0, 0, 0, 0]
  /// A machine that has been greeted, and has not been acknowledged.
  func greeted(_ limits: GatewayLimits = .standard) -> FrameGate.StateMachine {
    var machine = FrameGate.StateMachine(limits: limits)
    _ = machine.greeting()
    _ = steps(&machine, ProtocolDetector.preface + settings)
    return machine
  }

  func steps(_ machine: inout FrameGate.StateMachine, _ bytes: [UInt8]) -> [Step] {
    var buffer = ByteBuffer(bytes: bytes)
    var result: [Step] = []
    while let step = machine.next(&buffer) { result.append(step) }
    return result
  }

  func forwarded(_ steps: [Step]) -> [UInt8] {
    steps.flatMap { step -> [UInt8] in
      if case .forward(let bytes) = step { Array(bytes.readableBytesView) } else { [] }
    }
  }

  /// `#expect` takes no `inout`.
  func check(_ found: Bool, _ due: Bool) {
    #expect(found == due)
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

  @Test("However the bytes are cut, NIO gets the same, without the acknowledgement of what it was not told")
  func cuts() {
    let wire =
      ProtocolDetector.preface + settings + headers(1, ends: false) + acknowledgement
      + frame(FrameHeader.Kind.data, flags: 1, stream: 1, Array(repeating: 7, count: 100)) + frame(0x16, [1, 2, 3])
    let due =
      ProtocolDetector.preface + settings + headers(1, ends: false)
      + frame(FrameHeader.Kind.data, flags: 1, stream: 1, Array(repeating: 7, count: 100)) + frame(0x16, [1, 2, 3])
    for size in 1...wire.count {
      var machine = FrameGate.StateMachine(limits: .standard)
      _ = machine.greeting()
      var result: [Step] = []
      for start in stride(from: 0, to: wire.count, by: size) {
        result += steps(&machine, Array(wire[start..<min(start + size, wire.count)]))
      }
      #expect(forwarded(result) == due)
      #expect(result.filter { $0 == .greeted }.count == 1)
      #expect(result.filter { $0 == .acknowledged }.count == 1)
      #expect(!machine.isWithinFrame)
    }
  }

  @Test("The client is told of one stream, then of as many as a provider may have")
  func advertised() {
    var machine = FrameGate.StateMachine(limits: .standard)
    #expect(
      Array(machine.greeting().readableBytesView)
        == [0, 0, 12, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0x80, 0])
    #expect(Array(machine.authenticated().readableBytesView) == [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0x03, 0xE8])
  }

  @Test("HTTP/2 is needed from the first frame on that is no greeting, and sends no greeting of its own then")
  func waking() {
    var machine = greeted()
    #expect(!machine.needsHTTP2)
    _ = steps(&machine, [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1])
    _ = steps(&machine, acknowledgement)
    #expect(!machine.needsHTTP2)
    for more in [settings, [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1], acknowledgement, headers(1), frame(0x16)] {
      var awake = machine
      _ = steps(&awake, more)
      #expect(awake.needsHTTP2)
    }
    var stranger = FrameGate.StateMachine(limits: .standard)
    _ = steps(&stranger, Array("PRI * HTTP/1".utf8))
    #expect(stranger.needsHTTP2)

    #expect(Array(machine.acknowledgement().readableBytesView) == acknowledgement)
    var sent = ByteBuffer(bytes: settings)
    check(machine.send(&sent), false)
    check(machine.send(&sent), true)
    sent = ByteBuffer(bytes: acknowledgement)
    check(machine.send(&sent), false)
    check(machine.send(&sent), true)
  }

  @Test("Before it has heard of the limit a client may open 1,000 streams, not one more")
  func unacknowledged() {
    var machine = greeted()
    for number in 0..<1_000 {
      #expect(machine.admitsStream)
      machine.streamOpened(UInt32(2 * number + 1))
    }
    #expect(!machine.admitsStream)
    machine.streamClosed(1)
    #expect(machine.admitsStream)
  }

  @Test("Then one, until it has shown who it is")
  func acknowledged() {
    var machine = greeted()
    #expect(steps(&machine, acknowledgement) == [.acknowledged])
    machine.streamOpened(1)
    #expect(!machine.admitsStream)
    _ = machine.authenticated()
    for number in 1..<1_000 {
      #expect(machine.admitsStream)
      machine.streamOpened(UInt32(2 * number + 1))
    }
    #expect(!machine.admitsStream)
    #expect(steps(&machine, acknowledgement) == [])
    // One acknowledgement too many is NIO's to refuse.
    #expect(forwarded(steps(&machine, acknowledgement)) == acknowledgement)
  }

  @Test("Refused streams are forgiven up to a limit")
  func refused() {
    var limits = GatewayLimits.standard
    limits.overheadFrames = 18
    var machine = greeted(limits)
    #expect(machine.streamRefused() == nil)
    #expect(machine.streamRefused() == nil)
    #expect(machine.streamRefused().flatMap { end([$0]) } == .enhanceYourCalm)
  }

  @Test("HEADERS on a closed stream, and on one that never was")
  func closedStreams() {
    var machine = greeted()
    _ = steps(&machine, headers(1))
    #expect(end(steps(&machine, headers(1))) == .streamClosed)
    machine = greeted()
    _ = steps(&machine, headers(5))
    // Number 3 was passed over: NIO says PROTOCOL_ERROR.
    #expect(forwarded(steps(&machine, headers(3))) == headers(3))
    #expect(end(steps(&machine, headers(5))) == .streamClosed)
  }

  @Test("HEADERS on a half-closed stream: NIO's reset gets the right code")
  func halfClosed() {
    var machine = greeted()
    _ = steps(&machine, headers(1))
    machine.streamOpened(1)
    #expect(forwarded(steps(&machine, headers(1))) == headers(1))
    var reset = ByteBuffer(bytes: frame(FrameHeader.Kind.reset, stream: 1, [0, 0, 0, 1]))
    check(machine.send(&reset), true)
    #expect(Array(reset.readableBytesView) == frame(FrameHeader.Kind.reset, stream: 1, [0, 0, 0, 5]))
    // Another's payload that looks like a reset stays as it is.
    var head = ByteBuffer(bytes: [0, 0, 13, 0, 0, 0, 0, 0, 3])
    check(machine.send(&head), true)
    _ = steps(&machine, headers(1))
    var lookalike = ByteBuffer(bytes: frame(FrameHeader.Kind.reset, stream: 1, [0, 0, 0, 1]))
    check(machine.send(&lookalike), true)
    #expect(Array(lookalike.readableBytesView) == frame(FrameHeader.Kind.reset, stream: 1, [0, 0, 0, 1]))
  }

  @Test("What is on its way to a stream that we reset is no error, and is credited; only so many are remembered")
  func givenUp() {
    var limits = GatewayLimits.standard
    limits.rememberedStreams = 2
    var machine = greeted(limits)
    for stream in [1, 3, 5] as [UInt32] {
      _ = steps(&machine, headers(stream, ends: false))
      var reset = ByteBuffer(bytes: frame(FrameHeader.Kind.reset, stream: stream, [0, 0, 0, 7]))
      check(machine.send(&reset), true)
    }
    let forgotten = frame(FrameHeader.Kind.data, stream: 1, [1, 2, 3])
    #expect(forwarded(steps(&machine, forgotten)) == forgotten)
    #expect(steps(&machine, frame(FrameHeader.Kind.data, stream: 3, [1, 2, 3])) == [.credit(3)])
    #expect(steps(&machine, frame(FrameHeader.Kind.data, flags: 1, stream: 3, [])) == [])
    let ended = frame(FrameHeader.Kind.data, stream: 3, [1])
    #expect(forwarded(steps(&machine, ended)) == ended)
    #expect(steps(&machine, frame(FrameHeader.Kind.data, stream: 5, [1])) == [.credit(1)])
  }

  @Test(
    "Frames that ask for nothing end the connection, one past the limit; requests forgive some",
    arguments: [
      [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1],  // WINDOW_UPDATE
      [0, 0, 0, 0x16, 0, 0, 0, 0, 0],  // of unknown type
      [0, 0, 7, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],  // GOAWAY, too short to be one
      [0, 0, 1, 0, 0, 0, 0, 0, 1, 0],  // DATA of one byte
    ] as [[UInt8]])
  func overhead(bytes: [UInt8]) {
    var limits = GatewayLimits.standard
    limits.overheadFrames = 3
    limits.overheadFramesPerRequest = 2
    var machine = greeted(limits)
    _ = steps(&machine, headers(1, ends: false))
    for _ in 0..<3 { #expect(forwarded(steps(&machine, bytes)) == bytes) }
    _ = steps(&machine, headers(3))
    for _ in 0..<2 { #expect(forwarded(steps(&machine, bytes)) == bytes) }
    #expect(end(steps(&machine, bytes)) == .enhanceYourCalm)
  }

  @Test("DATA of a stream's end, or of more than a few bytes, is no overhead")
  func usefulData() {
    var limits = GatewayLimits.standard
    limits.overheadFrames = 0
    var machine = greeted(limits)
    _ = steps(&machine, headers(1, ends: false))
    let large = frame(FrameHeader.Kind.data, stream: 1, Array(repeating: 1, count: limits.smallDataBytes))
    #expect(forwarded(steps(&machine, large)) == large)
    let last = frame(FrameHeader.Kind.data, flags: 1, stream: 1, [1])
    #expect(forwarded(steps(&machine, last)) == last)
    _ = steps(&machine, headers(3, ends: false))
    let small = frame(FrameHeader.Kind.data, stream: 3, Array(repeating: 1, count: limits.smallDataBytes - 1))
    #expect(end(steps(&machine, small)) == .enhanceYourCalm)
  }

  @Test("A reset of a stream that has its answer is no abuse, and NIO, which counts it, does not hear of it")
  func resetOfAnswered() {
    var machine = greeted()
    // Ended on both sides: NIO has forgotten it.
    _ = steps(&machine, headers(1))
    machine.streamOpened(1)
    answer(&machine, 1)
    machine.streamClosed(1)
    #expect(steps(&machine, reset(1)) == [])
    // Answered before its body ended: NIO has to let go of it, and what it says of that is not for the wire.
    _ = steps(&machine, headers(3, ends: false))
    machine.streamOpened(3)
    answer(&machine, 3, body: 20)
    #expect(steps(&machine, reset(3)) == [.release(3)])
    var own = ByteBuffer(bytes: reset(3, 8))
    check(machine.send(&own), false)
    machine.streamClosed(3)
    check(machine.send(&own), true)
    // In pieces too.
    #expect(steps(&machine, Array(reset(3).prefix(4))) == [])
    #expect(steps(&machine, Array(reset(3).dropFirst(4).prefix(6))) == [])
    #expect(steps(&machine, Array(reset(3).suffix(3))) == [])
    #expect(!machine.isWithinFrame)
  }

  @Test("A reset before the answer, of a stream that never was, or malformed, is NIO's to judge")
  func resetForNIO() {
    var machine = greeted()
    _ = steps(&machine, headers(1, ends: false))
    machine.streamOpened(1)
    #expect(forwarded(steps(&machine, reset(3))) == reset(3))
    #expect(forwarded(steps(&machine, reset(2))) == reset(2))
    #expect(forwarded(steps(&machine, reset(0))) == reset(0))
    #expect(forwarded(steps(&machine, reset(1))) == reset(1))
    machine.streamClosed(1)
    let short = frame(FrameHeader.Kind.reset, stream: 1, [0, 0, 5])
    #expect(forwarded(steps(&machine, short)) == short)
    // Within a header block nothing else may come.
    _ = steps(&machine, frame(FrameHeader.Kind.headers, flags: 1, stream: 3, [0x82]))
    #expect(forwarded(steps(&machine, reset(1))) == reset(1))
  }

  @Test("As many resets of answered streams as frames may ask for nothing, and one more; requests forgive some")
  func resetsOfAnswered() {
    var limits = GatewayLimits.standard
    limits.overheadFrames = 3
    limits.overheadFramesPerRequest = 1
    var machine = greeted(limits)
    for number in 0..<100 as Range<UInt32> {
      _ = steps(&machine, headers(2 * number + 1))
      #expect(steps(&machine, reset(2 * number + 1)) == [])
    }
    for _ in 0..<2 { #expect(steps(&machine, reset(1)) == []) }
    #expect(end(steps(&machine, reset(1))) == .enhanceYourCalm)
  }

  @Test("NIO's GOAWAY names the last stream that it took up, unless nothing is wrong yet")
  func lastStream() {
    func goAway(_ last: [UInt8], _ code: UInt8, _ data: [UInt8] = []) -> [UInt8] {
      frame(FrameHeader.Kind.goAway, last + [0, 0, 0, code] + data)
    }
    let highest: [UInt8] = [0x7F, 0xFF, 0xFF, 0xFF]
    for (sent, due) in [
      (goAway(highest, 1), goAway([0, 0, 0, 3], 1)), (goAway([0, 0, 0, 0], 11), goAway([0, 0, 0, 3], 11)),
      (goAway(highest, 0, [1, 2]), goAway(highest, 0, [1, 2])),
    ] {
      var machine = greeted()
      _ = steps(&machine, headers(1) + headers(3) + headers(5))
      machine.streamOpened(1)
      machine.streamOpened(3)
      machine.streamClosed(3)
      var bytes = ByteBuffer(bytes: sent)
      check(machine.send(&bytes), true)
      #expect(Array(bytes.readableBytesView) == due)
      #expect(machine.hasEnded == (due[16] != 0))
    }
  }

  @Test("WINDOW_UPDATE of a stream that we have not ended is NIO's to judge")
  func windowsForNIO() {
    var machine = greeted()
    _ = steps(&machine, headers(1, ends: false))
    machine.streamOpened(1)
    for update in [
      windowUpdate(1, 0), windowUpdate(1, 0x7FFF_FFFF), windowUpdate(1, 0x7FFF_FFFF), windowUpdate(0, 0),
      windowUpdate(2, 1), windowUpdate(3, 1), frame(FrameHeader.Kind.windowUpdate, stream: 1, [0, 0, 0]),
    ] { #expect(forwarded(steps(&machine, update)) == update) }
    _ = steps(&machine, frame(FrameHeader.Kind.headers, flags: 0, stream: 3, [0x82]))
    #expect(forwarded(steps(&machine, windowUpdate(1, 1))) == windowUpdate(1, 1))
  }

  @Test(
    "WINDOW_UPDATE errors of a stream that we have ended, and of one that we reset", arguments: [false, true])
  func windowsOfEnded(isReset: Bool) {
    func ended() -> FrameGate.StateMachine {
      var machine = greeted()
      _ = steps(&machine, headers(1, ends: false))
      machine.streamOpened(1)
      if isReset {
        var own = ByteBuffer(bytes: reset(1, 8))
        check(machine.send(&own), true)
        machine.streamClosed(1)
      } else {
        answer(&machine, 1)
      }
      return machine
    }
    var zero = ended()
    #expect(steps(&zero, windowUpdate(1, 1)) == [])
    #expect(steps(&zero, windowUpdate(1, 0)) == [.reset(1, .protocolError)])
    var bit = ended()
    #expect(steps(&bit, windowUpdate(1, 0x8000_0000)) == [.reset(1, .protocolError)])
    var exact = ended()
    #expect(steps(&exact, windowUpdate(1, 0x7FFF_FFFE) + windowUpdate(1, 1)) == [])
    #expect(steps(&exact, windowUpdate(1, 1)) == [.reset(1, .flowControlError)])
    // Said once, it counts anew.
    #expect(steps(&exact, windowUpdate(1, 0x7FFF_FFFF)) == [])
    // However it is cut.
    let twice = windowUpdate(1, 0x7FFF_FFFF) + windowUpdate(1, 0x7FFF_FFFF)
    for size in 1...twice.count {
      var machine = ended()
      var result: [Step] = []
      for start in stride(from: 0, to: twice.count, by: size) {
        result += steps(&machine, Array(twice[start..<min(start + size, twice.count)]))
      }
      #expect(result == [.reset(1, .flowControlError)])
      #expect(!machine.isWithinFrame)
    }
  }
}
