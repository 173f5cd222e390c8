// Which version of HTTP a connection speaks: what ALPN agreed on, or, for clients that never offer it, the first bytes.

import NIOCore
import NIOTLS

/// Waits for the end of the TLS handshake, gives the connection to the version of HTTP that it finds, and removes itself.
final class ProtocolDetector: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  enum Found: Hashable {
    case http2
    /// Anything else. What is not HTTP at all is refused by its parser.
    case http1
  }

  private let gateway: Gateway
  private let configure: (Found, any Channel) throws -> Void
  private var received = ByteBuffer()
  private var isDone = false
  private var isStopping = false

  /// - Parameter configure: puts the protocol's handlers behind this one.
  init(gateway: Gateway, configure: @escaping (Found, any Channel) throws -> Void) {
    self.gateway = gateway
    self.configure = configure
  }

  /// The first bytes of HTTP/2 [RFC 9113, 3.4].
  static let preface: [UInt8] = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  /// Nil while `bytes` are too few to decide.
  static func find(in bytes: some Collection<UInt8>) -> Found? {
    guard zip(bytes, preface).allSatisfy(==) else { return .http1 }
    return bytes.count >= preface.count ? .http2 : nil
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted(let negotiated) = event as? TLSUserEvent {
      switch negotiated {
      case "h2": choose(.http2, context)
      case nil: detect(context)
      default: choose(.http1, context)
      }
    }
    if event is ChannelShouldQuiesceEvent, !isDone {
      // Its client may have a request that it sends at the handshake's end, and does not try twice.
      isStopping = true
      let channel = context.channel
      channel.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(gateway.limits.handshakeDurationAtShutdown)) {
        if !self.isDone { channel.close(promise: nil) }
      }
      return
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isDone {
      context.fireChannelRead(data)
      return
    }
    var buffer = unwrapInboundIn(data)
    received.writeBuffer(&buffer)
    detect(context)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    gateway.logger.debug("TLS handshake failed", metadata: ["error": "\(error)", "from": "\(context.source)"])
    context.close(promise: nil)
  }

  private func detect(_ context: ChannelHandlerContext) {
    guard !isDone, let found = ProtocolDetector.find(in: received.readableBytesView) else { return }
    choose(found, context)
  }

  private func choose(_ found: Found, _ context: ChannelHandlerContext) {
    guard !isDone else { return }
    isDone = true
    do {
      try configure(found, context.channel)
    } catch {
      gateway.logger.debug("connection closed", metadata: ["error": "\(error)", "from": "\(context.source)"])
      context.close(promise: nil)
      return
    }
    if received.readableBytes > 0 {
      context.fireChannelRead(wrapInboundOut(received))
      context.fireChannelReadComplete()
    }
    if isStopping { context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
  }
}

extension ChannelHandlerContext {
  /// The client's address, for the log.
  var source: String { remoteAddress?.ipAddress ?? "-" }
}
