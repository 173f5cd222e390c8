import HTTP
import HandsetCore
import Testing

@testable import DeskbellDaemon

@Suite struct SettingRoutesTests {
  @Test(.daemon) func listsAndChangesTheHandsets() async throws {
    #expect(
      try await asker.ask("GET", "/v1/settings").body
        .hasPrefix(#"[{"key":"notifications","value":"on"},{"key":"badge-shows","value":"sum"},"#))
    #expect(try await asker.client.settings(of: nil) == reports(HandsetSettings()))
    #expect(
      try await asker.ask("PUT", "/v1/settings/notifications", #"{"value":"off"}"#).body
        == #"{"key":"notifications","value":"off"}"#)
    #expect(try await asker.client.settings(of: nil).first == SettingReport(key: "notifications", value: "off"))
    #expect(
      try await asker.client.set("vibrate-on-ring", to: "off", of: nil)
        == SettingReport(key: "vibrate-on-ring", value: "off"))
  }

  @Test(.daemonWithMail) func listsAndChangesAnApps() async throws {
    var settings = AppSettings()
    settings.style = .alert
    let before = reports(settings)
    #expect(try await asker.client.settings(of: mail) == before)
    #expect(
      try await asker.ask("PUT", "/v1/apps/\(mail)/settings/style", #"{"value":"none"}"#).body
        == #"{"key":"style","value":"none"}"#)
    #expect(
      try await asker.client.set("badge", to: "off", of: mail) == SettingReport(key: "badge", value: "off"))
    settings.style = .none
    settings.badge = false
    let after = reports(settings)
    #expect(try await asker.client.settings(of: mail) == after)
  }

  /// Returns settings as the API reports them, in the order of their keys.
  private func reports<Settings: KeyedSettings>(_ settings: Settings) -> [SettingReport] {
    Settings.Key.allCases.map { SettingReport(key: $0.rawValue, value: settings[$0]) }
  }

  @Test(.daemon) func listsAndChangesConditions() async throws {
    #expect(
      try await asker.client.conditions()
        == Condition.allCases.map { SettingReport(key: $0.rawValue, value: "off") })
    #expect(
      try await asker.ask("PUT", "/v1/conditions/offline", #"{"value":"on"}"#).body
        == #"{"key":"offline","value":"on"}"#)
    #expect(try await asker.client.conditions().first == SettingReport(key: "offline", value: "on"))
    try await asker.refuses([
      #"PUT /v1/conditions/ofline {"value":"on"}"#: "404 there is no condition 'ofline' | did you mean 'offline'?",
      #"PUT /v1/conditions/offline {"value":"yes"}"#: "400 a condition is on or off, not 'yes'",
    ])
  }

  @Test(.daemonWithMail) func namesTheKeyAndTheValueThatWereMeant() async throws {
    try await asker.refuses([
      #"PUT /v1/apps/\#(mail)/settings/bagde {"value":"on"}"#:
        "400 there is no setting 'bagde' of an app | did you mean 'badge'?",
      #"PUT /v1/settings/xyzzy {"value":"on"}"#: "400 there is no setting 'xyzzy' of the handset | "
        + "there are notifications, badge-shows, vibrate-on-ring, vibrate-on-silent, fetch-mode "
        + "and \(HandsetSettings.Key.allCases.count - 5) more",
      #"PUT /v1/apps/\#(mail)/settings/style {"value":"banners"}"#:
        "400 setting 'style' cannot be 'banners': expected none, banner, alert | did you mean 'banner'?",
      #"PUT /v1/settings/badge-shows {"value":"com.example.mial"}"#:
        "404 no app 'com.example.mial' is installed | did you mean 'com.example.mail'?",
    ])
    #expect(try await asker.client.settings(of: nil)[1].value == "sum")
    #expect(try await asker.client.settings(of: mail)[4].value == "alert")
  }

  @Test(.daemon) func quotesNoMoreThanAMessageShould() async throws {
    let long = String(repeating: "x", count: Policy.eventQuoteLimit + 1)
    try await asker.refuses([
      #"PUT /v1/settings/\#(long) {"value":"on"}"#: "400 there is no setting '\(long.dropLast())…' of the handset | …"
    ])
  }
}
