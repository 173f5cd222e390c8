// Time zones by their names in stories, written out for the stories' years: the daemon reads them from the system.

@testable import HandsetCore

enum StoryZone {
  static let named = ["utc": TimeZoneTable.utc, "berlin": berlin, "new-york": newYork]

  /// One hour ahead of UTC; two from the last Sunday in March to the last in October, both at 01:00 UTC.
  static let berlin = zone(
    "Europe/Berlin", offsets: (3600, 7200),
    [
      "2026-03-29 01", "2026-10-25 01", "2027-03-28 01", "2027-10-31 01", "2028-03-26 01", "2028-10-29 01",
    ])

  /// Five hours behind UTC; four from the second Sunday in March to the first in November, both at 02:00 local time.
  static let newYork = zone(
    "America/New_York", offsets: (-18000, -14400),
    [
      "2026-03-08 07", "2026-11-01 06", "2027-03-14 07", "2027-11-07 06", "2028-03-12 07", "2028-11-05 06",
    ])

  private static func zone(_ name: String, offsets: (winter: Int, summer: Int), _ times: [String]) -> TimeZoneTable {
    let transitions = times.enumerated().map { index, text in
      TimeZoneTable.Transition(time: utc(text), offset: index % 2 == 0 ? offsets.summer : offsets.winter)
    }
    return TimeZoneTable(name: name, initialOffset: offsets.winter, transitions: transitions)!
  }

  /// Returns the seconds since 1970 for `2026-03-29 01`, in UTC.
  private static func utc(_ text: String) -> Int64 {
    let parts = text.split { $0 == "-" || $0 == " " }.map { Int($0)! }
    return Int64(CivilDate(year: parts[0], month: parts[1], day: parts[2]).dayNumber * 86_400 + parts[3] * 3600)
  }
}
