// The keys and values that the command line, the control API and the panel share (S1, S2, B5).

import Testing

@testable import HandsetCore

@Suite struct SettingsTests {
  @Test func theKeysAndWhatTheyAreAtFirst() {
    let app = AppSettings.Key.allCases.map { "\($0.rawValue)=\(AppSettings()[$0])" }
    #expect(
      app == [
        "allow-notifications=on", "badge=on", "sound=on", "alert=on", "style=banner", "show-in-notification-center=on",
        "time-sensitive=on", "critical=off", "volume=100%", "default-sound=default", "lamp=own", "repeat=asked",
        "repeat-every=1m", "repeat-times=30", "show-previews=always", "badge-shows=sent",
      ])
    let handset = HandsetSettings.Key.allCases.map { "\($0.rawValue)=\(HandsetSettings()[$0])" }
    #expect(
      handset == [
        "notifications=on", "badge-shows=sum", "vibrate-on-ring=on", "vibrate-on-silent=on", "fetch-mode=push",
        "fetch-interval=15m", "quiet-hours=off", "night-hours=off", "snooze=10m", "lamp=off",
        "default-sound=default", "volume=100%", "night-volume=same",
      ])
  }

  static func badInterval(_ value: String) -> String {
    "setting 'fetch-interval' cannot be '\(value)': expected minutes or hours from 1m to 24h, such as 15m"
  }

  static func badWait(_ value: String) -> String {
    "setting 'repeat-every' cannot be '\(value)': expected seconds, minutes or hours from 10s to 1h, such as 90s"
  }

  @Test(arguments: AppSettings.Key.allCases)
  func anAppsKeyTakesItsValuesAndChangesNothingElse(key: AppSettings.Key) throws {
    let values: [AppSettings.Key: [String]] = [
      .style: ["none", "alert", "banner"], .volume: ["0%", "7%", "100%"],
      .lamp: ["steady", "blink", "double", "breathe", "heartbeat", "sos", "own"],
      .repeats: ["off", "urgent", "all", "asked"], .repeatEvery: ["10s", "90s", "59m", "1h"],
      .repeatTimes: ["1", "99", "100"], .showPreviews: ["when-unlocked", "never", "always"],
      .defaultSound: ShippedSound.allCases.map(\.rawValue) + ["default"], .badgeShows: ["unseen", "sent"],
    ]
    for value in values[key] ?? ["off", "on"] {
      var settings = AppSettings()
      try settings.set(key, to: value)
      #expect(settings[key] == value)
      for other in AppSettings.Key.allCases where other != key { #expect(settings[other] == AppSettings()[other]) }
    }
  }

  @Test(arguments: HandsetSettings.Key.allCases)
  func theHandsetsKeyTakesItsValuesAndChangesNothingElse(key: HandsetSettings.Key) throws {
    let values: [HandsetSettings.Key: [String]] = [
      .badgeShows: ["com.example.mail", "sum"], .fetchMode: ["fetch", "manual", "push"],
      .fetchInterval: ["1m", "90m", "2h", "24h", "15m"], .quietHours: ["22:00-07:00", "00:00-23:59", "off"],
      .nightHours: ["21:30-06:45", "off"], .snooze: ["1m", "90m", "24h"],
      .lamp: ["steady", "sos", "off"], .defaultSound: ["chime", "default"], .volume: ["0%", "40%", "100%"],
      .nightVolume: ["0%", "15%", "same"],
    ]
    for value in values[key] ?? ["off", "on"] {
      var settings = HandsetSettings()
      try settings.set(key, to: value)
      #expect(settings[key] == value)
      for other in HandsetSettings.Key.allCases where other != key {
        #expect(settings[other] == HandsetSettings()[other])
      }
    }
  }

  @Test(arguments: [
    (AppSettings.Key.badge, "On", "setting 'badge' cannot be 'On': expected on, off"),
    (.allowNotifications, "", "setting 'allow-notifications' cannot be '': expected on, off"),
    (.sound, "true", "setting 'sound' cannot be 'true': expected on, off"),
    (.style, "loud", "setting 'style' cannot be 'loud': expected none, banner, alert"),
    (.volume, "101%", "setting 'volume' cannot be '101%': expected a percentage from 0% to 100%"),
    (.volume, "40 %", "setting 'volume' cannot be '40 %': expected a percentage from 0% to 100%"),
    (.volume, "-1%", "setting 'volume' cannot be '-1%': expected a percentage from 0% to 100%"),
    (.volume, "%", "setting 'volume' cannot be '%': expected a percentage from 0% to 100%"),
    (.volume, "0050", "setting 'volume' cannot be '0050': expected a percentage from 0% to 100%"),
    (.volume, "٥%", "setting 'volume' cannot be '٥%': expected a percentage from 0% to 100%"),
    (.volume, "on", "setting 'volume' cannot be 'on': expected a percentage from 0% to 100%"),
    (.repeats, "on", "setting 'repeat' cannot be 'on': expected off, asked, urgent, all"),
    (.repeatEvery, "9s", badWait("9s")), (.repeatEvery, "61m", badWait("61m")), (.repeatEvery, "60", badWait("60")),
    (.repeatTimes, "0", "setting 'repeat-times' cannot be '0': expected a number from 1 to 100"),
    (.repeatTimes, "101", "setting 'repeat-times' cannot be '101': expected a number from 1 to 100"),
  ])
  func anAppsKeyRefuses(key: AppSettings.Key, value: String, words: String) {
    var settings = AppSettings()
    let error = #expect(throws: SettingError.self) { try settings.set(key, to: value) }
    #expect(error?.description == words)
    #expect(settings == AppSettings())
  }

  @Test(arguments: [
    (HandsetSettings.Key.notifications, "1", "setting 'notifications' cannot be '1': expected on, off"),
    (.badgeShows, "", "setting 'badge-shows' cannot be '': expected sum, an app's bundle identifier"),
    (.fetchMode, "pull", "setting 'fetch-mode' cannot be 'pull': expected push, fetch, manual"),
    (.fetchInterval, "0m", SettingsTests.badInterval("0m")),
    (.fetchInterval, "1441m", SettingsTests.badInterval("1441m")),
    (.fetchInterval, "25h", SettingsTests.badInterval("25h")), (.fetchInterval, "h", SettingsTests.badInterval("h")),
    (.fetchInterval, "15", SettingsTests.badInterval("15")), (.fetchInterval, "+5m", SettingsTests.badInterval("+5m")),
    (.fetchInterval, "", SettingsTests.badInterval("")), (.fetchInterval, "٥m", SettingsTests.badInterval("٥m")),
    (.fetchInterval, "9999999999999999999m", SettingsTests.badInterval("9999999999999999999m")),
    (
      .quietHours, "on",
      "setting 'quiet-hours' cannot be 'on': expected off, two times that differ: 22:00-07:00"
    ),
    (
      .quietHours, "07:00-07:00",
      "setting 'quiet-hours' cannot be '07:00-07:00': expected off, two times that differ: 22:00-07:00"
    ),
    (
      .quietHours, "24:00-07:00",
      "setting 'quiet-hours' cannot be '24:00-07:00': expected off, two times that differ: 22:00-07:00"
    ),
    (
      .quietHours, "7:00-22:00",
      "setting 'quiet-hours' cannot be '7:00-22:00': expected off, two times that differ: 22:00-07:00"
    ),
    (
      .nightHours, "22:00",
      "setting 'night-hours' cannot be '22:00': expected off, two times that differ: 22:00-07:00"
    ),
    (.badgeShows, "a b", "setting 'badge-shows' cannot be 'a b': expected sum, an app's bundle identifier"),
  ])
  func theHandsetsKeyRefuses(key: HandsetSettings.Key, value: String, words: String) {
    var settings = HandsetSettings()
    let error = #expect(throws: SettingError.self) { try settings.set(key, to: value) }
    #expect(error?.description == words)
    #expect(settings == HandsetSettings())
  }
}
