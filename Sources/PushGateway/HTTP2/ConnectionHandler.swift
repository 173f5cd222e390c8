// Stands between NIO's HTTP/2 and its connection management. It adds a reason to GOAWAY, and closes connections that stay
// open after it.

import NIOCore
import NIOHTTP2
import NIOSSL

final class ConnectionHandler: ChannelInboundHandler, ChannelOutboundHandler {
  typealias InboundIn = HTTP2Frame
  typealias OutboundIn = HTTP2Frame
  typealias OutboundOut = HTTP2Frame

  private let gateway: Gateway
  private var context: ChannelHandlerContext?
  private let gate: FrameGate
  private var isShuttingDown = false
  /// From GOAWAY on.
  private var deadline: Scheduled<Void>?

  init(gateway: Gateway, gate: FrameGate) {
    self.gateway = gateway
    self.gate = gate
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    deadline?.cancel()
  }

  /// The connection was active before the handlers behind this one were there.
  func startTimers() {
    context?.fireChannelActive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent { isShuttingDown = true }
    context.fireUserInboundEventTriggered(event)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    var frame = unwrapOutboundIn(data)
    if case .goAway(let lastStreamID, let errorCode, nil) = frame.payload {
      let reason = isShuttingDown ? GoAwayReason.shutdown : .idleTimeout
      let data = context.channel.allocator.buffer(string: reason.body)
      frame.payload = .goAway(lastStreamID: lastStreamID, errorCode: errorCode, opaqueData: data)
      if deadline == nil { expectEnd(within: gateway.limits.closingDuration, context) }
    }
    context.write(wrapOutboundOut(frame), promise: promise)
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    context.fireChannelInactive()
  }

  /// For errors of the whole connection NIO has sent GOAWAY, with which `FrameGate` ends it. The other errors end one
  /// stream, which was reset, unless the reset could not be sent.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    gateway.logger.debug("connection error", metadata: ["error": "\(error)"])
    switch error {
    case is any ChannelFailure: context.close(promise: nil)
    case is NIOHTTP2Errors.UnableToSerializeFrame: gate.end(.internalError, "\(error)")
    // NIO sends no GOAWAY with a higher stream after its last one.
    case is NIOHTTP2Errors.RaisedGoawayLastStreamID: gate.end(.protocolError, "\(error)")
    default: break
    }
  }

  private func expectEnd(within duration: Duration, _ context: ChannelHandlerContext) {
    deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(duration)) {
      self.context?.close(promise: nil)
    }
  }
}

/// Why a connection without errors ends, in Apple's words: the data of its GOAWAY.
enum GoAwayReason: String {
  case idleTimeout = "IdleTimeout"
  case shutdown = "Shutdown"

  var body: String { "{\"reason\":\"\(rawValue)\"}" }
}

/// The socket or its TLS is broken, so no GOAWAY can be sent.
private protocol ChannelFailure: Error {}
extension IOError: ChannelFailure {}
extension NIOSSLError: ChannelFailure {}
extension BoringSSLError: ChannelFailure {}
extension ChannelError: ChannelFailure {}
