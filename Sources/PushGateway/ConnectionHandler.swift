// Stands between NIO's HTTP/2 and its connection management, and adds what they leave open: a reason in GOAWAY, an end
// for clients that do not play along, and more streams once a provider has shown who it is.

import NIOCore
import NIOHTTP2

final class ConnectionHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTP2Frame
  typealias InboundOut = HTTP2Frame
  typealias OutboundIn = HTTP2Frame
  typealias OutboundOut = HTTP2Frame

  private let gateway: Gateway
  private var context: ChannelHandlerContext?
  private var isShuttingDown = false
  /// Until the client's first frame, then from GOAWAY on.
  private var deadline: Scheduled<Void>?
  private var isClosing = false

  init(gateway: Gateway, connection: Connection) {
    self.gateway = gateway
    connection.whenAuthenticated = { [weak self] in self?.allowMoreStreams() }
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    expectEnd(within: gateway.limits.handshakeDuration, context)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    deadline?.cancel()
  }

  /// The connection was active before the handlers behind this one were there.
  func startTimers() {
    context?.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if !isClosing {
      deadline?.cancel()
      deadline = nil
    }
    context.fireChannelRead(data)
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
      if !isClosing {
        isClosing = true
        expectEnd(within: gateway.limits.closingDuration, context)
      }
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
    if ConnectionHandler.endsConnection(error) { context.close(promise: nil) }
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

  private func allowMoreStreams() {
    // Not within the request that brought the token: should this write fail, the connection's end must not reach
    // that stream while it is still deciding.
    context?.eventLoop.assumeIsolated().execute {
      guard let context = self.context else { return }
      let settings = [HTTP2Setting(parameter: .maxConcurrentStreams, value: self.gateway.limits.streams)]
      let frame = HTTP2Frame(streamID: .rootStream, payload: .settings(.settings(settings)))
      context.writeAndFlush(self.wrapOutboundOut(frame), promise: nil)
    }
  }

  private func expectEnd(within duration: Duration, _ context: ChannelHandlerContext) {
    deadline?.cancel()
    deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(duration)) {
      self.context?.close(promise: nil)
    }
  }
}
