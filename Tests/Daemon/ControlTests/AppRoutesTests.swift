import FoundationEssentials
import HTTP
import HandsetCore
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon

@Suite struct AppRoutesTests {
  /// Returns a bundle whose manifest names the app.
  static func bundle(_ id: String) -> String {
    let manifest = Data("id: \(id)\nname: Mail\n".utf8).base64EncodedString()
    return #"{"files":{"app.yaml":"\#(manifest)"}}"#
  }

  @Test(.daemon) func installsAndAnswersWithTheApp() async throws {
    let sound = try Data(contentsOf: URL(filePath: ControlRig.sounds + "/ping.wav"))
    let report = try await asker.client.install(
      mail,
      BundleUpload(files: [
        "app.yaml": Data("id: \(mail)\nname: Mail".utf8), "sounds/a.wav": sound, "sounds/odd.wav": Data([0, 255]),
      ]))
    #expect(report.notes.count == 1 && report.notes[0].contains("odd"), "\(report.notes)")
    #expect(report.app.id == mail)
    #expect(report.app.registration == "pending")
    #expect(report.app.sounds == ["a"])
    #expect(report.app.token.count == 64)
  }

  @Test(.daemon) func refusesABundleOfAnotherApp() async throws {
    try await asker.refuses([
      "PUT /v1/apps/com.example.news \(Self.bundle(mail))":
        "400 the bundle is of 'com.example.mail', not of 'com.example.news' | PUT it to /v1/apps/com.example.mail",
      "PUT /v1/apps/a%2Fb \(Self.bundle(mail))":
        "400 'a/b' is no bundle identifier | expected letters, digits, dots and dashes, as in com.example.mail",
      #"PUT /v1/apps/\#(mail) {"files":{"readme":""}}"#:
        "400 bundle/app.yaml:1:1: error: there is no app.yaml in the folder; it names the app: id, name",
      #"PUT /v1/apps/\#(mail) {"file":{}}"#: "400 unknown key 'file' | did you mean 'files'?",
      "PUT /v1/apps/\(mail) {}": "400 the key 'files' is missing | send a JSON body as the API's description says",
    ])
    #expect(try await asker.client.apps().isEmpty)
  }

  /// One byte beyond the limit is refused before any of it is sent.
  @Test(.daemon) func refusesABundleThatIsTooLarge() async throws {
    let head =
      "PUT /v1/apps/\(mail) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(ControlLimits.bundleBodyBytes + 1)\r\n\r\n"
    let answer = try await rawAnswer(to: head, at: asker.socket)
    #expect(answer.hasPrefix("HTTP/1.1 413 "))
    #expect(answer.hasSuffix(#"{"error":"the body is too large","hint":"PUT /v1/apps/{id} takes 67108864 bytes"}"#))
    #expect(try await asker.client.apps().isEmpty)
  }

  @Test func refusesMoreAppsThanThereCanBe() async throws {
    var contents = Handset.Contents()
    contents.apps = (0..<Policy.appLimit).map { number in
      let token = DeviceToken(bytes: [1, UInt8(number >> 8), UInt8(number & 255)])!
      return App(manifest: AppManifest(id: AppID("a\(number)")!, name: "A"), state: AppState(token: token))
    }
    try await withServer(ControlRig(contents: contents)) { asker, _ async throws in
      try await asker.refuses([
        "PUT /v1/apps/\(mail) \(Self.bundle(mail))": "409 10000 apps are installed, which is the most there can be"
      ])
    }
  }

  @Test(.daemon) func listsAndShowsApps() async throws {
    #expect(try await asker.ask("GET", "/v1/apps").body == "[]")
    await rig.installMail()
    await rig.installMail("com.example.news")
    #expect(try await asker.client.apps().map(\.id) == [mail, "com.example.news"])
    #expect(try await asker.client.app(mail).kinds == ["badge", "sound", "alert"])
  }

  @Test(.daemon) func namesTheAppThatWasMeant() async throws {
    try await asker.refuses([
      "GET /v1/apps/com.example.mial":
        "404 no app 'com.example.mial' is installed | no app is installed yet; install one first"
    ])
    await rig.installMail()
    let meant = "404 no app 'com.example.mial' is installed | did you mean 'com.example.mail'?"
    let calls: [(String, String, String?)] = [
      ("GET", "", nil), ("DELETE", "", nil), ("POST", "/register", #"{"kinds":["badge"]}"#),
      ("POST", "/unregister", nil), ("POST", "/lifecycle", #"{"command":"launch"}"#),
      ("PUT", "/badge", #"{"number":1}"#), ("GET", "/settings", nil), ("PUT", "/settings/badge", #"{"value":"on"}"#),
      ("DELETE", "/center", nil), ("PUT", "/snooze", "{}"),
    ]
    for (method, rest, body) in calls {
      #expect(try await asker.refusal(method, "/v1/apps/com.example.mial" + rest, body) == meant, "\(method) \(rest)")
    }
    try await asker.refuses([
      "GET /v1/center?app=com.example.mial": meant,
      "GET /v1/local?app=com.example.mial": meant,
      #"POST /v1/sounds/play {"app":"com.example.mial","sound":"bell"}"#: meant,
      "GET /v1/apps/not%20one": "404 no app 'not one' is installed | there is com.example.mail",
    ])
    for number in 1...6 { await rig.installMail("org.a\(number)") }
    try await asker.refuses([
      "GET /v1/apps/xyz":
        "404 no app 'xyz' is installed | there are com.example.mail, org.a1, org.a2, org.a3, org.a4 and 2 more"
    ])
  }

  @Test(.daemonWithMail) func uninstalls() async throws {
    #expect(try await asker.ask("DELETE", "/v1/apps/\(mail)").status == 204)
    #expect(try await asker.client.apps().isEmpty)
  }

  @Test(.daemon, arguments: [["badge", "sound"], []])
  func registers(_ kinds: [String]) async throws {
    await rig.apply(.install(AppManifest(id: AppID(mail)!, name: "Mail"), token: ControlRig.token(1)))
    let app = try await asker.client.register(mail, kinds: kinds)
    #expect(app.registration == "registered")
    #expect(app.kinds == kinds)
  }

  @Test(.daemonWithMail) func refusesAKindThatIsNone() async throws {
    try await asker.refuses([
      #"POST /v1/apps/\#(mail)/register {"kinds":["badge","sond"]}"#:
        "400 there is no kind of notification 'sond' | did you mean 'sound'?",
      #"POST /v1/apps/\#(mail)/register {"kinds":["vibration"]}"#:
        "400 there is no kind of notification 'vibration' | there are badge, sound, alert, provisional",
      "POST /v1/apps/\(mail)/register {": "400 the body is not valid JSON…",
    ])
  }

  /// Rule R4: a new registration gives a new token.
  @Test(.daemonWithMail) func unregistersAndGivesANewToken() async throws {
    let old = try await asker.client.app(mail).token
    #expect(try await asker.client.unregister(mail).registration == "unregistered")
    let again = try await asker.client.register(mail, kinds: ["alert"])
    #expect(again.kinds == ["alert"])
    #expect(again.token != old)
  }

  @Test(
    .daemonWithMail,
    arguments: [
      ("launch", "foreground"), ("background", "background"), ("kill", "notRunning"), ("force-quit", "forceQuit"),
    ])
  func movesAnApp(_ command: String, _ lifecycle: String) async throws {
    await rig.apply(.lifecycle(AppID(mail)!, .background))
    #expect(try await asker.client.changeLifecycle(mail, command).lifecycle == lifecycle)
  }

  @Test(.daemonWithMail) func refusesACommandThatIsNone() async throws {
    try await asker.refuses([
      #"POST /v1/apps/\#(mail)/lifecycle {"command":"forcequit"}"#:
        "400 there is no lifecycle command 'forcequit' | did you mean 'force-quit'?",
      #"POST /v1/apps/\#(mail)/lifecycle {"command":"kill"}"#:
        "409 'com.example.mail' is not running | launch it first",
    ])
  }

  /// Rules B2, B6: only a running app sets its badge, and never below zero.
  @Test(.daemonWithMail) func setsTheBadge() async throws {
    try await asker.refuses([
      #"PUT /v1/apps/\#(mail)/badge {"number":3}"#: "409 'com.example.mail' is not running | launch it first"
    ])
    await rig.apply(.lifecycle(AppID(mail)!, .background))
    #expect(try await asker.client.setBadge(mail, 4).badge == 4)
    try await asker.refuses([#"PUT /v1/apps/\#(mail)/badge {"number":-1}"#: "400 a badge is 0 or more, not -1"])
    let fraction = try await asker.refusal("PUT", "/v1/apps/\(mail)/badge", #"{"number":1.5}"#)
    #expect(fraction.hasPrefix("400 "))
    #expect(try await asker.client.app(mail).badge == 4)
  }

  /// A change that could not be stored is not answered with success.
  @Test(.daemonWithMail) func saysThatItCouldNotBeStored() async throws {
    rig.breakStore()
    let refusal = try await asker.refusal("DELETE", "/v1/apps/\(mail)")
    #expect(refusal.hasPrefix("503 nothing has changed, it could not be stored: "))
    #expect(refusal.contains("on purpose") && refusal.hasSuffix(" | try again"))
    #expect(try await asker.client.apps().count == 1)
  }
}
