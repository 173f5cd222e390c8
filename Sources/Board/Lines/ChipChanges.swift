// A chip that is plugged in, or that udev hands to us a moment after it appeared, shows in a folder, and one that is
// pulled out goes from there: also while nothing is drawn that would fail. Polling would wake the board for nothing.

import Glibc

/// Watches a folder for device files of GPIO chips. Used by one thread.
final class ChipChanges {
  /// Readable when something changed in the folder.
  let descriptor: Int32

  /// Nil where the folder cannot be watched; lost devices then wait for `Panel.retry()`.
  init?(in directory: String) {
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard descriptor >= 0 else { return nil }
    // Created by the kernel, and then by udev given the mode that lets us in.
    let events = UInt32(IN_CREATE | IN_ATTRIB | IN_MOVED_TO | IN_DELETE)
    guard inotify_add_watch(descriptor, directory, events) >= 0 else { return nil }
  }

  /// Runs also where the initialiser fails.
  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Whether a GPIO chip changed since the last call.
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
