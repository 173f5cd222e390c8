// The control API as a table: which path means what. What each does is in the files named after the noun it serves.

import HTTPRoutes
import HandsetCore
import StrictYAML

/// The routes of the control API over a daemon. `docs/openapi.json` describes them.
public struct ControlRoutes: Sendable {
  let backend: any ControlBackend

  public init(_ backend: any ControlBackend) {
    self.backend = backend
  }

  /// - Throws: `RouteTableError` where two routes collide, which a test rules out.
  public func table() throws -> RouteTable { try RouteTable(routes) }

  var routes: [Route] {
    [
      route("GET", "/v1/state", state),
      route("GET", "/v1/ca", certificateAuthority),
      route("POST", "/v1/ca", renewCertificateAuthority),
      route("GET", "/v1/certificate", certificate),
      route("GET", "/v1/events", events),
      route("GET", "/v1/pushes/{id}/explanation", explanation),
      route("POST", "/v1/pushes", sendTestPush),
      route("GET", "/v1/sounds/{name}/waveform", waveform),
      route("GET", "/v1/clock", clock),
      route("POST", "/v1/clock/advance", advanceClock),

      route("GET", "/v1/apps", apps),
      route("GET", "/v1/apps/{id}", app),
      route("PUT", "/v1/apps/{id}", bodyLimit: ControlLimits.bundleBodyBytes, install),
      route("DELETE", "/v1/apps/{id}", uninstall),
      route("POST", "/v1/apps/{id}/register", register),
      route("POST", "/v1/apps/{id}/unregister", unregister),
      route("POST", "/v1/apps/{id}/lifecycle", lifecycle),
      route("PUT", "/v1/apps/{id}/badge", badge),
      route("PUT", "/v1/apps/{id}/foreground", foreground),

      route("GET", "/v1/local", scheduled),
      route("PUT", "/v1/apps/{id}/local/{identifier}", schedule),
      route("DELETE", "/v1/apps/{id}/local/{identifier}", cancel),
      route("DELETE", "/v1/apps/{id}/local", cancelAll),

      route("GET", "/v1/conditions", conditions),
      route("PUT", "/v1/conditions/{name}", setCondition),

      route("GET", "/v1/settings", handsetSettings),
      route("PUT", "/v1/settings/{key}", setHandsetSetting),
      route("GET", "/v1/apps/{id}/settings", appSettings),
      route("PUT", "/v1/apps/{id}/settings/{key}", setAppSetting),

      route("GET", "/v1/center", center),
      route("DELETE", "/v1/center", clearCenter),
      route("DELETE", "/v1/center/{number}", clearNotification),
      route("DELETE", "/v1/apps/{id}/center", clearSection),
      route("POST", "/v1/press", press),

      route("POST", "/v1/sounds/play", bodyLimit: ControlLimits.soundBodyBytes, playSound),

      route("GET", "/v1/providers", providers),
      route("PUT", "/v1/providers/{name}", setProvider),
      route("DELETE", "/v1/providers/{name}", removeProvider),

      route("GET", "/v1/panel", panel),
      route("POST", "/v1/panel/tokens", panelToken),
      route("PUT", "/v1/panel/password", setPanelPassword),
      route("DELETE", "/v1/panel/password", removePanelPassword),
    ]
  }

  /// A route whose `ControlError`s become answers.
  private func route(
    _ method: String, _ pattern: String, bodyLimit: Int = HTTPLimits.defaultBodyBytes,
    _ handler: @escaping Route.Handler
  ) -> Route {
    Route(method, pattern, bodyLimit: bodyLimit) { request in
      do {
        return try await handler(request)
      } catch let error as ControlError {
        throw HTTPError(error.status, error.message, hint: error.hint)
      }
    }
  }
}

// MARK: - What several of them do

extension ControlRoutes {
  /// - Throws: `ControlError` where the handset refuses the input or cannot store it.
  func submit(_ input: Input) async throws(ControlError) {
    guard case .refused(let refusal) = try await backend.submit(input) else { return }
    if case .unknownApp(let id) = refusal { throw await unknownApp(id.text) }
    throw ControlError(refusal)
  }

  /// The app that the path names.
  func appID(_ request: HTTPRequest) async throws -> AppID {
    try await appID(try request.parameter("id"))
  }

  /// What is no bundle identifier cannot be an installed app.
  func appID(_ text: String) async throws(ControlError) -> AppID {
    guard let id = AppID(text) else { throw await unknownApp(text) }
    return id
  }

  /// The app that the query names, which is installed; nil where it names none.
  func queriedApp(_ request: HTTPRequest) async throws -> AppID? {
    guard let text = request.target.queryValue("app") else { return nil }
    let id = try await appID(text)
    // An app that has none and an app that is not there are told apart.
    _ = try await report(of: id)
    return id
  }

  func report(of id: AppID) async throws(ControlError) -> AppReport {
    do throws(ControlError) {
      return try await backend.app(id)
    } catch {
      throw error.status == 404 ? await unknownApp(id.text) : error
    }
  }

  /// 404, with the app that may have been meant.
  private func unknownApp(_ text: String) async -> ControlError {
    let installed = (try? await backend.apps().map(\.id)) ?? []
    let hint =
      if installed.isEmpty {
        "no app is installed yet; install one first"
      } else {
        hint(for: text, among: installed)
      }
    return ControlError(404, "no app '\(shown(text))' is installed", hint: hint)
  }
}

/// The name that may have been meant, or those that there are.
func hint(for word: String, among names: [String]) -> String {
  if let near = nearest(word, among: names) { return "did you mean '\(near)'?" }
  let listed = names.prefix(ControlLimits.hintedNames).joined(separator: ", ")
  let rest = names.count - ControlLimits.hintedNames
  return rest > 0 ? "there are \(listed) and \(rest) more" : "there \(names.count == 1 ? "is" : "are") \(listed)"
}

/// What a caller typed, cut where it is longer than a message should quote.
func shown(_ text: String) -> String {
  text.unicodeScalars.count > Policy.eventQuoteLimit
    ? String(String.UnicodeScalarView(text.unicodeScalars.prefix(Policy.eventQuoteLimit))) + "…" : text
}

extension HTTPRequest {
  /// - Throws: `ControlError` 400 where the query has a name that the route does not read.
  func requireQuery(_ names: String...) throws(ControlError) {
    for item in target.query where !names.contains(item.name) {
      throw ControlError(
        400, "\(target.path) has no query parameter '\(shown(item.name))'", hint: hint(for: item.name, among: names))
    }
  }
}
