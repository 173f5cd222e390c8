// The daemon's end of a program's output. It is always read to its end, because a full pipe would stop the program.

import Glibc

/// A non-blocking descriptor that is read in lines.
struct ProgramStream {
  /// The bytes read in one turn, so that an endless output does not delay the other apps.
  private static let turnBytes = 64 * 1024

  /// The descriptor; -1 once the stream has ended.
  private(set) var descriptor: CInt
  private var lines: Lines

  init(descriptor: CInt, lineBytes: Int) {
    self.descriptor = descriptor
    lines = Lines(limit: lineBytes)
  }

  /// The number of bytes so far.
  var bytes: Int { lines.bytes }

  /// - Returns: the lines of one turn, at the end of the stream also the last line without a line feed; nil if there is
  ///   nothing to read now.
  mutating func read() -> [Lines.Line]? {
    guard descriptor >= 0 else { return nil }
    var code: CInt = 0
    var count = 0
    let piece = [UInt8](unsafeUninitializedCapacity: ProgramStream.turnBytes) { buffer, filled in
      repeat {
        count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        code = count < 0 ? errno : 0
      } while code == EINTR
      filled = max(count, 0)
    }
    if code == EAGAIN { return nil }
    guard count > 0 else {
      close()
      return finish()
    }
    return lines.append(piece[...])
  }

  /// Returns the line that has no line feed yet, as if it were complete.
  mutating func finish() -> [Lines.Line] { lines.finish().map { [$0] } ?? [] }

  mutating func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }
}
