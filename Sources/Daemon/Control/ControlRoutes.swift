// The control API as a table. Each resource has a file: its bodies and answers, its routes with their code, and its
// part of the client.

import HTTPRoutes

/// The routes of the control API over a daemon. `docs/openapi.json` describes them.
struct ControlRoutes: Sendable {
  /// The base path of the resources of the handset on the board.
  static let base = "/v1"
  /// The base path of the resources of any handset.
  static let handsetBase = "/v1/handsets/{handset}"

  let routes: [Route]

  init(
    handsets: HandsetDirectory, providers: ProvidersResource, keys: AccessKeysResource,
    certificates: CertificatesResource, clock: ClockController, panel: PanelResource, metrics: MetricsResource
  ) {
    let ofOneHandset =
      StateResource.routes + AppsResource.routes + LocalNotificationsResource.routes + SettingsResource.routes
      + CenterResource.routes + SnoozesResource.routes + SoundsResource.routes + EventsResource.routes
      + PushesResource.routes
    routes =
      ofOneHandset.flatMap { $0.routes(handsets) } + HandsetsResource.routes(handsets)
      + providers.routes + keys.routes + certificates.routes + ClockResource.routes(clock) + panel.routes
      + metrics.routes
  }

  /// - Throws: `RouteTableError` if two routes collide, which a test excludes.
  func table() throws -> RouteTable { try RouteTable(routes) }
}

/// A route of one handset's resources: below `/v1` for the one on the board, below `/v1/handsets/{handset}` for any.
struct HandsetRoute: Sendable {
  /// Both routes.
  let routes: @Sendable (HandsetDirectory) -> [Route]

  /// - Parameters:
  ///   - path: the path below the base.
  ///   - query: the names of the query parameters that it reads.
  init(
    _ method: String, _ path: String, query: [String] = [], bodyLimit: Int = HTTPLimits.defaultBodyBytes,
    _ handler: @escaping @Sendable (HandsetResources, HTTPRequest) async throws -> HTTPResponse
  ) {
    routes = { handsets in
      [
        .control(method, ControlRoutes.base + path, query: query, bodyLimit: bodyLimit) { request in
          try await handler(handsets.named(nil), request)
        },
        .control(method, ControlRoutes.handsetBase + path, query: query, bodyLimit: bodyLimit) { request in
          try await handler(handsets.named(request.parameter("handset")), request)
        },
      ]
    }
  }
}

extension Route {
  /// Makes a route that refuses query parameters it does not read.
  static func control(
    _ method: String, _ pattern: String, query: [String] = [], bodyLimit: Int = HTTPLimits.defaultBodyBytes,
    _ handler: @escaping Route.Handler
  ) -> Route {
    Route(method, pattern, bodyLimit: bodyLimit) { request in
      for item in request.target.query where !query.contains(item.name) {
        throw ControlError(
          400, "\(request.target.path) has no query parameter '\(shown(item.name))'",
          hint: query.isEmpty ? nil : hint(for: item.name, among: query))
      }
      return try await handler(request)
    }
  }
}
