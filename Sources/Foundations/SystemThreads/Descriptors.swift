import Glibc

/// Reads to the end, even if the kernel returns only parts of it at a time.
/// - Parameter limit: in bytes.
/// - Returns: all bytes, or `limit` + 1 of them if there are more.
public func readAll(from descriptor: CInt, atMost limit: Int) throws(SystemError) -> [UInt8] {
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 65_536)
  while bytes.count <= limit {
    let count = read(descriptor, &chunk, min(chunk.count, limit + 1 - bytes.count))
    if count == 0 { break }
    if count > 0 { bytes += chunk[..<count] } else if errno != EINTR { throw .last }
  }
  return bytes
}

/// Reads a file, as `readAll` does.
public func readFile(_ path: String, atMost limit: Int) throws(SystemError) -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw .last }
  defer { close(descriptor) }
  return try readAll(from: descriptor, atMost: limit)
}

/// Opens a regular file for reading. A pipe, which would block for ever, or anything else is refused.
/// - Returns: the descriptor, and the file's size in bytes.
/// - Throws: `EINVAL` if it is not a regular file.
public func openFile(_ path: String) throws(SystemError) -> (descriptor: CInt, size: Int) {
  // With O_NONBLOCK a pipe opens too. Programs of apps must not inherit the descriptor.
  let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
  guard descriptor >= 0 else { throw .last }
  var status = stat()
  if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return (descriptor, Int(status.st_size)) }
  close(descriptor)
  throw SystemError(code: EINVAL)
}

/// Writes all bytes, even if the kernel accepts only parts of them at a time.
/// - Parameter offset: in bytes; nil is the end of the last write.
/// - Throws: if the kernel accepts no more.
public func writeAll(
  _ bytes: RawSpan, to descriptor: CInt, at offset: Int? = nil
) throws(SystemError) {
  var written = 0
  while written < bytes.byteCount {
    let count = bytes.extracting(droppingFirst: written).withUnsafeBytes { rest in
      offset.map { pwrite(descriptor, rest.baseAddress, rest.count, off_t($0 + written)) }
        ?? write(descriptor, rest.baseAddress, rest.count)
    }
    if count > 0 { written += count } else if count == 0 || errno != EINTR { throw .last }
  }
}

/// Writes the text to the descriptor as far as it is accepted. A closed standard error cannot be reported.
/// - Returns: true if all of it was written.
@discardableResult
public func write(_ text: String, to descriptor: CInt) -> Bool {
  (try? writeAll(text.utf8.span.bytes, to: descriptor)) != nil
}
