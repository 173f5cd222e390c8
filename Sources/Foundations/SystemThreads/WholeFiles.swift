import Glibc

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

/// Reads to the end, or one byte beyond the limit, which shows that there are more.
/// - Throws: if the kernel cannot read.
public func readAll(from descriptor: CInt, limit: Int) throws(SystemError) -> [UInt8] {
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 64 * 1024)
  while bytes.count <= limit {
    let count = read(descriptor, &chunk, min(chunk.count, limit + 1 - bytes.count))
    if count == 0 { break }
    if count > 0 { bytes += chunk[..<count] } else if errno != EINTR { throw .last }
  }
  return bytes
}
