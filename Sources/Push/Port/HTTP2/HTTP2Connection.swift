// One HTTP/2 connection. Input passes through the limits to libnghttp2; its output goes to the client in one write for
// each read or batch of answers. A connection without a complete request has no session, which takes 12 to 47 kB.

import HTTP
import HTTP2Session
import NIOCore

final class HTTP2Connection: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = Never
  typealias OutboundOut = ByteBuffer

  /// The stages of the connection's end.
  private enum Closing {
    case no
    /// The server is stopping; the client has sent no request, and has a moment to do so.
    case soon
    /// New streams are ignored, the others are answered. GOAWAY is due only then, because Python's h2 treats it as the
    /// last frame.
    case draining(GoAwayReason)
    /// The client has a moment to read the last answers.
    case answered(GoAwayReason)
    /// GOAWAY is due.
    case due(HTTP2ErrorCode, GoAwayReason?)
    /// GOAWAY is sent; further input is ignored.
    case sent
  }

  let gateway: Port
  private let isProgressing: () -> Bool
  let connections: (String) -> Int
  private let makeClient: (HTTP2Connection) -> Client
  lazy var client = makeClient(self)
  var machine: StateMachine
  /// Nil until a complete header block, or another frame, arrives that is not part of a greeting.
  private(set) var session: HTTP2Session?
  /// Bytes for the session, until it exists.
  private var withheld = ByteBuffer()
  /// If true, the session's acknowledgement of the client's first SETTINGS is dropped: one is already sent.
  private var hasAcknowledged = false
  private(set) var context: ChannelHandlerContext?
  var streams: [UInt32: HTTP2Stream] = [:]
  /// The stream of the current header block.
  var current: HTTP2Stream?
  var headerListBytes = 0
  /// Streams that may need a deadline: the request is incomplete, or the answer has a body.
  var unfinished: [HTTP2Stream] = []
  /// Streams to reset after their answers.
  var abandoned: [UInt32] = []
  lazy var answers = AnswerQueue()
  /// The number of complete requests that a front end has not answered yet.
  var underWay = 0
  /// The number of requests refused since the last pause.
  var refusals = 0
  var isPausing = false

  /// Frames to send that do not come from the session.
  private var output = ByteBuffer()
  /// If true, output is held, so that a read or a batch of answers causes one write.
  private var holdsOutput = false
  var isReadHeld = false
  private var closing = Closing.no
  private var clientHasGoneAway = false
  var lastRequest = NIODeadline.now()

  /// The deadline for the client to acknowledge our SETTINGS.
  private var settingsDeadline: ClientDeadline?
  private var idleTimer: Scheduled<Void>?
  /// The timer that closes the connection: if the client does not read, while draining, and after GOAWAY.
  private var deadline: Scheduled<Void>?
  private var frameDeadline: ClientDeadline?
  /// The number of the frame that `frameDeadline` is for.
  private var awaitedFrame = 0

  var limits: PortLimits { gateway.limits }

  /// - Parameters:
  ///   - isAuthenticated: true if a provider has already authenticated by its certificate.
  ///   - isProgressing: returns true if a connection of the client's address has made progress lately.
  ///   - connections: returns the number of a provider's connections, by its name.
  ///   - makeClient: called at the first request.
  init(
    gateway: Port, isAuthenticated: Bool, isProgressing: @escaping () -> Bool,
    connections: @escaping (String) -> Int, makeClient: @escaping (HTTP2Connection) -> Client
  ) {
    self.gateway = gateway
    self.isProgressing = isProgressing
    self.connections = connections
    self.makeClient = makeClient
    machine = StateMachine(gateway, isAuthenticated: isAuthenticated)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    settingsDeadline = ClientDeadline(
      limits.handshakeDuration, on: context.channel, limits, isExcused: isProgressing,
      act: { self.end(.settingsTimeout, "no acknowledgement of SETTINGS") })
    output.writeImmutableBuffer(machine.settings())
    flush()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    close()
    self.context = nil
  }

  func channelInactive(context: ChannelHandlerContext) {
    close()
    context.fireChannelInactive()
  }

  /// Closes the connection: after an error of TLS or the socket no GOAWAY can be sent.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    gateway.logger.debug("connection error", metadata: ["error": "\(error)", "from": "\(context.source)"])
    context.close(promise: nil)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is ServerStops where machine.lastStream == 0:
      guard case .no = closing else { break }
      closing = .soon
      after(limits.firstBytesDurationAtShutdown, context) { self.drain(.shutdown) }
    case is ServerStops, is ChannelShouldQuiesceEvent: drain(.shutdown)
    case let work as WorkUnderWay where acceptsInput:
      work.ofServer = streams.values.contains { $0.machine.hasEnded && !$0.isAnswered }
      work.ofClient = !streams.isEmpty
      work.mayBegin = awaitsGoAway
    default: break
    }
    context.fireUserInboundEventTriggered(event)
  }

  // MARK: In

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard acceptsInput else { return }
    machine.receive(unwrapInboundIn(data))
    holdsOutput = true
    takeInput()
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    holdsOutput = false
    flush()
    expectRestOfFrame(context)
    context.fireChannelReadComplete()
  }

  func perform(_ step: StateMachine.Step) {
    switch step {
    case .forward(let bytes): forward(bytes)
    case .acknowledged:
      settingsDeadline?.cancel()
      settingsDeadline = nil
      expectRequest(within: TimeAmount(limits.idleDuration))
    case .clientGoesAway: clientHasGoneAway = true
    case .reset(let stream, let code): session?.reset(stream, code)
    case .end(let code, let problem): end(code, problem)
    }
  }

  private func forward(_ bytes: ByteBuffer) {
    var bytes = bytes
    if session == nil {
      let isSettings = FrameHeader(at: bytes.readerIndex, of: bytes)?.kind == FrameHeader.Kind.settings
      withheld.writeBuffer(&bytes)
      if isSettings && !machine.needsSession {
        hasAcknowledged = true
        FrameHeader(length: 0, kind: FrameHeader.Kind.settings, flags: 1).write(to: &output)
      }
      guard machine.needsSession || withheld.readableBytes > limits.withheldBytes else { return }
      session = HTTP2Session(.server, delegate: self)
      swap(&bytes, &withheld)
    }
    guard let session, let code = bytes.withUnsafeReadableBytes({ session.receive($0) }) else { return }
    end(code, "not readable as HTTP/2")
  }

  // MARK: Out

  /// Sends all output that `body` causes in one write.
  func together(_ body: () -> Void) {
    holdsOutput = true
    body()
    holdsOutput = false
    flush()
  }

  /// Sends all pending output in one write.
  private func flush() {
    guard !holdsOutput, let context else { return }
    // Output caused below goes into the same write.
    holdsOutput = true
    defer { holdsOutput = false }
    var bytes = output
    output = ByteBuffer()
    takeOutput(into: &bytes)
    for stream in abandoned { session?.reset(stream, .cancel) }
    abandoned = []
    takeOutput(into: &bytes)
    expectEnds(context)
    if streams.isEmpty {
      if case .draining(let reason) = closing {
        closing = .answered(reason)
        after(limits.lastAnswerDuration, context) { self.end(.noError, "", reason: reason) }
      }
      if clientHasGoneAway { end(.noError, "") }
    }
    if case .due(let code, let reason) = closing {
      writeGoAway(code, machine.lastStream, reason, to: &bytes)
      // Closing at once would lose GOAWAY: the kernel resets a connection that is closed with unread bytes.
      closing = .sent
      cancelDeadlines()
      closeConnection(after: limits.goAwayDelay, context)
      readOn(context)
    }
    if bytes.readableBytes > 0 { context.writeAndFlush(wrapOutboundOut(bytes), promise: nil) }
  }

  private func takeOutput(into bytes: inout ByteBuffer) {
    while let frame = session?.nextOutput() { take(frame, into: &bytes) }
  }

  /// Adds a frame of the session. Its GOAWAY is replaced by ours, which names the last accepted stream.
  private func take(_ frame: UnsafeRawBufferPointer, into bytes: inout ByteBuffer) {
    let start = bytes.writerIndex
    bytes.writeBytes(frame)
    guard let header = FrameHeader(at: start, of: bytes) else { return }
    switch header.kind {
    case FrameHeader.Kind.reset:
      let code = bytes.getInteger(at: start + FrameHeader.size, as: UInt32.self) ?? 0
      let next = machine.resetSent(header.stream, code: code, streams[header.stream]?.state ?? .closed)
      if let next { perform(next) }
    case FrameHeader.Kind.goAway:
      let code = bytes.getInteger(at: start + FrameHeader.size + 4, as: UInt32.self) ?? 0
      bytes.moveWriterIndex(to: start)
      end(HTTP2ErrorCode(rawValue: code) ?? .protocolError, "")
    case FrameHeader.Kind.settings where hasAcknowledged:
      hasAcknowledged = false
      bytes.moveWriterIndex(to: start)
    default: break
    }
  }

  private func writeGoAway(
    _ code: HTTP2ErrorCode, _ lastStream: UInt32, _ reason: GoAwayReason?, to bytes: inout ByteBuffer
  ) {
    let body = reason?.body ?? ""
    FrameHeader(length: 8 + body.utf8.count, kind: FrameHeader.Kind.goAway).write(to: &bytes)
    bytes.writeInteger(lastStream)
    bytes.writeInteger(code.rawValue)
    bytes.writeString(body)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      if case .no = closing {
        deadline?.cancel()
        deadline = nil
      }
      readOn(context)
    } else if deadline == nil {
      closeConnection(after: limits.answerDuration, context)
    }
    context.fireChannelWritabilityChanged()
  }

  // MARK: The end

  var acceptsInput: Bool {
    switch closing {
    case .no, .soon, .draining, .answered: true
    case .due, .sent: false
    }
  }

  /// True if no more streams are opened: the connection ends when the open ones are answered.
  var isDraining: Bool {
    switch closing {
    case .draining, .answered: true
    case .no, .soon, .due, .sent: false
    }
  }

  /// True if GOAWAY is sent soon, however the client behaves.
  private var awaitsGoAway: Bool {
    switch closing {
    case .soon, .answered: true
    case .no, .draining, .due, .sent: false
    }
  }

  /// Sends GOAWAY and closes the connection.
  ///
  /// - Parameters:
  ///   - problem: the problem, for the log.
  ///   - reason: the reason, for the client.
  func end(_ code: HTTP2ErrorCode, _ problem: String, reason: GoAwayReason? = nil) {
    guard acceptsInput else { return }
    gateway.logger.debug(
      "connection ended", metadata: ["code": "\(code)", "error": "\(problem)", "from": "\(context?.source ?? "-")"])
    closing = .due(code, reason)
    flush()
  }

  /// Accepts no further requests, answers those under way, and ends. GOAWAY names the last accepted one, so that a
  /// client may send later ones again [RFC 9113, 6.8].
  func drain(_ reason: GoAwayReason) {
    guard acceptsInput, !isDraining, let context else { return }
    closing = .draining(reason)
    for stream in streams.values { stream.source?.end() }
    deadline?.cancel()
    closeConnection(after: limits.closingDuration, context)
    flush()
  }

  /// Closes the connection for the server; sends GOAWAY if it is still draining, because a request is incomplete.
  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if case .draining(let reason) = closing {
      closing = .sent
      var bytes = ByteBuffer()
      writeGoAway(.noError, machine.lastStream, reason, to: &bytes)
      context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }
    context.close(mode: mode, promise: promise)
  }

  /// Raises the number of streams: a provider has authenticated.
  func allowMoreStreams() {
    output.writeImmutableBuffer(machine.authenticated())
    flush()
  }

  private func close() {
    closing = .sent
    for stream in streams.values { stream.close() }
    streams = [:]
    unfinished = []
    current = nil
    session = nil
    cancelDeadlines()
  }

  // MARK: Deadlines

  @discardableResult
  func after(
    _ duration: Duration, _ context: ChannelHandlerContext, _ act: @escaping () -> Void
  ) -> Scheduled<Void> {
    context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(duration), act)
  }

  private func closeConnection(after duration: Duration, _ context: ChannelHandlerContext) {
    deadline = after(duration, context) { self.context?.close(promise: nil) }
  }

  private func expectRequest(within duration: TimeAmount) {
    guard let eventLoop = context?.eventLoop else { return }
    idleTimer = eventLoop.assumeIsolated().scheduleTask(in: duration) {
      let idle = TimeAmount(self.limits.idleDuration)
      let now = eventLoop.now
      if !self.streams.isEmpty { self.lastRequest = now }
      if now < self.lastRequest + idle {
        self.expectRequest(within: self.lastRequest + idle - now)
      } else {
        self.drain(.idleTimeout)
      }
    }
  }

  /// Ends the connection if a frame does not end in time, however many of its bytes arrive meanwhile.
  func expectRestOfFrame(_ context: ChannelHandlerContext) {
    guard machine.isWithinFrame && acceptsInput && hasRoom else {
      frameDeadline?.cancel()
      frameDeadline = nil
      return
    }
    guard frameDeadline == nil || awaitedFrame != machine.frameCount else { return }
    frameDeadline?.cancel()
    awaitedFrame = machine.frameCount
    frameDeadline = ClientDeadline(limits.frameDuration, on: context.channel, limits) {
      self.end(.enhanceYourCalm, "a frame did not end")
    }
  }

  private func cancelDeadlines() {
    settingsDeadline?.cancel()
    settingsDeadline = nil
    idleTimer?.cancel()
    idleTimer = nil
    deadline?.cancel()
    deadline = nil
    frameDeadline?.cancel()
    frameDeadline = nil
  }
}
