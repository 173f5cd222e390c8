// Setting the machine's time zone replaces /etc/localtime. inotify on its folder reports it, without any wake-up until
// then. Removing the file says nothing about the zone, so the zone stays.

import Glibc
import SystemThreads

/// A watch on the file of the time zone. Lives until `stop`.
public final class ZoneWatch: Sendable {
  private let bell: Doorbell
  private let thread: SystemThread

  /// - Parameters:
  ///   - path: the file. Its folder must exist, the file need not.
  ///   - changed: called on the watch's thread each time another file with that name and some content is there.
  /// - Throws: `ClockError` if the folder cannot be watched.
  public init(on path: String, _ changed: @escaping @Sendable () -> Void) throws(ClockError) {
    let (folder, file) =
      path.lastIndex(of: "/").map { (String(path[...$0]), String(path[path.index(after: $0)...])) } ?? (".", path)
    do throws(SystemError) {
      // The file is moved, linked or written there.
      let watch = try FolderWatch(folder, for: UInt32(IN_MOVED_TO) | UInt32(IN_CREATE) | UInt32(IN_CLOSE_WRITE))
      let bell = try Doorbell()
      self.bell = bell
      thread = try SystemThread(named: "time zone") {
        var watched = [pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)]
        while bell.wait(with: &watched, milliseconds: -1) == .ready {
          // A file that was just created, and is about to be written, is empty.
          var status = stat()
          if watch.take().contains(file), stat(path, &status) == 0, status.st_size > 0 { changed() }
        }
      }
    } catch {
      throw ClockError(description: "\(folder) cannot be watched: \(error.reason)")
    }
  }

  public func stop() {
    bell.ring()
    thread.join()
  }
}
