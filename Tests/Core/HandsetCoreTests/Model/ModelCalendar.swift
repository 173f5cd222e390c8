// A calendar that counts days from 1970, one by one: too slow for a handset, and too simple to be wrong.

@testable import HandsetCore

enum ModelCalendar {
  /// Returns the first such time after that one.
  static func next(_ time: CalendarTime, after wall: WallTime, in zone: TimeZoneTable) -> WallTime? {
    let seconds = wall.microseconds / 1_000_000
    let today = Int(seconds / 86_400)
    var first = today - 2
    if let year = time.year { first = max(first, (1970..<year).reduce(0) { $0 + (isLeap($1) ? 366 : 365) }) }
    var date = date(ofDay: first)
    // Leap days on the same weekday come every 28 years, and every 40 if a century leaves one out.
    for day in first...(first + 41 * 366) {
      defer { date = following(date) }
      if let year = time.year, year != date.year {
        if date.year > year { return nil }
        continue
      }
      if let month = time.month, month != date.month { continue }
      if let number = time.day, number != date.day { continue }
      // 1970-01-01 was a Thursday.
      if let weekday = time.weekday, weekday != (day + 3) % 7 + 1 { continue }
      let local = Int64(day * 86_400 + time.hour * 3600 + time.minute * 60 + time.second)
      let found = WallTime(seconds: utc(ofLocal: local, in: zone))
      if found > wall { return found }
    }
    return nil
  }

  /// Returns the first second with that local time; if clocks skip it, the second at which they continue.
  private static func utc(ofLocal local: Int64, in zone: TimeZoneTable) -> Int64 {
    var offsets = [Int64(zone.initialOffset)]
    for transition in zone.transitions { offsets.append(Int64(transition.offset)) }
    let candidates = Set(offsets).map { local - $0 }.sorted()
    for candidate in candidates where candidate + offset(at: candidate, in: zone) == local { return candidate }
    for (before, transition) in zip(offsets, zone.transitions)
    where transition.time + before <= local && local < transition.time + Int64(transition.offset) {
      return transition.time
    }
    return local
  }

  private static func offset(at seconds: Int64, in zone: TimeZoneTable) -> Int64 {
    var offset = zone.initialOffset
    for transition in zone.transitions where transition.time <= seconds { offset = transition.offset }
    return Int64(offset)
  }

  private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
    var (year, rest) = (1970, day)
    while rest < 0 {
      year -= 1
      rest += isLeap(year) ? 366 : 365
    }
    while rest >= (isLeap(year) ? 366 : 365) {
      rest -= isLeap(year) ? 366 : 365
      year += 1
    }
    var month = 1
    while rest >= days(in: month, of: year) {
      rest -= days(in: month, of: year)
      month += 1
    }
    return (year, month, rest + 1)
  }

  private static func following(_ date: (year: Int, month: Int, day: Int)) -> (year: Int, month: Int, day: Int) {
    if date.day < days(in: date.month, of: date.year) { return (date.year, date.month, date.day + 1) }
    return date.month < 12 ? (date.year, date.month + 1, 1) : (date.year + 1, 1, 1)
  }
}
