// The system's time zone database says when clocks go forward and back, and the C library reads it. The core receives
// it as a table.

import Glibc
import HandsetCore

public enum SystemTimeZone {
  /// The machine's time zone: a file, or a link into the database.
  public static let path = "/etc/localtime"

  /// True if `$TZ` sets the zone of this process, whatever the machine's is.
  public static var isFixed: Bool { variable != nil }

  private static var variable: String? {
    guard let value = getenv("TZ"), value[0] != 0 else { return nil }
    return String(cString: value)
  }

  /// 1970, whatever the clock shows now: a board without a battery clock gets the time after the start.
  private static let start: Int64 = 0
  /// 2100-01-01T00:00:00Z.
  private static let end: Int64 = 4_102_444_800

  /// Returns the zone's rules, read again; UTC if they cannot be read.
  public static func table() -> TimeZoneTable { table(from: start, to: end) }

  /// Returns the zone's rules for the weeks around a time, which need few calls of the C library.
  public static func table(around wall: WallTime) -> TimeZoneTable {
    let time = wall.microseconds / 1_000_000
    return table(from: time - 14 * 86_400, to: time + 14 * 86_400)
  }

  private static func table(from start: Int64, to end: Int64) -> TimeZoneTable {
    tzset()
    return table(named: name, from: start, to: end) { time in
      var time = time_t(time)
      var fields = tm()
      return localtime_r(&time, &fields) == nil ? 0 : fields.tm_gmtoff
    }
  }

  /// Finds the transitions of a zone from its offset at any time.
  /// - Parameters:
  ///   - start, end: seconds since 1970-01-01T00:00:00Z.
  ///   - offset: seconds ahead of UTC at that time.
  static func table(
    named name: String, from start: Int64, to end: Int64, offset: (Int64) -> Int
  ) -> TimeZoneTable {
    // No zone has changed its offset twice within this time.
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

  /// The zone's name, `Europe/Berlin`; `$TZ` overrides the machine's.
  private static var name: String {
    if let variable { return variable }
    guard let path = realpath(path, nil) else { return "UTC" }
    defer { free(path) }
    let name = String(cString: path).split(separator: "/").drop { $0 != "zoneinfo" }.dropFirst()
    return name.isEmpty ? "local" : name.joined(separator: "/")
  }
}
