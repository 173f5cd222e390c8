// Decides by the nine bytes before every frame, without a socket. NIO's own state machine does HTTP/2; this one stands
// before it, where NIO is stricter than real clients are, or too patient with hostile ones.

import NIOCore
import NIOHTTP2

extension FrameGate {
  struct StateMachine {
    enum Step: Hashable {
      /// For NIO.
      case forward(ByteBuffer)
      /// The client's first SETTINGS are through.
      case greeted
      /// The client has acknowledged our first SETTINGS; NIO does not see that.
      case acknowledged
      /// So many bytes of DATA were thrown away: the client may send as many again.
      case credit(Int)
      /// The client has reset a stream that has its answer: NIO has to forget it, and nothing is sent.
      case release(UInt32)
      /// Reset a stream, whether or not NIO still has it.
      case reset(UInt32, HTTP2ErrorCode)
      /// The client opens no more streams.
      case clientGoesAway
      /// End the connection.
      case end(HTTP2ErrorCode, String)
    }

    private enum Position: Hashable {
      case preface(bytesLeft: Int)
      case header
      case payload(bytesLeft: Int, isForwarded: Bool)
    }

    let limits: GatewayLimits
    private var position = Position.preface(bytesLeft: ProtocolDetector.preface.count)
    /// The beginning of what is judged as one and came in pieces: a header, or a whole WINDOW_UPDATE.
    private var partial = ByteBuffer()
    private var isInHeaderBlock = false
    /// Due once the payload of the frame at hand is through.
    private var pending: Step?

    private var highestStream: UInt32 = 0
    /// The last that NIO took up, and so the last that may have had an effect.
    private(set) var lastStream: UInt32 = 0
    /// The last number that the client passed over, so that a stream of a lower one may never have been.
    private var lastSkippedStream: UInt32 = 0
    /// Streams that the client has not ended.
    var receiving: Set<UInt32> = []
    /// Streams that exist in NIO.
    private var active: Set<UInt32> = []
    /// Of those, the ones that we have ended and the client has not.
    var answered: Set<UInt32> = []
    /// Streams of which NIO's reset is not for the wire.
    var released: Set<UInt32> = []
    /// What the client has granted on streams that it has not ended.
    var windows = StreamWindows()
    /// Streams that we reset before the client had ended them, the latest last: what is on its way is no error.
    var givenUp: [UInt32] = []
    /// Half-closed streams with HEADERS on their way to NIO.
    var misplacedHeaders: Set<UInt32> = []

    var unacknowledgedSettings = 0
    private(set) var isAcknowledged = false
    var isAuthenticated: Bool
    private var clientHasGoneAway = false
    private var overheadFrames = 0

    /// Whether anything came that takes more than a greeting.
    private(set) var needsHTTP2 = false
    private var hasClientSettings = false
    var hasAcknowledgedForNIO = false
    var hasDroppedSettings = false
    /// Whether NIO has said that the connection ends, and what was wrong with it.
    var hasEnded = false
    var outboundPayloadLeft = 0

    init(limits: GatewayLimits, isAuthenticated: Bool = false) {
      self.limits = limits
      self.isAuthenticated = isAuthenticated
    }

    // MARK: What the client sends

    /// The next thing to do with what has arrived; nil where it takes more bytes.
    mutating func next(_ buffer: inout ByteBuffer) -> Step? {
      while true {
        if position == .header, let step = pending {
          pending = nil
          return step
        }
        guard buffer.readableBytes > 0 else { return nil }
        if let step = advance(&buffer) { return step }
      }
    }

    /// Whether the client has begun something that it has not ended: a frame, or a block of them.
    var isWithinFrame: Bool { position != .header || partial.readableBytes > 0 || isInHeaderBlock }

    /// Counts frames, a header block as one, so that one slow frame differs from many quick ones.
    private(set) var frameCount = 0

    /// Takes something from the buffer. Nil where that was not for NIO, or not all of it.
    private mutating func advance(_ buffer: inout ByteBuffer) -> Step? {
      switch position {
      case .preface(let bytesLeft):
        let count = min(bytesLeft, buffer.readableBytes)
        position = count == bytesLeft ? .header : .preface(bytesLeft: bytesLeft - count)
        guard let bytes = buffer.readSlice(length: count) else { return nil }
        let expected = ProtocolDetector.preface.suffix(bytesLeft).prefix(count)
        if !bytes.readableBytesView.elementsEqual(expected) { needsHTTP2 = true }
        return .forward(bytes)
      case .header:
        return beginFrame(&buffer)
      case .payload(let bytesLeft, let isForwarded):
        let count = min(bytesLeft, buffer.readableBytes)
        position = count == bytesLeft ? .header : .payload(bytesLeft: bytesLeft - count, isForwarded: isForwarded)
        let bytes = buffer.readSlice(length: count)
        return isForwarded ? bytes.map { .forward($0) } : nil
      }
    }

    private mutating func beginFrame(_ buffer: inout ByteBuffer) -> Step? {
      let bytes: ByteBuffer
      let header: FrameHeader
      if partial.readableBytes == 0, let whole = FrameHeader(at: buffer.readerIndex, of: buffer),
        buffer.readableBytes >= whole.judgedBytes
      {
        // As a rule a frame is there in one piece, and goes on as one.
        header = whole
        let count = min(FrameHeader.size + header.length, buffer.readableBytes)
        guard let slice = buffer.readSlice(length: count) else { return nil }
        bytes = slice
      } else {
        guard fillPartial(&buffer, to: FrameHeader.size),
          let whole = FrameHeader(at: partial.readerIndex, of: partial), fillPartial(&buffer, to: whole.judgedBytes)
        else { return nil }
        header = whole
        bytes = partial
        partial = ByteBuffer()
      }
      switch judge(header, bytes) {
      case .refuse(let code, let problem):
        return .end(code, problem)
      case .pass(let isForwarded):
        let bytesLeft = FrameHeader.size + header.length - bytes.readableBytes
        if bytesLeft > 0 { position = .payload(bytesLeft: bytesLeft, isForwarded: isForwarded) }
        return isForwarded ? .forward(bytes) : nil
      }
    }

    /// Whether so much is there now.
    private mutating func fillPartial(_ buffer: inout ByteBuffer, to count: Int) -> Bool {
      let missing = count - partial.readableBytes
      guard missing > 0 else { return true }
      guard var piece = buffer.readSlice(length: min(missing, buffer.readableBytes)) else { return false }
      partial.writeBuffer(&piece)
      return partial.readableBytes == count
    }

    private enum Decision {
      case pass(isForwarded: Bool)
      case refuse(HTTP2ErrorCode, String)

      var step: Step? {
        if case .refuse(let code, let problem) = self { .end(code, problem) } else { nil }
      }
    }

    /// - Parameter bytes: of the frame, as far as they are there.
    private mutating func judge(_ header: FrameHeader, _ bytes: ByteBuffer) -> Decision {
      let isOutOfPlace = isInHeaderBlock
      if header.kind != FrameHeader.Kind.continuation { frameCount &+= 1 }
      if !isPartOfGreeting(header) { needsHTTP2 = true }
      // A frame that may not come within a header block ends the wait for its end: NIO refuses it at once.
      if header.kind != FrameHeader.Kind.continuation { isInHeaderBlock = false }
      switch header.kind {
      case FrameHeader.Kind.headers:
        isInHeaderBlock = !header.endsHeaders
        return judgeHeaders(header)
      case FrameHeader.Kind.continuation:
        if header.endsHeaders { isInHeaderBlock = false }
      case FrameHeader.Kind.data:
        return judgeData(header)
      case FrameHeader.Kind.reset where !isOutOfPlace:
        return judgeReset(header)
      case FrameHeader.Kind.windowUpdate where !isOutOfPlace:
        return judgeWindowUpdate(header, bytes)
      case FrameHeader.Kind.settings where header.stream == 0:
        return judgeSettings(header)
      case FrameHeader.Kind.goAway:
        if header.stream == 0 && header.length >= 8 { pending = .clientGoesAway }
        return countOverhead()
      case FrameHeader.Kind.priority, FrameHeader.Kind.ping, FrameHeader.Kind.settings, FrameHeader.Kind.reset:
        break  // NIO counts these, or ends the connection.
      default:
        return countOverhead()
      }
      return .pass(isForwarded: true)
    }

    /// Whether the frame is part of a greeting.
    private func isPartOfGreeting(_ header: FrameHeader) -> Bool {
      guard header.stream == 0 else { return false }
      return switch header.kind {
      case FrameHeader.Kind.settings:
        header.isAcknowledgement ? unacknowledgedSettings > 0 && header.length == 0 : !hasClientSettings
      case FrameHeader.Kind.windowUpdate: !isAcknowledged && header.length == 4
      default: false
      }
    }

    private mutating func judgeHeaders(_ header: FrameHeader) -> Decision {
      let stream = header.stream
      // Stream 0 and even ones are NIO's to refuse.
      guard stream % 2 == 1 else { return .pass(isForwarded: true) }
      if stream > highestStream {
        if stream > highestStream + 2 || highestStream == 0 && stream > 1 { lastSkippedStream = stream - 2 }
        highestStream = stream
        overheadFrames = max(0, overheadFrames - limits.overheadFramesPerRequest)
        if !header.endsStream { receiving.insert(stream) }
      } else if receiving.contains(stream) {
        if header.endsStream { receptionEnded(of: stream) }
      } else if active.contains(stream) {
        // NIO resets it, as it should, but calls it PROTOCOL_ERROR.
        misplacedHeaders.insert(stream)
      } else if stream > lastSkippedStream {
        return .refuse(.streamClosed, "HEADERS on a closed stream")
      }
      return .pass(isForwarded: true)
    }

    private mutating func judgeData(_ header: FrameHeader) -> Decision {
      if receiving.contains(header.stream) {
        if header.endsStream {
          receptionEnded(of: header.stream)
        } else if header.length < limits.smallDataBytes {
          return countOverhead()
        }
      } else if let index = givenUp.lastIndex(of: header.stream) {
        if header.endsStream {
          givenUp.remove(at: index)
          windows.forget(header.stream)
        }
        if header.length > 0 { pending = .credit(header.length) }
        return drop()
      }
      return .pass(isForwarded: true)
    }

    /// libcurl 7.88 resets each stream that it has the answer of. NIO would count that as abuse, which a reset is that comes
    /// before the answer.
    private mutating func judgeReset(_ header: FrameHeader) -> Decision {
      let stream = header.stream
      receptionEnded(of: stream)
      givenUp.removeAll { $0 == stream }
      // What is malformed is NIO's to refuse.
      guard header.length == 4 && stream % 2 == 1 && stream <= highestStream else { return .pass(isForwarded: true) }
      if active.contains(stream) {
        guard answered.remove(stream) != nil else { return .pass(isForwarded: true) }
        released.insert(stream)
        pending = .release(stream)
      }
      return drop()
    }

    /// NIO does not look at the window of a stream that we have ended.
    private mutating func judgeWindowUpdate(_ header: FrameHeader, _ bytes: ByteBuffer) -> Decision {
      let stream = header.stream
      guard stream % 2 == 1 && stream <= highestStream && header.length == 4,
        let word = bytes.getInteger(at: bytes.readerIndex + FrameHeader.size, as: UInt32.self)
      else { return countOverhead() }
      let increment = Int(word & 0x7FFF_FFFF)
      let isReceiving = receiving.contains(stream) || givenUp.contains(stream)
      let overflows = isReceiving && windows.grant(increment, on: stream)
      if active.contains(stream) && !answered.contains(stream) { return countOverhead() }
      if increment == 0 {
        pending = .reset(stream, .protocolError)
      } else if overflows {
        pending = .reset(stream, .flowControlError)
      }
      return drop()
    }

    /// The client sends nothing more on a stream.
    mutating func receptionEnded(of stream: UInt32) {
      receiving.remove(stream)
      windows.forget(stream)
    }

    private mutating func judgeSettings(_ header: FrameHeader) -> Decision {
      if header.isAcknowledgement {
        guard header.length == 0 && unacknowledgedSettings > 0 else { return .pass(isForwarded: true) }
        unacknowledgedSettings -= 1
        if !isAcknowledged {
          isAcknowledged = true
          pending = .acknowledged
        }
        return .pass(isForwarded: false)
      }
      if !hasClientSettings {
        hasClientSettings = true
        pending = .greeted
      }
      return .pass(isForwarded: true)
    }

    private mutating func countOverhead(_ count: Int = 1) -> Decision {
      overheadFrames += count
      return overheadFrames > limits.overheadFrames
        ? .refuse(.enhanceYourCalm, "too many frames that ask for nothing") : .pass(isForwarded: true)
    }

    /// NIO does not see the frame, and it counts as overhead.
    private mutating func drop() -> Decision {
      let overhead = countOverhead()
      return overhead.step == nil ? .pass(isForwarded: false) : overhead
    }

    // MARK: Streams, as NIO reports them

    /// Whether one more stream is within the limit that the client has acknowledged.
    var admitsStream: Bool { active.count < streamLimit }

    private var streamLimit: Int {
      isAuthenticated || !isAcknowledged ? limits.streams : limits.streamsBeforeFirstToken
    }

    mutating func streamOpened(_ stream: UInt32) {
      active.insert(stream)
      lastStream = max(lastStream, stream)
    }

    mutating func streamClosed(_ stream: UInt32) {
      active.remove(stream)
      answered.remove(stream)
      released.remove(stream)
    }

    /// A stream too many was refused.
    ///
    /// - Returns: how the connection ends, where it were too many of those.
    mutating func streamRefused() -> Step? {
      countOverhead(1 + limits.overheadFramesPerRequest).step
    }

    mutating func clientWentAway() {
      clientHasGoneAway = true
    }

    /// The client has sent GOAWAY, and has all its answers.
    var isOver: Bool { clientHasGoneAway && active.isEmpty }
  }
}
