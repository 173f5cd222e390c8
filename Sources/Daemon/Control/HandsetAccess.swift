import HTTP
import HandsetCore
import HandsetStore
import Host

/// One handset of the host, as the control API's routes use it.
struct HandsetAccess: Sendable {
  let host: Host
  let queue: InputQueue
  let identity: StoredHandset

  /// Applies the input and returns once it is stored.
  /// - Throws: `ControlError` 503 if it could not be stored.
  func submit(_ input: Input) async throws(ControlError) -> Verdict {
    switch await queue.submit(input, to: .handset(identity.id)) {
    case .failed(let why):
      throw ControlError(503, "nothing has changed, it could not be stored: \(why)", hint: "try again")
    case .stored(let verdict): return verdict
    }
  }

  /// Applies the input and returns once it is stored.
  /// - Throws: `ControlError` if the handset refuses the input, 503 if it could not be stored.
  func apply(_ input: Input) async throws(ControlError) {
    guard case .refused(let refusal) = try await submit(input) else { return }
    if case .unknownApp(let id) = refusal { throw await unknownApp(id.text) }
    throw ControlError(refusal)
  }

  /// Reads the handset, its store and the moment together.
  /// - Throws: the `ControlError` that `body` throws; 503 for other errors.
  func read<Answer: Sendable>(
    _ body: @escaping @Sendable (Handset, HandsetStore, HandsetID, Moment) throws -> Answer
  ) async throws(ControlError) -> Answer {
    do {
      return try await host.read(identity.id, body)
    } catch {
      throw ControlError(failure: error)
    }
  }

  // MARK: Apps

  func apps() async throws(ControlError) -> [AppReport] {
    try await read { handset, _, _, _ in
      handset.apps.values.sorted { $0.id < $1.id }.map { AppReport($0, of: handset) }
    }
  }

  /// - Throws: `ControlError` 404 with the nearest app if it is not installed.
  func app(_ id: AppID) async throws(ControlError) -> AppReport {
    let report = try await read { handset, _, _, _ in handset.apps[id].map { AppReport($0, of: handset) } }
    guard let report else { throw await unknownApp(id.text) }
    return report
  }

  func tokens() async throws(ControlError) -> [TokenReport] {
    try await apps().map { app in
      TokenReport(
        handset: identity.name, app: app.id, token: app.token, isRegistered: app.registration == "registered")
    }
  }

  func appID(_ request: HTTPRequest) async throws -> AppID { try await appID(try request.parameter("id")) }

  /// Returns the app with that identifier. An invalid bundle identifier cannot belong to an installed app.
  func appID(_ text: String) async throws(ControlError) -> AppID {
    guard let id = AppID(text) else { throw await unknownApp(text) }
    return id
  }

  /// Returns the installed app in the query; nil if it names none.
  func queriedApp(_ request: HTTPRequest) async throws -> AppID? {
    guard let text = request.target.queryValue("app") else { return nil }
    let id = try await appID(text)
    // An installed app without any gives an empty list; an app that is not installed is an error.
    _ = try await app(id)
    return id
  }

  func unknownApp(_ text: String) async -> ControlError {
    let installed = (try? await apps().map(\.id)) ?? []
    return ControlError(
      404, "no app '\(shown(text))' is installed",
      hint: installed.isEmpty ? "no app is installed yet; install one first" : hint(for: text, among: installed))
  }
}

extension Host {
  /// Changes the parts of the store that do not belong to handsets.
  /// - Throws: the `ControlError` that `body` throws; 503 for other errors.
  func change<Answer: Sendable>(
    _ body: @escaping @Sendable (HandsetStore) throws -> Answer
  ) async throws(ControlError) -> Answer {
    try refusing(503) { try write(body) }
  }
}
