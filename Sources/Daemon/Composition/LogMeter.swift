// Lines of the log that outsiders cause: publishers on the broker, members of a fleet, apps. They could fill the disk.
// A subject's first lines are written at once; further ones are counted and summed up, at growing intervals.

import HandsetCore
import Logging
import NIOCore
import Synchronization

/// A log handler that limits a subject's lines in another log. A line's subject is the text before its first colon.
struct LogMeter: LogHandler {
  enum Limits {
    /// The lines of one subject that are written at once, until it has had none for `pause`.
    static let lines = 50
    static let pause = TimeAmount.seconds(60)
    /// The time from the first counted line to the line that sums up; it doubles each time.
    static let interval = TimeAmount.seconds(1)
    static let longestInterval = TimeAmount.seconds(300)
    /// The subjects that are counted separately; all others are counted together.
    static let subjects = 64
    static let lineBytes = 1_024
  }

  private struct Spell {
    var lines = 0
    /// The number of lines that were not written, and the last of them.
    var counted = 0
    var last = ""
    var level = Logger.Level.notice
    var time: NIODeadline
    var interval = Limits.interval
  }

  private final class Spells: Sendable {
    let all = Mutex<[String: Spell]>([:])
  }

  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level
  private let log: Logger
  private let eventLoop: any EventLoop
  private let spells = Spells()

  /// - Parameter eventLoop: for the timers, which run only while something is counted.
  init(_ log: Logger, eventLoop: any EventLoop) {
    (self.log, self.eventLoop, logLevel) = (log, eventLoop, log.logLevel)
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let (line, now) = ("\(event.message)".onOneLine(limit: Limits.lineBytes), eventLoop.now)
    let (isWritten, first) = spells.all.withLock { spells -> (Bool, (subject: String, wait: TimeAmount)?) in
      let subject = subject(of: line, among: &spells, now)
      var spell = spells[subject] ?? Spell(time: now)
      if spell.counted == 0 && now >= spell.time + Limits.pause { spell = Spell(time: now) }
      spell.time = now
      spell.lines += 1
      let isWritten = spell.lines <= Limits.lines
      if !isWritten {
        spell.counted += 1
        (spell.last, spell.level) = (line, event.level)
      }
      spells[subject] = spell
      return (isWritten, spell.counted == 1 ? (subject, spell.interval) : nil)
    }
    if isWritten { log.log(level: event.level, "\(line)") }
    if let first { eventLoop.scheduleTask(in: first.wait) { sumUp(first.subject) } }
  }

  private func subject(of line: String, among spells: inout [String: Spell], _ now: NIODeadline) -> String {
    let subject = String(decoding: line.utf8.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
    if spells[subject] == nil && spells.count >= Limits.subjects {
      spells = spells.filter { $0.value.counted > 0 || now < $0.value.time + Limits.pause }
    }
    return spells[subject] == nil && spells.count >= Limits.subjects ? "others" : subject
  }

  private func sumUp(_ subject: String) {
    let spell = spells.all.withLock { spells in
      let spell = spells[subject]
      spells[subject]?.counted = 0
      spells[subject]?.interval = min(Limits.longestInterval, (spell?.interval ?? Limits.interval) * 2)
      return spell
    }
    guard let spell else { return }
    log.log(
      level: spell.level,
      spell.counted == 1 ? "\(spell.last)" : "\(subject): \(spell.counted) more lines; the last: \(spell.last)")
  }
}
