// Log lines that outsiders cause: the first ones are written, then fewer the longer they continue.

import DaemonTestSupport
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import DeskbellDaemon

@Suite("The log of what outsiders cause")
struct LogMeterTests {
  private let eventLoop = EmbeddedEventLoop()
  private let lines = LogLines(from: .notice)
  private let logger: Logger

  init() {
    logger = Logger(label: "outside") { [lines, eventLoop] _ in LogMeter(lines.logger, eventLoop: eventLoop) }
  }

  @Test("Fifty lines of a subject are written; more are summed up, after twice the time each time")
  func sums() {
    for number in 1...LogMeter.Limits.lines { logger.notice("a: \(number)") }
    #expect(lines.take().count == LogMeter.Limits.lines)
    logger.warning("a: one more")
    #expect(lines.take() == [])
    eventLoop.advanceTime(by: .seconds(1))
    #expect(lines.take() == ["warning a: one more"])
    for number in 1...100_000 { logger.notice("a: \(number)") }
    eventLoop.advanceTime(by: .milliseconds(1_999))
    #expect(lines.take() == [])
    eventLoop.advanceTime(by: .milliseconds(1))
    #expect(lines.take() == ["notice a: 100000 more lines; the last: a: 100000"])
    // A line a second for half a day.
    for _ in 1...43_200 {
      logger.notice("a: x")
      eventLoop.advanceTime(by: .seconds(1))
    }
    #expect(lines.take().count < 43_200 / 300 + 10)
  }

  @Test("Another subject is not concerned, and after a pause neither is this one")
  func subjects() {
    for number in 0...LogMeter.Limits.lines { logger.notice("a: \(number)") }
    #expect(lines.take().count == LogMeter.Limits.lines)
    logger.notice("b: 1")
    #expect(lines.take() == ["notice b: 1"])
    eventLoop.advanceTime(by: .seconds(1))
    #expect(lines.take() == ["notice a: \(LogMeter.Limits.lines)"])
    eventLoop.advanceTime(by: LogMeter.Limits.pause)
    logger.notice("a: again")
    #expect(lines.take() == ["notice a: again"])
  }

  @Test("Subjects beyond the limit share one")
  func manySubjects() {
    let written = LogMeter.Limits.subjects + LogMeter.Limits.lines
    for number in 1...written + 1 { logger.notice("subject \(number)") }
    #expect(lines.take().count == written)
    eventLoop.advanceTime(by: .seconds(1))
    #expect(lines.take() == ["notice subject \(written + 1)"])
  }

  @Test("A line is one line, of at most 1 KB")
  func lineBytes() {
    logger.notice("a: b\r\nnotice: c")
    logger.notice("\(String(repeating: "x", count: LogMeter.Limits.lineBytes))")
    logger.notice("\(String(repeating: "x", count: LogMeter.Limits.lineBytes + 1))")
    let longest = String(repeating: "x", count: LogMeter.Limits.lineBytes)
    #expect(lines.take() == [#"notice a: b\r\nnotice: c"#, "notice \(longest)", "notice \(longest)…"])
  }
}
