import HTTP
import NIOCore

/// The handler before TLS until the client has authenticated. It closes a connection whose handshake makes no progress
/// or that is silent for too long. There it receives every byte, in either version of HTTP.
final class StrangerWatch: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  let address: ClientAddress?
  /// The port, for its limits: a copy of them would be kept by every connection.
  private let port: Port
  private let connections: ConnectionRegistry
  private var context: ChannelHandlerContext?
  private var handshake: ClientDeadline?
  private var silence: Scheduled<Void>?
  private var lastRead: NIODeadline?
  var hasRead: Bool { lastRead != nil }
  /// Ends the connection in its version of HTTP; nil closes it.
  var whenSilent: (() -> Void)?

  private var limits: PortLimits { port.limits }

  init(from address: ClientAddress?, port: Port, connections: ConnectionRegistry) {
    self.address = address
    self.port = port
    self.connections = connections
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    handshake = ClientDeadline(
      limits.handshakeDuration, on: context.channel, limits,
      isExcused: {
        self.connections.isProgressing(
          self.address, within: self.limits.handshakeDuration, now: context.eventLoop.now)
      },
      act: { _ in context.close(promise: nil) })
    expectBytes(within: TimeAmount(limits.strangerSilence), context)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    cancel()
  }

  func channelInactive(context: ChannelHandlerContext) {
    cancel()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let now = context.eventLoop.now
    if lastRead == nil { connections.noteProgress(of: address, at: now) }
    lastRead = now
    context.fireChannelRead(data)
  }

  /// Ends the handshake's deadline: the protocol is known.
  func handshakeEnded() {
    exchange(&handshake, with: nil)?.cancel()
    if let context { connections.noteProgress(of: address, at: context.eventLoop.now) }
  }

  private func expectBytes(within duration: TimeAmount, _ context: ChannelHandlerContext) {
    silence = context.eventLoop.assumeIsolated().scheduleTask(in: duration) {
      let limit = TimeAmount(self.limits.strangerSilence)
      if let lastRead = self.lastRead, context.eventLoop.now < lastRead + limit {
        self.expectBytes(within: lastRead + limit - context.eventLoop.now, context)
      } else if let whenSilent = self.whenSilent {
        whenSilent()
      } else {
        context.channel.close(promise: nil)
      }
    }
  }

  private func cancel() {
    exchange(&handshake, with: nil)?.cancel()
    exchange(&silence, with: nil)?.cancel()
    whenSilent = nil
  }
}
