// Access to the web panel is granted at the control socket, never at the panel itself.

import HTTP

/// The web panel.
public protocol PanelBackend: Sendable {
  /// - Throws: `ControlError` 409 if the web panel is off.
  func panel() async throws(ControlError) -> PanelReport
  /// Returns an address that signs one browser in.
  /// - Throws: `ControlError` 409 if the web panel is off.
  func panelToken() async throws(ControlError) -> PanelTokenReport
  /// Sets the panel's password, or removes it with nil; every browser has to sign in again.
  /// - Throws: `ControlError` 400 if it is too short, 409 if the network can reach the panel, which then needs one.
  func setPanelPassword(_ password: String?) async throws(ControlError)
  /// Makes the panel listen on the network, or for this machine only, now and after every restart.
  /// - Throws: `ControlError` 409 if the web panel is off, has no password, or has its address from the settings.
  func setPanelNetwork(_ isOn: Bool) async throws(ControlError) -> PanelReport
}

/// The answer to `GET /v1/panel`.
public struct PanelReport: Codable, Sendable, Equatable {
  /// The address at which it listens: `127.0.0.1:2198`.
  public var address: String
  /// The URL to open on this machine.
  public var url: String
  /// True if other machines can reach it.
  public var isOnNetwork: Bool
  public var hasPassword: Bool

  public init(address: String, url: String, isOnNetwork: Bool, hasPassword: Bool) {
    self.address = address
    self.url = url
    self.isOnNetwork = isOnNetwork
    self.hasPassword = hasPassword
  }
}

/// The answer to `POST /v1/panel/tokens`.
public struct PanelTokenReport: Codable, Sendable, Equatable {
  /// The URL to open on this machine. The token is behind `#`, so browsers do not send it to the server.
  public var url: String
  /// The seconds for which it is valid, once.
  public var validSeconds: Int64

  public init(url: String, validSeconds: Int64) {
    self.url = url
    self.validSeconds = validSeconds
  }
}

struct PanelPasswordRequest: RequestBody, Sendable {
  var password: String

  enum CodingKeys: CodingKey, CaseIterable { case password }
}

struct PanelNetworkRequest: RequestBody, Sendable {
  var isOn: Bool

  enum CodingKeys: CodingKey, CaseIterable { case isOn }
}

enum PanelResource {
  static func routes(_ panel: any PanelBackend) -> [Route] {
    [
      .control("GET", "/v1/panel") { _ in try .json(await panel.panel()) },
      .control("POST", "/v1/panel/tokens") { _ in try .json(await panel.panelToken()) },
      .control("PUT", "/v1/panel/password") { request in
        try await panel.setPanelPassword(request.body(PanelPasswordRequest.self).password)
        return .noContent
      },
      .control("DELETE", "/v1/panel/password") { _ in
        try await panel.setPanelPassword(nil)
        return .noContent
      },
      .control("PUT", "/v1/panel/network") { request in
        try .json(await panel.setPanelNetwork(request.body(PanelNetworkRequest.self).isOn))
      },
    ]
  }
}
