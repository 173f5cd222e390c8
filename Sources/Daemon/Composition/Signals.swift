// SIGTERM and SIGINT request an orderly end; SIGHUP from a service manager requests that the configuration is read
// again. Usually a dispatch source receives them, but its thread wakes once a second while the program runs; a pipe on
// an event loop wakes only for a signal.

import Glibc
import NIOCore
import NIOPosix
import Synchronization
import SystemThreads

/// The signals of this process, which has one set of signal handlers.
public enum Signals {
  /// The pipe's end that the handlers write to. A handler may do little else.
  private static let writeEnd = Atomic<CInt>(-1)

  /// - Parameter body: called on an event loop with the number of each signal.
  /// - Throws: `DaemonError` if the system has no descriptors left.
  public static func listen(for numbers: [CInt], _ body: @escaping @Sendable (CInt) -> Void) async throws {
    var ends: [CInt] = [-1, -1]
    let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw DaemonError("no descriptors left to receive signals with: \(SystemError.last.reason)")
    }
    _ = try await NIOPipeBootstrap(group: MultiThreadedEventLoopGroup.singleton)
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

  /// Makes a write beyond RLIMIT_FSIZE fail with EFBIG, like ENOSPC on a full disk, instead of ending the process by
  /// SIGXFSZ.
  static func ignoreFileSizeLimit() { signal(SIGXFSZ, SIG_IGN) }

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
