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
