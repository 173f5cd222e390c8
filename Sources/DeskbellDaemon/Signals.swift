// SIGTERM and SIGINT ask for an orderly end, SIGHUP of a service manager to read the configuration again. The usual way
// to hear of them goes through a dispatch source, whose thread wakes once a second for as long as the program runs; a
// pipe on an event loop wakes when there is a signal.

import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// Hears signals from `listen` on. There is one set of signal handlers in a process, so there is one of these.
enum Signals {
  /// What the handlers write to. A handler may do little else than that.
  private static let writeEnd = Atomic<CInt>(-1)

  /// - Parameter body: called on an event loop with the number of each signal.
  /// - Throws: `DaemonError` where the system has no descriptors left.
  static func listen(
    for numbers: [CInt], on group: any EventLoopGroup, _ body: @escaping @Sendable (CInt) -> Void
  ) async throws {
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
    for number in numbers {
      signal(number) { number in
        let before = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(Signals.writeEnd.load(ordering: .acquiring), &byte, 1)
        errno = before
      }
    }
  }

  private final class SignalHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let body: @Sendable (CInt) -> Void

    init(_ body: @escaping @Sendable (CInt) -> Void) {
      self.body = body
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      for number in unwrapInboundIn(data).readableBytesView { body(CInt(number)) }
    }
  }
}
