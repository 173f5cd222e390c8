// A chip that is plugged in, or that udev makes accessible a moment later, appears in a folder, and an unplugged one
// disappears from it, also while nothing is drawn that could fail. Polling would wake the board for nothing.

import Glibc

/// A watch on a folder for device files of GPIO chips. Used by one thread.
final class ChipChanges {
  /// The descriptor that is readable after a change in the folder.
  let descriptor: Int32

  /// Starts the watch. Nil if the folder cannot be watched; lost devices then wait for `Front.retry()`.
  init?(in directory: String) {
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard descriptor >= 0 else { return nil }
    // The kernel creates the file, then udev sets the mode that gives us access.
    let events = UInt32(IN_CREATE | IN_ATTRIB | IN_MOVED_TO | IN_DELETE)
    guard inotify_add_watch(descriptor, directory, events) >= 0 else { return nil }
  }

  /// Runs also if the initialiser fails.
  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Returns true if a GPIO chip changed since the last call.
  func take() -> Bool {
    var hasChip = false
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: MemoryLayout<inotify_event>.alignment) { buffer in
      guard let start = buffer.baseAddress else { return }
      while true {
        let count = read(descriptor, start, buffer.count)
        guard count > 0 else { return }
        var offset = 0
        while offset + MemoryLayout<inotify_event>.size <= count {
          let event = buffer.load(fromByteOffset: offset, as: inotify_event.self)
          let name = start.advanced(by: offset + MemoryLayout<inotify_event>.size)
          if event.len > 0, String(cString: name.assumingMemoryBound(to: CChar.self)).hasPrefix("gpiochip") {
            hasChip = true
          }
          offset += MemoryLayout<inotify_event>.size + Int(event.len)
        }
      }
    }
    return hasChip
  }
}
