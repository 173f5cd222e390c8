// SIGTERM and SIGINT ask for an orderly end. The usual way to hear of them goes through a dispatch source, whose thread
// wakes once a second for as long as the program runs; a pipe on an event loop wakes when there is a signal.

import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// Hears signals from `listen` on. There is one set of signal handlers in a process, so there is one of these.
enum TerminationSignals {
  /// What the handlers write to. A handler may do little else than that.
  private static let writeEnd = Atomic<CInt>(-1)

  /// - Parameter body: called on an event loop at each signal.
  /// - Throws: `DaemonError` where the system has no descriptors left.
  static func listen(on group: any EventLoopGroup, _ body: @escaping @Sendable () -> Void) async throws {
    var ends: [CInt] = [-1, -1]
    let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw DaemonError("no descriptors left to hear signals with: \(String(cString: strerror(errno)))")
    }
    _ = try await NIOPipeBootstrap(group: group)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(SignalHandler(body))
        }
      }
      .takingOwnershipOfDescriptor(input: ends[0]).get()
    writeEnd.store(ends[1], ordering: .releasing)
    for number in [SIGTERM, SIGINT] {
      signal(number) { _ in
        let before = errno
        _ = write(TerminationSignals.writeEnd.load(ordering: .acquiring), [1], 1)
        errno = before
      }
    }
  }

  private final class SignalHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { body() }
  }
}
