import HTTP
import ServerIdentity

/// The panel as a table of routes: the page, signing in and out, and the part of the control API that the page uses.
public struct PanelRoutes: Sendable {
  static let sessionPath = "/session"

  /// The routes of the control API that the page may use. Installing an app runs its hooks, and a provider's key opens
  /// every app: those need the control socket, even with a hijacked browser. A topic or a hook opens one app.
  static let offered: Set<String> = [
    "GET /v1/handsets", "GET /v1/state", "GET /v1/events", "GET /v1/pushes/{id}/explanation", "POST /v1/pushes",
    "GET /v1/clock", "POST /v1/clock/advance", "GET /v1/apps", "GET /v1/apps/{id}", "GET /v1/apps/{id}/icon",
    "GET /v1/apps/{id}/launch-image/{name}", "POST /v1/apps/{id}/register",
    "POST /v1/apps/{id}/unregister", "POST /v1/apps/{id}/lifecycle", "PUT /v1/apps/{id}/badge",
    "PUT /v1/apps/{id}/foreground", "GET /v1/local", "DELETE /v1/apps/{id}/local/{identifier}",
    "GET /v1/conditions", "PUT /v1/conditions/{name}", "GET /v1/settings", "PUT /v1/settings/{key}",
    "GET /v1/apps/{id}/settings", "PUT /v1/apps/{id}/settings/{key}", "GET /v1/center", "DELETE /v1/center",
    "DELETE /v1/center/{number}", "POST /v1/center/{number}/response", "DELETE /v1/apps/{id}/center", "POST /v1/press",
    "GET /v1/sounds/{name}/waveform",
    "GET /v1/sounds/{name}/audio", "PUT /v1/snoozes", "DELETE /v1/snoozes", "PUT /v1/apps/{id}/snooze",
    "DELETE /v1/apps/{id}/snooze", "GET /v1/topics", "PUT /v1/topics/{name}", "POST /v1/topics/{name}/key",
    "DELETE /v1/topics/{name}", "GET /v1/hooks", "PUT /v1/hooks/{name}", "POST /v1/hooks/{name}/key",
    "DELETE /v1/hooks/{name}", "GET /v1/hook-templates", "POST /v1/fetch", "GET /v1/activities",
    "DELETE /v1/activities/{identifier}", "GET /v1/pushes/{id}/delivery-log", "GET /v1/delivery-statuses",
    "GET /v1/focus", "PUT /v1/focus/{name}", "DELETE /v1/focus/{name}",
  ]

  /// Header fields of every answer. The page needs nothing from other origins, and no other page may embed it.
  static let standingHeaders: HeaderFields = [
    "Content-Security-Policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; "
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
      + "trusted-types 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), usb=(), serial=()",
    "Cache-Control": "no-store",
  ]

  private let sessions: PanelSessions
  private let pace: GuessPace
  private let hasPassword: @Sendable () -> Bool
  private let isRight: @Sendable (_ password: String, _ peer: String?) async -> Bool?
  private let isSecure: Bool
  private let keep: @Sendable () async -> Void

  /// - Parameters:
  ///   - isRight: returns true if a password is the panel's; nil if too many are being checked.
  ///   - names: the names of the panel besides addresses; nil if only this machine can reach it.
  ///   - keep: stores the sessions. Called when one begins or ends, never by other requests.
  ///   - made: files of the page that are not in the folder, by path.
  /// - Throws: `PanelError`, `RouteTableError`.
  public static func service(
    sessions: PanelSessions, hasPassword: @escaping @Sendable () -> Bool,
    isRight: @escaping @Sendable (_ password: String, _ peer: String?) async -> Bool?, isSecure: Bool,
    names: Set<String>?, keep: @escaping @Sendable () async -> Void, metricsToken: MetricsToken,
    isHealthy: @escaping @Sendable () async -> Bool, folder: String, made: [String: [UInt8]] = [:], control: [Route],
    limits: HTTPLimits = HTTPLimits(), executor: (any TaskExecutor)? = nil,
    report: @escaping @Sendable (any Error, HTTPRequest) -> Void = { _, _ in }
  ) throws -> HTTPService {
    let panel = PanelRoutes(
      sessions: sessions, pace: GuessPace(now: sessions.now), hasPassword: hasPassword, isRight: isRight,
      isSecure: isSecure, keep: keep)
    let monitoring = PanelMonitoring(token: metricsToken, health: isHealthy, executor: executor, now: sessions.now)
    let table = try RouteTable(
      PanelFiles.routes(in: folder, made: made) + panel.sessionRoutes
        + monitoring.routes(of: control, isSignedIn: panel.isSignedIn)
        + control.filter(PanelRoutes.isOffered).map(panel.whileSignedIn))
    let gate = PanelGuard(
      isSecure: isSecure, names: names.map { Set($0.map { $0.lowercased() }) }, isSignedIn: panel.isSignedIn)
    var service = HTTPService(
      table, limits: limits, executor: executor, report: report, admission: gate.fault,
      standingHeaders: PanelRoutes.standingHeaders)
    service.isKnown = { panel.isSignedIn($0) || monitoring.isKnown($0) }
    return service
  }

  /// Returns true if the page may use the route. Routes of a named handset count like those of the board's.
  private static func isOffered(_ route: Route) -> Bool {
    let ofOneHandset = "/v1/handsets/{handset}/"
    let path = route.pattern
    let known = path.hasPrefix(ofOneHandset) ? "/v1/" + path.dropFirst(ofOneHandset.count) : path
    return offered.contains("\(route.method) \(known)")
  }

  // MARK: Signing in and out

  private var sessionRoutes: [Route] {
    [
      Route("GET", PanelRoutes.sessionPath, bodyLimit: 0) { request in
        try .json(["isSignedIn": isSignedIn(request), "hasPassword": hasPassword()])
      },
      Route("POST", PanelRoutes.sessionPath, bodyLimit: PanelLimits.signInBytes, handler: signIn),
      Route("DELETE", PanelRoutes.sessionPath, bodyLimit: 0) { request in
        if let session = session(request), sessions.end(session) { await keep() }
        var answer = HTTPResponse.noContent
        answer.headers["Set-Cookie"] = cookie("", request, seconds: 0)
        return answer
      },
    ]
  }

  private func signIn(_ request: HTTPRequest) async throws -> HTTPResponse {
    let credential: SignIn = try request.json()
    let generation = sessions.generation
    switch (credential.token, credential.password) {
    case (let token?, nil):
      // 256 bits cannot be guessed, so a good token is accepted whatever else its network has tried.
      guard sessions.redeem(token) else {
        try pace.admit(request, or: "too many attempts to sign in")
        throw HTTPError(
          401, "this address has been used, or is too old",
          hint: "it works once, for five minutes: 'deskbell panel' prints another")
      }
    case (nil, let text?):
      try pace.admit(request, or: "too many attempts to sign in")
      guard let isRight = await isRight(text, request.peer) else {
        throw HTTPError(503, "too many passwords are being checked", hint: "try again in a moment")
      }
      guard isRight else {
        throw HTTPError(
          401, "the password is wrong",
          hint: hasPassword()
            ? "'deskbell panel password' sets another" : "none is set: 'deskbell panel password' sets one")
      }
    default: throw HTTPError(400, "sign in with a token or a password")
    }
    pace.succeeded(from: request.peer)
    guard let session = sessions.open(in: generation) else {
      throw HTTPError(401, "the password was changed meanwhile", hint: "sign in again")
    }
    await keep()
    let seconds = PanelLimits.sessionLifetime.components.seconds
    var answer = try HTTPResponse.json(SessionKey(key: session.key, seconds: seconds))
    answer.headers["Set-Cookie"] = cookie(session.cookie, request, seconds: seconds)
    return answer
  }

  private func cookie(_ value: String, _ request: HTTPRequest, seconds: Int64) -> String {
    "\(cookieName(request))=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict"
      + (isSecure ? "; Secure" : "")
  }

  /// Returns the cookie's name. Two panels of one machine have different ports, which cookies do not distinguish.
  private func cookieName(_ request: HTTPRequest) -> String {
    let port = request.headers["Host"].flatMap { $0.split(separator: ":").last }.flatMap { UInt16($0) }
    return (isSecure ? "__Host-deskbell" : "deskbell") + (port.map { "-\($0)" } ?? "")
  }

  private func isSignedIn(_ request: HTTPRequest) -> Bool {
    session(request).map(sessions.isOpen) ?? false
  }

  private func session(_ request: HTTPRequest) -> PanelSessions.Session? {
    guard let key = request.headers[PanelGuard.keyField], !key.isEmpty else { return nil }
    let name = cookieName(request) + "="
    for field in request.headers.values(of: "Cookie") {
      for pair in field.split(separator: ";") {
        let pair = pair.drop { $0 == " " }
        if pair.hasPrefix(name) { return .init(cookie: String(pair.dropFirst(name.count)), key: key) }
      }
    }
    return nil
  }

  /// Returns the route with a stream that ends with the session.
  private func whileSignedIn(_ route: Route) -> Route {
    Route(route.method, route.pattern, bodyLimit: min(route.bodyLimit, HTTPLimits.defaultBodyBytes)) { request in
      var answer = try await route.handler(request)
      guard case .stream(let produce) = answer.body, let session = session(request) else { return answer }
      answer.body = .stream { write in
        try await produce { chunk in
          guard sessions.isOpen(session) else { throw CancellationError() }
          try await write(chunk)
        }
      }
      return answer
    }
  }
}

extension GuessPace {
  /// - Throws: `HTTPError` 429 with `refusal` if the client has to wait.
  func admit(_ request: HTTPRequest, or refusal: String) throws(HTTPError) {
    guard let pause = begin(from: request.peer) else { return }
    let seconds = pause.components.seconds + 1
    throw HTTPError(429, refusal, hint: "wait \(seconds) s", headers: ["Retry-After": "\(seconds)"])
  }
}

private struct SignIn: Decodable {
  var token: String?
  var password: String?
}

private struct SessionKey: Encodable {
  var key: String
  var seconds: Int64
}
