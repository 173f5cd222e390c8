// Installing apps, and doing to them what a person or the app itself does.

import HTTPRoutes
import HandsetCore

extension ControlRoutes {
  @Sendable func apps(_ request: HTTPRequest) async throws -> HTTPResponse {
    try .json(await backend.apps())
  }

  @Sendable func app(_ request: HTTPRequest) async throws -> HTTPResponse {
    try .json(await report(of: appID(request)))
  }

  @Sendable func install(_ request: HTTPRequest) async throws -> HTTPResponse {
    let text = try request.parameter("id")
    guard let id = AppID(text) else {
      throw ControlError(
        400, "'\(shown(text))' is no bundle identifier",
        hint: "expected letters, digits, dots and dashes, as in com.example.mail")
    }
    let bundle: BundleUpload = try request.json()
    // A manifest that cannot be read names none; whoever installs it says what is wrong with it.
    if let declared = bundle.declaredApp, declared != id {
      throw ControlError(400, "the bundle is of '\(declared)', not of '\(id)'", hint: "PUT it to /v1/apps/\(declared)")
    }
    return try .json(await backend.install(bundle))
  }

  @Sendable func uninstall(_ request: HTTPRequest) async throws -> HTTPResponse {
    try await submit(.uninstall(appID(request)))
    return .noContent
  }

  @Sendable func register(_ request: HTTPRequest) async throws -> HTTPResponse {
    let id = try await appID(request)
    let kinds = try kinds(request.json(RegistrationRequest.self).kinds)
    try await submit(.register(id, kinds, token: backend.freshToken()))
    return try .json(await report(of: id))
  }

  @Sendable func unregister(_ request: HTTPRequest) async throws -> HTTPResponse {
    let id = try await appID(request)
    try await submit(.unregister(id))
    return try .json(await report(of: id))
  }

  @Sendable func lifecycle(_ request: HTTPRequest) async throws -> HTTPResponse {
    let id = try await appID(request)
    let word = try request.json(LifecycleRequest.self).command
    guard let command = LifecycleCommand(rawValue: word) else {
      throw ControlError(
        400, "an app cannot be told to '\(shown(word))'",
        hint: hint(for: word, among: LifecycleCommand.allCases.map(\.rawValue)))
    }
    try await submit(.lifecycle(id, command))
    return try .json(await report(of: id))
  }

  @Sendable func badge(_ request: HTTPRequest) async throws -> HTTPResponse {
    let id = try await appID(request)
    try await submit(.setBadge(id, request.json(BadgeRequestBody.self).number))
    return try .json(await report(of: id))
  }

  /// Rule N2: as the app's own code asks for it.
  @Sendable func foreground(_ request: HTTPRequest) async throws -> HTTPResponse {
    let id = try await appID(request)
    try await submit(.setForegroundPresentation(id, kinds(request.json(ForegroundRequest.self).kinds)))
    return try .json(await report(of: id))
  }

  private func kinds(_ names: [String]) throws(ControlError) -> NotificationKinds {
    for name in names where NotificationKinds(names: [name]) == nil {
      throw ControlError(
        400, "there is no kind of notification '\(shown(name))'",
        hint: hint(for: name, among: NotificationKinds.all.names))
    }
    return NotificationKinds(names: names) ?? []
  }
}
