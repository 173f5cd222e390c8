import HTTP
import NIOCore
import NIOTLS

/// A handler that waits for the end of the TLS handshake, finds the version of HTTP, by ALPN or by the first bytes,
/// adds its handlers, and removes itself.
final class ProtocolDetector: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  enum Found: Hashable {
    case http2
    /// Anything else. Bytes that are not HTTP at all are refused by its parser.
    case http1
  }

  private let port: Port
  private let watch: StrangerWatch
  private let configure: (Found, any Channel) throws -> Void
  private var received = ByteBuffer()
  private var isDone = false
  private var isSecured = false
  /// The time at which the server stopped, or at which the handshake ended after that; nil until then.
  private var stopped: NIODeadline?

  /// - Parameter configure: adds the protocol's handlers behind this one.
  init(port: Port, watch: StrangerWatch, configure: @escaping (Found, any Channel) throws -> Void) {
    self.port = port
    self.watch = watch
    self.configure = configure
  }

  /// The first bytes of HTTP/2 [RFC 9113, 3.4].
  static let preface: [UInt8] = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  /// Returns the version that `bytes` begin; nil while they are too few to decide.
  static func find(in bytes: some Collection<UInt8>) -> Found? {
    guard zip(bytes, preface).allSatisfy(==) else { return .http1 }
    return bytes.count >= preface.count ? .http2 : nil
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case TLSUserEvent.handshakeCompleted(let negotiated):
      isSecured = true
      if stopped != nil { stopped = .now() }
      switch negotiated {
      case "h2": choose(.http2, context)
      // After the stop, an HTTP/1.1 connection without a request would end at once, so the request is awaited here.
      case .some where stopped == nil: choose(.http1, context)
      default: detect(context)
      }
    case is ServerStops where !isDone:
      // The client may send a request at the handshake's end, and not retry it.
      stopped = .now()
      return
    case let work as WorkUnderWay where !isDone:
      let limits = port.limits
      let isInHandshake = watch.hasRead && !isSecured
      let limit = isInHandshake ? limits.handshakeDurationAtShutdown : limits.firstBytesDurationAtShutdown
      work.mayBegin = stopped.map { .now() < $0 + TimeAmount(limit) } ?? false
    default: break
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
    port.logger.debug("TLS handshake failed", metadata: ["error": "\(error)", "from": "\(context.source)"])
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
      port.logger.debug("connection closed", metadata: ["error": "\(error)", "from": "\(context.source)"])
      context.close(promise: nil)
      return
    }
    if received.readableBytes > 0 {
      context.fireChannelRead(wrapInboundOut(received))
      context.fireChannelReadComplete()
    }
    if stopped != nil { context.fireUserInboundEventTriggered(ServerStops()) }
    context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
  }
}

extension ChannelHandlerContext {
  /// The client's address, for the log.
  var source: String { remoteAddress?.ipAddress ?? "-" }
}
