import Glibc

/// A watch on the names in a folder, by inotify: no thread wakes until one of them changes. Used by one thread.
public final class FolderWatch: Sendable {
  /// The descriptor that is readable after a change.
  public let descriptor: Int32

  /// - Parameter changes: the kinds of change [inotify(7)].
  /// - Throws: if the folder cannot be watched.
  public init(_ folder: String, for changes: UInt32) throws(SystemError) {
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard descriptor >= 0, inotify_add_watch(descriptor, folder, changes) >= 0 else { throw .last }
  }

  /// Runs also if the initialiser throws.
  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Returns the names that changed since the last call.
  public func take() -> [String] {
    var names: [String] = []
    // The kernel returns whole events, and an error if the buffer cannot hold the longest name.
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: MemoryLayout<inotify_event>.alignment) { buffer in
      guard let start = buffer.baseAddress else { return }
      while true {
        let count = read(descriptor, start, buffer.count)
        var offset = 0
        while offset + MemoryLayout<inotify_event>.size <= count {
          let event = buffer.load(fromByteOffset: offset, as: inotify_event.self)
          offset += MemoryLayout<inotify_event>.size
          let name = start.advanced(by: offset).assumingMemoryBound(to: CChar.self)
          if event.len > 0 { names.append(String(cString: name)) }
          offset += Int(event.len)
        }
        guard count > 0 else { return }
      }
    }
    return names
  }
}
