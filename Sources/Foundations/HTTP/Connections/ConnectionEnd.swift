// The end of a server's connections when the server stops. It does not wait for a silent client, not even for the
// client's answer to the end of TLS, for which NIOSSL waits five seconds.

import NIOCore

/// An event that asks a connection to end as soon as it can, because its server stops.
package struct ServerStops: Sendable {
  package init() {}
}

/// An event that asks the handlers of a connection for the work under way on it. Each handler adds its own.
package final class WorkUnderWay {
  /// If true, a complete request has no answer yet.
  package var ofServer = false
  /// If true, a request or an answer is being transferred, and is finished as long as the client takes part.
  package var ofClient = false
  /// If true, the client has a moment left to send a request.
  package var mayBegin = false
}

/// A handler before TLS, added when the server stops. It informs the other handlers, and closes the connection as soon
/// as nothing is under way.
private final class ConnectionEnd: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// Silent periods until the end of a connection on which something was under way: a client on a busy machine reads
  /// its answers late, and loses them, and asks again, if it writes to a closed connection before. One that has read
  /// them closes the connection itself.
  private static let patience = 10

  private let silence: TimeAmount
  private let deadline: NIODeadline
  private var hasRead = false
  private var unsentBytes = 0
  /// Silent periods in a row; nil if nothing was ever under way.
  private var silentPeriods: Int?
  private var timer: Scheduled<Void>?

  init(silence: Duration, deadline: NIODeadline) {
    self.silence = TimeAmount(silence)
    self.deadline = deadline
  }

  func handlerAdded(context: ChannelHandlerContext) {
    context.fireUserInboundEventTriggered(ServerStops())
    unsentBytes = bytesUnsent(context)
    lookLater(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    hasRead = true
    context.fireChannelRead(data)
  }

  private func lookLater(_ context: ChannelHandlerContext) {
    timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: min(.now() + silence, deadline)) {
      if self.isOver(context) {
        // The first call sends the end of TLS, the second does not wait for the client's.
        context.channel.close(promise: nil)
        context.close(promise: nil)
      } else {
        self.lookLater(context)
      }
    }
  }

  private func isOver(_ context: ChannelHandlerContext) -> Bool {
    let work = WorkUnderWay()
    context.fireUserInboundEventTriggered(work)
    let unsent = bytesUnsent(context)
    let isBusy = work.ofServer || work.ofClient && hasRead || unsent > 0 && unsent != unsentBytes
    silentPeriods = isBusy ? 0 : silentPeriods.map { $0 + 1 }
    (hasRead, unsentBytes) = (false, unsent)
    let isOver = silentPeriods.map { $0 > Self.patience } ?? !work.mayBegin
    return isOver || .now() >= deadline
  }

  private func bytesUnsent(_ context: ChannelHandlerContext) -> Int {
    (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
  }
}

/// Asks connections to end, and returns when they have.
/// - Parameters:
///   - silence: the time that a client may be silent, unless a request of it has no answer yet; ten times as long if one
///     had none when the server stopped.
///   - limit: the time after which connections still open are closed.
package func end(_ connections: [any Channel], silence: Duration, within limit: Duration) async {
  let deadline = NIODeadline.now() + TimeAmount(limit)
  for channel in connections {
    channel.eventLoop.execute {
      try? channel.pipeline.syncOperations.addHandler(
        ConnectionEnd(silence: silence, deadline: deadline), position: .first)
    }
  }
  for channel in connections { try? await channel.closeFuture.get() }
}
