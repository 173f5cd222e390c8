// The demo's six scenes. Each command is one that a user could type; each expectation is an event of the handset.

import CommandSupport
import DeskbellDaemon

struct DemoScene: Sendable {
  var title: String
  /// Two lines of 78 characters at most that describe the scene.
  var caption: [String]
  var play: @Sendable (DemoStage) async throws -> Void
}

enum DemoStory {
  static let app = "com.example.mailroom"

  static let scenes = [parcel, threeWays, quietHours, alert, updates, untilSomebodyCame]

  private static let parcel = DemoScene(
    title: "A parcel",
    caption: [
      "A push arrives as from Apple's service: APNs over HTTP/2 and TLS.",
      "The phone shows it, the lamp flashes, the digits show 1, and its sound plays.",
    ]
  ) { stage in
    try await stage.run(
      "push", app, "--title", "A parcel", "--body", "At the front door.", "--badge", "1", "--sound", "parcel")
    try await stage.expect(
      "event=display text='   1'", "event=lamp lit=true", "event=sound-started name=parcel")
  }

  private static let threeWays = DemoScene(
    title: "A second one, and a third: other ways in",
    caption: [
      "The same port accepts the push service of 2008, and curl as ntfy does.",
      "A badge is shown as sent. curl's message has none: the digits stay at 2.",
    ]
  ) { stage in
    try await stage.run("push", app, "--via", "2008", "--body", "Another parcel.", "--badge", "2", "--sound", "parcel")
    try await stage.expect("event=display text='   2'", "event=sound-started name=parcel")
    let key = try await stage.client.setKey(.topic, "parcels", KeyRequest(app: app))
    guard let url = key.url, let secret = key.key, let pin = key.pin else {
      throw Failure("the topic has no address that curl can be given")
    }
    func curl(_ pin: Substring, _ secret: Substring) -> String {
      "curl -k --pinnedpubkey '\(pin)' -H 'Authorization: Bearer \(secret)' -d 'The third: a book.' \(url)"
    }
    let shown = curl(pin.prefix(11) + "…", secret.prefix(6) + "…")
    guard await stage.daemon.shell("command -v curl").status == 0 else {
      return try await stage.show(.output, "curl is not installed here; it would be: \(shown)")
    }
    try await stage.shell(
      curl(pin[...], secret[...]) + " --silent --show-error --output /dev/null --write-out 'HTTP %{http_code}\\n'",
      shown: shown)
    try await stage.expect("event=presented app=\(app)", "event=sound-started name=default")
  }

  private static let quietHours = DemoScene(
    title: "Why did it not ring?",
    caption: [
      "At half past ten a push comes in quiet hours: it is shown, but not played.",
      "'deskbell explain' lists the rules that decided.",
    ]
  ) { stage in
    try await stage.run("settings", "quiet-hours", "22:00-07:00")
    try await stage.pass(until: 22, 30, "five hours later")
    let id = "8C072DB2-12F5-4B70-B99F-73F50AC5525B"
    try await stage.run("push", app, "--title", "A late letter", "--badge", "4", "--sound", "letter", "--id", id)
    try await stage.expect("event=display text='   4'")
    try await stage.run("explain", id)
    try await stage.read()
  }

  private static let alert = DemoScene(
    title: "An alert, and its buttons",
    caption: [
      "An alert stays until a button is pressed. The app names its action button.",
      "On a board the two are push buttons; here they are the keys v and c.",
    ]
  ) { stage in
    try await stage.pass(until: 8, 0, "the next morning")
    try await stage.run("settings", app, "style", "alert")
    try await stage.run(
      "push", app, "--title", "Sort the mail?", "--body", "Five letters, two parcels.", "--badge", "5", "--sound",
      "stamp")
    try await stage.expect("event=display text='   5'", "event=sound-started name=stamp")
    try await stage.wait("v Sort   c Close   space neither") { $0.presentation.alert == nil }
    if try await stage.client.state().presentation.alert != nil {
      try await stage.run("press", "view")
      try await stage.expect("event=answered", "event=lifecycle state=foreground")
    }
    try await stage.quietly("app", "background", app)
    try await stage.run("app", "badge", app, "0")
    try await stage.expect("event=display text='    '")
  }

  private static let updates = DemoScene(
    title: "Background updates: held, discarded, delivered",
    caption: [
      "With low power no app is woken. Only the newest update of an app is held;",
      "launching the app delivers it at once.",
    ]
  ) { stage in
    try await stage.run("conditions", "low-power", "on")
    try await stage.run("push", app, "--background")
    try await stage.expect("event=held")
    try await stage.run("push", app, "--background")
    try await stage.expect("event=discarded", "event=held")
    try await stage.run("app", "launch", app)
    try await stage.expect("event=delivered", "event=completed")
    try await stage.quietly("app", "background", app)
    try await stage.quietly("conditions", "low-power", "off")
  }

  private static let untilSomebodyCame = DemoScene(
    title: "Until somebody came",
    caption: [
      "What matters sounds again every minute until somebody answers.",
      "A snooze keeps it silent for a while; then it rings once more.",
    ]
  ) { stage in
    try await stage.quietly("settings", app, "repeat", "urgent")
    try await stage.quietly("settings", app, "repeat-every", "60s")
    try await stage.run(
      "push", app, "--title", "Somebody is at the door", "--badge", "1", "--sound", "default", "--level",
      "time-sensitive")
    try await stage.expect("event=presented", "event=sound-started name=default")
    try await stage.pass(60, "a minute later")
    try await stage.expect("event=repeated", "event=sound-started name=default")
    try await stage.run("snooze", app, "--for", "10m")
    try await stage.expect("event=snoozed")
    try await stage.pass(600, "ten minutes of silence")
    try await stage.expect("event=snooze-ended", "event=sound-started name=default")
    try await stage.wait("c I saw it   space the last page") { $0.presentation.alert == nil }
    if try await stage.client.state().presentation.alert != nil {
      try await stage.run("press", "close")
      try await stage.expect("event=answered")
    }
  }
}
