// The person's settings (rules S1, S2, B5), under the keys that the command line, the control API and the panel use. A
// value is checked before it changes anything.

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
  /// The badge that was sent.
  case sent
  /// The number of its unseen notifications, for senders that cannot count.
  case unseen
}

/// The person's choices for one app; `Key.meaning` says what each is.
public struct AppSettings: Hashable, Sendable, KeyedSettings {
  public var allowNotifications = true
  public var badge = true
  public var sound = true
  public var alert = true
  public var style = PresentationStyle.banner
  public var showInNotificationCenter = true
  public var timeSensitive = true
  public var critical = false
  /// The volume of its sounds, in percent of the handset's: 0 to 100. A critical sound has its own (rule N9).
  public var volume = 100
  /// The sound of its notifications that ask for no other (rule A6); nil for the handset's default sound.
  public var defaultSound: ShippedSound?
  /// The lamp's pattern while one of the app's notifications is unseen (rule D1); nil for the app's own pattern.
  public var lamp: LampPattern?
  /// The notifications that sound again until they are seen (rule N11), and the pace if their push does not set it.
  public var repeats = RepeatMode.asked
  public var repeatEvery: Duration = .seconds(60)
  public var repeatTimes = 30
  public var showPreviews = PreviewMode.always
  public var badgeShows = BadgeNumber.sent

  public init() {}

  /// The value for the app's own lamp pattern, or the pattern of the notification's level if the app has none.
  private static let ownLamp = "own"

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

    /// The meaning, in a sentence or two for the reference.
    public var meaning: String {
      switch self {
      case .allowNotifications: "Off: the app presents nothing (S1)."
      case .badge: "Its number counts on the display."
      case .sound: "Its notifications play a sound."
      case .alert: "Its notifications show a message."
      case .style: "A banner that disappears by itself, an alert that stays, or neither (N3, N4)."
      case .showInNotificationCenter: "Its notifications are listed there."
      case .timeSensitive: "Time-sensitive notifications ignore quiet hours (N9)."
      case .critical: "Critical notifications ignore quiet hours and the silent switch (N9)."
      case .volume: "The volume of its sounds, in percent of the handset's."
      case .defaultSound:
        "The app's default sound, one of those that come with Deskbell; `default` is the handset's (A6)."
      case .lamp: "The lamp's pattern for the app's unseen notifications; `own` is the app's (D1)."
      case .repeats:
        "Which unseen notifications sound again: none (`off`), those whose push asks for it (`asked`), also "
          + "time-sensitive and critical ones (`urgent`), or all (N11)."
      case .repeatEvery: "After how long they sound again, where the push does not say."
      case .repeatTimes: "How often they sound again, where the push does not say."
      case .showPreviews: "When its messages can be read; otherwise \"Notification\" stands for them."
      case .badgeShows:
        "The app's number on the display: the badge that was sent, or how many of its notifications are "
          + "unseen (B5). Apps that `deskbell app new` makes count."
      }
    }
  }

  public static func form(of key: Key) -> SettingForm<AppSettings> {
    switch key {
    case .allowNotifications: .onOff(\.allowNotifications)
    case .badge: .onOff(\.badge)
    case .sound: .onOff(\.sound)
    case .alert: .onOff(\.alert)
    case .style: .choice(\.style)
    case .showInNotificationCenter: .onOff(\.showInNotificationCenter)
    case .timeSensitive: .onOff(\.timeSensitive)
    case .critical: .onOff(\.critical)
    case .volume: .percent(\.volume)
    case .defaultSound: .shippedSound(\.defaultSound)
    case .lamp: .lamp(\.lamp, nil: AppSettings.ownLamp)
    case .repeats: .choice(\.repeats)
    case .repeatEvery: .interval(\.repeatEvery, Policy.repeatIntervals)
    case .repeatTimes: .number(\.repeatTimes, Policy.repeatTimes)
    case .showPreviews: .choice(\.showPreviews)
    case .badgeShows: .choice(\.badgeShows)
    }
  }
}

/// The person's choices for the whole handset.
public struct HandsetSettings: Hashable, Sendable, KeyedSettings {
  /// Off: nothing is presented (rule S2).
  public var notifications = true
  /// The app whose number the display shows; nil is the sum over the apps whose badge is allowed (rule B5).
  public var badgeShows: AppID?
  public var vibrateOnRing = true
  public var vibrateOnSilent = true
  public var fetchMode = FetchMode.push
  public var fetchInterval: Duration = .seconds(15 * 60)
  /// The quiet hours (rule S5); nil is off.
  public var quietHours: DailyHours?
  /// The hours in which the display is dimmed; nil is never (rule B5).
  public var nightHours: DailyHours?
  public var snooze: Duration = .seconds(10 * 60)
  /// The lamp's pattern while no notification lights it (rule D1); nil is dark.
  public var lamp: LampPattern?
  /// The default sound (rule A6); nil for the installation's.
  public var defaultSound: ShippedSound?
  /// The volume of all sounds but critical ones, in percent of their amplitude: 0 to 100.
  public var volume = 100
  /// The volume in night hours; nil is the same as by day.
  public var nightVolume: Int?

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

    /// The meaning, in a sentence or two for the reference.
    public var meaning: String {
      switch self {
      case .notifications: "Off: nothing is presented (S2)."
      case .badgeShows: "What the display shows: the sum of all apps' numbers, or one app's (B5)."
      case .vibrateOnRing: "The motor runs while the switch is at ring (S5)."
      case .vibrateOnSilent: "The motor runs while it is at silent (S5)."
      case .fetchMode:
        "When background updates are delivered: at once (`push`), at intervals (`fetch`), or when the app is "
          + "launched (`manual`) (S3)."
      case .fetchInterval: "The interval of the mode `fetch`."
      case .quietHours: "Times without sound, every day, in the machine's time zone (S5)."
      case .nightHours: "Times at which the display is dimmed (B5)."
      case .snooze: "How long a snooze lasts that has no time of its own (N12)."
      case .lamp: "What the lamp does while no notification lights it (D1)."
      case .defaultSound:
        "The default sound, one of those that come with Deskbell; `default` is the settings file's (A6)."
      case .volume: "The volume of all sounds but critical ones; an app's own volume is a share of it."
      case .nightVolume: "The volume in night hours; `same` is the same as by day."
      }
    }
  }

  public static func form(of key: Key) -> SettingForm<HandsetSettings> {
    switch key {
    case .notifications: .onOff(\.notifications)
    case .badgeShows:
      .optional(\.badgeShows, nil: "sum", expected: ["an app's bundle identifier"], text: \.text) { AppID($0) }
    case .vibrateOnRing: .onOff(\.vibrateOnRing)
    case .vibrateOnSilent: .onOff(\.vibrateOnSilent)
    case .fetchMode: .choice(\.fetchMode)
    case .fetchInterval: .interval(\.fetchInterval, Policy.fetchIntervals)
    case .quietHours: .hours(\.quietHours)
    case .nightHours: .hours(\.nightHours)
    case .snooze: .interval(\.snooze, Policy.snoozeTimes)
    case .lamp: .lamp(\.lamp, nil: "off")
    case .defaultSound: .shippedSound(\.defaultSound)
    case .volume: .percent(\.volume)
    case .nightVolume:
      .optional(
        \.nightVolume, nil: "same", expected: [percentRange], text: { "\($0)%" }, value: percentValue)
    }
  }
}

/// Settings that are read, changed and written by their keys.
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

/// The text form of a setting, for reading and writing.
public struct SettingForm<Settings> {
  let text: (Settings) -> String
  /// Returns false and changes nothing if the text is no value of the setting.
  let set: (inout Settings, String) -> Bool
  let expected: [String]

  init<Value>(
    _ setting: WritableKeyPath<Settings, Value>, expected: [String], text: @escaping (Value) -> String,
    value: @escaping (String) -> Value?
  ) {
    self.text = { text($0[keyPath: setting]) }
    self.set = { settings, text in
      guard let value = value(text) else { return false }
      settings[keyPath: setting] = value
      return true
    }
    self.expected = expected
  }

  static func onOff(_ setting: WritableKeyPath<Settings, Bool>) -> Self {
    Self(setting, expected: ["on", "off"], text: { $0 ? "on" : "off" }, value: { ["on": true, "off": false][$0] })
  }

  static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ setting: WritableKeyPath<Settings, Choice>
  ) -> Self {
    Self(setting, expected: Choice.allCases.map(\.rawValue), text: \.rawValue, value: { Choice(rawValue: $0) })
  }

  /// Returns the form of a setting that may be absent.
  /// - Parameter absent: the text that stands for nil.
  static func optional<Value>(
    _ setting: WritableKeyPath<Settings, Value?>, nil absent: String, expected: [String],
    text: @escaping (Value) -> String, value: @escaping (String) -> Value?
  ) -> Self {
    Self(
      setting, expected: [absent] + expected, text: { $0.map(text) ?? absent },
      value: { $0 == absent ? .some(nil) : value($0).map { .some($0) } })
  }

  static func shippedSound(_ setting: WritableKeyPath<Settings, ShippedSound?>) -> Self {
    optional(setting, nil: "default", expected: ShippedSound.allCases.map(\.rawValue), text: \.rawValue) {
      ShippedSound(rawValue: $0)
    }
  }

  static func hours(_ setting: WritableKeyPath<Settings, DailyHours?>) -> Self {
    optional(setting, nil: "off", expected: ["two times that differ: 22:00-07:00"], text: \.description) {
      DailyHours($0)
    }
  }

  static func lamp(_ setting: WritableKeyPath<Settings, LampPattern?>, nil absent: String) -> Self {
    optional(setting, nil: absent, expected: LampPattern.all.map(\.name), text: \.name) { LampPattern(named: $0) }
  }

  static func percent(_ setting: WritableKeyPath<Settings, Int>) -> Self {
    Self(setting, expected: [percentRange], text: { "\($0)%" }, value: percentValue)
  }

  static func interval(_ setting: WritableKeyPath<Settings, Duration>, _ range: ClosedRange<Duration>) -> Self {
    // The text has seconds if minutes are too coarse.
    let isShort = range.lowerBound < .seconds(60)
    let units = isShort ? "seconds, minutes or hours" : "minutes or hours"
    let limits = "\(units) from \(intervalText(range.lowerBound)) to \(intervalText(range.upperBound))"
    return Self(setting, expected: ["\(limits), such as \(isShort ? "90s" : "15m")"], text: intervalText) { text in
      guard isShort || text.last != "s" else { return nil }
      return intervalValue(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  static func number(_ setting: WritableKeyPath<Settings, Int>, _ range: ClosedRange<Int>) -> Self {
    Self(
      setting, expected: ["a number from \(range.lowerBound) to \(range.upperBound)"], text: String.init(_:)
    ) { text in
      decimalNumber(text.utf8, digits: 1...6).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

/// A value that a setting cannot have.
public struct SettingError: Error, Hashable, Sendable, CustomStringConvertible {
  public var key: String
  public var value: String
  /// The values that the key takes.
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

/// Returns the interval that the text stands for, in whole seconds; nil if it is none.
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
