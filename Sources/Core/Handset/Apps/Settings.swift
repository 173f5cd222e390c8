/// The way in which a message is presented [HIG14].
public enum PresentationStyle: String, Hashable, Sendable, CaseIterable {
  case none, banner, alert
}

/// The times at which an app's messages may be read by everybody who can see the handset (rule N18).
public enum PreviewMode: String, Hashable, Sendable, CaseIterable {
  case always
  case whenUnlocked = "when-unlocked"
  case never
}

/// The number that an app adds to the display (rule B5).
public enum BadgeNumber: String, Hashable, Sendable, CaseIterable {
  case sent
  /// The number of its unseen notifications, for senders that cannot count.
  case unseen
}

/// The person's choices for one app; `form(of:)` says what each is.
public struct AppSettings: Hashable, Sendable, KeyedSettings {
  public var allowNotifications = true
  public var badge = true
  public var sound = true
  public var alert = true
  public var style = PresentationStyle.banner
  public var showInNotificationCenter = true
  public var timeSensitive = true
  public var critical = false
  /// 0 to 100. A critical sound has its own volume (rule N9).
  public var volume = 100
  public var defaultSound: ShippedSound?
  public var lamp: LampPattern?
  public var repeats = RepeatMode.asked
  public var repeatEvery: Duration = .seconds(60)
  public var repeatTimes = 30
  public var showPreviews = PreviewMode.always
  public var badgeShows = BadgeNumber.sent
  public var liveActivities = true
  public var frequentUpdates = false
  public var clearOnLaunch = false
  /// True if its notifications wait for the scheduled summary (rule Q2).
  public var summary = false

  public init() {}

  /// The kinds that the person allows (rule S1).
  var allowedKinds: NotificationKinds {
    guard allowNotifications else { return [] }
    var kinds = NotificationKinds.all
    if !badge { kinds.remove(.badge) }
    if !sound { kinds.remove(.sound) }
    if !alert { kinds.remove(.alert) }
    return kinds
  }

  /// The keys, in the order to list them.
  public enum Key: String, Sendable, CaseIterable, Codable {
    case allowNotifications = "allow-notifications"
    case badge, sound, alert, style
    case showInNotificationCenter = "show-in-notification-center"
    case timeSensitive = "time-sensitive"
    case critical, volume
    case defaultSound = "default-sound"
    case lamp
    case repeats = "repeat"
    case repeatEvery = "repeat-every"
    case repeatTimes = "repeat-times"
    case showPreviews = "show-previews"
    case badgeShows = "badge-shows"
    case liveActivities = "live-activities"
    case frequentUpdates = "frequent-updates"
    case clearOnLaunch = "clear-on-launch"
    case summary
  }

  public static func form(of key: Key) -> SettingForm<AppSettings> {
    switch key {
    case .allowNotifications: .onOff(\.allowNotifications, "Off: the app presents nothing (S1).")
    case .badge: .onOff(\.badge, "Its number counts on the display.")
    case .sound: .onOff(\.sound, "Its notifications play a sound.")
    case .alert: .onOff(\.alert, "Its notifications show a message, and are listed in Notification Center.")
    case .style: .choice(\.style, "A banner that disappears by itself, an alert that stays, or neither (N3, N4).")
    case .showInNotificationCenter: .onOff(\.showInNotificationCenter, "Its notifications are listed there.")
    case .timeSensitive: .onOff(\.timeSensitive, "Time-sensitive notifications ignore quiet hours (N9).")
    case .critical: .onOff(\.critical, "Critical notifications ignore quiet hours and the silent switch (N9).")
    case .volume: .percent(\.volume, "The volume of its sounds, in percent of the handset's.")
    case .defaultSound:
      .shippedSound(
        \.defaultSound,
        "The app's default sound, one of those that come with Deskbell; `default` is the handset's (A6).")
    case .lamp:
      .lamp(
        \.lamp, nil: "own",
        "The lamp's pattern for the app's unseen notifications, also with a colour, such as blink-red; `own` is the "
          + "app's (D1).")
    case .repeats:
      .choice(
        \.repeats,
        "Which unseen notifications sound again: none (`off`), those whose push asks for it (`asked`), also "
          + "time-sensitive and critical ones (`urgent`), or all (N11).")
    case .repeatEvery:
      .interval(\.repeatEvery, Policy.repeatIntervals, "After how long they sound again, where the push does not say.")
    case .repeatTimes:
      .number(\.repeatTimes, Policy.repeatTimes, "How often they sound again, where the push does not say.")
    case .showPreviews:
      .choice(\.showPreviews, "When its messages can be read; otherwise \"Notification\" stands for them.")
    case .badgeShows:
      .choice(
        \.badgeShows,
        "The app's number on the display: the badge that was sent, or how many of its notifications are "
          + "unseen (B5). Apps that `deskbell app new` makes count.")
    case .liveActivities: .onOff(\.liveActivities, "Its Live Activities are shown; off dismisses them (LA1).")
    case .frequentUpdates:
      .onOff(\.frequentUpdates, "Its Live Activities have a larger budget of updates with priority 10 (LA6).")
    case .clearOnLaunch:
      .onOff(\.clearOnLaunch, "Launching the app clears its notifications. Off: it marks them as seen (N10).")
    case .summary: .onOff(\.summary, "Its notifications wait for the scheduled summary, unless they are urgent (Q2).")
    }
  }
}

/// The person's choices for the whole handset; `form(of:)` says what each is.
public struct HandsetSettings: Hashable, Sendable, KeyedSettings {
  public var notifications = true
  /// Nil is the sum over the apps whose badge is allowed.
  public var badgeShows: AppID?
  public var vibrateOnRing = true
  public var vibrateOnSilent = true
  public var fetchMode = FetchMode.push
  public var fetchInterval: Duration = .seconds(15 * 60)
  public var quietHours: DailyHours?
  public var nightHours: DailyHours?
  public var snooze: Duration = .seconds(10 * 60)
  public var lamp: LampPattern?
  public var defaultSound: ShippedSound?
  /// In percent of the sounds' amplitude, 0 to 100.
  public var volume = 100
  public var nightVolume: Int?
  /// The times of the scheduled summary (rule Q2).
  public var summary: SummaryTimes?
  /// The name of the Focus mode that is on (rule Q3).
  public var focus: String?

  public init() {}

  /// The keys, in the order to list them.
  public enum Key: String, Sendable, CaseIterable, Codable {
    case notifications
    case badgeShows = "badge-shows"
    case vibrateOnRing = "vibrate-on-ring"
    case vibrateOnSilent = "vibrate-on-silent"
    case fetchMode = "fetch-mode"
    case fetchInterval = "fetch-interval"
    case quietHours = "quiet-hours"
    case nightHours = "night-hours"
    case snooze, lamp
    case defaultSound = "default-sound"
    case volume
    case nightVolume = "night-volume"
    case summary, focus
  }

  public static func form(of key: Key) -> SettingForm<HandsetSettings> {
    switch key {
    case .notifications: .onOff(\.notifications, "Off: nothing is presented (S2).")
    case .badgeShows:
      .optional(
        \.badgeShows, nil: "sum", expected: ["an app's bundle identifier"], text: \.text,
        "What the display shows: the sum of all apps' numbers, or one app's (B5)."
      ) { AppID($0) }
    case .vibrateOnRing: .onOff(\.vibrateOnRing, "The motor runs while the switch is at ring (S5).")
    case .vibrateOnSilent: .onOff(\.vibrateOnSilent, "The motor runs while it is at silent (S5).")
    case .fetchMode:
      .choice(
        \.fetchMode,
        "When the service delivers pushes: at once (`push`), at intervals (`fetch`), or when somebody fetches or "
          + "opens the app (`manual`) (S3).")
    case .fetchInterval: .interval(\.fetchInterval, Policy.fetchIntervals, "The interval of the mode `fetch`.")
    case .quietHours: .hours(\.quietHours, "Times without sound, every day, in the machine's time zone (S5).")
    case .nightHours: .hours(\.nightHours, "Times at which the display is dimmed (B5).")
    case .snooze:
      .interval(\.snooze, Policy.snoozeTimes, "How long a snooze lasts that has no time of its own (N12).")
    case .lamp:
      .lamp(
        \.lamp, nil: "off",
        "What the lamp does while no notification lights it, also with a colour, such as breathe-blue (D1).")
    case .defaultSound:
      .shippedSound(
        \.defaultSound,
        "The default sound, one of those that come with Deskbell; `default` is the settings file's (A6).")
    case .volume:
      .percent(\.volume, "The volume of all sounds but critical ones; an app's own volume is a share of it.")
    case .nightVolume:
      .optional(
        \.nightVolume, nil: "same", expected: [percentRange], text: { "\($0)%" },
        "The volume in night hours; `same` is the same as by day.", value: percentValue)
    case .summary:
      .optional(
        \.summary, nil: "off", expected: ["1 to \(Policy.summaryTimesLimit) times that differ: 08:00,18:00"],
        text: \.description, "When the notifications of apps with the setting `summary` are presented together (Q2)."
      ) { SummaryTimes($0) }
    case .focus:
      .optional(
        \.focus, nil: "off", expected: ["a Focus mode's name"], text: { $0 },
        "The Focus mode that is on; `deskbell focus` lists them (Q3).",
        value: { FocusMode.isName($0) ? $0 : nil })
    }
  }
}

/// Settings that are read, changed and written by their keys, which the command line, the control API and the panel
/// use. A value is checked before it changes anything.
public protocol KeyedSettings: SingleValueCodable {
  associatedtype Key: RawRepresentable<String>, CaseIterable
  init()
  static func form(of key: Key) -> SettingForm<Self>
}

extension KeyedSettings {
  /// The value as text, in the form that `set` takes.
  public subscript(key: Key) -> String { Self.form(of: key).text(self) }

  /// Changes a setting.
  /// - Throws: `SettingError` if the key does not take `value`; nothing has changed then.
  public mutating func set(_ key: Key, to value: String) throws(SettingError) {
    let form = Self.form(of: key)
    guard form.set(&self, value) else {
      throw SettingError(key: key.rawValue, value: value, expected: form.expected)
    }
  }

  /// Returns the values that the key takes: words, or the description of a range.
  public static func values(of key: Key) -> [String] { form(of: key).expected }

  /// Returns the meaning of the key, in a sentence or two for the reference.
  public static func meaning(of key: Key) -> String { form(of: key).meaning }

  public var coded: [String: String] {
    Dictionary(uniqueKeysWithValues: Key.allCases.map { ($0.rawValue, self[$0]) })
  }

  /// A key that is unknown is an error: ignoring it would make another handset.
  public init?(coded values: [String: String]) {
    self.init()
    for (name, value) in values {
      guard let key = Key(rawValue: name), (try? set(key, to: value)) != nil else { return nil }
    }
  }
}

/// The meaning of a setting and its text form, for reading and writing.
public struct SettingForm<Settings> {
  let text: (Settings) -> String
  /// Returns false and changes nothing if the text is no value of the setting.
  let set: (inout Settings, String) -> Bool
  let expected: [String]
  let meaning: String

  init<Value>(
    _ setting: WritableKeyPath<Settings, Value>, expected: [String], text: @escaping (Value) -> String,
    _ meaning: String, value: @escaping (String) -> Value?
  ) {
    self.text = { text($0[keyPath: setting]) }
    self.set = { settings, text in
      guard let value = value(text) else { return false }
      settings[keyPath: setting] = value
      return true
    }
    self.expected = expected
    self.meaning = meaning
  }

  static func onOff(_ setting: WritableKeyPath<Settings, Bool>, _ meaning: String) -> Self {
    Self(
      setting, expected: ["on", "off"], text: { $0 ? "on" : "off" }, meaning, value: { ["on": true, "off": false][$0] })
  }

  static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ setting: WritableKeyPath<Settings, Choice>, _ meaning: String
  ) -> Self {
    Self(setting, expected: Choice.allCases.map(\.rawValue), text: \.rawValue, meaning) { Choice(rawValue: $0) }
  }

  /// Returns the form of a setting that may be absent.
  /// - Parameter absent: the text that stands for nil.
  static func optional<Value>(
    _ setting: WritableKeyPath<Settings, Value?>, nil absent: String, expected: [String],
    text: @escaping (Value) -> String, _ meaning: String, value: @escaping (String) -> Value?
  ) -> Self {
    Self(
      setting, expected: [absent] + expected, text: { $0.map(text) ?? absent }, meaning,
      value: { $0 == absent ? .some(nil) : value($0).map { .some($0) } })
  }

  static func shippedSound(_ setting: WritableKeyPath<Settings, ShippedSound?>, _ meaning: String) -> Self {
    optional(setting, nil: "default", expected: ShippedSound.allCases.map(\.rawValue), text: \.rawValue, meaning) {
      ShippedSound(rawValue: $0)
    }
  }

  static func hours(_ setting: WritableKeyPath<Settings, DailyHours?>, _ meaning: String) -> Self {
    optional(setting, nil: "off", expected: ["two times that differ: 22:00-07:00"], text: \.description, meaning) {
      DailyHours($0)
    }
  }

  static func lamp(_ setting: WritableKeyPath<Settings, LampPattern?>, nil absent: String, _ meaning: String) -> Self {
    optional(setting, nil: absent, expected: LampPattern.all.map(\.name), text: \.name, meaning) {
      LampPattern(named: $0)
    }
  }

  static func percent(_ setting: WritableKeyPath<Settings, Int>, _ meaning: String) -> Self {
    Self(setting, expected: [percentRange], text: { "\($0)%" }, meaning, value: percentValue)
  }

  static func interval(
    _ setting: WritableKeyPath<Settings, Duration>, _ range: ClosedRange<Duration>, _ meaning: String
  ) -> Self {
    // The text has seconds if minutes are too coarse.
    let isShort = range.lowerBound < .seconds(60)
    let units = isShort ? "seconds, minutes or hours" : "minutes or hours"
    let limits = "\(units) from \(intervalText(range.lowerBound)) to \(intervalText(range.upperBound))"
    let expected = ["\(limits), such as \(isShort ? "90s" : "15m")"]
    return Self(setting, expected: expected, text: intervalText, meaning) { text in
      guard isShort || text.last != "s" else { return nil }
      return intervalValue(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  static func number(_ setting: WritableKeyPath<Settings, Int>, _ range: ClosedRange<Int>, _ meaning: String) -> Self {
    let expected = ["a number from \(range.lowerBound) to \(range.upperBound)"]
    return Self(setting, expected: expected, text: String.init(_:), meaning) { text in
      decimalNumber(text.utf8, digits: 1...6).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

/// A value that a setting cannot have.
public struct SettingError: Error, Hashable, Sendable, CustomStringConvertible {
  public var key: String
  public var value: String
  public var expected: [String]

  public var description: String {
    "setting '\(key)' cannot be '\(excerpt(value))': expected \(expected.joined(separator: ", "))"
  }
}

private let percentRange = "a percentage from 0% to 100%"

/// Returns the percentage in `40%` or `40`; nil for anything else, and above 100.
private func percentValue(_ text: String) -> Int? {
  let digits = text.utf8.last == UInt8(ascii: "%") ? text.utf8.dropLast() : text.utf8[...]
  return decimalNumber(digits, digits: 1...3).flatMap { $0 <= 100 ? $0 : nil }
}

/// Returns the interval in hours if they are whole, otherwise in minutes, otherwise in seconds: `2h`, `90m`, `90s`.
func intervalText(_ interval: Duration) -> String {
  let seconds = interval.components.seconds
  if seconds % 60 != 0 { return "\(seconds)s" }
  return seconds % 3600 == 0 ? "\(seconds / 3600)h" : "\(seconds / 60)m"
}

private func intervalValue(_ text: String) -> Duration? {
  let units: [Character: Duration] = ["s": .seconds(1), "m": .seconds(60), "h": .seconds(3600)]
  guard let unit = text.last.flatMap({ units[$0] }) else { return nil }
  return decimalNumber(text.utf8.dropLast(), digits: 1...6).map { unit * $0 }
}

/// Returns the text, cut at the limit with an ellipsis, for events and errors that quote it.
/// - Parameter limit: in bytes of UTF-8.
func excerpt(_ text: String, limit: Int = Policy.eventQuoteLimit) -> String {
  text.utf8.count > limit ? text.prefix(bytes: limit) + "…" : text
}
