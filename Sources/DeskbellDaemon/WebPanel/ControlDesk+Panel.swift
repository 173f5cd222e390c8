// What of the control API is there for the panel: its own keys, test pushes, and sounds to be drawn.

import ControlAPI
import FoundationEssentials
import HandsetCore
import HandsetStore
import ProviderClient
import PushGateway
import Speaker

extension ControlDesk {
  func panel() async throws(ControlError) -> PanelReport { try panelDesk.report() }

  func panelToken() async throws(ControlError) -> PanelTokenReport { try panelDesk.token() }

  func setPanelPassword(_ password: String?) async throws(ControlError) {
    try await panelDesk.setPassword(password) { hash async throws(ControlError) in
      try await write { store in try store.setMeta(.panelPassword, hash) }
    }
  }

  func sendTestPush(_ request: TestPushRequest) async throws(ControlError) -> TestPushReport {
    let state = try await state()
    guard let endpoint = state.pushAddress.flatMap(Endpoint.init(reaching:)) else {
      throw ControlError(503, "the push gateway does not run", hint: "deskbell state says why")
    }
    guard let id = AppID(request.app) else { throw ControlError(404, "no app '\(request.app)' is installed") }
    let app = try await app(id)
    let push = TestPush(request: request, endpoint: endpoint, identity: try await portIdentity())
    do {
      guard request.via == "2008" else {
        try await ensureTestProvider(request.app)
        return try await push.throughAPNs(testProvider, deviceToken: app.token)
      }
      let password = try await password(for: request)
      return try await push.through2008(
        password: password, isShown: request.password == nil, device: state.deviceID)
    } catch let error as ControlError {
      throw error
    } catch {
      throw ControlError(502, "\(error)")
    }
  }

  private func portIdentity() async throws(ControlError) -> TestPush.Identity {
    if let certificate = door.ownCertificate { return .certificate(certificate) }
    return .authority(pem: try await certificateAuthority())
  }

  /// Adds this daemon's own key as a provider with the app in its list, unless it is there.
  private func ensureTestProvider(_ app: String) async throws(ControlError) {
    let providers = try await providers()
    // One that a person called so is left alone.
    let isTaken = providers.contains { $0.name == TestProvider.name && $0.teamID != TestProvider.teamID }
    let name = isTaken ? "\(TestProvider.name)-\(testProvider.keyID.lowercased())" : TestProvider.name
    let known = providers.first { $0.name == name }
    if known?.keyID == testProvider.keyID, known?.apps.contains(app) == true { return }
    _ = try await setProvider(
      name,
      ProviderRequest(
        apps: Set((known?.apps ?? []) + [app]).sorted(), teamID: TestProvider.teamID, keyID: testProvider.keyID,
        key: testProvider.publicKeyPEM))
  }

  /// The password to publish with: the person's, or this daemon's own, which becomes a provider's.
  private func password(for request: TestPushRequest) async throws(ControlError) -> String {
    if let password = request.password { return password }
    let providers = try await providers()
    let other = providers.first {
      $0.credential == "password" && $0.name != TestProvider.nameIn2008 && $0.apps.contains(request.app)
    }
    if let other {
      throw ControlError(
        409, "provider '\(other.name)' has the 2008 service's password for \(request.app)",
        hint: "give that password")
    }
    let known = providers.first { $0.name == TestProvider.nameIn2008 }
    // The one of the daemon's last run is nobody's any more.
    let isCurrent = testPasswordApps.withLock { $0.contains(request.app) }
    if !isCurrent || known?.apps.contains(request.app) != true {
      let apps = Set((known?.apps ?? []) + [request.app]).sorted()
      _ = try await setProvider(
        TestProvider.nameIn2008, ProviderRequest(apps: apps, password: testProvider.password))
      testPasswordApps.withLock { $0 = Set(apps) }
    }
    return testProvider.password
  }

  func waveform(of sound: String, app: AppID?) async throws(ControlError) -> WaveformReport {
    let source: SoundChoice.Source = try await read { handset, _, _, _ in
      guard let app, let installed = handset.apps[app], installed.manifest.sounds.contains(sound) else {
        return .system
      }
      return .bundle(app, name: sound)
    }
    let file = library.sound(for: source)
    guard let waveform = Waveform(of: file, points: ControlLimits.waveformPoints) else {
      throw ControlError(404, "the sound '\(file.name)' is not there", hint: "install its app again")
    }
    return WaveformReport(sound: file.name, milliseconds: waveform.milliseconds, peaks: waveform.peaks)
  }
}
