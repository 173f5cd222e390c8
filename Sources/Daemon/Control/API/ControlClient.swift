import FoundationEssentials
import HTTP
import HandsetCore

/// A client of the daemon behind a control socket. Every method throws `HTTPClientError`: `.refused` with the daemon's
/// message, or the reason why the daemon cannot be reached.
public struct ControlClient: Sendable {
  private let http: HTTPClient
  /// The base path of the handset's resources.
  private var base: String

  /// - Parameters:
  ///   - socket: the path of the control socket.
  ///   - handset: the name of the handset whose apps, settings and the like are meant; nil for the one on the board.
  public init(socket: String, handset: String? = nil) {
    http = HTTPClient(.unixSocket(path: socket))
    base = ControlRoutes.base + (handset.map { "/handsets/" + RequestTarget.encodedSegment($0) } ?? "")
  }

  /// Returns a client of the same daemon for another handset.
  public func of(handset: String) -> ControlClient {
    var other = self
    other.base = ControlRoutes.base + "/handsets/" + RequestTarget.encodedSegment(handset)
    return other
  }

  public func state() async throws -> StateReport { try await get(path("state")) }

  // MARK: All handsets

  public func handsets() async throws -> [HandsetReport] { try await get("/v1/handsets") }

  /// Returns the tokens of all apps of all handsets.
  public func allTokens() async throws -> [TokenReport] { try await get("/v1/all-handsets/tokens") }

  /// Installs or replaces the app on all handsets; the reports show which of them refuse it.
  public func installOnAll(_ id: String, _ bundle: BundleUpload) async throws -> [HandsetInstallReport] {
    try await send("PUT", "/v1/all-handsets/apps/" + RequestTarget.encodedSegment(id), bundle, timeout: .seconds(3600))
  }

  // MARK: Monitoring

  /// Returns the metrics in Prometheus' text format.
  public func metrics() async throws -> String {
    String(decoding: try await send("GET", "/metrics").body, as: UTF8.self)
  }

  /// Makes a new token for the metrics at the panel's port.
  public func makeMetricsToken() async throws -> MetricsTokenReport { try await send("POST", "/v1/metrics/token") }

  public func revokeMetricsToken() async throws { try await send("DELETE", "/v1/metrics/token") }

  // MARK: Certificates

  /// Returns the certificate authority's certificate as PEM.
  public func certificateAuthority() async throws -> String {
    String(decoding: try await send("GET", "/v1/ca").body, as: UTF8.self)
  }

  /// Makes a new authority.
  public func renewCertificateAuthority() async throws -> AuthorityReport { try await send("POST", "/v1/ca") }

  public func certificate() async throws -> CertificateReport { try await get("/v1/certificate") }

  // MARK: Apps

  public func apps() async throws -> [AppReport] { try await get(path("apps")) }

  /// Returns the device tokens of all apps.
  public func tokens() async throws -> [TokenReport] { try await get(path("tokens")) }

  public func app(_ id: String) async throws -> AppReport { try await get(path("apps", id)) }

  /// Installs or replaces the app; its sounds are converted before the answer arrives.
  public func install(_ id: String, _ bundle: BundleUpload) async throws -> InstallReport {
    try await send("PUT", path("apps", id), bundle, timeout: .seconds(300))
  }

  public func uninstall(_ id: String) async throws { try await send("DELETE", path("apps", id)) }

  public func register(_ id: String, kinds: [String]) async throws -> AppReport {
    try await send("POST", path("apps", id, "register"), KindsRequest(kinds: kinds))
  }

  /// - Parameter isNew: true to make another key, which revokes the existing one.
  public func key(of id: String, isNew: Bool) async throws -> AppKeyReport {
    try await isNew ? send("POST", path("apps", id, "key")) : get(path("apps", id, "key"))
  }

  public func unregister(_ id: String) async throws -> AppReport {
    try await send("POST", path("apps", id, "unregister"))
  }

  /// - Parameter command: `launch`, `background`, `kill` or `force-quit`.
  public func changeLifecycle(_ id: String, _ command: String) async throws -> AppReport {
    try await send("POST", path("apps", id, "lifecycle"), LifecycleRequest(command: command))
  }

  public func setBadge(_ id: String, _ number: Int) async throws -> AppReport {
    try await send("PUT", path("apps", id, "badge"), BadgeRequestBody(number: number))
  }

  /// - Parameter kinds: the kinds that are presented while the app is in the foreground.
  public func present(_ id: String, inForeground kinds: [String]) async throws -> AppReport {
    try await send("PUT", path("apps", id, "foreground"), KindsRequest(kinds: kinds))
  }

  // MARK: Local notifications

  /// - Parameter app: nil for the notifications of all apps.
  public func scheduled(of app: String?) async throws -> [LocalNotificationReport] {
    try await get(path("local") + (app.map { "?app=" + RequestTarget.encodedSegment($0) } ?? ""))
  }

  public func schedule(
    _ identifier: String, of app: String, _ request: LocalNotificationRequest
  ) async throws -> LocalNotificationReport {
    try await send("PUT", path("apps", app, "local", identifier), request)
  }

  /// - Parameter identifier: nil for all notifications of the app.
  public func cancel(_ identifier: String?, of app: String) async throws {
    try await send("DELETE", identifier.map { path("apps", app, "local", $0) } ?? path("apps", app, "local"))
  }

  // MARK: Conditions and settings

  public func conditions() async throws -> [SettingReport] { try await get(path("conditions")) }

  /// - Parameter value: `on` or `off`.
  public func setCondition(_ name: String, to value: String) async throws -> SettingReport {
    try await send("PUT", path("conditions", name), SettingRequest(value: value))
  }

  /// - Parameter app: nil for the settings of the handset.
  public func settings(of app: String?) async throws -> [SettingReport] {
    try await get(app.map { path("apps", $0, "settings") } ?? path("settings"))
  }

  public func set(_ key: String, to value: String, of app: String?) async throws -> SettingReport {
    let target = app.map { path("apps", $0, "settings", key) } ?? path("settings", key)
    return try await send("PUT", target, SettingRequest(value: value))
  }

  // MARK: Notification Center

  public func center(of app: String?, limit: Int) async throws -> [NotificationReport] {
    let section = app.map { "&app=" + RequestTarget.encodedSegment($0) } ?? ""
    return try await get(path("center") + "?limit=\(limit)" + section)
  }

  /// - Parameter app: nil for all sections.
  public func clearCenter(of app: String?) async throws {
    try await send("DELETE", app.map { path("apps", $0, "center") } ?? path("center"))
  }

  public func clearNotification(_ number: UInt64) async throws { try await send("DELETE", path("center", "\(number)")) }

  /// Opens the notification, or chooses one of its actions.
  /// - Parameters:
  ///   - action: its identifier; nil opens the notification.
  ///   - text: the text, for an action that takes one.
  public func respond(
    to number: UInt64, _ action: String? = nil, text: String? = nil
  ) async throws -> PresentationReport {
    try await send(
      "POST", path("center", "\(number)", "response"), NotificationResponseRequest(action: action, text: text))
  }

  /// - Parameter button: `view` or `close`.
  /// - Parameter length: `short` or `long`.
  public func press(_ button: String, _ length: String = "short") async throws -> PresentationReport {
    try await send("POST", path("press"), PressRequest(button: button, length: length))
  }

  /// Chooses an action of the alert on top.
  /// - Parameters:
  ///   - action: its identifier or title.
  ///   - text: the text, for an action that takes one.
  public func choose(_ action: String, text: String? = nil) async throws -> PresentationReport {
    try await send("POST", path("press"), PressRequest(action: action, text: text))
  }

  public func snoozes() async throws -> [SnoozeReport] { try await get(path("snoozes")) }

  /// - Parameters:
  ///   - app: nil for all.
  ///   - seconds: nil for the handset's setting.
  /// - Returns: all snoozes after the change.
  public func snooze(_ app: String?, forSeconds seconds: Int64?) async throws -> [SnoozeReport] {
    let target = app.map { path("apps", $0, "snooze") } ?? path("snoozes")
    return try await send("PUT", target, SnoozeRequest(seconds: seconds))
  }

  /// - Parameter app: nil for all snoozes.
  public func endSnooze(_ app: String?) async throws {
    try await send("DELETE", app.map { path("apps", $0, "snooze") } ?? path("snoozes"))
  }

  // MARK: Sound

  /// Plays a sound and returns when it has begun: an app's sound; without an app, one that comes with Deskbell; without
  /// a name, the default one.
  public func play(_ sound: String? = nil, of app: String? = nil) async throws -> SoundPlayReport {
    try await send("POST", path("sounds", "play"), SoundPlayRequest(app: app, sound: sound))
  }

  /// - Parameter name: the name of the file in messages and events.
  public func play(file name: String, _ bytes: [UInt8]) async throws -> SoundPlayReport {
    let file = SoundPlayRequest.File(name: name, bytes: Data(bytes))
    return try await send("POST", path("sounds", "play"), SoundPlayRequest(file: file))
  }

  /// Returns the waveform of the sound that the handset plays by that name, for the app or without one.
  public func waveform(of sound: String, app: String?) async throws -> WaveformReport {
    try await get(
      path("sounds", sound, "waveform") + (app.map { "?app=" + RequestTarget.encodedSegment($0) } ?? ""))
  }

  // MARK: Providers

  public func providers() async throws -> [ProviderReport] { try await get("/v1/providers") }

  public func setProvider(_ name: String, _ request: ProviderRequest) async throws -> ProviderReport {
    try await send("PUT", providerPath(name), request)
  }

  public func removeProvider(_ name: String) async throws { try await send("DELETE", providerPath(name)) }

  // MARK: Topics and hooks

  public func keys(_ way: KeyedWay) async throws -> [KeyReport] { try await get("/v1/\(way.plural)") }

  public func setKey(_ way: KeyedWay, _ name: String, _ request: KeyRequest) async throws -> KeyReport {
    try await send("PUT", keyPath(way, name), request)
  }

  public func renewKey(_ way: KeyedWay, _ name: String) async throws -> KeyReport {
    try await send("POST", keyPath(way, name) + "/key")
  }

  public func removeKey(_ way: KeyedWay, _ name: String) async throws { try await send("DELETE", keyPath(way, name)) }

  public func hookTemplates() async throws -> [String] { try await get("/v1/hook-templates") }

  private func keyPath(_ way: KeyedWay, _ name: String) -> String {
    "/v1/\(way.plural)/" + RequestTarget.encodedSegment(name)
  }

  // MARK: Time

  public func clock() async throws -> ClockReport { try await get("/v1/clock") }

  /// Returns when everything that fell due until then has happened, and the work that it started has ended.
  public func advanceClock(bySeconds seconds: Int64) async throws -> ClockReport {
    try await send("POST", "/v1/clock/advance", ClockAdvanceRequest(seconds: seconds), timeout: .seconds(3600))
  }

  // MARK: Events

  /// Passes each line of the event stream to `body` as it arrives. Returns at the end of the stream.
  /// - Parameters:
  ///   - sequence: the events after this one.
  ///   - follow: true to wait for new events.
  /// - Throws: also `HTTPClientError.refused` if the daemon cannot read the journal any further.
  public func events(
    after sequence: UInt64, follow: Bool, _ body: (String) async throws -> Void
  ) async throws {
    try await http.lines(path("events") + "?after=\(sequence)&follow=\(follow)") { lines in
      while let line = try await lines.next() {
        if let end = ErrorBody(eventLine: line) {
          throw HTTPClientError.refused(status: 503, error: end.error, hint: end.hint)
        }
        try await body(line)
      }
    }
  }

  /// Reads a line of the stream.
  /// - Throws: `HTTPClientError.malformedAnswer`.
  public func event(_ line: String) throws -> EventReport {
    do {
      return try JSONDecoder().decode(EventReport.self, from: Data(line.utf8))
    } catch {
      throw otherVersion
    }
  }

  /// Explains why the newest push with that identifier rang, or did not.
  public func explanation(of push: String) async throws -> ExplanationReport {
    try await get(path("pushes", push, "explanation"))
  }

  // MARK: The web panel

  public func panel() async throws -> PanelReport { try await get("/v1/panel") }

  /// Returns an address that signs one browser in.
  public func panelToken() async throws -> PanelTokenReport { try await send("POST", "/v1/panel/tokens") }

  /// - Parameter password: nil removes the existing one.
  public func setPanelPassword(_ password: String?) async throws {
    guard let password else {
      try await send("DELETE", "/v1/panel/password")
      return
    }
    try await http.send("PUT", "/v1/panel/password", json: PanelPasswordRequest(password: password)).requireSuccess()
  }

  /// Makes the panel listen on the network, or for this machine only.
  public func setPanelNetwork(_ isOn: Bool) async throws -> PanelReport {
    try await send("PUT", "/v1/panel/network", PanelNetworkRequest(isOn: isOn))
  }

  // MARK: Requests

  private func get<Value: Decodable>(_ target: String) async throws -> Value { try await send("GET", target) }

  private func send<Value: Decodable>(_ method: String, _ target: String) async throws -> Value {
    try decoded(await send(method, target))
  }

  private func send<Value: Decodable>(
    _ method: String, _ target: String, _ body: some Encodable, timeout: Duration = .seconds(60)
  ) async throws -> Value {
    let answer = try await http.send(method, target, json: body, timeout: timeout)
    try answer.requireSuccess()
    return try decoded(answer)
  }

  @discardableResult
  private func send(_ method: String, _ target: String) async throws -> HTTPClient.Answer {
    let answer = try await http.send(method, target)
    try answer.requireSuccess()
    return answer
  }

  private func decoded<Value: Decodable>(_ answer: HTTPClient.Answer) throws -> Value {
    do {
      return try answer.json()
    } catch {
      throw otherVersion
    }
  }

  private var otherVersion: HTTPClientError {
    .malformedAnswer(http.address, reason: "it speaks another version of the control API")
  }

  private func providerPath(_ name: String) -> String { "/v1/providers/" + RequestTarget.encodedSegment(name) }

  /// Returns the path of a resource of the handset.
  private func path(_ segments: String...) -> String {
    segments.reduce(base) { $0 + "/" + RequestTarget.encodedSegment($1) }
  }
}
