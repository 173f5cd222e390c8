import HandsetCore

/// A time in words, in ntfy's forms: `tomorrow, 10am`, `Tuesday, 7am`, `8:30pm`, `half an hour from now`. ntfy finds
/// such words anywhere in a text; here the whole text must consist of them, each at most once, so that no part is
/// ignored unnoticed.
struct NtfyTime {
  private enum Day {
    /// The current day, or the next one.
    case today, tomorrow
    /// 1 for Monday to 7 for Sunday. `isNext`: today does not count.
    case weekday(Int, isNext: Bool)
    case date(CivilDate)
    /// Month and day without a year: the next such day.
    case monthDay(Int, Int)
  }

  private var day: Day?
  /// The time of day given in digits, in seconds.
  private var clock: Int?
  /// The time of day given as a word, in seconds: `morning`.
  private var partOfDay: Int?
  /// The time from now, in seconds.
  private var duration: Double?
  /// The time's own zone, in seconds ahead of UTC.
  private var offset: Int?

  /// - Parameter text: in lower case.
  init?(_ text: String) {
    var words = text.split { $0 == " " || $0 == "," || $0 == "\t" }[...]
    guard !words.isEmpty else { return nil }
    while let word = words.popFirst() {
      guard read(word, &words) else { return nil }
    }
    guard day != nil || clock != nil || partOfDay != nil || duration != nil else { return nil }
    guard duration == nil || (day == nil && clock == nil && partOfDay == nil) else { return nil }
  }

  /// Returns the time; it is in the past only if the text has a date.
  func time(after now: WallTime, in zone: TimeZoneTable) -> WallTime? {
    if let duration { return now.advanced(by: .seconds(duration)) }
    let local = zone.localSeconds(at: now)
    let today = Int((local - Int64(zone.secondOfDay(at: now))) / 86_400)
    let seconds = clock ?? partOfDay ?? zone.secondOfDay(at: now)
    func time(_ number: Int) -> WallTime {
      let local = Int64(number) * 86_400 + Int64(seconds)
      return offset.map { WallTime(seconds: local - Int64($0)) } ?? zone.time(ofLocal: local)
    }
    switch day {
    case nil, .today?: return time(today) > now ? time(today) : time(today + 1)
    case .tomorrow?: return time(today + 1)
    case .weekday(let weekday, let isNext)?:
      let days = (weekday - CivilDate.weekday(ofDayNumber: today) + 7) % 7
      return days == 0 && (isNext || time(today) <= now) ? time(today + 7) : time(today + days)
    case .date(let date)?: return time(date.dayNumber)
    case .monthDay(let month, let day)?:
      let year = CivilDate(dayNumber: today).year
      let number = CivilDate(year: year, month: month, day: day).dayNumber
      return time(number) > now ? time(number) : time(CivilDate(year: year + 1, month: month, day: day).dayNumber)
    }
  }

  /// Reads a word and the words after it that belong to it; false if it is no part of a time, or a part comes twice.
  private mutating func read(_ word: Substring, _ rest: inout ArraySlice<Substring>) -> Bool {
    switch word {
    case "at", "on", "the", "and": return !rest.isEmpty
    case "today": return set(.today)
    case "tomorrow", "tmr": return set(.tomorrow)
    case "tonight": return set(.today) && setPart(23)
    case "midnight": return setPart(0)
    case "this":
      guard let next = rest.first, let weekday = NtfyTime.weekdays[next] else {
        return rest.first.map { NtfyTime.hours[$0] != nil } ?? false
      }
      rest = rest.dropFirst()
      return set(.weekday(weekday, isNext: false))
    case "next":
      guard let weekday = rest.popFirst().flatMap({ NtfyTime.weekdays[$0] }) else { return false }
      return set(.weekday(weekday, isNext: true))
    case "in", "within": return readDuration(&rest)
    default: break
    }
    if let hour = NtfyTime.hours[word] { return setPart(hour) }
    if let weekday = NtfyTime.weekdays[word] { return set(.weekday(weekday, isNext: true)) }
    if let month = NtfyTime.month(word) {
      if rest.first == "the" { rest = rest.dropFirst() }
      guard let day = rest.popFirst().flatMap(NtfyTime.ordinal) else { return false }
      return setMonth(month, day)
    }
    if let read = readDate(word) { return read }
    if let seconds = NtfyTime.clock(word, &rest) {
      defer { clock = seconds }
      return clock == nil
    }
    if readDayOfMonth(word, &rest) { return true }
    // `3 hours from now`
    rest = [word] + rest
    return readDuration(&rest) && rest.popFirst() == "from" && rest.popFirst() == "now"
  }

  private mutating func set(_ day: Day) -> Bool {
    defer { self.day = day }
    return self.day == nil
  }

  private mutating func setPart(_ hour: Int) -> Bool {
    defer { partOfDay = hour * 3_600 }
    return partOfDay == nil
  }

  private mutating func setMonth(_ month: Int, _ day: Int) -> Bool {
    CivilDate.exists(2_000, month, day) && set(.monthDay(month, day))
  }

  /// Reads `3rd of march`, `3 march`.
  private mutating func readDayOfMonth(_ word: Substring, _ rest: inout ArraySlice<Substring>) -> Bool {
    guard let day = NtfyTime.ordinal(word) else { return false }
    let words = rest.first == "of" ? rest.dropFirst() : rest
    guard let month = words.first.flatMap(NtfyTime.month) else { return false }
    rest = words.dropFirst()
    return setMonth(month, day)
  }

  /// Reads `2026-12-24`, also with a time after a `t` [RFC 3339]; nil if it is no date.
  private mutating func readDate(_ word: Substring) -> Bool? {
    let parts = word.split(separator: "t", maxSplits: 1)
    let numbers = (parts.first ?? "").split(separator: "-", omittingEmptySubsequences: false).map {
      NtfyTime.number($0)
    }
    guard numbers.count == 3, let year = numbers[0], (1_970...9_999).contains(year), let month = numbers[1],
      let day = numbers[2]
    else { return nil }
    guard CivilDate.exists(year, month, day), set(.date(CivilDate(year: year, month: month, day: day))) else {
      return false
    }
    guard parts.count == 2 else { return !word.contains("t") }
    var time = parts[1]
    if time.last == "z" {
      offset = 0
      time = time.dropLast()
    } else if let sign = time.lastIndex(where: { $0 == "+" || $0 == "-" }) {
      guard let ahead = NtfyTime.digits(time[time.index(after: sign)...]) else { return false }
      offset = time[sign] == "-" ? -ahead : ahead
      time = time[..<sign]
    }
    var none: ArraySlice<Substring> = []
    clock = NtfyTime.clock(time.prefix { $0 != "." }, &none)
    return clock != nil
  }

  /// Reads `3 hours`, `half an hour`, `a few minutes`.
  private mutating func readDuration(_ rest: inout ArraySlice<Substring>) -> Bool {
    guard duration == nil, let first = rest.popFirst() else { return false }
    var count = NtfyTime.numbers[first] ?? Double(first)
    if first == "a" || first == "an" {
      count = 1
      if rest.first == "few" {
        count = 3
        rest = rest.dropFirst()
      }
    } else if first == "half" {
      count = 0.5
      if rest.first == "a" || rest.first == "an" { rest = rest.dropFirst() }
    }
    guard let count, (0...1e6).contains(count), let unit = rest.popFirst() else { return false }
    let longer: [Substring: Double] = ["week": 7, "weeks": 7, "month": 30, "months": 30, "year": 365, "years": 365]
    guard let seconds = longer[unit].map({ $0 * 86_400 }) ?? NtfyDelay.unit(unit) else { return false }
    duration = count * seconds
    return true
  }

  /// Reads `10am`, `8:30 p.m.`, `20:30:15`, as seconds of the day.
  private static func clock(_ word: Substring, _ rest: inout ArraySlice<Substring>) -> Int? {
    let time = word.prefix { !$0.isLetter }
    var suffix = word.dropFirst(time.count)
    if suffix.isEmpty, let next = rest.first, halves[next] != nil {
      suffix = next
      rest = rest.dropFirst()
    }
    guard let seconds = digits(time) else { return nil }
    guard !suffix.isEmpty else { return time.utf8.count > 2 ? seconds : nil }
    guard let half = halves[suffix], seconds < 13 * 3_600 else { return nil }
    return (seconds >= 12 * 3_600 ? seconds - 12 * 3_600 : seconds) + half
  }

  /// Reads `8`, `8:30`, `8-30`, `8.30`, `20:30:15`, as seconds.
  private static func digits(_ time: Substring) -> Int? {
    let parts = time.split(omittingEmptySubsequences: false) { ":-.".contains($0) }
    guard parts.count <= 3, parts.dropFirst().allSatisfy({ $0.utf8.count == 2 }) else { return nil }
    let numbers = parts.compactMap { number($0) }
    guard numbers.count == parts.count, numbers[0] < 24, numbers.dropFirst().allSatisfy({ $0 < 60 }) else { return nil }
    return zip(numbers, [3_600, 60, 1]).reduce(0) { $0 + $1.0 * $1.1 }
  }

  private static func number(_ text: Substring) -> Int? {
    text.utf8.count <= 4 && text.allSatisfy { ("0"..."9").contains($0) } ? Int(text) : nil
  }

  /// Reads 1 to 31, also as `1st`, `twenty-first`.
  private static func ordinal(_ word: Substring) -> Int? {
    let digits = word.prefix { ("0"..."9").contains($0) }
    guard ["", "st", "nd", "rd", "th"].contains(word.dropFirst(digits.count)), let number = number(digits) else {
      return ordinals.firstIndex(of: word).map { $0 + 1 }
    }
    return (1...31).contains(number) ? number : nil
  }

  private static func month(_ word: Substring) -> Int? {
    let word = word.last == "." ? word.dropLast() : word
    return word == "sept" ? 9 : months.firstIndex { $0 == word || $0.prefix(3) == word }.map { $0 + 1 }
  }

  private static let hours: [Substring: Int] = ["morning": 8, "noon": 12, "afternoon": 15, "evening": 18]
  /// The seconds at which the halves of the day begin.
  private static let halves: [Substring: Int] = [
    "am": 0, "a.m.": 0, "a.m": 0, "a": 0, "a.": 0,
    "pm": 43_200, "p.m.": 43_200, "p.m": 43_200, "p": 43_200, "p.": 43_200,
  ]
  private static let weekdays: [Substring: Int] = [
    "monday": 1, "mon": 1, "tuesday": 2, "tue": 2, "wednesday": 3, "wed": 3, "thursday": 4, "thur": 4, "thu": 4,
    "friday": 5, "fri": 5, "saturday": 6, "sat": 6, "sunday": 7, "sun": 7,
  ]
  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
  ]
  private static let numbers: [Substring: Double] = [
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12,
  ]
  private static let ordinals: [Substring] = {
    let first: [Substring] = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"]
    let teens: [Substring] = [
      "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth",
      "eighteenth", "nineteenth", "twentieth",
    ]
    return first + teens + first.map { "twenty-\($0)" } + ["thirtieth", "thirty-first"]
  }()
}

extension CivilDate {
  /// Returns true if the calendar has such a day.
  fileprivate static func exists(_ year: Int, _ month: Int, _ day: Int) -> Bool {
    guard (1...12).contains(month), (1...31).contains(day) else { return false }
    let date = CivilDate(year: year, month: month, day: day)
    return CivilDate(dayNumber: date.dayNumber) == date
  }
}

/// The reader of ntfy's `Delay`, the time at which a message is to be presented.
enum NtfyDelay {
  /// The accepted delays [ntfy, scheduled delivery: 10 s to 3 days].
  static let range = Duration.seconds(10)...Duration.seconds(3 * 24 * 3600)

  /// The size limit of a duration or time, in bytes; a longer text is neither.
  static let textLimit = 64

  /// The longest duration, used for longer ones, too, so that no sum overflows.
  private static let longest = Duration.seconds(100 * 366 * 86_400)

  /// Reads a duration (`30s`, `1.5h`, `2 days`), a time in seconds since 1970, or a time in words (`tomorrow, 10am`).
  /// - Throws: 400.
  static func duration(_ text: String, _ clock: PortClock) throws(KeyedRefusal) -> Duration {
    let text = text.prefix(bytes: textLimit + 1).trimmingWhitespace.lowercased()
    let now = clock.handset()
    let delay: Duration
    if text.utf8.count > 9, text.utf8.count <= 12, let seconds = Int64(text) {
      delay = .microseconds(WallTime(seconds: seconds).microseconds - now.microseconds)
    } else if let parsed = parse(text) {
      delay = parsed
    } else if text.utf8.count <= textLimit, let time = NtfyTime(text)?.time(after: now, in: clock.zone(now)) {
      delay = .microseconds(time.microseconds - now.microseconds)
    } else {
      throw .bad(
        "delay \(quoted(text)): expected a duration such as 30s, 1.5h or 2 hours, a time such as 'tomorrow, 10am', or "
          + "seconds since 1970", code: 40004)
    }
    guard delay >= range.lowerBound else { throw .bad("delay \(quoted(text)): 10 s at least", code: 40005) }
    guard delay <= range.upperBound else { throw .bad("delay \(quoted(text)): 3 days at most", code: 40006) }
    return delay
  }

  /// Reads a duration in lower case, in Go's form [time.ParseDuration], with days, and with the units' names.
  static func parse(_ text: String) -> Duration? {
    guard text.utf8.count <= textLimit else { return nil }
    if text == "0" { return .zero }
    var rest = Substring(text.hasPrefix("in ") ? text.dropFirst(3) : text[...])
    let isNegative = rest.first == "-"
    if isNegative || rest.first == "+" { rest = rest.dropFirst() }
    var sum = 0.0
    repeat {
      let number = rest.prefix { ("0"..."9").contains($0) || $0 == "." }
      rest = rest.dropFirst(number.count).drop { $0 == " " }
      let word = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(word.count).drop { $0 == " " }
      // Go reads `1.s` and `.5s`, too.
      let whole = number.contains(".") ? "0\(number)0" : String(number)
      guard number.utf8.count <= 24, number != ".", let count = Double(whole), let unit = unit(word) else { return nil }
      sum += count * unit
    } while !rest.isEmpty
    let duration = sum < Double(longest.components.seconds) ? Duration.microseconds((sum * 1e6).rounded()) : longest
    return isNegative ? .zero - duration : duration
  }

  static func unit(_ word: some StringProtocol) -> Double? {
    switch word {
    case "ns": 1e-9
    case "us", "µs", "μs": 1e-6
    case "ms": 1e-3
    case "s", "sec", "secs", "second", "seconds": 1
    case "m", "min", "mins", "minute", "minutes": 60
    case "h", "hour", "hours": 3_600
    case "d", "day", "days": 86_400
    default: nil
    }
  }
}
