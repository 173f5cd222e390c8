// Stands between NIO's HTTP/2 and its connection management, and adds what they leave open: a reason in GOAWAY, and an
// end for clients that do not play along.

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
      let reason = isShuttingDown ? "Shutdown" : APNsReason.idleTimeout.rawValue
      let data = context.channel.allocator.buffer(string: "{\"reason\":\"\(reason)\"}")
      frame.payload = .goAway(lastStreamID: lastStreamID, errorCode: errorCode, opaqueData: data)
      if deadline == nil { expectEnd(within: gateway.limits.closingDuration, context) }
    }
    context.write(wrapOutboundOut(frame), promise: promise)
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    context.fireChannelInactive()
  }

  /// A malformed stream is that stream's end only; NIO has reset it already. What concerns the connection as a whole
  /// ends it, after NIO's GOAWAY is out.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    gateway.logger.debug("connection error", metadata: ["error": "\(error)"])
    if error is any ChannelFailure {
      context.close(promise: nil)
    } else if ConnectionHandler.endsConnection(error) {
      gate.takeLeave()
    }
  }

  private static func endsConnection(_ error: any Error) -> Bool {
    switch error {
    case is NIOHTTP2Errors.ContentLengthViolated, is NIOHTTP2Errors.ContentLengthHeadersMismatch,
      is NIOHTTP2Errors.ContentLengthHeaderNegative, is NIOHTTP2Errors.InvalidPseudoHeaders,
      is NIOHTTP2Errors.DuplicatePseudoHeader, is NIOHTTP2Errors.UnknownPseudoHeader,
      is NIOHTTP2Errors.PseudoHeaderAfterRegularHeader, is NIOHTTP2Errors.EmptyPathHeader,
      is NIOHTTP2Errors.ForbiddenHeaderField, is NIOHTTP2Errors.InvalidHTTP2HeaderFieldName,
      is NIOHTTP2Errors.ContentLengthHeaderMalformedValue, is NIOHTTP2Errors.InvalidPseudoHeaderValue,
      is NIOHTTP2Errors.UnsupportedPseudoHeader, is NIOHTTP2Errors.BadStreamStateTransition,
      is NIOHTTP2Errors.StreamClosed, is NIOHTTP2Errors.NoSuchStream, is NIOHTTP2Errors.FlowControlViolation,
      is NIOHTTP2Errors.StreamError, is NIOHTTP2Errors.MissingMultiplexer:
      false
    default:
      true
    }
  }

  private func expectEnd(within duration: Duration, _ context: ChannelHandlerContext) {
    deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(duration)) {
      self.context?.close(promise: nil)
    }
  }
}

/// The socket or its TLS is broken: there is nobody to take leave of.
private protocol ChannelFailure: Error {}
extension IOError: ChannelFailure {}
extension NIOSSLError: ChannelFailure {}
extension BoringSSLError: ChannelFailure {}
extension ChannelError: ChannelFailure {}
