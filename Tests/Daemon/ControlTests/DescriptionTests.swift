// docs/openapi.json is the base for other clients: it describes exactly what the server does.

import FoundationEssentials
import HTTPRoutes
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon
@testable import HandsetCore

@Suite struct DescriptionTests {
  let document: OpenAPIDocument

  init() throws {
    document = try OpenAPIDocument()
  }

  @Test func describesEveryRouteAndNoOther() throws {
    let routes = try ControlRig().routes.routes
    #expect(document.operations == Set(routes.map { "\($0.method) \($0.pattern)" }))
    #expect(document.operations.count == routes.count)
  }

  @Test("Each operation has one tag, and each body an example that is as described")
  func hasTagsAndExamples() throws {
    let tags = Set((document.root["tags"]?.list ?? []).compactMap { $0["name"]?.text })
    for route in try ControlRig().routes.routes {
      let operation = try #require(document.operation(route.method, route.pattern))
      let own = (operation["tags"]?.list ?? []).compactMap(\.text)
      #expect(own.count == 1 && tags.isSuperset(of: own), "\(route.method) \(route.pattern)")
      guard let body = operation["requestBody"]?["content"]?["application/json"] else { continue }
      let name = body["schema"]?["$ref"]?.text?.split(separator: "/").last.map(String.init)
      let schema = try #require(name.flatMap(document.schema))
      let example = try #require(body["example"], "\(route.method) \(route.pattern)")
      #expect(document.fault(in: example, schema: schema, at: route.pattern) == nil)
    }
  }

  @Test func namesThePathsParameters() throws {
    for route in try ControlRig().routes.routes {
      let inPattern = route.pattern.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().dropLast() }
      let described = document.item(route.pattern)?["parameters"]?.list?.compactMap { $0["name"]?.text }
      // The base's parameter is among the servers' variables.
      #expect(Set(described ?? []) == Set(inPattern.map(String.init)).subtracting(["handset"]), "\(route.pattern)")
    }
  }

  @Test("Every event and every reason is listed, with its rule and text; a code that is gone breaks readers")
  func listsEventsAndReasons() throws {
    let schema = try #require(document.schema("EventReport"))
    #expect(
      schema["properties"]?["event"]?["enum"]?.list?.compactMap(\.text) == Event.Name.allCases.map(\.rawValue))
    let described: [[String?]] = (schema["x-reasons"]?.list ?? []).map { entry in
      ["event", "reason", "rule", "text"].map { entry[$0]?.text }
    }
    var known: [[String?]] = []
    for (event, reasons) in EventReason.table {
      known += reasons.map { [event.rawValue, $0.code, $0.rule, $0.text] }
    }
    #expect(described == known)
    for (_, reasons) in EventReason.table { #expect(Set(reasons.map(\.code)).count == reasons.count) }
  }

  @Test func namesTheLimitOfABundle() throws {
    let put = try #require(
      try ControlRig().routes.routes.first { $0.pattern == "/v1/apps/{id}" && $0.method == "PUT" })
    #expect(put.bodyLimit == 67_108_864)
    #expect(
      document.operation("PUT", "/v1/apps/{id}")?["requestBody"]?["description"]?.text == "At most 67108864 bytes.")
  }

  @Test func namesTheLimitOfASound() throws {
    let post = try #require(try ControlRig().routes.routes.first { $0.pattern == "/v1/sounds/play" })
    #expect(post.bodyLimit == 29_360_128)
    #expect(
      document.operation("POST", "/v1/sounds/play")?["requestBody"]?["description"]?.text == "At most 29360128 bytes.")
  }

  @Test func namesTheLimitsOfNotifications() throws {
    let parameters = document.operation("GET", "/v1/center")?["parameters"]?.list ?? []
    let limit = try #require(parameters.first { $0["name"]?.text == "limit" }?["schema"])
    #expect(limit["maximum"] == .number(Double(ControlLimits.notifications)))
    #expect(limit["default"] == .number(Double(ControlLimits.defaultNotifications)))
  }

  @Test func namesTheLimitOfAnAdvance() throws {
    let seconds = try #require(document.schema("ClockAdvanceRequest")?["properties"]?["seconds"])
    #expect(seconds["minimum"] == .number(Double(ControlLimits.advanceSeconds.lowerBound)))
    #expect(seconds["maximum"] == .number(Double(ControlLimits.advanceSeconds.upperBound)))
  }

  /// Every type of a JSON body, with all its keys, and with only the required ones.
  static let bodies: [(name: String, full: any Encodable & Sendable, least: any Encodable & Sendable)] = {
    let step = PresentationReport.Step(lit: true, milliseconds: 500, brightness: 100)
    let lamp = PresentationReport.Lamp(pattern: "blink", sinceUptimeMicroseconds: 1, steps: [step])
    let motorStep = PresentationReport.MotorStep(runs: true, milliseconds: 400)
    let motor = PresentationReport.Motor(pattern: "pulse", elapsedMilliseconds: 0, steps: [motorStep])
    let noteAction = NotificationReport.Action(
      id: "REPLY", title: "Reply", opensApp: false, isDestructive: false, needsUnlock: true, textButton: "Send",
      textPlaceholder: "Message")
    var bareNoteAction = noteAction
    (bareNoteAction.textButton, bareNoteAction.textPlaceholder) = (nil, nil)
    let note = NotificationReport(
      id: 1, app: mail, appName: "Mail", push: "p", level: "active", title: "t", subtitle: "s", body: "b",
      buttons: ["OK"], threadID: "t", collapseID: "c", isListed: true, isSeen: false, arrivedWallMicroseconds: 1,
      actions: [noteAction])
    var bareNote = note
    bareNote.actions = nil
    (bareNote.title, bareNote.subtitle, bareNote.body, bareNote.threadID, bareNote.collapseID) = (
      nil, nil, nil, nil, nil
    )
    let shown = PresentationReport(
      badge: 1, digits: "1", segments: [6], lamp: lamp, motor: motor, banner: note, bannerUntilUptimeMicroseconds: 1,
      alert: note,
      alertsBelow: 0)
    let dark = PresentationReport(badge: 0, digits: nil, lamp: nil, banner: nil, alert: nil, alertsBelow: 0)
    let device = DeviceReport(name: "lamp", works: false, problem: "no chip")
    let quota = UsageReport.Quota(1, of: 2)
    let usage = UsageReport(
      notifications: quota, bytes: quota, events: quota, apps: [.init(app: mail, notifications: quota, bytes: quota)],
      providers: [
        .init(provider: "shop", connections: quota, requests: 3, refusedRequests: 1, requestsPerSecondLimit: 1_000)
      ])
    let snooze = SnoozeReport(app: mail, untilUptimeMicroseconds: 1, untilWallMicroseconds: 2)
    var state = StateReport(
      version: "1", handset: 1, name: "1", isOnBoard: true, deviceID: String(repeating: "0d", count: 20),
      uptimeMicroseconds: 1, wallMicroseconds: 1, daemonUptimeMicroseconds: 1, pushAddress: "*:2197",
      presentation: shown, unseen: 0, apps: 1, devices: [device], lastEvent: 0, quietHours: false,
      snoozes: [snooze], utcOffsetSeconds: 0,
      scan: .init(frames: 2, lateFrames: 1, isRealTime: true), usage: usage)
    state.httpAddress = "*:2199"
    (state.settingsFile, state.stateDirectory) = ("/etc/desk.yaml", "/srv/desk")
    var bareState = state
    (bareState.httpAddress, bareState.settingsFile, bareState.stateDirectory) = (nil, nil, nil)
    (bareState.pushAddress, bareState.presentation, bareState.scan, bareState.usage) = (nil, dark, nil, nil)
    let handset = HandsetReport(
      name: "1", number: 1, deviceID: String(repeating: "0d", count: 20), isOnBoard: true, badge: 0, unseen: 0, apps: 0)
    let appToken = TokenReport(handset: "1", app: mail, token: "00", isRegistered: true)
    let held = AppReport.Held(push: "p", expiresWallMicroseconds: 1)
    let setting = SettingReport(key: "badge", value: "on")
    let app = AppReport(
      id: mail, name: "Mail", registration: "registered", kinds: ["badge"], lifecycle: "forceQuit", badge: 1,
      visibleBadge: 0, token: "00", receivesBackgroundUpdates: true,
      foregroundPresentation: ["badge"], sounds: ["letter"], notifications: 2,
      settings: [setting], held: held)
    var bareApp = app
    bareApp.held = nil
    let certificate = ProviderReport.Certificate(
      fingerprint: "0A", topics: [mail], validFromWallMicroseconds: 1, validUntilWallMicroseconds: 2)
    let provider = ProviderReport(
      name: "shop", apps: [mail], credential: "token", teamID: "T", keyID: "K", environment: "both",
      certificate: certificate)
    let bareProvider = ProviderReport(name: "shop", apps: [], credential: "token")
    let bundle = BundleUpload(files: ["app.yaml": Data("id: a".utf8)])
    var key = ProviderRequest(apps: [mail], teamID: "T", keyID: "K", key: "PEM", environment: "both")
    key.password = "correct horse"
    key.certificate = "PEM"
    var bareKey = ProviderRequest(apps: [], certificate: "PEM")
    bareKey.certificate = nil
    var accessKey = KeyReport(name: "ci", app: mail, handset: "hall", template: "github", key: "tk_1")
    (accessKey.url, accessKey.pin, accessKey.httpURL) = ("https://bell/h/tk_1", "sha256//A=", "http://bell/h/tk_1")
    let clock = ClockReport(clock: "virtual", uptimeMicroseconds: 1, wallMicroseconds: 2)
    let event = EventReport(
      Event(
        sequence: 1, moment: ControlRig.now, app: AppID(mail), push: PushID(high: 1, low: 2),
        kind: .held(.budget)))
    let ruling = RulingReport("S5.silent", event: 1)
    let explanation = ExplanationReport(
      push: "p", app: mail, pushes: 1, rang: false, summary: "s", decision: ruling, rulings: [ruling], events: [event],
      eventsLeftOut: 0, now: ["held"])
    var bareExplanation = explanation
    (bareExplanation.app, bareExplanation.decision) = (nil, nil)
    (bareExplanation.rulings, bareExplanation.events) = ([], [])
    let bareEvent = EventReport(
      Event(sequence: 1, moment: ControlRig.now, app: nil, push: nil, kind: .installed))
    let time = CalendarRequest(year: 2026, month: 2, day: 3, weekday: 4, hour: 5, minute: 6, second: 7)
    let local = LocalNotificationRequest(
      title: "t", subtitle: "s", body: "b", badge: 1, sound: "letter", level: "passive", threadID: "t",
      afterSeconds: 60, calendar: time, repeats: true)
    let bareLocal = LocalNotificationRequest()
    let waiting = LocalNotificationReport(
      app: mail, identifier: "tea", push: "p", dueWallMicroseconds: 1, request: local)
    var bareWaiting = waiting
    bareWaiting.dueWallMicroseconds = nil
    var push = TestPushRequest(app: mail)
    (push.title, push.subtitle, push.body, push.badge, push.sound) = ("t", "s", "b", 1, "letter")
    push.level = "passive"
    (push.background, push.threadID, push.collapseID, push.payload) = (true, "t", "c", "{}")
    (push.showsOpenButton, push.password, push.send) = (false, "correct horse", false)
    let pushed = TestPushReport(curl: "curl", status: 200, push: "p", reason: "r")
    let panel = PanelReport(address: "a", url: "u", isOnNetwork: false, hasPassword: true)
    let token = PanelTokenReport(url: "u", validSeconds: 300)
    let password = PanelPasswordRequest(password: "correct horse")
    var shownCertificate = CertificateReport(certificate: "PEM", names: ["n"], host: "n", file: "f")
    (shownCertificate.pin, shownCertificate.notices) = ("sha256//A=", ["n"])
    let authority = AuthorityReport(certificate: "PEM", replaced: ["f"])
    let refused = HandsetInstallReport.Refusal(status: 503, error: "e", hint: "h")
    let waveform = WaveformReport(sound: "default", milliseconds: 1, peaks: [100])
    return [
      ("Step", step, step), ("TestPushRequest", push, TestPushRequest(app: mail)),
      ("TestPushReport", pushed, TestPushReport(curl: "curl")), ("PanelReport", panel, panel),
      ("HealthReport", HealthReport(problems: ["p"]), HealthReport(problems: [])),
      ("MetricsTokenReport", MetricsTokenReport(token: "t", url: "u"), MetricsTokenReport(token: "t", url: nil)),
      ("PanelTokenReport", token, token), ("PanelPasswordRequest", password, password),
      ("PanelNetworkRequest", PanelNetworkRequest(isOn: true), PanelNetworkRequest(isOn: false)),
      (
        "CertificateReport", shownCertificate,
        CertificateReport(certificate: "PEM", names: [], host: nil, file: nil)
      ),
      ("AuthorityReport", authority, AuthorityReport(certificate: "PEM", replaced: [])),
      ("WaveformReport", waveform, waveform), ("LocalNotificationRequest", local, bareLocal),
      ("CalendarRequest", time, CalendarRequest(hour: 0)),
      ("LocalNotificationReport", waiting, bareWaiting),
      ("ForegroundRequest", KindsRequest(kinds: ["alert"]), KindsRequest(kinds: [])),
      ("StateReport", state, bareState), ("PresentationReport", shown, dark), ("Lamp", lamp, lamp),
      ("Motor", motor, motor), ("MotorStep", motorStep, motorStep),
      (
        "Scan", StateReport.Scan(frames: 2, lateFrames: 1, isRealTime: true),
        StateReport.Scan(frames: 2, lateFrames: 1, isRealTime: true)
      ),
      ("UsageReport", usage, usage), ("Quota", quota, quota), ("AppUsage", usage.apps[0], usage.apps[0]),
      ("ProviderUsage", usage.providers[0], usage.providers[0]),
      ("DeviceReport", device, DeviceReport(name: "lamp", works: true, problem: nil)),
      ("AppReport", app, bareApp), ("Held", held, held), ("SettingReport", setting, setting),
      ("NotificationReport", note, bareNote), ("NotificationActionReport", noteAction, bareNoteAction),
      ("ProviderReport", provider, bareProvider),
      ("InstallReport", InstallReport(app: app, notes: ["n"]), InstallReport(app: bareApp, notes: [])),
      ("HandsetReport", handset, handset), ("TokenReport", appToken, appToken),
      (
        "HandsetInstallReport", HandsetInstallReport(handset: "1", app: app, notes: ["n"], refusal: refused),
        HandsetInstallReport(handset: "1")
      ),
      ("HandsetRefusal", refused, HandsetInstallReport.Refusal(status: 503, error: "e")),
      ("BundleUpload", bundle, bundle),
      ("RegistrationRequest", KindsRequest(kinds: ["alert"]), KindsRequest(kinds: [])),
      ("LifecycleRequest", LifecycleRequest(command: "kill"), LifecycleRequest(command: "launch")),
      ("BadgeRequestBody", BadgeRequestBody(number: 1), BadgeRequestBody(number: 0)),
      ("SettingRequest", SettingRequest(value: "on"), SettingRequest(value: "on")),
      ("AppKeyReport", AppKeyReport(app: mail, key: "00"), AppKeyReport(app: mail, key: "00")),
      ("SnoozeReport", snooze, SnoozeReport(untilUptimeMicroseconds: 1, untilWallMicroseconds: 2)),
      ("SnoozeRequest", SnoozeRequest(seconds: 60), SnoozeRequest()),
      (
        "NotificationResponseRequest", NotificationResponseRequest(action: "REPLY", text: "Yes"),
        NotificationResponseRequest()
      ),
      ("PressRequest", PressRequest(button: "view", length: "long", action: "A", text: "t"), PressRequest()),
      ("KeyReport", accessKey, KeyReport(name: "parcels", app: mail, handset: nil, template: nil)),
      ("KeyRequest", KeyRequest(app: mail, handset: "hall", template: "github"), KeyRequest(app: mail)),
      ("ProviderCertificate", certificate, certificate), ("ProviderRequest", key, bareKey),
      (
        "SoundPlayRequest",
        SoundPlayRequest(app: mail, sound: "letter", file: .init(name: "a.wav", bytes: Data([1]))), SoundPlayRequest()
      ),
      (
        "SoundUpload", SoundPlayRequest.File(name: "a.wav", bytes: Data([1])),
        SoundPlayRequest.File(name: "a.wav", bytes: Data())
      ),
      ("SoundPlayReport", SoundPlayReport(sound: "letter"), SoundPlayReport(sound: "default")),
      ("ClockReport", clock, clock),
      ("ClockAdvanceRequest", ClockAdvanceRequest(seconds: 1), ClockAdvanceRequest(seconds: 366 * 86_400)),
      ("ErrorBody", ErrorBody(error: "e", hint: "h"), ErrorBody(error: "e")),
      ("EventReport", event, bareEvent), ("RulingReport", ruling, ruling),
      ("ExplanationReport", explanation, bareExplanation),
    ]
  }()

  @Test(arguments: bodies.indices)
  func bodyIsAsDescribed(_ index: Int) throws {
    let (name, full, least) = DescriptionTests.bodies[index]
    let schema = try #require(document.schema(name))
    #expect(try keys(full) == schema["properties"]?.keys)
    #expect(try keys(least) == Set(schema["required"]?.list?.compactMap(\.text) ?? []))
    for value in [full, least] {
      #expect(document.fault(in: try json(value), schema: schema, at: name) == nil)
    }
  }

  @Test func describesNoOtherBody() {
    #expect(document.root["components"]?["schemas"]?.keys == Set(DescriptionTests.bodies.map(\.name)))
  }

  /// The words that the description lists are those in the handset.
  @Test func listsTheSameWords() {
    func words(_ schema: String, _ property: String) -> Set<String> {
      let found = document.schema(schema)?["properties"]?[property]
      return Set((found?["enum"] ?? found?["items"]?["enum"])?.list?.compactMap(\.text) ?? [])
    }
    #expect(words("LifecycleRequest", "command") == Set(LifecycleCommand.allCases.map(\.rawValue)))
    #expect(words("AppReport", "lifecycle") == Set(Lifecycle.allCases.map(\.rawValue)))
    #expect(words("PressRequest", "button") == Set(AlertButton.allCases.map(\.rawValue)))
    #expect(words("TestPushRequest", "via") == Set(TestPushRequest.protocols))
    #expect(words("PressRequest", "length") == Set(PressLength.allCases.map(\.rawValue)))
    #expect(words("RegistrationRequest", "kinds") == Set(NotificationKinds.all.names))
    #expect(words("RulingReport", "stops") == Set(NotificationKinds.all.names))
    #expect(words("AppReport", "kinds") == Set(NotificationKinds.all.names))
    #expect(words("AppReport", "foregroundPresentation") == Set(NotificationKinds.all.names))
    #expect(words("ForegroundRequest", "kinds") == Set(NotificationKinds.all.names))
    #expect(words("LocalNotificationRequest", "level") == Set(InterruptionLevel.allCases.map(\.rawValue)))
    #expect(words("NotificationReport", "level") == Set(InterruptionLevel.allCases.map(\.rawValue)))
  }

  private func json(_ value: any Encodable) throws -> AnyJSON {
    try JSONDecoder().decode(AnyJSON.self, from: JSONEncoder().encode(value))
  }

  private func keys(_ value: any Encodable) throws -> Set<String> { try json(value).keys }
}
