// A request of the control API: its method and target on the first line, then its body.

import ControlAPI
import HTTP
import HandsetCore
import PushPort
import Synchronization

@testable import DeskbellDaemon

func runControlAPI(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  var rest = bytes[...]
  let words = nextLine(&rest)?.split(separator: UInt8(ascii: " "), maxSplits: 1) ?? []
  guard words.count == 2, let target = RequestTarget(String(decoding: words[1], as: UTF8.self)) else { return }
  let backend = FuzzedBackend()
  let routes = ControlRoutes(
    handsets: backend, providers: backend, keys: backend, certificates: backend, clock: backend, panel: backend,
    metrics: backend)
  guard let table = try? routes.table() else {
    throw FuzzTarget.Finding(description: "no table of routes")
  }
  let method = String(decoding: words[0], as: UTF8.self)
  guard case .found(let route, let parameters) = table.match(method: method, segments: target.segments) else { return }
  let request = HTTPRequest(method: method, target: target, body: Array(rest), parameters: parameters)
  // Nothing behind these routes waits, so the task has ended as soon as it has begun.
  withExtendedLifetime(backend) {
    _ = Task.immediate {
      do {
        backend.ended(.success(try await route.handler(request).status))
      } catch {
        backend.ended(.failure(error))
      }
    }
  }
  switch backend.outcome {
  case nil: throw FuzzTarget.Finding(description: "the route did not answer at once")
  case .failure(let error):
    try hold(error is HTTPError, "the route threw \(error), which is a 500")
  case .success(let status): try hold((200...299).contains(status), "it answered \(status)")
  }
  if let finding = backend.finding { throw finding }
}

/// A daemon with a handset and nothing else.
final class FuzzedBackend: HandsetBackend, AppsBackend, LocalNotificationsBackend, SettingsBackend,
  CenterBackend, SoundsBackend, EventsBackend, PushesBackend, ProvidersBackend, AccessKeysBackend, CertificatesBackend,
  ClockBackend,
  PanelBackend, MetricsBackend
{
  let name = "1"

  private struct State {
    var inUse = HandsetInUse.begin()
    var finding: FuzzTarget.Finding?
    var outcome: Result<Int, any Error>?
  }

  private let state = Mutex(State())

  var finding: FuzzTarget.Finding? { state.withLock(\.finding) }
  /// The status, or the error in its place; nil while the route has not answered.
  var outcome: Result<Int, any Error>? { state.withLock(\.outcome) }

  func ended(_ outcome: Result<Int, any Error>) { state.withLock { $0.outcome = outcome } }

  func found(_ description: String) { state.withLock { $0.finding = FuzzTarget.Finding(description: description) } }

  private static let notHere = ControlError(501, "not here")

  func submit(_ input: Input) async throws(ControlError) -> Verdict {
    state.withLock { state in
      let verdict = state.inUse.answer(input)
      do throws(FuzzTarget.Finding) {
        try state.inUse.follow(.wake)
      } catch {
        state.finding = error
      }
      return verdict
    }
  }

  func key(of id: AppID, isNew: Bool) async throws(ControlError) -> AppKeyReport {
    AppKeyReport(app: id.text, key: isNew ? "1" : "0")
  }

  func freshToken() -> DeviceToken { .random() }
  func freshPush() -> PushID { PushID(high: 0, low: 1) }

  func install(_ upload: BundleUpload) async throws(ControlError) -> InstallReport {
    do {
      let bundle = try AppBundle(
        files: upload.files.mapValues { Array($0) }, folder: "bundle", language: "en", decoder: .inThisProcess)
      _ = try await submit(.install(bundle.manifest, token: .random()))
      return InstallReport(app: try await app(bundle.manifest.id), notes: bundle.notes)
    } catch let error as ControlError {
      throw error
    } catch {
      throw ControlError(400, "\(error)")
    }
  }

  func app(_ id: AppID) async throws(ControlError) -> AppReport {
    let handset = state.withLock(\.inUse.handset)
    guard let app = handset.apps[id] else { throw ControlError(404, "no such app") }
    return AppReport(app, of: handset)
  }

  func apps() async throws(ControlError) -> [AppReport] {
    let handset = state.withLock(\.inUse.handset)
    return handset.apps.values.map { AppReport($0, of: handset) }
  }

  func uninstall(_ id: AppID) async throws(ControlError) -> Verdict { try await submit(.uninstall(id)) }

  func setProvider(_ name: String, _ request: ProviderRequest) async throws(ControlError) -> ProviderReport {
    // Hashing the password would take a tenth of a second.
    guard request.password == nil else { throw FuzzedBackend.notHere }
    return ProviderReport(try Provider(name, request))
  }

  func advance(by duration: Duration) async throws(ControlError) -> ClockReport { report }

  var report: ClockReport { ClockReport(HandsetInUse.now, isVirtual: true) }

  func center(of app: AppID?, limit: Int) async throws(ControlError) -> [NotificationReport] { [] }

  func sendTestPush(_ request: TestPushRequest) async throws(ControlError) -> TestPushReport {
    TestPushReport(curl: request.app)
  }

  func waveform(of sound: String, app: AppID?) async throws(ControlError) -> WaveformReport {
    WaveformReport(sound: sound, milliseconds: 0, peaks: [])
  }

  func audio(of sound: String, app: AppID?) async throws(ControlError) -> HTTPResponse.Body {
    .stream { write in try await write(Array(sound.utf8)) }
  }

  func panel() async throws(ControlError) -> PanelReport { throw FuzzedBackend.notHere }
  func panelToken() async throws(ControlError) -> PanelTokenReport { throw FuzzedBackend.notHere }
  func setPanelPassword(_ password: String?) async throws(ControlError) {}
  func setPanelNetwork(_ isOn: Bool) async throws(ControlError) -> PanelReport { throw FuzzedBackend.notHere }

  func metrics() async throws(ControlError) -> HTTPResponse { throw FuzzedBackend.notHere }
  func health() async -> HealthReport { HealthReport(problems: []) }
  func makeMetricsToken() async throws(ControlError) -> MetricsTokenReport { throw FuzzedBackend.notHere }
  func revokeMetricsToken() async throws(ControlError) {}

  func events(
    after sequence: UInt64, follow: Bool
  ) async throws(ControlError) -> AsyncThrowingStream<String, any Error> {
    AsyncThrowingStream { $0.finish() }
  }

  func scheduled(of app: AppID?) async throws(ControlError) -> [LocalNotificationReport] { [] }
  func explanation(of push: PushID) async throws(ControlError) -> ExplanationReport? { nil }
  func removeProvider(_ name: String) async throws(ControlError) {}
  func conditions() async throws(ControlError) -> [SettingReport] { [] }
  func settings() async throws(ControlError) -> [SettingReport] { [] }
  func play(_ subject: SoundSubject) async throws(ControlError) -> String { throw FuzzedBackend.notHere }
  func providers() async throws(ControlError) -> [ProviderReport] { [] }
  var templates: [String] { ["plain"] }
  func keys(_ way: KeyedWay) async throws(ControlError) -> [KeyReport] { [] }
  func renewKey(_ way: KeyedWay, _ name: String) async throws(ControlError) -> KeyReport { throw FuzzedBackend.notHere }
  func removeKey(_ way: KeyedWay, _ name: String) async throws(ControlError) { throw FuzzedBackend.notHere }

  func setKey(_ way: KeyedWay, _ name: String, _ request: KeyRequest) async throws(ControlError) -> KeyReport {
    KeyReport(name: name, app: request.app, handset: request.handset, template: request.template)
  }

  func certificateAuthority() async throws(ControlError) -> String { throw FuzzedBackend.notHere }
  func renewCertificateAuthority() async throws(ControlError) -> AuthorityReport { throw FuzzedBackend.notHere }
  func certificate() async throws(ControlError) -> CertificateReport { throw FuzzedBackend.notHere }
  func state() async throws(ControlError) -> StateReport { throw FuzzedBackend.notHere }
}

extension FuzzedBackend: HandsetDirectory {
  var names: [String] { [name] }
  var onBoard: String { name }

  func resources(of name: String) -> HandsetResources? {
    guard name == self.name else { return nil }
    return HandsetResources(
      handset: self, apps: self, local: self, settings: self, center: self, sounds: self, events: self, pushes: self)
  }

  func reports() async throws(ControlError) -> [HandsetReport] { [] }
}
