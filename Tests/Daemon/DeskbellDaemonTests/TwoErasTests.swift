// One handset, two eras: a notification from a provider of 2008 leaves the same state as one through the provider API
// of today. Through real gateways, hosts and databases.

import Clocks
import Crypto
import FoundationEssentials
import HTTP
import HandsetCore
import Logging
import NIOPosix
import ProviderClient
import PushPort
import ServerIdentity
import TestSupport
import Testing

@testable import DeskbellDaemon
@testable import HandsetStore
@testable import Host

private let app = AppID("com.example.mail")!
private let inbox = NodeID(app: app, name: "Inbox")!
private let token = DeviceToken(bytes: [UInt8](repeating: 7, count: 32))!
private let device = DeviceID(bytes: [UInt8](repeating: 9, count: 20))!
private let password = "correct horse"

@Suite("Two eras, one handset", .timeLimit(.minutes(10)))
struct TwoErasTests {
  @Test(
    "Generated notifications leave the same presentation, store and events through both protocols", arguments: 1...4)
  func same(seed: Int) async throws {
    var random = SplitMix64(state: UInt64(seed))
    try await withEra { today in
      try await withEra { then in
        for _ in 1...40 {
          let event = SentEvent(using: &random)
          let published = try await then.connection.send(
            .publish(Array(event.propertyList.utf8), through: then.node),
            as: PublishingUser(name: app.text, password: password))
          let pushed = try await today.connection.send(
            PushRequest(
              deviceToken: token.hex, topic: app.text, id: published.apnsID,
              payload: [UInt8](JSONEncoder().encode(event.payload))), bearer: today.signer.bearer())
          #expect(published.status == 200 && pushed.status == 200, "\(event.propertyList)")
          let back = await then.lastPublished()
          #expect(back == Array(event.propertyList.utf8))
          if let input = random.personsInput() {
            for era in [then, today] { _ = await era.host.submit(input) }
          }
          let (one, other) = (try await then.remains(), try await today.remains())
          #expect(one == other, "seed \(seed): \(event.propertyList)")
          guard one == other else { return }
        }
      }
    }
  }
}

/// The state after a notification.
private struct Remains: Equatable, Sendable {
  var presentation: Presentation
  var apps: [AppID: App]
  var notifications: [Notification]
  var contents: [NotificationContent?]
  var payloads: [JSONValue?]
  var kept: KeptPush?
  /// The complete lines, with numbers and times.
  var events: [String]
}

/// The core of a daemon for one of the eras.
private struct Era: Sendable {
  let host: TestHost
  let receiver: PushAdapter
  let connection: ProviderConnection
  let signer: ProviderTokenSigner
  let node = PublishingCall.Node(publisher: app.text, device: device.hex, name: inbox.name)

  func lastPublished() async -> [UInt8]? {
    guard case .propertyList(let bytes) = await receiver.lastPublished(inbox, on: device) else { return nil }
    return bytes
  }

  func remains() async throws -> Remains {
    try await host.read { handset, store, number, now in
      let notifications = Array(handset.contents.notifications)
      var contents: [NotificationContent?] = []
      var payloads: [JSONValue?] = []
      for notification in notifications {
        var content = try store.content(of: notification.id, handset: number)
        // The same JSON may be written in several ways.
        payloads.append(content.flatMap { try? JSONDecoder().decode(JSONValue.self, from: Data($0.payload)) })
        content?.payload = []
        contents.append(content)
      }
      var kept = handset.waiting(for: app).first?.kept
      kept?.push.hasProviderID = false
      kept?.push.provider = nil
      kept?.push.token = token
      kept?.push.payload = []
      return Remains(
        presentation: handset.presentation(at: now), apps: handset.apps, notifications: notifications,
        contents: contents, payloads: payloads, kept: kept,
        events: try store.events(of: number, after: 0, limit: 100_000).map(\.line))
    }
  }
}

private func withEra(_ body: (Era) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "era-\(UUID())").path
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
  let store = try HandsetStore(directory: folder + "/state")
  let host = try TestHost(store: store, clock: StandingClock())
  let manifest = AppManifest(id: app, name: "Mail", sounds: ["letter"])
  for input in [Input.install(manifest, token: token), .register(app, .all, token: token), .createNode(inbox)] {
    _ = await host.submit(input)
  }
  let key = P256.Signing.PrivateKey()
  let providers = try ProviderDirectory([
    Provider(
      name: "today", topics: [app],
      credential: .token(
        teamID: "TEAM012345", keyID: "KEY0123456", publicKey: ProviderKey(pem: key.publicKey.pemRepresentation),
        environment: .both)),
    Provider(name: "then", topics: [app], credential: .password(PasswordHash(password: password))),
  ])
  let authority = try CertificateAuthority.loadOrCreate(
    in: folder + "/tls", now: WallTime(seconds: 1_795_248_000), names: CertificateNames(["localhost"]))
  let receiver = PushAdapter(
    queue: host.queue, handsets: try Handsets([StoredHandset(id: .first, name: "1", device: device)], board: nil),
    host: host.host)
  var clock = PortClock.system
  clock.handset = { StandingClock().now().wall }
  let shared = PushPort.Port(
    recorder: receiver, providers: providers, clock: clock,
    runtime: PortRuntime(logger: logger, eventLoopGroup: MultiThreadedEventLoopGroup.singleton))
  let server = try PushServer(
    shared, frontEnds: [APNsFrontEnd(receiver), PublishingFrontEnd(receiver, limits: .standard)],
    identity: authority.identity)
  let port = try await server.start(host: "127.0.0.1", port: 0).port!
  let connection = try await ProviderConnection.connect(
    to: Endpoint(host: "localhost", port: port), trust: .authorities(pem: authority.certificatePEM))
  do {
    let signer = try ProviderTokenSigner(
      privateKeyPEM: key.pemRepresentation, keyID: "KEY0123456", teamID: "TEAM012345")
    try await body(Era(host: host, receiver: receiver, connection: connection, signer: signer))
  } catch {
    await connection.close()
    await server.shutDown()
    await host.stop()
    throw error
  }
  await connection.close()
  await server.shutDown()
  await host.stop()
}

private struct StandingClock: Clock {
  func now() -> Moment { Moment(uptime: .seconds(100), wall: WallTime(seconds: 1_800_000_000)) }
}

/// One notification in both protocols.
private struct SentEvent {
  var propertyList: String
  var payload: JSONValue

  init(using random: inout SplitMix64) {
    var members: [String] = []
    var aps: [String: JSONValue] = [:]
    var own: [String: JSONValue] = [:]
    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    func add(_ keys: [String], _ element: String) {
      members.append("<key>\(keys.randomElement(using: &random)!)</key>\(element)")
    }
    let texts = [
      "Tea", "a & b <c> \"d\"", "Ünïcödé ☃ 👩‍👩‍👧", "line\nline\ttab", " spaces ", String(repeating: "long ", count: 60),
    ]
    let hasButton = chance(70)
    let body = chance(70) ? texts.randomElement(using: &random) : nil
    if let body { add(["UIAlertBody", "AlertBody"], "<string>\(xml(body))</string>") }
    if hasButton {
      if chance(50) { add(["UIAlertShowOpenButton", "ShowOpenButton"], "<true/>") }
      aps["alert"] = body.map { .string($0) }
    } else {
      add(["UIAlertShowOpenButton", "ShowOpenButton"], "<false/>")
      var alert: [String: JSONValue] = ["action-loc-key": .null]
      alert["body"] = body.map { .string($0) }
      aps["alert"] = .object(alert)
    }
    if chance(60) || members.isEmpty {
      // Not 0, which the service of 2008 refuses.
      let number = [1, 7, 9_999, .max].randomElement(using: &random)!
      add(["UIApplicationBadge", "Badge"], "<integer>\(number)</integer>")
      aps["badge"] = .integer(Int64(number))
    }
    if chance(50) {
      let name = ["default", "letter", "missing", "letter.wav"].randomElement(using: &random)!
      add(["UIAlertSound", "Sound"], "<string>\(name)</string>")
      aps["sound"] = .string(name)
    }
    if chance(30) {
      members.append("<key>shelf</key><array><integer>-2</integer><true/><dict><key>a</key><string/></dict></array>")
      own["shelf"] = .array([.integer(-2), .bool(true), .object(["a": .string("")])])
    }
    members.shuffle(using: &random)
    own["aps"] = .object(aps)
    payload = .object(own)
    propertyList = "<plist version=\"1.0\"><dict>\(members.joined(separator: "\n"))</dict></plist>"
  }
}

private func xml(_ text: String) -> String {
  text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
}

extension SplitMix64 {
  /// Returns an input of the user in between; often none.
  fileprivate mutating func personsInput() -> Input? {
    let inputs: [Input] = [
      .lifecycle(app, .launch), .lifecycle(app, .background), .lifecycle(app, .forceQuit),
      .setAppSetting(app, .style, "alert"), .setAppSetting(app, .style, "banner"), .setAppSetting(app, .badge, "off"),
      .setAppSetting(app, .badge, "on"), .setCondition(.offline, true), .setCondition(.offline, false),
      .setCondition(.offline, false), .setCondition(.silent, true), .setCondition(.silent, false), .press(.close),
      .clearCenter,
    ]
    return Bool.random(using: &self) ? inputs.randomElement(using: &self) : nil
  }
}
