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

/// Writes the text to the descriptor as far as it is accepted. A closed standard error cannot be reported.
/// - Returns: true if all of it was written.
@discardableResult
public func write(_ text: String, to descriptor: CInt) -> Bool {
  (try? writeAll(text.utf8.span.bytes, to: descriptor)) != nil
}
