// Each line of the log is the daemon's own: text from a client can neither end a line nor reverse it.

import Logging
import Testing

@testable import DeskbellDaemon

@Suite("The log")
struct LogTests {
  @Test(
    "Foreign text stays on its line",
    arguments: [
      ("a\r\n<0>b", #"<7>lost error=a\r\n<0>b"#), ("a\n<0>b", #"<7>lost error=a\n<0>b"#),
      ("a\u{2028}b\u{85}c\u{B}d\u{1B}[31m", #"<7>lost error=a\u{2028}b\u{0085}c\u{0B}d\u{1B}[31m"#),
      ("a\u{202E}b", #"<7>lost error=a\u{202E}b"#), ("größer", "<7>lost error=größer"),
    ])
  func foreign(value: String, line: String) {
    #expect(JournalLogHandler.line("lost", ["error": "\(value)"], prefix: "<7>") == line + "\n")
  }

  @Test("Also in a message, whose metadata stand behind it")
  func message() {
    let line = JournalLogHandler.line("a\nb\r\nc\u{2028}d", ["y": "2", "x": "1"], prefix: "<3>")
    #expect(line == #"<3>a\nb\r\nc\u{2028}d x=1 y=2"# + "\n")
  }
}
