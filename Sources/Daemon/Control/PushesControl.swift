import ControlAPI
import HandsetCore
import ProviderClient

/// The sender of test pushes to the daemon's own port.
struct TestPushSender: Sendable {
  let pushAddress: String
  let certificates: CertificatesControl
  let providers: ProvidersControl

  /// - Parameters:
  ///   - app: an app that is installed on the handset.
  ///   - token: the app's device token.
  func send(
    _ request: TestPushRequest, to app: AppID, token: String, on device: DeviceID
  ) async throws(ControlError) -> TestPushReport {
    guard let endpoint = Endpoint(reaching: pushAddress) else {
      throw ControlError(503, "the push gateway does not run", hint: "deskbell state says why")
    }
    let push = TestPush(request: request, endpoint: endpoint, identity: try await certificates.portIdentity())
    do {
      guard request.via == "2008" else {
        try await providers.allowTestPushes(to: app)
        return try await push.throughAPNs(providers.testProvider, deviceToken: token)
      }
      if request.password == nil { try await providers.allowTestPublishing(to: app) }
      return try await push.through2008(
        password: request.password ?? providers.testProvider.password, isShown: request.password == nil,
        device: device.hex)
    } catch {
      throw error as? ControlError ?? ControlError(502, "\(error)")
    }
  }
}

/// The pushes to a handset in the control API.
struct PushesControl: PushesBackend {
  enum Limits {
    /// The number of events that are searched for one push at a time.
    static let searchedEvents = 1_024
  }

  let access: HandsetAccess
  let apps: AppsControl
  let sender: TestPushSender

  func sendTestPush(_ request: TestPushRequest) async throws(ControlError) -> TestPushReport {
    guard let id = AppID(request.app) else { throw ControlError(404, "no app '\(request.app)' is installed") }
    let token = try await apps.app(id).token
    return try await sender.send(request, to: id, token: token, on: access.identity.device)
  }

  func explanation(of push: PushID) async throws(ControlError) -> ExplanationReport? {
    var explanation = Explanation(of: push)
    var searched: UInt64 = 0
    // The search runs in short spans, so that pushes can be processed in between.
    while true {
      let after = searched
      let span = try await access.read { _, store, number, _ in
        try store.events(of: number, naming: push, after: after, limit: Limits.searchedEvents)
      }
      guard let span else { break }
      searched = span.last
      for event in span.found { explanation.read(event.report, rulings: event.rulings) }
    }
    let gathered = explanation
    return try await access.read { handset, _, _, now in gathered.report(handset, at: now) }
  }
}
