// Setting the machine's time zone replaces /etc/localtime. inotify on its folder reports it, without any wake-up until
// then. Removing the file says nothing about the zone, so the zone stays.

import Glibc
import NIOCore
import NIOPosix
import SystemThreads

/// A watch on the file of the time zone. Lives until `stop`.
public final class ZoneWatch: Sendable {
  private let channel: any Channel

  private init(channel: any Channel) {
    self.channel = channel
  }

  /// - Parameters:
  ///   - path: the file. Its folder must exist, the file need not.
  ///   - changed: called on an event loop each time another file with that name and some content is there.
  /// - Throws: `ClockError` if the folder cannot be watched.
  public static func start(
    on path: String, group: any EventLoopGroup, _ changed: @escaping @Sendable () -> Void
  ) async throws -> ZoneWatch {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    // The file is moved, linked or written there. A file that was only created is empty.
    let events = UInt32(IN_MOVED_TO) | UInt32(IN_CREATE) | UInt32(IN_CLOSE_WRITE)
    guard descriptor >= 0, inotify_add_watch(descriptor, folder, events) >= 0 else {
      let reason = SystemError.last.reason
      if descriptor >= 0 { close(descriptor) }
      throw ClockError(description: "\(folder) cannot be watched: \(reason)")
    }
    do {
      let channel = try await NIOPipeBootstrap(group: group)
        // The kernel returns whole events, and an error if the buffer cannot hold the longest name.
        .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4096))
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(Handler(path: path, changed))
          }
        }
        .takingOwnershipOfDescriptor(input: descriptor).get()
      return ZoneWatch(channel: channel)
    } catch {
      // The bootstrap did not take ownership.
      close(descriptor)
      throw error
    }
  }

  public func stop() async { try? await channel.close() }

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
      // struct inotify_event: watch, mask, cookie and length, then that many bytes of the name, filled up with zeros.
      while let fields = events.readMultipleIntegers(
        endianness: .host, as: (Int32, UInt32, UInt32, UInt32).self),
        let bytes = events.readBytes(length: Int(fields.3))
      {
        if String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) == name { isOurs = true }
      }
      // A file that was just created, and is about to be written, is empty.
      var status = stat()
      if isOurs, stat(path, &status) == 0, status.st_size > 0 { changed() }
    }
  }
}
