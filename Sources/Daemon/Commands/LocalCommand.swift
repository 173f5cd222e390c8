import ArgumentParser
import CommandSupport
import DeskbellDaemon
import HandsetCore

struct LocalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "local",
    abstract: "Schedule, list and cancel an app's local notifications.",
    discussion: """
      Times are in the handset's time zone. Notifications are presented by the same rules as pushes.

      Examples:
        deskbell local add com.example.mail --id tea --in 10m --title Tea
        deskbell local add com.example.mail --id x --at '2026-11-22 08:00' --title X
        deskbell local add com.example.mail --id x --weekly 'monday 08:30' --title X
        deskbell local list
        deskbell local cancel com.example.mail tea
      """,
    subcommands: [Add.self, List.self, Cancel.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Schedule a notification, or replace the one with that name.",
      discussion: """
        The 64 notifications of an app that are due soonest are kept.

        Examples:
          deskbell local add com.example.mail --id tea --in 10m --title Tea
          deskbell local add com.example.mail --id sort --in 90m --repeat --title Sort
          deskbell local add com.example.mail --id shift --daily 07:00 --badge 1
          deskbell local add com.example.mail --id r --monthly '1 09:00' --title Rent
          deskbell local add com.example.mail --id s --in 1h --title Sort \\
            --action-title Start
        """)

    @Argument(help: ArgumentHelp("The app's bundle identifier.", valueName: "app"), completion: .apps)
    var app: String
    @Option(help: ArgumentHelp("The app's own name for it.", valueName: "name"))
    var id: String
    @OptionGroup(title: "Time, one of them") var time: LocalTimeOptions
    @OptionGroup(title: "Content") var message: MessageOptions
    @Option(
      help: ArgumentHelp("The title of its alert's action button; '' for the single button OK.", valueName: "title"))
    var actionTitle: String?
    @OptionGroup(title: "Content") var presentation: PresentationOptions
    @OptionGroup var options: HandsetQuery

    func validate() throws {
      guard (1...Policy.localIdentifierLimit).contains(id.utf8.count) else {
        throw ValidationError("--id has 1 to \(Policy.localIdentifierLimit) bytes.")
      }
      guard time.count == 1 else {
        throw ValidationError("When? Give one of --in, --at, --daily, --weekly, --monthly and --yearly.")
      }
      if time.repeat && time.in == nil {
        throw ValidationError("--repeat goes with --in; --daily and the like repeat by themselves.")
      }
      if message.isEmpty {
        throw ValidationError("Nothing to present: give --title, --body, --badge or --sound.")
      }
    }

    var request: LocalNotificationRequest {
      var request = LocalNotificationRequest(
        afterSeconds: time.in?.seconds, calendar: time.calendar, repeats: time.repeats)
      (request.title, request.subtitle, request.body) = (message.title, message.subtitle, message.body)
      (request.actionTitle, request.badge, request.sound) = (actionTitle, message.badge, message.sound)
      (request.level, request.threadID) = (presentation.level?.rawValue, presentation.thread)
      return request
    }

    func run() async throws {
      try options.json.print(await options.client().schedule(id, of: app, request)) { LocalCommand.added($0) }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List scheduled notifications, the soonest first.",
      discussion: """
        Example:
          deskbell local list com.example.mail --json
        """)

    @Argument(help: ArgumentHelp("Only this app.", valueName: "app"), completion: .apps)
    var app: String?
    @OptionGroup var options: HandsetQuery

    func run() async throws {
      try options.json.print(await options.client().scheduled(of: app)) { LocalCommand.list($0) }
    }
  }

  struct Cancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "cancel",
      abstract: "Cancel one scheduled notification, or all of an app.",
      discussion: """
        Examples:
          deskbell local cancel com.example.mail tea
          deskbell local cancel com.example.mail --all
        """)

    @Argument(help: ArgumentHelp("The app's bundle identifier.", valueName: "app"), completion: .apps)
    var app: String
    @Argument(help: ArgumentHelp("The app's own name for it.", valueName: "name"))
    var id: String?
    @Flag(help: "Cancel everything the app has scheduled.")
    var all = false
    @OptionGroup var control: HandsetOptions

    func validate() throws {
      guard (id == nil) == all else { throw ValidationError("Which? Give its name, or --all.") }
      if id?.isEmpty == true { throw ValidationError("A name has 1 to \(Policy.localIdentifierLimit) bytes.") }
    }

    func run() async throws {
      try await control.client().cancel(id, of: app)
      try Output.line(id.map { "cancelled \(oneLine($0))" } ?? "cancelled all that \(app) had scheduled")
    }
  }

  static func added(_ report: LocalNotificationReport, _ clock: ClockFace = .local) -> String {
    let due = report.dueWallMicroseconds.map { "due \(clock.dateAndTime($0))" } ?? "due at once"
    return "\(oneLine(report.identifier)) of \(report.app) is scheduled: \(due), \(often(report.request))"
  }

  static func list(_ reports: [LocalNotificationReport], _ clock: ClockFace = .local) -> String {
    let rows = reports.map { report in
      [
        report.dueWallMicroseconds.map(clock.dateAndTime) ?? "", often(report.request), report.app,
        oneLine(report.identifier), oneLine(says(report.request)),
      ]
    }
    return table(["DUE", "HOW OFTEN", "APP", "NAME", "MESSAGE"], rows) ?? "nothing is scheduled"
  }

  /// Returns `once`, `every 1h30m`, `every Monday`…
  static func often(_ request: LocalNotificationRequest) -> String {
    guard request.repeats == true else { return "once" }
    if let seconds = request.afterSeconds { return "every \(SpanOfTime(seconds: seconds))" }
    guard let time = request.calendar else { return "once" }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let weekday = time.weekday.flatMap { (1...7).contains($0) ? LocalCommand.weekdays[$0 - 1] : nil }
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

  // MARK: Calendar times as users type them

  /// The order of ISO 8601: Monday is the first.
  static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

  static func once(_ text: String) throws -> CalendarTime {
    let words = words(text)
    if words.count == 1, let time = clock(words[0]) { return time }
    guard words.count == 2, var time = clock(words[1]), let date = numbers(words[0], "-", digits: [4, 2, 2]) else {
      throw ValidationError("Expected '2026-11-22 08:00' or 08:00, not '\(text)'.")
    }
    (time.year, time.month, time.day) = (date[0], date[1], date[2])
    return time
  }

  static func daily(_ text: String) throws -> CalendarTime {
    guard let time = clock(text[...]) else { throw ValidationError("Expected a time, as in 07:00, not '\(text)'.") }
    return time
  }

  /// Parses the day's full name, or its first three letters.
  static func weekly(_ text: String) throws -> CalendarTime {
    let words = words(text)
    let day = words.first.map { $0.lowercased() } ?? ""
    guard words.count == 2, var time = clock(words[1]),
      let index = weekdays.firstIndex(where: { $0 == day || $0.prefix(3) == day })
    else { throw ValidationError("Expected a day and a time, as in 'monday 08:30', not '\(text)'.") }
    time.weekday = index + 1
    return time
  }

  static func monthly(_ text: String) throws -> CalendarTime {
    let words = words(text)
    guard words.count == 2, var time = clock(words[1]), words[0].count <= 2, let day = number(words[0]) else {
      throw ValidationError("Expected a day of the month and a time, as in '15 08:00', not '\(text)'.")
    }
    time.day = day
    return time
  }

  static func yearly(_ text: String) throws -> CalendarTime {
    let words = words(text)
    guard words.count == 2, var time = clock(words[1]), let date = numbers(words[0], "-", digits: [2, 2]) else {
      throw ValidationError("Expected a day of the year and a time, as in '12-24 18:00', not '\(text)'.")
    }
    (time.month, time.day) = (date[0], date[1])
    return time
  }

  private static func words(_ text: String) -> [Substring] { text.split(separator: " ") }

  /// Parses `08:00` or `08:00:30`.
  private static func clock(_ text: Substring) -> CalendarTime? {
    guard let parts = numbers(text, ":", digits: [2, 2]) ?? numbers(text, ":", digits: [2, 2, 2]) else { return nil }
    return CalendarTime(hour: parts[0], minute: parts[1], second: parts.count > 2 ? parts[2] : 0)
  }

  private static func numbers(_ text: Substring, _ separator: Character, digits: [Int]) -> [Int]? {
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    guard parts.map(\.count) == digits else { return nil }
    let numbers = parts.compactMap(number)
    return numbers.count == parts.count ? numbers : nil
  }

  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
  }
}

struct LocalTimeOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The time from now: 90s, 45m, 1h30m.", valueName: "duration"))
  var `in`: SpanOfTime?
  @Flag(help: "With --in: repeat at this interval, 60 s or more.")
  var `repeat` = false
  @Option(
    help: ArgumentHelp("Once, at '2026-11-22 08:00', or at the next 08:00.", valueName: "time"),
    transform: LocalCommand.once)
  var at: CalendarTime?
  @Option(help: ArgumentHelp("Every day, at 07:00.", valueName: "time"), transform: LocalCommand.daily)
  var daily: CalendarTime?
  @Option(help: ArgumentHelp("Every week, as in 'monday 08:30'.", valueName: "time"), transform: LocalCommand.weekly)
  var weekly: CalendarTime?
  @Option(
    help: ArgumentHelp("Every month that has the day, as in '15 08:00'.", valueName: "time"),
    transform: LocalCommand.monthly)
  var monthly: CalendarTime?
  @Option(
    help: ArgumentHelp("Every year that has the day, as in '12-24 18:00'.", valueName: "time"),
    transform: LocalCommand.yearly)
  var yearly: CalendarTime?

  var calendar: CalendarTime? { at ?? daily ?? weekly ?? monthly ?? yearly }
  var repeats: Bool { self.in != nil ? self.repeat : at == nil }
  var count: Int { (self.in == nil ? 0 : 1) + [at, daily, weekly, monthly, yearly].compactMap(\.self).count }
}
