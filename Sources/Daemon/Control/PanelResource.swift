// Access to the web panel is granted at the control socket, never at the panel itself.

import HTTPRoutes
import HandsetStore
import Logging

/// The answer to `GET /v1/panel`.
public struct PanelReport: Codable, Sendable, Equatable {
  /// The address at which it listens: `127.0.0.1:2198`.
  public var address: String
  /// The URL to open on this machine.
  public var url: String
  /// True if other machines can reach it.
  public var isOnNetwork: Bool
  public var hasPassword: Bool
}

/// The answer to `POST /v1/panel/tokens`.
public struct PanelTokenReport: Codable, Sendable, Equatable {
  /// The URL to open on this machine. The token is behind `#`, so browsers do not send it to the server.
  public var url: String
  /// The seconds for which it is valid, once.
  public var validSeconds: Int64
}

struct PanelPasswordRequest: RequestBody, Sendable {
  var password: String

  enum CodingKeys: CodingKey, CaseIterable { case password }
}

struct PanelNetworkRequest: RequestBody, Sendable {
  var isOn: Bool

  enum CodingKeys: CodingKey, CaseIterable { case isOn }
}

/// The web panel. Its password is stored before it takes effect; its sessions are stored when one begins or ends.
struct PanelResource: Sendable {
  let access: PanelAccess
  let host: Host
  let metrics: MetricsResource

  var routes: [Route] {
    [
      .control("GET", "/v1/panel") { _ in try .json(await access.report()) },
      .control("POST", "/v1/panel/tokens") { _ in try .json(await access.token()) },
      .control("PUT", "/v1/panel/password") { request in
        try await setPassword(request.body(PanelPasswordRequest.self).password)
        return .noContent
      },
      .control("DELETE", "/v1/panel/password") { _ in
        try await setPassword(nil)
        return .noContent
      },
      .control("PUT", "/v1/panel/network") { request in
        let isOn = try request.body(PanelNetworkRequest.self).isOn
        return try .json(
          await access.setNetwork(isOn) { value async throws(ControlError) in
            try await host.change { store in try store.setMeta(.panelNetwork, value) }
          })
      },
    ]
  }

  /// Sets the panel's password, or removes it with nil; every browser has to sign in again.
  /// - Throws: `ControlError` 400 if it is too short, 409 if the network can reach the panel, which then needs one.
  private func setPassword(_ password: String?) async throws(ControlError) {
    try await access.setPassword(password) { hash async throws(ControlError) in
      try await host.change { store in
        // A power cut between the two ends the sessions, and never keeps one that an earlier password opened.
        try store.setMeta(.panelSessions, nil)
        try store.setMeta(.panelPassword, hash)
      }
    }
    // A browser that signed in meanwhile was signed out again.
    await keepSessions()
  }

  /// Stores the current sessions on the host's turn, so that of two changes the later one is stored last.
  func keepSessions(logger: Logger? = nil) async {
    do {
      try await host.change { [sessions = access.sessions] store in try store.setMeta(.panelSessions, sessions.stored) }
    } catch {
      logger?.error("web panel: a restart will sign browsers out, or in again: \(error)")
    }
  }
}

extension ControlClient {
  public func panel() async throws -> PanelReport { try await get("/v1/panel") }

  /// Returns an address that signs one browser in.
  public func panelToken() async throws -> PanelTokenReport { try await send("POST", "/v1/panel/tokens") }

  /// - Parameter password: nil removes the existing one.
  public func setPanelPassword(_ password: String?) async throws {
    guard let password else {
      try await send("DELETE", "/v1/panel/password")
      return
    }
    try await http.send("PUT", "/v1/panel/password", json: PanelPasswordRequest(password: password)).requireSuccess()
  }

  /// Makes the panel listen on the network, or for this machine only.
  public func setPanelNetwork(_ isOn: Bool) async throws -> PanelReport {
    try await send("PUT", "/v1/panel/network", PanelNetworkRequest(isOn: isOn))
  }
}
