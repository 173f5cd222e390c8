// Each line of the log is the daemon's own: text from a client can neither end a line nor reverse it.

import Clocks
import DaemonTestSupport
import HandsetCore
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

  @Test("Joined to a virtual clock, each line has its time; a level that is not logged costs none")
  func stamps() {
    let clock = VirtualClock(startingAt: Moment(uptime: .zero, wall: WallTime(seconds: 1_767_225_600)))
    let lines = LogLines(from: .notice)
    var logger = lines.logger.stamped(by: clock)
    logger[metadataKey: "desk"] = "hall"
    logger.notice("one")
    clock.move(by: .seconds(2_700) + .milliseconds(250))
    logger.warning("two", metadata: ["time": "noon", "x": "1"])
    logger.info("three")
    #expect(
      lines.fields == [
        ["desk": "hall", "time": "2026-01-01T00:00:00Z"],
        ["desk": "hall", "time": "2026-01-01T00:45:00.250000Z", "x": "1"],
      ])
    #expect(lines.take() == ["notice one", "warning two"])
  }

  @Test("Also in a message, whose metadata stand behind it")
  func message() {
    let line = JournalLogHandler.line("a\nb\r\nc\u{2028}d", ["y": "2", "x": "1"], prefix: "<3>")
    #expect(line == #"<3>a\nb\r\nc\u{2028}d x=1 y=2"# + "\n")
  }
}
