// The keys and values that the command line, the control API and the panel share (S1, S2, B5). The stories
// `settings-of-an-app` and `uninstalling` have all keys with their first values.

import Testing

@testable import HandsetCore

@Suite struct SettingsTests {
  @Test(arguments: AppSettings.Key.allCases)
  func anAppsKeyTakesItsValuesAndChangesNothingElse(key: AppSettings.Key) throws {
    let values: [AppSettings.Key: [String]] = [
      .style: ["none", "alert", "banner"], .volume: ["0%", "7%", "100%"],
      .lamp: ["steady", "blink", "double", "breathe", "heartbeat", "sos", "own"],
      .repeats: ["off", "urgent", "all", "asked"], .repeatEvery: ["10s", "90s", "59m", "1h"],
      .repeatTimes: ["1", "99", "100"], .showPreviews: ["when-unlocked", "never", "always"],
      .defaultSound: ShippedSound.allCases.map(\.rawValue) + ["default"], .badgeShows: ["unseen", "sent"],
    ]
    try takes(values[key] ?? ["off", "on"], key, of: AppSettings())
  }

  @Test(arguments: HandsetSettings.Key.allCases)
  func theHandsetsKeyTakesItsValuesAndChangesNothingElse(key: HandsetSettings.Key) throws {
    let values: [HandsetSettings.Key: [String]] = [
      .badgeShows: ["com.example.mail", "sum"], .fetchMode: ["fetch", "manual", "push"],
      .fetchInterval: ["1m", "90m", "2h", "24h", "15m"], .quietHours: ["22:00-07:00", "00:00-23:59", "off"],
      .nightHours: ["21:30-06:45", "off"], .snooze: ["1m", "90m", "24h"],
      .lamp: ["steady", "sos", "off"], .defaultSound: ["chime", "default"], .volume: ["0%", "40%", "100%"],
      .nightVolume: ["0%", "15%", "same"], .summary: ["08:00", "07:30,12:00,18:00", "off"],
      .focus: ["sleep", "Work.2", "off"],
    ]
    try takes(values[key] ?? ["off", "on"], key, of: HandsetSettings())
  }

  /// Checks that the key takes the values, and that no other key has another value then.
  private func takes<Settings: KeyedSettings>(_ values: [String], _ key: Settings.Key, of untouched: Settings) throws {
    for value in values {
      var settings = untouched
      try settings.set(key, to: value)
      #expect(settings[key] == value)
      for other in Settings.Key.allCases where other.rawValue != key.rawValue {
        #expect(settings[other] == untouched[other])
      }
    }
  }

  @Test(
    arguments: [
      (.badge, ["On"], "on, off"), (.allowNotifications, [""], "on, off"), (.sound, ["true"], "on, off"),
      (.style, ["loud"], "none, banner, alert"), (.repeats, ["on"], "off, asked, urgent, all"),
      (.volume, ["101%", "40 %", "-1%", "%", "0050", "٥%", "on"], "a percentage from 0% to 100%"),
      (.repeatEvery, ["9s", "61m", "60"], "seconds, minutes or hours from 10s to 1h, such as 90s"),
      (.repeatTimes, ["0", "101"], "a number from 1 to 100"),
    ] as [(AppSettings.Key, [String], String)])
  func anAppsKeyRefuses(key: AppSettings.Key, values: [String], expected: String) {
    refuses(values, key, of: AppSettings(), expected: expected)
  }

  @Test(
    arguments: [
      (.notifications, ["1"], "on, off"), (.badgeShows, ["", "a b"], "sum, an app's bundle identifier"),
      (.fetchMode, ["pull"], "push, fetch, manual"),
      (
        .fetchInterval, ["0m", "1441m", "25h", "h", "15", "+5m", "", "٥m", "9999999999999999999m"],
        "minutes or hours from 1m to 24h, such as 15m"
      ),
      (
        .quietHours, ["on", "07:00-07:00", "24:00-07:00", "7:00-22:00"],
        "off, two times that differ: 22:00-07:00"
      ),
      (.nightHours, ["22:00"], "off, two times that differ: 22:00-07:00"),
    ] as [(HandsetSettings.Key, [String], String)])
  func theHandsetsKeyRefuses(key: HandsetSettings.Key, values: [String], expected: String) {
    refuses(values, key, of: HandsetSettings(), expected: expected)
  }

  /// Checks that the key refuses the values, says what it takes, and changes nothing.
  private func refuses<Settings: KeyedSettings & Equatable>(
    _ values: [String], _ key: Settings.Key, of untouched: Settings, expected: String
  ) {
    for value in values {
      var settings = untouched
      let error = #expect(throws: SettingError.self) { try settings.set(key, to: value) }
      #expect(error?.description == "setting '\(key.rawValue)' cannot be '\(value)': expected \(expected)")
      #expect(settings == untouched)
    }
  }
}
