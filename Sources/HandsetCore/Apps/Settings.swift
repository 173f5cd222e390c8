// The person's settings (rules S1, S2, B5), under the keys that the command line, the control API and the panel use. A
// value is checked before it changes anything.

/// How a message is presented [HIG14].
public enum PresentationStyle: String, Hashable, Sendable, CaseIterable {
  case none, banner, alert
}

/// The person's choices for one app.
public struct AppSettings: Hashable, Sendable {
  public var allowNotifications = true
  public var badge = true
  public var sound = true
  public var alert = true
  public var style = PresentationStyle.banner
  public var showInNotificationCenter = true
  /// Whether a time-sensitive notification passes quiet hours (rule N9).
  public var timeSensitive = true
  /// Whether a critical notification passes quiet hours and the silent switch (rule N9). Off by default.
  public var critical = false
  /// The volume of its sounds, in percent of their amplitude: 0 to 100. A critical sound has its own (rule N9).
  public var volume = 100
  /// The lamp's pattern while one of the app's notifications is unseen (rule D1); nil for the app's own pattern.
  public var lamp: LampPattern?

  public init() {}

  /// The value for the app's own lamp pattern, or the pattern of the notification's level if the app has none.
  public static let ownLamp = "own"

  /// The keys, in the order to list them.
  public enum Key: String, Sendable, CaseIterable, Codable {
    case allowNotifications = "allow-notifications"
    case badge, sound, alert, style
    case showInNotificationCenter = "show-in-notification-center"
    case timeSensitive = "time-sensitive"
    case critical, volume, lamp
  }

  /// The value as text, in the form that `set` takes.
  public subscript(key: Key) -> String {
    switch key {
    case .allowNotifications: onOff(allowNotifications)
    case .badge: onOff(badge)
    case .sound: onOff(sound)
    case .alert: onOff(alert)
    case .style: style.rawValue
    case .showInNotificationCenter: onOff(showInNotificationCenter)
    case .timeSensitive: onOff(timeSensitive)
    case .critical: onOff(critical)
    case .volume: "\(volume)%"
    case .lamp: lamp?.name ?? AppSettings.ownLamp
    }
  }

  /// - Throws: `SettingError` if the key does not take `value`; nothing has changed then.
  public mutating func set(_ key: Key, to value: String) throws(SettingError) {
    switch key {
    case .allowNotifications: allowNotifications = try parseOnOff(value, key.rawValue)
    case .badge: badge = try parseOnOff(value, key.rawValue)
    case .sound: sound = try parseOnOff(value, key.rawValue)
    case .alert: alert = try parseOnOff(value, key.rawValue)
    case .style: style = try parseChoice(value, key.rawValue)
    case .showInNotificationCenter: showInNotificationCenter = try parseOnOff(value, key.rawValue)
    case .timeSensitive: timeSensitive = try parseOnOff(value, key.rawValue)
    case .critical: critical = try parseOnOff(value, key.rawValue)
    case .volume: volume = try parsePercent(value, key.rawValue)
    case .lamp: lamp = try parseLamp(value, key.rawValue)
    }
  }
}

/// The person's choices for the whole handset.
public struct HandsetSettings: Hashable, Sendable {
  /// Off: nothing is presented (rule S2).
  public var notifications = true
  public var badgeShows = BadgeShows.sum
  public var vibrateOnRing = true
  public var vibrateOnSilent = true
  /// When background updates are delivered (rule S3).
  public var fetchMode = FetchMode.push
  public var fetchInterval: Duration = .seconds(15 * 60)
  /// Nil is off (rule S5).
  public var quietHours: DailyHours?
  /// When the display is dimmed; nil is never (rule B5).
  public var nightHours: DailyHours?

  public init() {}

  /// What the badge display shows (rule B5).
  public enum BadgeShows: Hashable, Sendable {
    /// The sum over the apps whose badge is allowed.
    case sum
    case app(AppID)

    /// Whether the display includes that app's badge.
    func counts(_ id: AppID) -> Bool { self == .sum || self == .app(id) }
  }

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
  }

  /// The value as text, in the form that `set` takes.
  public subscript(key: Key) -> String {
    switch key {
    case .notifications: onOff(notifications)
    case .badgeShows:
      switch badgeShows {
      case .sum: "sum"
      case .app(let id): id.text
      }
    case .vibrateOnRing: onOff(vibrateOnRing)
    case .vibrateOnSilent: onOff(vibrateOnSilent)
    case .fetchMode: fetchMode.rawValue
    case .fetchInterval: intervalText(fetchInterval)
    case .quietHours: quietHours?.description ?? "off"
    case .nightHours: nightHours?.description ?? "off"
    }
  }

  /// - Throws: `SettingError` if the key does not take `value`; nothing has changed then.
  public mutating func set(_ key: Key, to value: String) throws(SettingError) {
    switch key {
    case .notifications: notifications = try parseOnOff(value, key.rawValue)
    case .badgeShows:
      if value == "sum" {
        badgeShows = .sum
      } else if let app = AppID(value) {
        badgeShows = .app(app)
      } else {
        throw SettingError(key: key.rawValue, value: value, expected: ["sum", "an app's bundle identifier"])
      }
    case .vibrateOnRing: vibrateOnRing = try parseOnOff(value, key.rawValue)
    case .vibrateOnSilent: vibrateOnSilent = try parseOnOff(value, key.rawValue)
    case .fetchMode: fetchMode = try parseChoice(value, key.rawValue)
    case .fetchInterval: fetchInterval = try parseInterval(value, key.rawValue, Policy.fetchIntervals)
    case .quietHours: quietHours = try parseHours(value, key.rawValue)
    case .nightHours: nightHours = try parseHours(value, key.rawValue)
    }
  }
}

// Settings are written by their keys. One that is unknown is an error: without it the handset would not be the same.

extension AppSettings: SingleValueCodable {
  public var coded: [String: String] {
    Dictionary(uniqueKeysWithValues: Key.allCases.map { ($0.rawValue, self[$0]) })
  }

  public init?(coded values: [String: String]) {
    for (name, value) in values {
      guard let key = Key(rawValue: name), (try? set(key, to: value)) != nil else { return nil }
    }
  }
}

extension HandsetSettings: SingleValueCodable {
  public var coded: [String: String] {
    Dictionary(uniqueKeysWithValues: Key.allCases.map { ($0.rawValue, self[$0]) })
  }

  public init?(coded values: [String: String]) {
    for (name, value) in values {
      guard let key = Key(rawValue: name), (try? set(key, to: value)) != nil else { return nil }
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

private func onOff(_ value: Bool) -> String { value ? "on" : "off" }

private func parseOnOff(_ value: String, _ key: String) throws(SettingError) -> Bool {
  switch value {
  case "on": return true
  case "off": return false
  default: throw SettingError(key: key, value: value, expected: ["on", "off"])
  }
}

private func parseChoice<Choice: RawRepresentable & CaseIterable>(
  _ value: String, _ key: String
) throws(SettingError) -> Choice where Choice.RawValue == String {
  guard let choice = Choice(rawValue: value) else {
    throw SettingError(key: key, value: value, expected: Choice.allCases.map(\.rawValue))
  }
  return choice
}

private func parsePercent(_ value: String, _ key: String) throws(SettingError) -> Int {
  let digits = value.dropLast()
  if value.utf8.last == UInt8(ascii: "%"), (1...3).contains(digits.utf8.count),
    digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
    let percent = Int(digits), percent <= 100
  {
    return percent
  }
  throw SettingError(key: key, value: value, expected: ["a percentage from 0% to 100%"])
}

/// Nil for the app's own pattern.
private func parseLamp(_ value: String, _ key: String) throws(SettingError) -> LampPattern? {
  if value == AppSettings.ownLamp { return nil }
  if let pattern = LampPattern(named: value) { return pattern }
  throw SettingError(key: key, value: value, expected: [AppSettings.ownLamp] + LampPattern.all.map(\.name))
}

/// Nil for `off`.
private func parseHours(_ value: String, _ key: String) throws(SettingError) -> DailyHours? {
  if value == "off" { return nil }
  if let hours = DailyHours(value) { return hours }
  throw SettingError(key: key, value: value, expected: ["off", "two times that differ: 22:00-07:00"])
}

/// In hours if they are whole, otherwise in minutes: `2h`, `90m`.
private func intervalText(_ interval: Duration) -> String {
  let minutes = interval.components.seconds / 60
  return minutes % 60 == 0 ? "\(minutes / 60)h" : "\(minutes)m"
}

private func parseInterval(
  _ value: String, _ key: String, _ range: ClosedRange<Duration>
) throws(SettingError) -> Duration {
  let digits = value.utf8.dropLast()
  let isNumber = !digits.isEmpty && digits.count <= 6 && digits.allSatisfy { (0x30...0x39).contains($0) }
  if isNumber, let number = Int64(value.dropLast()) {
    let interval: Duration? =
      switch value.last {
      case "m": .seconds(number * 60)
      case "h": .seconds(number * 3600)
      default: nil
      }
    if let interval, range.contains(interval) { return interval }
  }
  let limits = "minutes or hours from \(intervalText(range.lowerBound)) to \(intervalText(range.upperBound))"
  throw SettingError(key: key, value: value, expected: ["\(limits), such as 15m"])
}

/// The text, cut at the limit with an ellipsis, for events and errors that quote it.
/// - Parameter limit: in bytes of UTF-8.
func excerpt(_ text: String, limit: Int = Policy.eventQuoteLimit) -> String {
  guard text.utf8.count > limit else { return text }
  var kept = ""
  for character in text {
    guard kept.utf8.count + character.utf8.count <= limit else { break }
    kept.append(character)
  }
  return kept + "…"
}
