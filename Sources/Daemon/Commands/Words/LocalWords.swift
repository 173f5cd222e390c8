import DeskbellDaemon

enum LocalWords {
  static func added(_ report: LocalNotificationReport, _ clock: ClockFace = .local) -> String {
    let due = report.dueWallMicroseconds.map { "due \(clock.dateAndTime($0))" } ?? "due at once"
    return "\(oneLine(report.identifier)) of \(report.app) is scheduled: \(due), \(often(report.request))"
  }

  static func list(_ reports: [LocalNotificationReport], _ clock: ClockFace = .local) -> String {
    if reports.isEmpty { return "nothing is scheduled" }
    let rows = reports.map { report in
      [
        report.dueWallMicroseconds.map(clock.dateAndTime) ?? "", often(report.request), report.app,
        oneLine(report.identifier), oneLine(says(report.request)),
      ]
    }
    return table([["DUE", "HOW OFTEN", "APP", "NAME", "MESSAGE"]] + rows)
  }

  /// Returns `once`, `every 1h30m`, `every Monday`…
  static func often(_ request: LocalNotificationRequest) -> String {
    guard request.repeats == true else { return "once" }
    if let seconds = request.afterSeconds { return "every \(SpanOfTime(seconds: seconds))" }
    guard let time = request.calendar else { return "once" }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let weekday = time.weekday.flatMap { (1...7).contains($0) ? LocalTime.weekdays[$0 - 1] : nil }
    switch (time.year, time.month, time.day, weekday) {
    case (nil, nil, nil, nil): return "daily"
    case (nil, nil, nil, let weekday?): return "every \(weekday)"
    case (nil, nil, let day?, nil): return "monthly on the \(day)."
    case (nil, let month?, let day?, nil): return "yearly on \(two(month))-\(two(day))"
    default:
      // These times are possible only in the API.
      let date = [time.year.map(String.init) ?? "*", time.month.map(two) ?? "*", time.day.map(two) ?? "*"]
      return "each " + date.joined(separator: "-") + (weekday.map { " \($0)" } ?? "")
    }
  }

  private static func says(_ request: LocalNotificationRequest) -> String {
    var parts = [request.title, request.subtitle, request.body].compactMap(\.self)
    if let badge = request.badge { parts.append("badge \(badge)") }
    if let sound = request.sound { parts.append("sound \(sound)") }
    return parts.joined(separator: " – ")
  }
}
