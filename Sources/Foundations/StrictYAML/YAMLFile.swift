// Every user of this module starts from a path. The size is limited before the bytes are in memory, and a path that is
// no regular file (a pipe would block for ever) is refused.

import Glibc
import SystemThreads

extension YAMLDocument {
  /// Reads and composes the file at `path`; messages begin with `path` as given.
  ///
  /// - Throws: as `parse(_:file:limits:emptyAsMapping:)`, or one diagnostic at 1:1 about the file that cannot be read.
  public static func parse(
    contentsOf path: String, limits: YAMLLimits = YAMLLimits(), emptyAsMapping: Bool = false
  ) throws(StrictYAMLError) -> YAMLDocument {
    try parse(readFile(path, atMost: limits.bytes), file: path, limits: limits, emptyAsMapping: emptyAsMapping)
  }
}

/// Returns all bytes of a regular file, or `limit` + 1 of them if it has more.
private func readFile(_ path: String, atMost limit: Int) throws(StrictYAMLError) -> [UInt8] {
  func unreadable(_ reason: String = String(cString: strerror(errno))) -> StrictYAMLError {
    let start = SourcePosition(file: path, line: 1, column: 1)
    return StrictYAMLError(diagnostics: [Diagnostic("cannot be read: \(reason)", at: start)])
  }
  let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
  guard descriptor >= 0 else { throw unreadable() }
  defer { close(descriptor) }
  var status = stat()
  guard fstat(descriptor, &status) == 0 else { throw unreadable() }
  guard status.st_mode & S_IFMT == S_IFREG else { throw unreadable("not a regular file") }
  do throws(SystemError) {
    return try readAll(from: descriptor, limit: limit)
  } catch {
    throw unreadable(String(cString: strerror(error.code)))
  }
}
