// Standard output, line by line: the reader of a pipe gets each line at once; when it closes the pipe, the command
// ends. Many lines contain foreign text, so terminal control characters are escaped in all of them.

import FoundationEssentials
import Glibc
import HandsetCore
import SystemThreads

/// The reader of standard output has closed it.
public struct OutputClosed: Error {}

public enum Output {
  public static func line(_ text: String) throws(OutputClosed) {
    guard write(text.printable + "\n", to: STDOUT_FILENO) else { throw OutputClosed() }
  }

  public static func json(_ value: some Encodable) throws {
    try line(jsonText(value))
  }

  public static func jsonText(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self).printableJSON
  }

  /// Writes to standard output, without an end of line.
  public static func prompt(_ text: String) {
    write(text, to: STDOUT_FILENO)
  }

  public static func complaint(_ text: String) {
    write(text.printable + "\n", to: STDERR_FILENO)
  }

  /// Replaces the previous line on a terminal; otherwise nothing is written.
  public static func progress(_ text: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    write("\r\u{1B}[K" + text, to: STDERR_FILENO)
  }
}
