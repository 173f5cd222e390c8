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
