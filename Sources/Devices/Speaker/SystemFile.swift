import Glibc
import SystemThreads

/// A file that is closed when it is no longer needed.
struct SystemFile: ~Copyable {
  let descriptor: Int32

  /// - Parameter flags: `O_CLOEXEC` is added, because programs of apps must not inherit the descriptor.
  init(path: String, flags: Int32, mode: mode_t = 0o600) throws(SystemError) {
    descriptor = open(path, flags | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw .last }
  }

  /// Runs also if the initialiser throws.
  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// The size of a regular file; nil for others.
  var byteCount: Int? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// - Parameter offset: in bytes.
  /// - Returns: the number of bytes read; fewer than fit only at the end of the file.
  func read<Number: FixedWidthInteger & BitwiseCopyable>(
    into buffer: inout [Number], at offset: Int
  ) throws(SystemError) -> Int {
    var span = buffer.mutableSpan
    var bytes = span.mutableBytes
    return try bytes.withUnsafeMutableBytes { memory throws(SystemError) in
      var filled = 0
      while filled < memory.count {
        let count = pread(
          descriptor, memory.baseAddress.map { $0 + filled }, memory.count - filled, off_t(offset + filled))
        if count == 0 { break }
        if count > 0 { filled += count } else if errno != EINTR { throw .last }
      }
      return filled
    }
  }
}
