// What the control API needs of the daemon, so that neither has to know how the other is made.

import HandsetCore

/// The daemon, as the control API sees it.
public protocol ControlBackend: Sendable {
  /// Applies the input and answers once it is stored.
  /// - Throws: `ControlError` 503 where it could not be stored.
  func submit(_ input: Input) async throws(ControlError) -> Verdict

  /// A token for an app that registers again.
  func freshToken() -> DeviceToken

  /// An identifier for a local notification: no other push has it.
  func freshPush() -> PushID

  /// Reads the manifest, converts the sounds, and installs the app.
  /// - Throws: `ControlError` 400 with every line that is wrong, 413 past a limit; nothing is installed then.
  func install(_ bundle: BundleUpload) async throws(ControlError) -> InstallReport

  func state() async throws(ControlError) -> StateReport
  func apps() async throws(ControlError) -> [AppReport]
  func app(_ id: AppID) async throws(ControlError) -> AppReport
  /// Each condition, `on` or `off`.
  func conditions() async throws(ControlError) -> [SettingReport]
  func handsetSettings() async throws(ControlError) -> [SettingReport]
  /// Newest first; of one app or of all.
  /// - Parameter limit: 1 or more.
  func center(of app: AppID?, limit: Int) async throws(ControlError) -> [NotificationReport]

  /// What is scheduled, the soonest first; of one app or of all.
  func scheduled(of app: AppID?) async throws(ControlError) -> [LocalNotificationReport]

  /// Plays it now, whatever the handset's settings are, and answers when it has begun.
  /// - Throws: `ControlError` 404 where the app has no such sound, 400 where the file cannot be used, 409 where it cannot
  ///   be heard.
  func play(_ subject: SoundSubject) async throws(ControlError) -> SoundPlayReport

  func providers() async throws(ControlError) -> [ProviderReport]
  /// Adds the provider or puts it in the place of the one of that name.
  func setProvider(_ name: String, _ request: ProviderRequest) async throws(ControlError) -> ProviderReport
  /// - Throws: `ControlError` 404 where there is none of that name.
  func removeProvider(_ name: String) async throws(ControlError)

  /// The certificate authority's certificate as PEM.
  func certificateAuthority() async throws(ControlError) -> String
  /// Makes a new certificate authority, which every client must then be given.
  /// - Throws: `ControlError` 404 where a certificate of the user's own is shown, 507 where it cannot be written.
  func renewCertificateAuthority() async throws(ControlError) -> AuthorityReport

  /// The certificate that the push port shows.
  /// - Throws: `ControlError` 404 where it shows none.
  func certificate() async throws(ControlError) -> CertificateReport

  func clock() async throws(ControlError) -> ClockReport
  /// Moves a virtual clock on; all that falls due until then has happened when this returns.
  /// - Parameter duration: more than zero.
  /// - Throws: `ControlError` 409 where the clock is not virtual.
  func advanceClock(by duration: Duration) async throws(ControlError) -> ClockReport

  /// Events as JSON lines, without newlines, beginning after that sequence number.
  /// - Parameter follow: whether it goes on with what happens from now on, or ends with what is there.
  func events(after sequence: UInt64, follow: Bool) async throws(ControlError) -> AsyncStream<String>

  /// Sends a push to the daemon's own port, as any provider does, or only says how it would be sent.
  /// - Throws: `ControlError` where it got no answer; a push that is refused has one.
  func sendTestPush(_ request: TestPushRequest) async throws(ControlError) -> TestPushReport

  /// What a sound looks like: the one that the handset plays by that name for the app, or without one.
  /// - Throws: `ControlError` 404 where the file is not there.
  func waveform(of sound: String, app: AppID?) async throws(ControlError) -> WaveformReport

  /// - Throws: `ControlError` 409 where the web panel is off.
  func panel() async throws(ControlError) -> PanelReport
  /// An address that signs one browser in.
  /// - Throws: `ControlError` 409 where the web panel is off.
  func panelToken() async throws(ControlError) -> PanelTokenReport
  /// Sets the panel's password, or with nil removes it; every browser has to sign in again.
  /// - Throws: `ControlError` 400 for one that is too short, 409 where the network can reach the panel and needs one.
  func setPanelPassword(_ password: String?) async throws(ControlError)

  /// Why the newest push with that identifier rang, or did not; nil where the journal has nothing of it.
  func explanation(of push: PushID) async throws(ControlError) -> ExplanationReport?
}

/// Why a request was refused.
public struct ControlError: Error, Hashable, Sendable {
  /// The HTTP status.
  public var status: Int
  public var message: String
  /// What to do next.
  public var hint: String?

  public init(_ status: Int, _ message: String, hint: String? = nil) {
    self.status = status
    self.message = message
    self.hint = hint
  }
}
