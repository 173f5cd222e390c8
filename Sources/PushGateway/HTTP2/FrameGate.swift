// Stands between TLS and NIO's HTTP/2, and enforces what NIO does not: the limit of streams from the client's
// acknowledgement on, an end for frames that do not end, and for clients that never read. It also defers NIO's HTTP/2,
// which takes 20 kB for a connection, until the first frame beyond the greeting, so that idle connections stay small.

import NIOCore
import NIOHTTP2

final class FrameGate: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  private let gateway: Gateway
  private let isProgressing: () -> Bool
  private var machine: StateMachine
  /// Adds HTTP/2 behind this handler; nil once it is there.
  private var addHTTP2: ((FrameGate, any Channel) throws -> Void)?
  /// Bytes for HTTP/2, until it is there.
  private var held = ByteBuffer()
  private var context: ChannelHandlerContext?
  /// GOAWAY is sent: what the client sends is ignored.
  private var isClosing = false
  private var isReadHeld = false
  /// Until the client has acknowledged our SETTINGS.
  private var settingsDeadline: ClientDeadline?
  /// Until the first frame beyond the greeting; then while the client does not read; then from GOAWAY on.
  private var deadline: Scheduled<Void>?
  private var frameDeadline: ClientDeadline?
  /// The frame that `frameDeadline` is for.
  private var awaitedFrame = 0

  /// - Parameters:
  ///   - isAuthenticated: whether a provider has authenticated already, by its certificate.
  ///   - isProgressing: whether any connection of the client's address has made progress lately.
  ///   - addHTTP2: adds HTTP/2 behind this handler.
  init(
    gateway: Gateway, isAuthenticated: Bool, isProgressing: @escaping () -> Bool,
    addHTTP2: @escaping (FrameGate, any Channel) throws -> Void
  ) {
    self.gateway = gateway
    self.isProgressing = isProgressing
    self.addHTTP2 = addHTTP2
    machine = StateMachine(limits: gateway.limits, isAuthenticated: isAuthenticated)
  }

  static let acknowledgement = {
    var buffer = ByteBuffer()
    FrameHeader(length: 0, kind: FrameHeader.Kind.settings, flags: 1).write(to: &buffer)
    return buffer
  }()

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    settingsDeadline = ClientDeadline(
      gateway.limits.handshakeDuration, on: context.channel, gateway.limits, isExcused: isProgressing,
      act: { self.end(.settingsTimeout, "no acknowledgement of SETTINGS") })
    context.writeAndFlush(wrapOutboundOut(.byteBuffer(machine.greeting())), promise: nil)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    cancelDeadlines()
  }

  func channelInactive(context: ChannelHandlerContext) {
    cancelDeadlines()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if addHTTP2 == nil { context.fireErrorCaught(error) } else { context.close(promise: nil) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent && addHTTP2 != nil { end(.noError, "", reason: .shutdown) }
    context.fireUserInboundEventTriggered(event)
  }

  // MARK: In

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var buffer = unwrapInboundIn(data)
    while !isClosing, let step = machine.next(&buffer) { perform(step, context) }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    context.fireChannelReadComplete()
    expectRestOfFrame(context)
  }

  private func perform(_ step: StateMachine.Step, _ context: ChannelHandlerContext) {
    switch step {
    case .forward(var bytes):
      if addHTTP2 != nil {
        // Half a frame does not need HTTP/2 yet.
        let isNeeded = machine.needsHTTP2 && !machine.isWithinFrame
        guard isNeeded || held.readableBytes + bytes.readableBytes > gateway.limits.greetingBytes else {
          held.writeBuffer(&bytes)
          return
        }
        installHTTP2(context)
      }
      context.fireChannelRead(wrapInboundOut(bytes))
    case .greeted:
      if addHTTP2 == nil {
        confirmLimits(context)
      } else {
        var limitsConfirmed = FrameGate.acknowledgement
        held.writeBuffer(&limitsConfirmed)
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(machine.acknowledgement())), promise: nil)
      }
    case .acknowledged:
      settingsDeadline?.cancel()
      settingsDeadline = nil
      if addHTTP2 != nil {
        deadline?.cancel()
        deadline = after(gateway.limits.idleDuration, context) {
          $0.end(.noError, "", reason: .idleTimeout)
        }
      }
    case .credit(let count):
      var update = ByteBuffer()
      FrameHeader(length: 4, kind: FrameHeader.Kind.windowUpdate).write(to: &update)
      update.writeInteger(UInt32(count))
      context.writeAndFlush(wrapOutboundOut(.byteBuffer(update)), promise: nil)
    case .release(let stream):
      reset(stream, .cancel, context)
    case .reset(let stream, let code):
      reset(stream, code, context)
    case .clientGoesAway:
      machine.clientWentAway()
      if machine.isOver { end(.noError, "") }
    case .end(let code, let problem):
      end(code, problem)
    }
  }

  /// Through NIO, so that it knows.
  private func reset(_ stream: UInt32, _ code: HTTP2ErrorCode, _ context: ChannelHandlerContext) {
    let frame = HTTP2Frame(streamID: HTTP2StreamID(Int(stream)), payload: .rstStream(code))
    context.pipeline.syncOperations.writeAndFlush(NIOAny(frame), promise: nil)
  }

  private func installHTTP2(_ context: ChannelHandlerContext) {
    guard let addHTTP2 else { return }
    self.addHTTP2 = nil
    deadline?.cancel()
    deadline = nil
    do {
      try addHTTP2(self, context.channel)
    } catch {
      gateway.logger.error("HTTP/2 cannot be set up", metadata: ["error": "\(error)"])
      context.close(promise: nil)
      return
    }
    let bytes = held
    held = ByteBuffer()
    if bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(bytes)) }
  }

  /// NIO takes every limit for acknowledged at once: the limit that matters is enforced here.
  private func confirmLimits(_ context: ChannelHandlerContext) {
    context.fireChannelRead(wrapInboundOut(FrameGate.acknowledgement))
  }

  /// A frame that has begun ends soon, or the connection does, however many bytes come meanwhile.
  private func expectRestOfFrame(_ context: ChannelHandlerContext) {
    guard machine.isWithinFrame && !isClosing else {
      frameDeadline?.cancel()
      frameDeadline = nil
      return
    }
    guard frameDeadline == nil || awaitedFrame != machine.frameCount else { return }
    frameDeadline?.cancel()
    awaitedFrame = machine.frameCount
    frameDeadline = ClientDeadline(gateway.limits.frameDuration, on: context.channel, gateway.limits) {
      self.end(.enhanceYourCalm, "a frame did not end")
    }
  }

  // MARK: Out

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .byteBuffer(var buffer):
      if machine.send(&buffer) {
        context.write(wrapOutboundOut(.byteBuffer(buffer)), promise: promise)
        if machine.hasEnded { beginClose() }
      } else {
        promise?.succeed()
      }
    case .fileRegion(let region):
      context.write(wrapOutboundOut(.fileRegion(region)), promise: promise)
    }
  }

  /// Nothing is read from a client that does not read its answers.
  func read(context: ChannelHandlerContext) {
    if context.channel.isWritable || isClosing { context.read() } else { isReadHeld = true }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      if !isClosing && addHTTP2 == nil {
        deadline?.cancel()
        deadline = nil
      }
      if isReadHeld {
        isReadHeld = false
        context.read()
      }
    } else if deadline == nil {
      expectReading(context)
    }
    context.fireChannelWritabilityChanged()
  }

  private func expectReading(_ context: ChannelHandlerContext) {
    deadline = after(gateway.limits.answerDuration, context) {
      $0.gateway.logger.debug("connection closed", metadata: ["error": "the client does not read its answers"])
      $0.context?.close(promise: nil)
    }
  }

  // MARK: For the handlers behind

  /// A provider has authenticated.
  func allowMoreStreams() {
    context?.writeAndFlush(wrapOutboundOut(.byteBuffer(machine.authenticated())), promise: nil)
  }

  /// Whether one more stream may be opened. Where not, the caller resets it.
  func admitStream() -> Bool {
    if machine.admitsStream { return true }
    if case .end(let code, let problem) = machine.streamRefused() { end(code, problem) }
    return false
  }

  /// Sends GOAWAY and closes the connection.
  ///
  /// - Parameters:
  ///   - problem: for the log.
  ///   - reason: for the client.
  func end(_ code: HTTP2ErrorCode, _ problem: String, reason: GoAwayReason? = nil) {
    guard !isClosing, let context else { return }
    gateway.logger.debug("connection ended", metadata: ["code": "\(code)", "error": "\(problem)"])
    var frame = ByteBuffer()
    let words = reason?.body ?? ""
    FrameHeader(length: 8 + words.utf8.count, kind: FrameHeader.Kind.goAway).write(to: &frame)
    frame.writeInteger(machine.lastStream)
    frame.writeInteger(UInt32(code.networkCode))
    frame.writeString(words)
    context.writeAndFlush(wrapOutboundOut(.byteBuffer(frame)), promise: nil)
    beginClose()
  }

  /// GOAWAY is sent. Closing at once would lose it: the kernel resets a connection that is closed with bytes unread.
  private func beginClose() {
    guard !isClosing, let context else { return }
    isClosing = true
    cancelDeadlines()
    deadline = after(gateway.limits.goAwayDelay, context) { $0.context?.close(promise: nil) }
    if isReadHeld {
      isReadHeld = false
      context.read()
    }
  }

  // MARK: Deadlines

  private func after(
    _ duration: Duration, _ context: ChannelHandlerContext, _ act: @escaping (FrameGate) -> Void
  ) -> Scheduled<Void> {
    context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(duration)) { act(self) }
  }

  private func cancelDeadlines() {
    settingsDeadline?.cancel()
    settingsDeadline = nil
    deadline?.cancel()
    deadline = nil
    frameDeadline?.cancel()
    frameDeadline = nil
  }
}

extension FrameGate {
  /// Reports streams to the gate and to the connection's management.
  struct StreamObserver: NIOHTTP2StreamDelegate {
    private let gate: NIOLoopBound<FrameGate>
    private let management: NIOHTTP2ServerConnectionManagementHandler.HTTP2StreamDelegate

    init(_ gate: FrameGate, _ management: NIOHTTP2ServerConnectionManagementHandler, eventLoop: any EventLoop) {
      self.gate = NIOLoopBound(gate, eventLoop: eventLoop)
      self.management = management.http2StreamDelegate
    }

    func streamCreated(_ id: HTTP2StreamID, channel: any Channel) {
      gate.value.machine.streamOpened(UInt32(Int(id)))
      management.streamCreated(id, channel: channel)
    }

    func streamClosed(_ id: HTTP2StreamID, channel: any Channel) {
      gate.value.machine.streamClosed(UInt32(Int(id)))
      management.streamClosed(id, channel: channel)
      guard gate.value.machine.isOver else { return }
      // Not before the answer that closed the stream is flushed.
      channel.eventLoop.execute { gate.value.end(.noError, "") }
    }
  }
}

/// Resets a stream beyond the limit, so that the client may try it again.
final class StreamRefusal: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame.FramePayload
  typealias OutboundOut = HTTP2Frame.FramePayload

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .headers = unwrapInboundIn(data) else { return }
    context.writeAndFlush(wrapOutboundOut(.rstStream(.refusedStream)), promise: nil)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
