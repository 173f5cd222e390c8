// Whoever sets the machine's time zone replaces /etc/localtime. inotify on its folder tells of that; while nobody does,
// nothing wakes. A file that is taken away says nothing about where the machine is: the zone then stays.

import Glibc
import NIOCore
import NIOPosix

/// Tells when a file of the time zone has been replaced or written. Lives until `stop`.
final class ZoneWatch: Sendable {
  private let channel: any Channel

  private init(channel: any Channel) {
    self.channel = channel
  }

  /// - Parameters:
  ///   - path: of the file; it need not be there yet, its folder does.
  ///   - changed: called on an event loop each time there is another file of that name with something in it.
  /// - Throws: `DaemonError` where the folder cannot be watched.
  static func start(
    on path: String, group: any EventLoopGroup, _ changed: @escaping @Sendable () -> Void
  ) async throws -> ZoneWatch {
    let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    // Moved into its place, linked there, or written there: not made, which is done before there is anything in it.
    let events = UInt32(IN_MOVED_TO) | UInt32(IN_CREATE) | UInt32(IN_CLOSE_WRITE)
    guard descriptor >= 0, inotify_add_watch(descriptor, SharedFiles.parent(of: path), events) >= 0 else {
      let reason = String(cString: strerror(errno))
      if descriptor >= 0 { close(descriptor) }
      throw DaemonError("\(SharedFiles.parent(of: path)) cannot be watched: \(reason)")
    }
    do {
      let channel = try await NIOPipeBootstrap(group: group)
        // The kernel gives whole events, and none to a reader without room for the longest name.
        .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4096))
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(Handler(path: path, changed))
          }
        }
        .takingOwnershipOfDescriptor(input: descriptor).get()
      return ZoneWatch(channel: channel)
    } catch {
      // It was given back.
      close(descriptor)
      throw error
    }
  }

  func stop() async { try? await channel.close() }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let path: String
    private let changed: @Sendable () -> Void

    init(path: String, _ changed: @escaping @Sendable () -> Void) {
      self.path = path
      self.changed = changed
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var events = unwrapInboundIn(data)
      let name = path.split(separator: "/").last ?? ""
      var isOurs = false
      // struct inotify_event: watch, mask, cookie and length, then so many bytes of the name, filled up with zeros.
      while let fields = events.readMultipleIntegers(
        endianness: .host, as: (Int32, UInt32, UInt32, UInt32).self),
        let bytes = events.readBytes(length: Int(fields.3))
      {
        if String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) == name { isOurs = true }
      }
      if isOurs && hasContent { changed() }
    }

    /// A file that was just made, and is about to be written, is empty.
    private var hasContent: Bool {
      var status = stat()
      return stat(path, &status) == 0 && status.st_size > 0
    }
  }
}
