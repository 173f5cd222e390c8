// Where clocks go forward and back is in the system's time zone database, which the C library reads. The core is given
// it as a table.

import Glibc
import HandsetCore

/// The time zone that the system is set to.
enum SystemTimeZone {
  /// Far enough ahead for a calendar time that a daemon without a restart waits for, and back for one that it missed.
  private static let yearsAhead: Int64 = 30
  private static let yearsBack: Int64 = 2
  private static let secondsPerYear: Int64 = 31_556_952

  /// Its rules around that time. A machine whose zone cannot be read is at UTC.
  static func table(around now: WallTime) -> TimeZoneTable {
    tzset()
    let seconds = now.microseconds / 1_000_000
    return table(
      named: name, from: seconds - yearsBack * secondsPerYear, to: seconds + yearsAhead * secondsPerYear
    ) { time in
      var time = time_t(time)
      var fields = tm()
      return localtime_r(&time, &fields) == nil ? 0 : fields.tm_gmtoff
    }
  }

  /// Finds the transitions of a zone of which only the offset at any time is known.
  /// - Parameters:
  ///   - start, end: seconds since 1970-01-01T00:00:00Z.
  ///   - offset: seconds ahead of UTC at that time.
  static func table(
    named name: String, from start: Int64, to end: Int64, offset: (Int64) -> Int
  ) -> TimeZoneTable {
    // No zone has changed its offset twice within this.
    let step: Int64 = 7 * 86_400
    var transitions: [TimeZoneTable.Transition] = []
    var time = start
    var before = offset(start)
    while time < end {
      let next = min(time + step, end)
      let after = offset(next)
      if after != before {
        // The first second that has the new offset.
        var (low, high) = (time, next)
        while high - low > 1 {
          let middle = low + (high - low) / 2
          if offset(middle) == before { low = middle } else { high = middle }
        }
        transitions.append(.init(time: high, offset: after))
      }
      (time, before) = (next, after)
    }
    return TimeZoneTable(name: name, initialOffset: offset(start), transitions: transitions) ?? .utc
  }

  /// `Europe/Berlin`; `$TZ` goes before what the machine is set to.
  private static var name: String {
    if let zone = environment("TZ") { return zone }
    guard let path = realpath("/etc/localtime", nil) else { return "UTC" }
    defer { free(path) }
    let text = String(cString: path)
    let marker = "/zoneinfo/"
    var rest = text[...]
    while let slash = rest.firstIndex(of: "/") {
      rest = rest[slash...]
      if rest.hasPrefix(marker) { return String(rest.dropFirst(marker.count)) }
      rest = rest.dropFirst()
    }
    return "local"
  }
}
