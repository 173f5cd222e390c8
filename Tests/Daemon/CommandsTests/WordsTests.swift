import Foundation
import HandsetCore
import Speaker
import Testing

@testable import CommandSupport
@testable import Commands
@testable import DeskbellDaemon
@testable import ProviderClient

@Suite struct WordsTests {
  static let utc = ClockFace(isUTC: true)
  static let moment: Int64 = 1_700_000_000_123_456

  static func note(
    _ id: UInt64, title: String? = "A letter", body: String? = "From Ada", seen: Bool = false,
    app: String = "com.example.mail", thread: String? = nil
  ) -> NotificationReport {
    NotificationReport(
      id: id, app: app, appName: "Mail", push: "p", level: "active", title: title, subtitle: nil, body: body,
      buttons: ["Close", "View"], threadID: thread, collapseID: nil, isListed: true, isSeen: seen,
      arrivedWallMicroseconds: moment)
  }

  static func app(
    _ id: String, registration: String = "registered", kinds: [String] = ["badge", "sound"],
    lifecycle: String = "notRunning", badge: Int = 0, visible: Int = 0, held: AppReport.Held? = nil
  ) -> AppReport {
    AppReport(
      id: id, name: "Mail", registration: registration, kinds: kinds, lifecycle: lifecycle, badge: badge,
      visibleBadge: visible, token: "8f3a", receivesBackgroundUpdates: true,
      foregroundPresentation: [], sounds: [], notifications: 2, hasSettings: true, settings: [], held: held)
  }

  @Test func tables() {
    #expect(table([["a", "long one", "x"], ["bbb", "c"], []]) == "a    long one  x\nbbb  c\n")
    #expect(table([]) == "")
    #expect(oneLine("a\nb\tc\u{1B}[31m") == "a b c[31m")
  }

  @Test func times() {
    #expect(Self.utc.dateAndTime(Self.moment) == "2023-11-14 22:13:20")
    #expect(Self.utc.time(Self.moment) == "22:13:20.123")
    #expect(Self.utc.time(1_000) == "00:00:00.001")
    #expect(Self.utc.time(-1_000) == "23:59:59.999")
    #expect(Self.utc.dateAndTime(-1) == "1969-12-31 23:59:59")
    #expect(roughly(microseconds: 59_999_999) == "59 s")
    #expect(roughly(microseconds: 60_000_000) == "1 min")
    #expect(roughly(microseconds: 11_520_000_000) == "3 h 12 min")
    #expect(roughly(microseconds: 93_600_000_000 * 2) == "2 d 4 h")
  }

  @Test func state() {
    let state = StateReport(
      version: "1.0.0", handset: 1, name: "1", isOnBoard: true, deviceID: String(repeating: "0d", count: 20),
      uptimeMicroseconds: 60_000_000, wallMicroseconds: Self.moment, daemonUptimeMicroseconds: 11_520_000_000,
      pushAddress: "*:2197",
      presentation: PresentationReport(
        badge: 12, digits: "  12", dimmed: true,
        lamp: .init(pattern: "blink", colour: "white", sinceUptimeMicroseconds: 0, steps: []),
        banner: nil,
        alert: Self.note(3), alertsBelow: 2),
      unseen: 3, apps: 1,
      devices: [
        DeviceReport(name: "lamp", works: true, problem: nil),
        DeviceReport(name: "speaker", works: false, problem: "default: No such device;\nplug one in"),
      ], lastEvent: 0, quietHours: false, utcOffsetSeconds: 0,
      scan: .init(frames: 7_500, lateFrames: 2, isRealTime: false),
      usage: UsageReport(
        notifications: .init(used: 1_007, limit: 50_000), bytes: .init(used: 1, limit: 100_663_296),
        events: .init(used: 5_000, limit: 100_000),
        apps: [
          .init(
            app: "com.example.mail", notifications: .init(used: 1_000, limit: 1_000),
            bytes: .init(used: 0, limit: 33_554_432))
        ],
        providers: [
          .init(
            provider: "shop", connections: .init(used: 2, limit: 600), requests: 31_000, refusedRequests: 12,
            requestsPerSecondLimit: 1_000)
        ]))
    #expect(
      StateCommand.text(state) == """
        Deskbell 1.0.0, up 3 h 12 min

        display    "  12", dimmed: it is night
        lamp       blink
        banner     none
        alert      Mail: A letter – From Ada [Close] [View]; 2 more below
        unseen     3
        apps       1
        push to    *:2197
        device ID  0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d
        scan       7500 frames, 2 late, without real-time priority

        lamp     works
        speaker  does not work: default: No such device; plug one in

        KEPT OF           NOTIFICATIONS  TEXTS         EVENTS
        all apps          1007 of 50000  0.1 of 96 MB  5000 of 100000
        com.example.mail  1000 of 1000   0.0 of 32 MB

        PROVIDER  CONNECTIONS  REQUESTS  TOO MANY
        shop      2 of 600     31000     12
        """)
  }

  @Test func stateOfADarkHandset() {
    let state = StateReport(
      version: "1.0.0", handset: 2, name: "kitchen", isOnBoard: false, deviceID: String(repeating: "0d", count: 20),
      uptimeMicroseconds: 60_000_000, wallMicroseconds: 0, daemonUptimeMicroseconds: 5_000_000, pushAddress: nil,
      presentation: PresentationReport(badge: 0, digits: nil, lamp: nil, banner: nil, alert: nil, alertsBelow: 0),
      unseen: 0, apps: 0, devices: [], lastEvent: 0, quietHours: false, utcOffsetSeconds: 0)
    #expect(
      StateCommand.text(state) == """
        Deskbell 1.0.0, up 5 s

        handset    kitchen, which is not on the board
        display    none; the badge is 0
        lamp       dark
        banner     none
        alert      none
        unseen     0
        apps       0
        push to    nowhere
        device ID  0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d
        """)
  }

  @Test func liveActivities() {
    func activity(_ id: UInt64, _ state: String = "active") -> ActivityReport {
      ActivityReport(
        id: id, app: "com.example.match", state: state, started: 0, updated: 0,
        content: AnyJSON(value: ["goals": "1:0"]))
    }
    #expect(
      StateCommand.activities([activity(1, "ended"), activity(2)])
        == #"com.example.match {"goals":"1:0"}; com.example.match {"goals":"1:0"}, ended"#)
    #expect(StateCommand.activities((1...5).map { activity($0) }).hasSuffix("; and 2 more"))
  }

  @Test func handsets() {
    let device = String(repeating: "0d", count: 20)
    #expect(
      HandsetsCommand.list([
        HandsetReport(name: "1", number: 1, deviceID: device, isOnBoard: true, badge: 12, unseen: 3, apps: 2),
        HandsetReport(name: "kitchen", number: 4, deviceID: device, isOnBoard: false, badge: 0, unseen: 0, apps: 0),
      ]) == """
        NAME     ON THE BOARD  APPS  UNSEEN  BADGE  DEVICE ID
        1        yes           2     3       12     \(device)
        kitchen  no            0     0       0      \(device)
        """)
  }

  @Test func tokens() {
    let tokens = [
      TokenReport(handset: "1", app: "a.b", token: "8f3a", isRegistered: true),
      TokenReport(handset: "kitchen", app: "a.b", token: "77", isRegistered: false),
    ]
    #expect(
      AppCommand.tokens(tokens, withHandset: true) == """
        HANDSET  APP  REGISTERED  TOKEN
        1        a.b  yes         8f3a
        kitchen  a.b  no          77
        """)
    #expect(
      AppCommand.tokens([tokens[0]], withHandset: false) == """
        APP  REGISTERED  TOKEN
        a.b  yes         8f3a
        """)
    #expect(AppCommand.tokens([], withHandset: true) == "no app is installed; deskbell app install DIR installs one")
  }

  @Test func installedOnAll() {
    let reports = ["1", "kitchen"].map {
      HandsetInstallReport(handset: $0, app: Self.app("a.b"), notes: ["sounds/x.ogg: cannot be decoded"])
    }
    #expect(
      AppCommand.installed(reports) == """
        installed Mail (a.b) on 2 handsets
        note: sounds/x.ogg: cannot be decoded
        tokens: deskbell app tokens --all-handsets
        """)
    #expect(AppCommand.refused(reports[0]) == nil)
    var refused = HandsetInstallReport(handset: "hall", refusal: .init(status: 503, error: "the disk is full"))
    #expect(AppCommand.refused(refused) == "deskbell: handset 'hall': the disk is full")
    refused.refusal?.hint = "make room"
    #expect(AppCommand.refused(refused) == "deskbell: handset 'hall': the disk is full\n  make room")
  }

  @Test func presses() {
    var shown = PresentationReport(badge: 0, digits: nil, lamp: nil, banner: nil, alert: nil, alertsBelow: 0)
    #expect(StateCommand.done("pressed view", shown) == "pressed view; no alert is up now")
    shown.alert = Self.note(1, body: nil)
    #expect(
      StateCommand.done("pressed close", shown) == "pressed close; the alert is now Mail: A letter [Close] [View]")
  }

  @Test func center() {
    #expect(CenterCommand.text([]) == "Notification Center is empty")
    #expect(
      CenterCommand.text([Self.note(17, body: "one\ntwo"), Self.note(4, title: nil, seen: true)], Self.utc) == """
        NUMBER  ARRIVED                   APP   MESSAGE
        17      2023-11-14 22:13:20  new  Mail  A letter – one two
        4       2023-11-14 22:13:20       Mail  From Ada
        """)
  }

  @Test func settingsBeforeAnAppHasAny() {
    var app = Self.app("com.example.mail")
    #expect(SettingsCommand.note(app) == "")
    app.hasSettings = false
    #expect(
      SettingsCommand.note(app)
        == "com.example.mail has neither registered nor scheduled a notification; they apply once it does.")
  }

  @Test func apps() {
    #expect(AppCommand.list([]) == "no app is installed; deskbell app install DIR installs one")
    let apps = [
      Self.app("com.example.mail", badge: 12, visible: 12, held: .init(push: "p", expiresWallMicroseconds: 0)),
      Self.app("com.example.n", registration: "pending", kinds: [], lifecycle: "foreground"),
      Self.app("com.example.o", kinds: [], lifecycle: "forceQuit", badge: 3),
    ]
    #expect(
      AppCommand.list(apps) == """
        APP               NAME  REGISTERED FOR  IS           BADGE          LISTED  HELD
        com.example.mail  Mail  badge, sound    not running  12             2       an update
        com.example.n     Mail  pending         foreground   0              2
        com.example.o     Mail  nothing         force-quit   3 (not shown)  2
        """)
  }

  @Test func oneApp() {
    let app = Self.app("a.b", badge: 2, visible: 2)
    let pending = Self.app("a.b", registration: "pending", kinds: [])
    #expect(
      AppCommand.installed(InstallReport(app: pending, notes: ["sounds/x.ogg: cannot be decoded"])) == """
        installed Mail (a.b)
        token 8f3a
        note: sounds/x.ogg: cannot be decoded
        next: deskbell app register a.b
        """)
    #expect(
      AppCommand.installed(InstallReport(app: app, notes: []))
        == "installed Mail (a.b)\ntoken 8f3a\nregistered for badge, sound")
    #expect(AppCommand.registered(app) == "a.b is registered for badge, sound\ntoken 8f3a")
    #expect(
      AppCommand.registered(Self.app("a.b", registration: "unregistered"))
        == "a.b is unregistered; its token answers as gone")
    #expect(AppCommand.moved(Self.app("a.b", lifecycle: "background")) == "a.b is in the background")
    #expect(AppCommand.moved(Self.app("a.b", lifecycle: "notRunning")) == "a.b is not running")
    #expect(AppCommand.moved(Self.app("a.b", lifecycle: "forceQuit")) == "a.b is force-quit")
    #expect(AppCommand.badged(app) == "a.b has badge 2")
  }

  @Test func events() throws {
    func line(_ json: String) throws -> String {
      EventWords.line(try JSONDecoder().decode(EventReport.self, from: Data(json.utf8)), Self.utc)
    }
    let stamps = #""uptimeMicroseconds":1,"wallMicroseconds":1700000000123456"#
    #expect(
      try line(
        #"{"sequence":7,\#(stamps),"event":"presented","app":"a.b","push":"P","style":"banner","listed":true,"sound":"in box"}"#
      )
        == "     7  22:13:20.123  presented      a.b  listed=yes  sound='in box'  style=banner  push=P")
    #expect(
      try line(#"{"sequence":1234567,\#(stamps),"event":"registered","app":"a.b","kinds":["badge","alert"]}"#)
        == "1234567  22:13:20.123  registered     a.b  kinds=badge,alert")
    #expect(try line(#"{"sequence":8,\#(stamps),"event":"held"}"#) == "     8  22:13:20.123  held")
    #expect(
      try line(#"{"sequence":9,\#(stamps),"event":"not-presented","number":0,"text":""}"#)
        == "     9  22:13:20.123  not-presented  number=0  text=''")
  }

  @Test func providers() {
    #expect(ProviderCommand.list([]) == "no provider has been added; deskbell provider add --help shows how")
    let shop = ProviderReport(
      name: "shop", apps: ["a.b", "c.d"], credential: "token", teamID: "T", keyID: "KEY", environment: "both")
    let certified = ProviderReport(
      name: "mail", apps: ["a.b"], credential: "certificate", environment: "production",
      certificate: .init(
        fingerprint: String(repeating: "0A", count: 32), topics: ["a.b"], validFromWallMicroseconds: 1,
        validUntilWallMicroseconds: 2))
    #expect(
      ProviderCommand.list([
        certified, shop, ProviderReport(name: "old", apps: ["a.b"], credential: "password"),
      ])
        == """
        NAME  CREDENTIAL                     ENVIRONMENT  APPS
        mail  certificate 0A0A0A0A0A0A0A0A…  production   a.b
        shop  token T KEY                    both         a.b, c.d
        old   password                                    a.b
        """)
    #expect(ProviderCommand.added(shop) == "shop may push to a.b, c.d")
  }

  @Test func pushes() {
    #expect(PushCommand.answer(PushAnswer(status: 200, apnsID: "7b2e")) == "200  7b2e")
    #expect(PushCommand.answer(PushAnswer(status: 400, reason: "BadTopic")) == "400  no apns-id  BadTopic")
    #expect(
      PushCommand.answer(
        PushAnswer(status: 410, apnsID: "7b2e", reason: "Unregistered", timestamp: 1_700_000_000_000), Self.utc)
        == "410  7b2e  Unregistered  since 2023-11-14 22:13:20")
    // A time beyond all calendars is left out instead of causing a trap.
    #expect(
      PushCommand.answer(PushAnswer(status: 410, apnsID: "7b2e", reason: "Unregistered", timestamp: .max), Self.utc)
        == "410  7b2e  Unregistered")
  }

  @Test func manyPushes() throws {
    var tally = PushTally()
    let gone = PushAnswer(status: 410, reason: "Unregistered")
    for number in 1...990 {
      tally.add(PushReceipt(answer: PushAnswer(status: 200), attempts: 1), after: .microseconds(number * 100))
    }
    #expect(tally.allAccepted)
    tally.add(PushReceipt(answer: PushAnswer(status: 200), attempts: 3), after: .seconds(2))
    for _ in 0..<9 { tally.add(PushReceipt(answer: gone, attempts: 1), after: .seconds(3)) }
    for _ in 0..<4 { tally.add(PushReceipt(answer: gone, attempts: 0), after: .zero) }
    tally.took(.milliseconds(2_054))
    #expect(!tally.allAccepted)
    #expect(
      PushCommand.tally(tally) == "1004 pushes in 2.05 s (488/s): 991 × 200, 9 × 410 Unregistered, "
        + "4 not sent, their token is gone; 2 retries; p50 50.0 ms, p99 99.0 ms")
    #expect(
      try Output.jsonText(tally) == """
        {
          "accepted" : 991,
          "latency" : {
            "p50Microseconds" : 50000,
            "p99Microseconds" : 99000
          },
          "milliseconds" : 2054,
          "notSent" : 4,
          "refused" : 9,
          "results" : [
            {
              "count" : 991,
              "status" : 200
            },
            {
              "count" : 9,
              "reason" : "Unregistered",
              "status" : 410
            }
          ],
          "retries" : 2
        }
        """)
  }

  @Test func aPushThatIsTriedAgain() {
    let retry = PushSender.Retry(problem: "503 ServiceUnavailable", pause: .milliseconds(1_540), attempt: 2)
    #expect(PushCommand.retry(retry) == "503 ServiceUnavailable: try 2 in 1.5 s")
  }

  @Test("A delivery log has our words in parentheses; the counts are a table, or Apple's CSV")
  func deliveryLogs() throws {
    let json = """
      [{"app":"com.example.mail","push":"8C07","time":"t","wallMicroseconds":\(Self.moment),"event":"accepted",
        "line":"received by APNS Server","isApples":true,"status":"Received by APNs"},
       {"app":"com.example.mail","push":"8C07","time":"t","wallMicroseconds":\(Self.moment),"event":"discarded",
        "line":"discarded as a newer notification was stored","isApples":false,"rule":"U4","text":"a newer\\nupdate"}]
      """
    let lines = try JSONDecoder().decode([DeliveryLogLine].self, from: Data(json.utf8))
    #expect(
      DeliveryLogCommand.text(lines, Self.utc) == """
        push 8C07 for com.example.mail, 2023-11-14 22:13:20

        TIME          LINE                                            STATUS            RULE  WHY
        22:13:20.123  received by APNS Server                         Received by APNs
        22:13:20.123  (discarded as a newer notification was stored)                    U4    a newer update
        """)
    let counts = [
      DeliveryStatusCount(pushType: "voip", status: "Stored – Device Offline", count: 12, date: "2026-01-01")
    ]
    #expect(
      DeliveryLogCommand.text(of: counts) == """
        PUSH TYPE  STATUS                   COUNT
        voip       Stored – Device Offline  12
        """)
    #expect(DeliveryLogCommand.text(of: []) == "No push has come since the daemon started.")
    #expect(
      DeliveryLogCommand.csv(counts) == """
        Push Type,Status,Date (UTC),Count
        voip,Stored – Device Offline,2026-01-01,12
        """)
  }

  @Test func explanations() throws {
    let json = """
      {"app":"com.example.mail","push":"8C07","pushes":2,"rang":false,"summary":"It did not ring: quiet\\nhours (S5).",
       "rulings":[
        {"event":41,"rule":"S2","title":"the handset's switch","code":"S2.on","outcome":"notifications are on","stops":[]},
        {"event":41,"rule":"S5","title":"silence","code":"S5.quiet-hours","outcome":"quiet","stops":["sound"]}],
       "events":[{"sequence":41,"uptimeMicroseconds":1,"wallMicroseconds":\(Self.moment),"event":"accepted",
         "app":"com.example.mail","push":"8C07","type":"alert"}],
       "eventsLeftOut":1,"now":["an alert that waits","in Notification Center, unseen"]}
      """
    var explanation = try JSONDecoder().decode(ExplanationReport.self, from: Data(json.utf8))
    #expect(
      ExplainCommand.text(explanation, Self.utc) == """
        push 8C07 for com.example.mail, 2023-11-14 22:13:20
        The newest of 2 with this identifier that the journal has.

        RULE  ABOUT                 OUTCOME
        S2    the handset's switch  notifications are on
        S5    silence               quiet

        What happened:
            41  22:13:20.123  accepted       type=alert

        1 event is left out in the middle.

        It did not ring: quiet hours (S5).
        Now: an alert that waits; in Notification Center, unseen.
        """)
    (explanation.app, explanation.pushes, explanation.rulings, explanation.eventsLeftOut) = (nil, 1, [], 0)
    explanation.now = []
    #expect(
      ExplainCommand.text(explanation, Self.utc) == """
        push 8C07, 2023-11-14 22:13:20

        What happened:
            41  22:13:20.123  accepted       com.example.mail  type=alert

        It did not ring: quiet hours (S5).
        """)
  }
}

@Suite struct CenterWordsTests {
  private func note(
    _ id: UInt64, _ body: String, app: String = "com.example.mail", thread: String? = nil
  ) -> NotificationReport {
    WordsTests.note(id, title: nil, body: body, seen: true, app: app, thread: thread)
  }

  private func lines(_ notes: [NotificationReport]) -> [String] {
    CenterCommand.text(notes).split(separator: "\n").dropFirst().map { line in
      "\(line.prefix { $0 != " " }) \(line.split(separator: "Mail", maxSplits: 1).last ?? "")"
        .split(separator: " ").joined(separator: " ")
    }
  }

  @Test(
    "N19: the notifications of a thread are listed together, at the place of its newest; threads of two apps differ")
  func threads() {
    let notes = [
      note(6, "six", thread: "a"), note(5, "five"), note(4, "four", thread: "a"), note(3, "three", thread: "b"),
      note(2, "two", app: "com.example.news", thread: "a"), note(1, "one", thread: "a"),
    ]
    #expect(lines(notes) == ["6 (3) six", "4 └ four", "1 └ one", "5 five", "3 three", "2 two"])
  }

  @Test func actions() {
    var asking = note(1, "Dinner?")
    asking.actions = ["Accept", "Reply"].map {
      .init(id: $0.uppercased(), title: $0, opensApp: false, isDestructive: false, needsUnlock: false)
    }
    #expect(lines([asking]) == ["1 Dinner? [Accept] [Reply]"])
  }
}

@Suite struct SoundWordsTests {
  private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  @Test func aSoundThatPlays() throws {
    var report = try DeskbellDaemon.checkSound(
      path: "\(Self.package)/Sounds/bell.wav", decoder: .inThisProcess)
    #expect(report.format?.hasPrefix("WAV, 16-bit PCM, 44100 Hz, ") == true && report.plays == .itself)
    report.file = "bell.wav"
    (report.format, report.seconds, report.peakDecibels, report.loudnessLUFS) = ("WAV", 1.5, -0.04, -23.06)
    report.clippedSamples = 0
    #expect(
      SoundCommand.checked(report) == """
        bell.wav
          format    WAV
          length    1.500 s
          peak      0.0 dBFS
          loudness  -23.1 LUFS
          clipping  none
          plays     itself
        """)
    (report.loudnessLUFS, report.clippedSamples) = (nil, 7)
    #expect(SoundCommand.checked(report).contains("loudness  too short to measure: 0.4 s are needed"))
    #expect(SoundCommand.checked(report).contains("clipping  7 samples at full scale, in rows"))
    (report.peakDecibels, report.clippedSamples) = (nil, 0)
    #expect(SoundCommand.checked(report).contains("peak      silence\n  loudness  silence"))
  }

  @Test func aFileThatDoesNot() throws {
    let report = try DeskbellDaemon.checkSound(path: #filePath)
    #expect(report.plays == .default)
    #expect(
      SoundCommand.checked(report)
        == "\(#filePath)\n  plays  the default sound (A1): is not a WAV, AIFF or CAF file; convert it to one of these")
    let error = #expect(throws: DaemonError.self) { try DeskbellDaemon.checkSound(path: "/nowhere.wav") }
    #expect(
      error?.description
        == "/nowhere.wav cannot be read: No such file or directory; check the path and its permissions")
  }

  @Test("A file with one byte more than the limit is refused")
  func tooLarge() throws {
    let folder = try Folder()
    let path = folder.path + "/a.wav"
    try folder.write("a.wav", "")
    #expect(truncate(path, 21 * 1024 * 1024) == 0)
    #expect(try DeskbellDaemon.readSound(path: path).count == 20 * 1024 * 1024 + 1)
    #expect(try DeskbellDaemon.checkSound(path: path).problem?.hasPrefix("has 20971521 bytes") == true)
  }
}
