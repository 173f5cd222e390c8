// Who may use the web panel is decided at the control socket, never at the panel itself.

import HTTPRoutes

extension ControlRoutes {
  @Sendable func panel(_ request: HTTPRequest) async throws -> HTTPResponse {
    try .json(await backend.panel())
  }

  @Sendable func panelToken(_ request: HTTPRequest) async throws -> HTTPResponse {
    try .json(await backend.panelToken())
  }

  @Sendable func setPanelPassword(_ request: HTTPRequest) async throws -> HTTPResponse {
    try await backend.setPanelPassword(request.json(PanelPasswordRequest.self).password)
    return .noContent
  }

  @Sendable func removePanelPassword(_ request: HTTPRequest) async throws -> HTTPResponse {
    try await backend.setPanelPassword(nil)
    return .noContent
  }
}
