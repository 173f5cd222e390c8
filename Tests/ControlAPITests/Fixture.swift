// A daemon made of a real handset and nothing else, a server over it on a socket of its own, and whoever asks it.

import FoundationEssentials
import Glibc
import HTTPRoutes
import HandsetCore
import Synchronization
import Testing

@testable import ControlAPI

let mail = "com.example.mail"

/// A handset behind the control API's protocol: what routes do to it is what the rules say.
final class BackendInMemory: ControlBackend {
  private struct State {
    var handset = Handset()
    var providers: [ProviderReport] = []
    var events: [Event] = []
    /// By the numbers of their events, as a store has them.
    var rulings: [UInt64: String] = [:]
    var listeners: [Int: AsyncStream<String>.Continuation] = [:]
    var nextListener = 0
    var nextPush: UInt64 = 0
    var installed: [BundleUpload] = []
    var storeFails = false
    var testPushes: [TestPushRequest] = []
    var panelPassword: String?
    /// By how much a virtual clock was advanced; nil where the clock is the system's.
    var advanced: Duration?
  }

  private let state = Mutex(State())
  /// Ends, one element each, with the event streams that their readers left.
  let departures: AsyncStream<Void>
  private let departed: AsyncStream<Void>.Continuation

  static let now = Moment(uptime: .seconds(60), wall: WallTime(seconds: 1_700_000_000))

  init(_ contents: Handset.Contents = Handset.Contents()) {
    state.withLock { $0.handset = Handset(contents) }
    (departures, departed) = AsyncStream.makeStream()
  }

  /// Makes every input from now on fail to be stored.
  func breakStore() { state.withLock { $0.storeFails = true } }

  /// From now on the clock is a virtual one.
  func useVirtualClock() { state.withLock { $0.advanced = .zero } }

  var installed: [BundleUpload] { state.withLock { $0.installed } }
  var testPushes: [TestPushRequest] { state.withLock { $0.testPushes } }
  var panelPassword: String? { state.withLock { $0.panelPassword } }
  var listenerCount: Int { state.withLock { $0.listeners.count } }

  @discardableResult
  func apply(_ input: Input) -> Verdict {
    let (verdict, lines, listeners) = state.withLock { state in
      let turn = state.handset.handle(input, at: BackendInMemory.now)
      state.events += turn.events
      for push in turn.rulings { state.rulings[push.event] = push.rulings.map(\.rawValue).joined(separator: " ") }
      return (turn.verdict, turn.events.map(BackendInMemory.line), Array(state.listeners.values))
    }
    for listener in listeners { for line in lines { listener.yield(line) } }
    return verdict
  }

  func submit(_ input: Input) async throws(ControlError) -> Verdict {
    if state.withLock({ $0.storeFails }) { throw ControlError(503, "the disk is full", hint: "make room") }
    return apply(input)
  }

  func freshPush() -> PushID {
    state.withLock { state in
      state.nextPush += 1
      return PushID(high: 1, low: state.nextPush)
    }
  }

  func scheduled(of app: AppID?) async throws(ControlError) -> [LocalNotificationReport] {
    state.withLock { state in
      (app.map { [$0] } ?? state.handset.apps.keys.sorted())
        .flatMap { state.handset.pending(of: $0, at: BackendInMemory.now) }.map(LocalNotificationReport.init)
    }
  }

  func freshToken() -> DeviceToken { BackendInMemory.token(2) }

  static func token(_ byte: UInt8) -> DeviceToken { DeviceToken(bytes: Array(repeating: byte, count: 32))! }

  static func line(_ event: Event) -> String {
    String(decoding: try! JSONEncoder().encode(event), as: UTF8.self)
  }

  func install(_ bundle: BundleUpload) async throws(ControlError) -> InstallReport {
    guard let id = bundle.declaredApp else { throw ControlError(400, "bundle/app.yaml:1:1: error: no id") }
    state.withLock { $0.installed.append(bundle) }
    if case .refused(let refusal) = try await submit(
      .install(AppManifest(id: id, name: "Mail"), token: BackendInMemory.token(1)))
    {
      throw ControlError(409, refusal.explanation)
    }
    return InstallReport(app: try await app(id), notes: ["sounds/odd.ogg: cannot be decoded"])
  }

  func state() async throws(ControlError) -> StateReport {
    state.withLock { state in
      let shown = state.handset.presentation(at: BackendInMemory.now)
      let alert = shown.alert.flatMap { state.handset.notification($0.notification) }
      return StateReport(
        version: "1.2.3", handset: 1, deviceID: String(repeating: "0d", count: 20), uptimeMicroseconds: 60_000_000,
        wallMicroseconds: 1_700_000_000_000_000,
        pushAddress: "127.0.0.1:2197",
        presentation: PresentationReport(
          badge: Int(clamping: shown.badge), digits: nil, lamp: nil, banner: nil, alert: alert.map(Self.report),
          alertsBelow: shown.alert?.below ?? 0),
        unseen: state.handset.unseenCount, apps: state.handset.apps.count, devices: [])
    }
  }

  func apps() async throws(ControlError) -> [AppReport] {
    state.withLock { state in
      state.handset.apps.values.sorted { $0.id < $1.id }.map { Self.report($0, state.handset) }
    }
  }

  func app(_ id: AppID) async throws(ControlError) -> AppReport {
    let app = state.withLock { state in state.handset.apps[id].map { Self.report($0, state.handset) } }
    guard let app else { throw ControlError(404, "the daemon's own words") }
    return app
  }

  func conditions() async throws(ControlError) -> [SettingReport] {
    state.withLock { state in
      let on = state.handset.record.conditions
      return Condition.allCases.map { SettingReport(key: $0.rawValue, value: on.contains($0) ? "on" : "off") }
    }
  }

  func handsetSettings() async throws(ControlError) -> [SettingReport] {
    state.withLock { state in
      HandsetSettings.Key.allCases.map { SettingReport(key: $0.rawValue, value: state.handset.record.settings[$0]) }
    }
  }

  func center(of app: AppID?, limit: Int) async throws(ControlError) -> [NotificationReport] {
    state.withLock { $0.handset.listed(of: app).suffix(limit).reversed().map(Self.report) }
  }

  func play(_ subject: SoundSubject) async throws(ControlError) -> SoundPlayReport {
    let (sounds, isBroken) = state.withLock { state in
      (["letter", "parcel"], state.storeFails)
    }
    if isBroken { throw ControlError(409, "'default' is not heard: the card is gone") }
    switch subject {
    case .system: return SoundPlayReport(sound: "default")
    case .app(let id, let name):
      guard sounds.contains(name) else { throw .noSound(name, of: id, sounds: sounds) }
      return SoundPlayReport(sound: name)
    case .file(let name, let bytes):
      guard !bytes.isEmpty else { throw ControlError(400, "sound '\(name)': is empty; bring the file again") }
      return SoundPlayReport(sound: name)
    }
  }

  func providers() async throws(ControlError) -> [ProviderReport] { state.withLock { $0.providers } }

  func setProvider(_ name: String, _ request: ProviderRequest) async throws(ControlError) -> ProviderReport {
    let isKeyPEM = request.key?.hasPrefix("-----BEGIN ") == true
    guard isKeyPEM || request.password != nil || request.certificate != nil else {
      throw ControlError(400, "the key is not PEM")
    }
    let credential = request.certificate != nil ? "certificate" : request.password != nil ? "password" : "token"
    let report = ProviderReport(
      name: name, apps: request.apps, credential: credential, teamID: request.teamID, keyID: request.keyID,
      environment: request.environment)
    state.withLock { state in
      state.providers.removeAll { $0.name == name }
      state.providers.append(report)
    }
    return report
  }

  func removeProvider(_ name: String) async throws(ControlError) {
    let found = state.withLock { state in
      let before = state.providers.count
      state.providers.removeAll { $0.name == name }
      return state.providers.count < before
    }
    guard found else { throw ControlError(404, "the daemon's own words") }
  }

  func certificateAuthority() async throws(ControlError) -> String {
    guard !state.withLock({ $0.storeFails }) else { throw ControlError(404, "a certificate of your own is used") }
    return "-----BEGIN CERTIFICATE-----\n"
  }

  static let authority = AuthorityReport(
    certificate: "-----BEGIN CERTIFICATE-----\nnew\n", replaced: ["/state/tls/ca-replaced-2026-11-22T030500Z.pem"])

  func renewCertificateAuthority() async throws(ControlError) -> AuthorityReport {
    guard !state.withLock({ $0.storeFails }) else { throw ControlError(404, "a certificate of your own is used") }
    return Self.authority
  }

  static let certificate = CertificateReport(
    certificate: "-----BEGIN CERTIFICATE-----\n", names: ["*.example.org", "192.168.1.5"], host: "deskbell.example.org",
    file: "/etc/ssl/own.pem")

  func certificate() async throws(ControlError) -> CertificateReport {
    guard !state.withLock({ $0.storeFails }) else { throw ControlError(404, "the push gateway does not run") }
    return Self.certificate
  }

  func clock() async throws(ControlError) -> ClockReport {
    let advanced = state.withLock(\.advanced)
    let uptime = BackendInMemory.now.uptime + (advanced ?? .zero)
    let wall = BackendInMemory.now.wall.advanced(by: advanced ?? .zero)
    return ClockReport(
      clock: advanced == nil ? "system" : "virtual", uptimeMicroseconds: uptime.inMicroseconds,
      wallMicroseconds: wall.microseconds)
  }

  func advanceClock(by duration: Duration) async throws(ControlError) -> ClockReport {
    let isVirtual = state.withLock { state in
      state.advanced = state.advanced.map { $0 + duration }
      return state.advanced != nil
    }
    guard isVirtual else { throw ControlError(409, "the clock is the system's", hint: "use a virtual one") }
    return try await clock()
  }

  func events(after sequence: UInt64, follow: Bool) async throws(ControlError) -> AsyncStream<String> {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    state.withLock { state in
      for event in state.events where event.sequence > sequence { continuation.yield(Self.line(event)) }
      guard follow else { return continuation.finish() }
      let number = state.nextListener
      state.nextListener += 1
      state.listeners[number] = continuation
      continuation.onTermination = { [self] _ in
        _ = self.state.withLock { $0.listeners.removeValue(forKey: number) }
        departed.yield()
      }
    }
    return stream
  }

  func explanation(of push: PushID) async throws(ControlError) -> ExplanationReport? {
    state.withLock { state in
      var explanation = Explanation(of: push)
      for event in state.events { explanation.read(Self.line(event), rulings: state.rulings[event.sequence]) }
      return explanation.report(state.handset, at: BackendInMemory.now)
    }
  }

  func sendTestPush(_ request: TestPushRequest) async throws(ControlError) -> TestPushReport {
    state.withLock { $0.testPushes.append(request) }
    return TestPushReport(curl: "curl", status: 403, push: "p", reason: "Forbidden")
  }

  func waveform(of sound: String, app: AppID?) async throws(ControlError) -> WaveformReport {
    WaveformReport(sound: app == nil ? "default" : sound, milliseconds: 1_500, peaks: [0, 100])
  }

  func panel() async throws(ControlError) -> PanelReport {
    PanelReport(
      address: "127.0.0.1:2198", url: "http://127.0.0.1:2198/", isOnNetwork: false,
      hasPassword: panelPassword != nil)
  }

  func panelToken() async throws(ControlError) -> PanelTokenReport {
    guard !state.withLock({ $0.storeFails }) else { throw ControlError(409, "the web panel is off") }
    return PanelTokenReport(url: "http://127.0.0.1:2198/#token=x", validSeconds: 300)
  }

  func setPanelPassword(_ password: String?) async throws(ControlError) {
    state.withLock { $0.panelPassword = password }
  }

  /// Ends every event stream, as a daemon does that stops.
  func endEvents() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.finish() }
  }

  private static func report(_ app: App, _ handset: Handset) -> AppReport {
    var kinds: [String] = []
    let registration: String
    switch app.state.registration {
    case .pending: registration = "pending"
    case .registered(let registered): (registration, kinds) = ("registered", registered.names)
    case .unregistered: registration = "unregistered"
    }
    return AppReport(
      id: app.id.text, name: app.manifest.name, registration: registration, kinds: kinds,
      lifecycle: app.state.lifecycle.rawValue, badge: app.state.badge, visibleBadge: handset.visibleBadge(of: app),
      token: app.state.token.hex, receivesBackgroundUpdates: false,
      foregroundPresentation: app.foregroundPresentation.names, sounds: [],
      notifications: handset.listedCount(of: app.id),
      settings: AppSettings.Key.allCases.map { SettingReport(key: $0.rawValue, value: app.state.settings[$0]) },
      held: nil)
  }

  private static func report(_ notification: Notification) -> NotificationReport {
    NotificationReport(
      id: notification.id.number, app: notification.app.text, appName: "Mail", push: notification.push.description,
      level: notification.level.rawValue, title: nil, subtitle: nil, body: "Hello",
      buttons: notification.hasAction ? ["Close", "View"] : ["OK"], threadID: nil, collapseID: nil,
      isListed: notification.isListed, isSeen: notification.isSeen, arrivedWallMicroseconds: 0)
  }
}

extension BackendInMemory {
  /// Installs the app, registers it for everything, and lets it present alerts.
  func installMail(_ id: String = mail) {
    let id = AppID(id)!
    let token = BackendInMemory.token(id.text == mail ? 1 : 0x80 | (id.text.utf8.last ?? 0))
    apply(.install(AppManifest(id: id, name: "Mail"), token: token))
    apply(.register(id, .all, token: BackendInMemory.token(3)))
    apply(.setAppSetting(id, .style, "alert"))
  }

  func push(_ number: UInt64, action: ActionTitle = .standard) {
    apply(
      .push(
        Push(
          id: PushID(high: 0, low: number), token: BackendInMemory.token(1), topic: AppID(mail)!,
          message: Message(body: .literal("Hello"), actionTitle: action))))
  }
}

/// A folder for one test's socket, removed after it.
func withServer(
  _ backend: BackendInMemory = BackendInMemory(), _ body: (Asker, BackendInMemory) async throws -> Void
) async throws {
  let folder = "/tmp/deskbell-control-\(getpid())-\(UInt32.random(in: 0 ... .max))"
  guard mkdir(folder, 0o700) == 0 else { throw HTTPError(500, "no folder \(folder)") }
  defer { rmdir(folder) }
  let table = try ControlRoutes(backend).table()
  // Beside others on a busy machine a client may take its time.
  var limits = HTTPLimits()
  limits.headerTimeout = .seconds(300)
  limits.idleTimeout = .seconds(300)
  let server = try await HTTPServer.start(table, on: .unixSocket(path: folder + "/control.sock"), limits: limits)
  let asker = Asker(table: table, socket: folder + "/control.sock", document: try OpenAPIDocument())
  do {
    try await body(asker, backend)
  } catch {
    await server.shutdown()
    throw error
  }
  await server.shutdown()
}

/// Asks, and holds every answer against the API's description.
struct Asker {
  let table: RouteTable
  let socket: String
  let document: OpenAPIDocument

  var http: HTTPClient { HTTPClient(.unixSocket(path: socket)) }
  var client: ControlClient { ControlClient(socket: socket) }

  func ask(_ method: String, _ target: String, _ body: String? = nil) async throws -> (status: Int, body: String) {
    let answer = try await http.send(method, target, body: Array((body ?? "").utf8))
    let text = String(decoding: answer.body, as: UTF8.self)
    let segments = try #require(RequestTarget(target)).segments
    if case .found(let route, _) = table.match(method: method, segments: segments) {
      let fault = document.fault(in: answer, to: route.method, route.pattern)
      #expect(fault == nil, "\(method) \(target) -> \(answer.status) \(text)")
    }
    return (answer.status, text)
  }

  /// The answer's status and its words: `404 no app 'x' is installed | install one first`.
  func refusal(_ method: String, _ target: String, _ body: String? = nil) async throws -> String {
    let answer = try await ask(method, target, body)
    let words = try JSONDecoder().decode(ErrorBody.self, from: Data(answer.body.utf8))
    return "\(answer.status) \(words.error)" + (words.hint.map { " | \($0)" } ?? "")
  }
}

/// All that the server answers to bytes that no client of ours would send.
func rawAnswer(to request: String, at socket: String) async throws -> String {
  try await Task.detached {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socket.utf8) }
    let descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    let connected = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(connected == 0)
    try #require(write(descriptor, request, request.utf8.count) == request.utf8.count)
    var answer: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count <= 0 { break }
      answer += chunk[..<count]
    }
    return String(decoding: answer, as: UTF8.self)
  }.value
}
