// A daemon that consists of a real handset.

import FoundationEssentials
import HTTP
import HandsetCore
import Synchronization

@testable import ControlAPI

let mail = "com.example.mail"

/// A handset behind the control API's protocol: routes have the effects that the rules define.
final class BackendInMemory: HandsetBackend, AppsBackend, LocalNotificationsBackend, SettingsBackend, CenterBackend,
  SoundsBackend, EventsBackend, PushesBackend, ProvidersBackend,
  CertificatesBackend, ClockBackend, PanelBackend
{
  let identity: HandsetIdentity
  private let others: [BackendInMemory]

  var name: String { identity.name }

  struct State {
    var handset = Handset()
    var providers: [ProviderReport] = []
    var keys: [KeyedWay: [KeyReport]] = [:]
    var keysMade = 0
    var events: [Event] = []
    /// The rulings by the numbers of their events, as in a store.
    var rulings: [UInt64: String] = [:]
    var listeners: [Int: AsyncThrowingStream<String, any Error>.Continuation] = [:]
    var nextListener = 0
    var nextPush: UInt64 = 0
    var installed: [BundleUpload] = []
    var storeFails = false
    var testPushes: [TestPushRequest] = []
    var panelPassword: String?
    var metricsToken: String?
    /// The time by which a virtual clock was advanced; nil if the clock is the system's.
    var advanced: Duration?
  }

  let state = Mutex(State())
  /// A stream with an element for each event stream whose reader has left.
  let departures: AsyncStream<Void>
  private let departed: AsyncStream<Void>.Continuation

  static let now = Moment(uptime: .seconds(60), wall: WallTime(seconds: 1_700_000_000))

  /// - Parameter others: the handsets that are not on the board.
  init(
    _ contents: Handset.Contents = Handset.Contents(), number: Int64 = 1, name: String = "1",
    others: [BackendInMemory] = []
  ) {
    let device = DeviceID(bytes: Array(repeating: 0x0C + UInt8(number), count: DeviceID.byteCount))!
    identity = HandsetIdentity(HandsetID(number), name: name, device: device)
    self.others = others
    state.withLock { $0.handset = Handset(contents) }
    (departures, departed) = AsyncStream.makeStream()
  }

  /// Makes all further inputs fail to be stored.
  func breakStore() { state.withLock { $0.storeFails = true } }

  /// Changes to a virtual clock.
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
      for push in turn.rulings { state.rulings[push.event] = push.rulings.map(\.code).joined(separator: " ") }
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
    state.withLock { $0.handset.scheduled(of: app, at: BackendInMemory.now) }
  }

  func freshToken() -> DeviceToken { BackendInMemory.token(2) }

  static func token(_ byte: UInt8) -> DeviceToken { DeviceToken(bytes: Array(repeating: byte, count: 32))! }

  static func line(_ event: Event) -> String { EventReport(event).line }

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
      StateReport(
        of: state.handset, identity, isOnBoard: number == 1, at: BackendInMemory.now,
        presentation: PresentationReport(of: state.handset, at: BackendInMemory.now) { note, _ in Self.report(note) },
        version: "1.2.3", daemonUptime: .seconds(5), pushAddress: "127.0.0.1:2197", devices: [],
        scan: nil, usage: UsageReport(of: state.handset, events: 3, providers: []))
    }
  }

  private var number: Int64 { identity.id.number }

  func apps() async throws(ControlError) -> [AppReport] {
    state.withLock { state in
      state.handset.apps.values.sorted { $0.id < $1.id }.map { AppReport($0, of: state.handset) }
    }
  }

  func app(_ id: AppID) async throws(ControlError) -> AppReport {
    let app = state.withLock { state in state.handset.apps[id].map { AppReport($0, of: state.handset) } }
    guard let app else { throw ControlError(404, "the daemon's own words") }
    return app
  }

  func uninstall(_ id: AppID) async throws(ControlError) -> Verdict { try await submit(.uninstall(id)) }

  func key(of id: AppID, isNew: Bool) async throws(ControlError) -> AppKeyReport {
    AppKeyReport(app: id.text, key: String(repeating: isNew ? "1" : "0", count: 64))
  }

  func conditions() async throws(ControlError) -> [SettingReport] {
    state.withLock { [SettingReport](conditionsOf: $0.handset) }
  }

  func settings() async throws(ControlError) -> [SettingReport] {
    state.withLock { [SettingReport](settingsOf: $0.handset) }
  }

  func center(of app: AppID?, limit: Int) async throws(ControlError) -> [NotificationReport] {
    state.withLock { $0.handset.listed(of: app).suffix(limit).reversed().map(Self.report) }
  }

  func play(_ subject: SoundSubject) async throws(ControlError) -> String {
    let (sounds, isBroken) = state.withLock { state in
      (["letter", "parcel"], state.storeFails)
    }
    if isBroken { throw ControlError(409, "'default' is not heard: the card is gone") }
    switch subject {
    case .system: return "default"
    case .shipped(let sound): return sound.rawValue
    case .app(let id, let name):
      guard sounds.contains(name) else { throw .noSound(name, of: id, sounds: sounds) }
      return name
    case .file(let name, let bytes):
      guard !bytes.isEmpty else { throw ControlError(400, "sound '\(name)': is empty; bring the file again") }
      return name
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

  var report: ClockReport {
    let advanced = state.withLock(\.advanced)
    let uptime = BackendInMemory.now.uptime + (advanced ?? .zero)
    let wall = BackendInMemory.now.wall.advanced(by: advanced ?? .zero)
    return ClockReport(
      clock: advanced == nil ? "system" : "virtual", uptimeMicroseconds: uptime.inMicroseconds,
      wallMicroseconds: wall.microseconds)
  }

  func advance(by duration: Duration) async throws(ControlError) -> ClockReport {
    let isVirtual = state.withLock { state in
      state.advanced = state.advanced.map { $0 + duration }
      return state.advanced != nil
    }
    guard isVirtual else { throw ControlError(409, "the clock is the system's", hint: "use a virtual one") }
    return report
  }

  func events(
    after sequence: UInt64, follow: Bool
  ) async throws(ControlError) -> AsyncThrowingStream<String, any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: String.self)
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

  func audio(of sound: String, app: AppID?) async throws(ControlError) -> HTTPResponse.Body {
    .stream { write in for part in ["RIFF ", app == nil ? "default" : sound] { try await write(Array(part.utf8)) } }
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

  func setPanelNetwork(_ isOn: Bool) async throws(ControlError) -> PanelReport {
    guard !isOn || panelPassword != nil else { throw ControlError(409, "on the network the panel needs a password") }
    var report = try await panel()
    report.isOnNetwork = isOn
    return report
  }

  func setPanelPassword(_ password: String?) async throws(ControlError) {
    state.withLock { $0.panelPassword = password }
  }

  /// Ends every event stream, like a daemon that cannot read its journal.
  func failEvents() {
    let error = ControlError(503, "the disk failed", hint: "look at it")
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.finish(throwing: error) }
  }

  /// Ends every event stream, like a daemon that stops.
  func endEvents() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.finish() }
  }

  private static func report(_ notification: Notification) -> NotificationReport {
    NotificationReport(
      notification,
      NotificationContent(
        arrived: WallTime(seconds: 0), appName: "Mail", title: nil, subtitle: nil, body: "Hello",
        actionTitle: notification.hasAction ? "View" : nil, threadID: nil, payload: []), isLocked: false)
  }
}

extension BackendInMemory: HandsetDirectory {
  var names: [String] { [name] + others.map(\.name) }
  var onBoard: String { name }

  func resources(of name: String) -> HandsetResources? {
    ([self] + others).first { $0.name == name }.map { backend in
      HandsetResources(
        handset: backend, apps: backend, local: backend, settings: backend, center: backend, sounds: backend,
        events: backend, pushes: backend)
    }
  }

  func reports() async throws(ControlError) -> [HandsetReport] {
    ([self] + others).map { backend in
      backend.state.withLock {
        HandsetReport($0.handset, backend.identity, isOnBoard: backend === self, at: BackendInMemory.now)
      }
    }
  }
}

extension ControlRoutes {
  /// Makes the routes from one backend for all resources.
  init(_ backend: BackendInMemory) {
    self.init(
      handsets: backend, providers: backend, keys: backend, certificates: backend, clock: backend, panel: backend,
      metrics: backend)
  }
}

extension BackendInMemory {
  /// Installs the app, registers it for everything, and lets it present alerts.
  func installMail(_ id: String = mail) {
    let id = AppID(id)!
    let token = BackendInMemory.token(id.text == mail ? UInt8(number) : 0x80 | (id.text.utf8.last ?? 0))
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

extension Explanation {
  /// Reads an event from a line, and its rulings separated by spaces; an invalid line is skipped.
  mutating func read(_ line: String, rulings: String?) {
    guard let report = try? JSONDecoder().decode(EventReport.self, from: Data(line.utf8)) else { return }
    read(report, rulings: (rulings ?? "").split(separator: " ").map(String.init))
  }
}
