// Decisions on frames, without a socket, where libnghttp2 has no limit or ends a connection for an error of one stream.

import HTTP2Session
import NIOCore

extension HTTP2Connection {
  enum StreamState {
    /// It has ended on both sides, was refused, or its number was passed over.
    case closed
    /// The client has not ended it, and has no answer.
    case receiving
    case received
    /// Its answer is sent, and the client has not ended it.
    case answered
  }

  struct StateMachine {
    enum Step: Hashable {
      /// The preface or a frame, for libnghttp2.
      case forward(ByteBuffer)
      /// The client has acknowledged our first SETTINGS.
      case acknowledged
      case clientGoesAway
      case reset(UInt32, HTTP2ErrorCode)
      case end(HTTP2ErrorCode, String)
    }

    /// SETTINGS_MAX_FRAME_SIZE, left at its initial value [RFC 9113, 6.5.2].
    static let frameBytes = 16 * 1024

    /// The source of limits and clock. Copied limits would take memory in every connection.
    private let port: Port
    /// Received bytes, from the beginning of the next frame.
    private var input = ByteBuffer()
    private var hasPreface = false
    private var isInHeaderBlock = false
    private var continuations = 0

    private var highestStream: UInt32 = 0
    /// The highest number that the client passed over: streams up to it may never have existed.
    private var lastSkippedStream: UInt32 = 0
    /// The last stream whose request was accepted, and so the last that may have had an effect.
    private(set) var lastStream: UInt32 = 0
    /// Streams that we reset or ignored before the client ended them, latest last: frames on their way are no error.
    private var givenUp: [UInt32] = []

    private var unacknowledgedSettings = 0
    private var isAcknowledged = false
    private var isAuthenticated: Bool
    private var hasClientSettings = false
    /// True if a complete frame or header block beyond a greeting has arrived.
    private(set) var needsSession = false
    /// The number of frames; a header block counts as one. Tells one slow frame from many quick ones.
    private(set) var frameCount = 0

    private var overheadFrames = 0
    private var controlFrames: RateBucket
    private var resets: RateBucket
    private var streamErrors: RateBucket

    init(_ port: Port, isAuthenticated: Bool = false) {
      self.port = port
      self.isAuthenticated = isAuthenticated
      controlFrames = RateBucket(now: port.clock.uptime())
      resets = controlFrames
      streamErrors = controlFrames
    }

    private var limits: PortLimits { port.limits }

    // MARK: What the client sends

    mutating func receive(_ bytes: ByteBuffer) {
      if input.readableBytes == 0 { input = bytes } else { input.writeImmutableBuffer(bytes) }
    }

    /// Returns the next step for the received bytes; nil if more are needed.
    mutating func next(_ stateOf: (UInt32) -> StreamState) -> Step? {
      guard hasPreface else { return takePreface() }
      while let header = FrameHeader(at: input.readerIndex, of: input) {
        guard header.length <= Self.frameBytes else { return .end(.frameSizeError, "a frame is too large") }
        guard let frame = input.readSlice(length: FrameHeader.size + header.length) else { break }
        let isGreeting = takeGreeting(header)
        let isInterloper = isInHeaderBlock && header.kind != FrameHeader.Kind.continuation
        let isOpened = header.isOfClient && header.stream <= highestStream
        let step = judge(header, frame, isOpened ? stateOf(header.stream) : nil)
        // A part of a header block is of no use to a session, which would only take memory.
        if !isGreeting && (!isInHeaderBlock || isInterloper) { needsSession = true }
        if let step { return step }
      }
      // A slice would keep the whole buffer that it was read in.
      if input.readerIndex > 0 { input = ByteBuffer(bytes: input.readableBytesView) }
      return nil
    }

    /// True if the client has begun a frame or a header block, and not ended it.
    var isWithinFrame: Bool { hasPreface && input.readableBytes > 0 || isInHeaderBlock }

    private mutating func takePreface() -> Step? {
      let count = min(ProtocolDetector.preface.count, input.readableBytes)
      guard input.readableBytesView.prefix(count).elementsEqual(ProtocolDetector.preface.prefix(count)) else {
        return .end(.protocolError, "no preface of HTTP/2")
      }
      guard count == ProtocolDetector.preface.count else { return nil }
      hasPreface = true
      return input.readSlice(length: count).map { .forward($0) }
    }

    /// - Parameter state: nil if the client has opened no stream with that number.
    private mutating func judge(_ header: FrameHeader, _ frame: ByteBuffer, _ state: StreamState?) -> Step? {
      let pass = Step.forward(frame)
      guard header.kind != FrameHeader.Kind.continuation else { return continueHeaders(header) ?? pass }
      frameCount &+= 1
      // libnghttp2 ends the connection: a header block must not contain other frames.
      guard !isInHeaderBlock else { return pass }
      switch header.kind {
      case FrameHeader.Kind.headers: return judgeHeaders(header, state) ?? pass
      case FrameHeader.Kind.data: return judgeData(header, state) ?? pass
      case FrameHeader.Kind.reset where header.length == 4 && state != nil:
        _ = hasGivenUp(header.stream, forgets: true)
        // libcurl 7.88 resets every answered stream. The rapid-reset attack resets streams before the answer.
        guard state == .receiving || state == .received else { return countOverhead() ?? pass }
        return resets.exceeds(limits.resetsPerWindow, port.clock) ? .end(.enhanceYourCalm, "too many resets") : pass
      // libnghttp2 refuses a malformed reset.
      case FrameHeader.Kind.reset: return pass
      case FrameHeader.Kind.settings where header.isAcknowledgement: return judgeAcknowledgement(header, pass)
      case FrameHeader.Kind.settings, FrameHeader.Kind.priority, FrameHeader.Kind.ping:
        return countControlFrame() ?? pass
      case FrameHeader.Kind.windowUpdate where state != nil && isZero(frame):
        // libnghttp2 would end the connection.
        return countOverhead() ?? .reset(header.stream, .protocolError)
      case FrameHeader.Kind.goAway where header.stream == 0 && header.length >= 8:
        // After GOAWAY libnghttp2 would read nothing. It also refuses one that names no stream of ours, but we open
        // none.
        return countOverhead() ?? .clientGoesAway
      default: return countOverhead() ?? pass
      }
    }

    /// Returns true if the frame is part of a greeting.
    private mutating func takeGreeting(_ header: FrameHeader) -> Bool {
      guard header.stream == 0 else { return false }
      switch header.kind {
      case FrameHeader.Kind.settings where header.isAcknowledgement:
        return unacknowledgedSettings > 0 && header.length == 0
      case FrameHeader.Kind.settings:
        return !exchange(&hasClientSettings, with: true)
      case FrameHeader.Kind.windowUpdate: return hasClientSettings && !isAcknowledged && header.length == 4
      default: return false
      }
    }

    private mutating func continueHeaders(_ header: FrameHeader) -> Step? {
      if header.endsHeaders { isInHeaderBlock = false }
      continuations += 1
      return isInHeaderBlock && continuations >= limits.continuationFrames
        ? .end(.enhanceYourCalm, "too many CONTINUATION frames") : nil
    }

    private mutating func judgeHeaders(_ header: FrameHeader, _ state: StreamState?) -> Step? {
      let stream = header.stream
      isInHeaderBlock = !header.endsHeaders
      continuations = 0
      if state == nil && header.isOfClient {
        if stream > highestStream + 2 || highestStream == 0 && stream > 1 { lastSkippedStream = stream - 2 }
        highestStream = stream
        overheadFrames = max(0, overheadFrames - limits.overheadFramesPerRequest)
      }
      guard state == StreamState.closed else { return nil }
      if hasGivenUp(stream, forgets: header.endsStream) { return countOverhead() }
      return stream > lastSkippedStream
        ? .end(.streamClosed, "HEADERS on a closed stream")
        : .end(.protocolError, "HEADERS on a stream that was passed over")
    }

    private mutating func judgeData(_ header: FrameHeader, _ state: StreamState?) -> Step? {
      switch state {
      case nil, .received: nil
      case .closed:
        hasGivenUp(header.stream, forgets: header.endsStream)
          ? countOverhead() : .end(.streamClosed, "DATA on a closed stream")
      case .receiving, .answered:
        header.length < limits.smallDataBytes && !header.endsStream ? countOverhead() : nil
      }
    }

    /// Returns true if the frame is a WINDOW_UPDATE of 0.
    private func isZero(_ frame: ByteBuffer) -> Bool {
      guard frame.readableBytes == FrameHeader.size + 4 else { return false }
      let word = frame.getInteger(at: frame.readerIndex + FrameHeader.size, as: UInt32.self) ?? 0
      return word & 0x7FFF_FFFF == 0
    }

    private mutating func judgeAcknowledgement(_ header: FrameHeader, _ pass: Step) -> Step? {
      // libnghttp2 has sent no SETTINGS, so it refuses an acknowledgement too many.
      guard header.stream == 0 && header.length == 0 && unacknowledgedSettings > 0 else { return pass }
      unacknowledgedSettings -= 1
      return exchange(&isAcknowledged, with: true) ? nil : .acknowledged
    }

    // MARK: Counting

    /// - Returns: the end of the connection if this is one too many. The same below.
    private mutating func countOverhead() -> Step? {
      overheadFrames += 1
      return overheadFrames > limits.overheadFrames
        ? .end(.enhanceYourCalm, "too many frames that ask for nothing") : nil
    }

    private mutating func countControlFrame() -> Step? {
      controlFrames.exceeds(limits.controlFramesPerWindow, port.clock)
        ? .end(.enhanceYourCalm, "too many PING, SETTINGS and PRIORITY frames") : nil
    }

    // MARK: What we send

    /// Returns SETTINGS for the wire. With its own, libnghttp2 would end the connection at one stream too many, and
    /// refuse streams above a limit that the client has not acknowledged.
    mutating func settings() -> ByteBuffer {
      unacknowledgedSettings += 1
      var buffer = ByteBuffer()
      FrameHeader(length: 12, kind: FrameHeader.Kind.settings).write(to: &buffer)
      // MAX_CONCURRENT_STREAMS and MAX_HEADER_LIST_SIZE.
      for (identifier, value) in [
        (UInt16(3), isAuthenticated ? limits.streams : limits.streamsBeforeFirstToken),
        (6, limits.advertisedHeaderListBytes),
      ] {
        buffer.writeInteger(identifier)
        buffer.writeInteger(UInt32(value))
      }
      return buffer
    }

    /// Raises the number of streams from now on, and returns the SETTINGS for the wire.
    mutating func authenticated() -> ByteBuffer {
      isAuthenticated = true
      return settings()
    }

    func admitsStream(beside count: Int) -> Bool {
      count < (isAuthenticated || !isAcknowledged ? limits.streams : limits.streamsBeforeFirstToken)
    }

    /// Records a request whose headers are complete and well-formed.
    mutating func streamOpened(_ stream: UInt32) { lastStream = max(lastStream, stream) }

    /// Refuses a stream, and returns the next step.
    mutating func streamRefused(_ stream: UInt32) -> Step {
      giveUp(stream)
      overheadFrames += limits.overheadFramesPerRequest
      return countOverhead() ?? .reset(stream, .refusedStream)
    }

    /// Records that we reset a stream.
    ///
    /// - Returns: the end of the connection if this is one malformed stream too many.
    mutating func resetSent(_ stream: UInt32, code: UInt32, _ state: StreamState) -> Step? {
      if state != .received { giveUp(stream) }
      guard code != HTTP2ErrorCode.cancel.rawValue && code != HTTP2ErrorCode.refusedStream.rawValue else { return nil }
      return streamErrors.exceeds(limits.streamErrorsPerWindow, port.clock)
        ? .end(.enhanceYourCalm, "too many malformed streams") : nil
    }

    /// Records that the client's further frames on a stream are no error.
    mutating func giveUp(_ stream: UInt32) {
      guard !givenUp.contains(stream) else { return }
      if givenUp.count >= limits.rememberedStreams { givenUp.removeFirst() }
      givenUp.append(stream)
    }

    private mutating func hasGivenUp(_ stream: UInt32, forgets: Bool) -> Bool {
      guard let index = givenUp.lastIndex(of: stream) else { return false }
      if forgets { givenUp.remove(at: index) }
      return true
    }
  }
}

extension RateBucket {
  /// Counts an event. Returns true above the limit: the number allowed at once, and again in each 30 s.
  fileprivate mutating func exceeds(_ limit: Int, _ clock: PortClock) -> Bool {
    !add(capacity: Double(limit), drainingPerSecond: Double(limit) / 30, now: clock.uptime())
  }
}
