import Glibc

/// Writes all of it, however often the kernel takes a part only.
/// - Parameter offset: in bytes; nil is where the last write ended.
/// - Throws: where the kernel takes no more.
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
