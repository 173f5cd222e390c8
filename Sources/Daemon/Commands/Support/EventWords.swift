// An event as one line: number, time, event and app, and the rest as key=value.

import HandsetCore

public enum EventWords {
  public static func line(_ event: EventReport, _ clock: ClockFace = .local) -> String {
    var line = "\(event.sequence)".aligned(to: 6)
    line += "  " + clock.time(event.wallMicroseconds)
    line += "  " + event.event.padded(to: longestName)
    if let app = event.app { line += "  " + app }
    // A test bench adds the real time, which would be noise in a line for a person.
    for (name, value) in event.fields.sorted(by: { $0.key < $1.key }) where name != "realMicroseconds" {
      line += "  \(name)=\(words(value))"
    }
    if let push = event.push { line += "  push=\(push)" }
    return line.trimmingEnd()
  }

  /// Returns the message for missing events; numbers are assigned without gaps.
  /// - Parameter expected: the number of the next event; nil if it is unknown.
  public static func gap(from expected: UInt64?, to sequence: UInt64) -> String? {
    guard let expected, expected < sequence else { return nil }
    let range = expected == sequence - 1 ? "event \(expected) is" : "events \(expected) to \(sequence - 1) are"
    return "deskbell: \(range) gone: the journal keeps \(Policy.eventLimit), "
      + "and of refusals the newest \(Policy.refusedEventLimit)"
  }

  /// The length of `not-presented` and `sound-started`.
  private static let longestName = 13

  private static func words(_ value: Event.Field) -> String {
    switch value {
    case .flag(let flag): flag ? "yes" : "no"
    case .number(let number): "\(number)"
    case .text(let text): text.isEmpty || text.contains(" ") ? "'\(oneLine(text))'" : oneLine(text)
    case .list(let list): list.joined(separator: ",")
    }
  }
}
