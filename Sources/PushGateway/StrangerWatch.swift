// Stands before TLS until the client has shown who it is, and ends one that does not get ahead: in its handshake, and
// once it has fallen silent. It hears of every byte, whichever protocol it belongs to.

import NIOCore

final class StrangerWatch: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  let address: ClientAddress?
  private let limits: GatewayLimits
  private let connections: ConnectionRegistry
  private var context: ChannelHandlerContext?
  private var handshake: ClientDeadline?
  private var silence: Scheduled<Void>?
  private var lastHeard: NIODeadline?
  /// Says goodbye, in the protocol that was found. Until then the connection is just closed.
  var whenSilent: (() -> Void)?

  init(from address: ClientAddress?, limits: GatewayLimits, connections: ConnectionRegistry) {
    self.address = address
    self.limits = limits
    self.connections = connections
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    handshake = ClientDeadline(
      limits.handshakeDuration, on: context.channel, limits,
      isExcused: { self.connections.isProgressing(self.address, self.limits, now: context.eventLoop.now) },
      act: { context.close(promise: nil) })
    expectWord(within: TimeAmount(limits.strangerSilence), context)
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
    if lastHeard == nil { connections.noteProgress(of: address, at: now) }
    lastHeard = now
    context.fireChannelRead(data)
  }

  /// The protocol is found.
  func handshakeEnded() {
    handshake?.cancel()
    handshake = nil
    if let context { connections.noteProgress(of: address, at: context.eventLoop.now) }
  }

  private func expectWord(within duration: TimeAmount, _ context: ChannelHandlerContext) {
    silence = context.eventLoop.assumeIsolated().scheduleTask(in: duration) {
      let limit = TimeAmount(self.limits.strangerSilence)
      if let lastHeard = self.lastHeard, context.eventLoop.now < lastHeard + limit {
        self.expectWord(within: lastHeard + limit - context.eventLoop.now, context)
      } else if let whenSilent = self.whenSilent {
        whenSilent()
      } else {
        context.channel.close(promise: nil)
      }
    }
  }

  private func cancel() {
    handshake?.cancel()
    handshake = nil
    silence?.cancel()
    silence = nil
    whenSilent = nil
  }
}
