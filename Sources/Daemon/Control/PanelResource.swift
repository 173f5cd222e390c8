// Access to the web panel is granted at the control socket, never at the panel itself.

import HTTP
import HandsetStore
import Host
import Logging

public struct PanelReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "The web panel."

  public var address: String
  public var url: String
  public var isOnNetwork: Bool
  public var hasPassword: Bool

  static let meanings: [String: Meaning] = [
    "address": "The address at which it listens: `127.0.0.1:2198`.",
    "url": "The URL to open on this machine.",
    "isOnNetwork": "True if other machines can reach it.",
    "hasPassword": "True if a password opens it.",
  ]
}

public struct PanelTokenReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "An address that signs one browser in."

  public var url: String
  public var validSeconds: Int64

  static let meanings: [String: Meaning] = [
    "url": "The URL to open on this machine. The token is behind #, so browsers do not send it to the server.",
    "validSeconds": "The seconds for which it is valid, once.",
  ]
}

struct PanelPasswordRequest: RequestBody, Sendable {
  static let meaning = "The panel's new password."

  var password: String

  static let meanings: [String: Meaning] = [
    "password": "8 to 256 bytes without control characters; only a hash is stored."
  ]
}

struct PanelNetworkRequest: RequestBody, Sendable {
  static let meaning = "The place at which the panel listens."

  var isOn: Bool

  static let meanings: [String: Meaning] = [
    "isOn": "True for the network, with TLS and the password; otherwise the address in the settings."
  ]
}

enum PanelResource {
  static let routes: [DaemonRoute] = [
    DaemonRoute(
      "GET", "/v1/panel", "panel", in: .daemon, "The web panel's address",
      answer: "It is on.", refusals: [409: "The panel is off, or could not be started."]
    ) { daemon, _ in try await daemon.panel.report() },
    DaemonRoute(
      "POST", "/v1/panel/tokens", "panelToken", in: .daemon, "Create an address that signs in one browser",
      answer: "An address to open, once.", refusals: [409: "The panel is off, or could not be started."]
    ) { daemon, _ in try await daemon.panel.token() },
    DaemonRoute(
      "PUT", "/v1/panel/password", "setPanelPassword", in: .daemon, "Set the panel's password",
      body: PanelPasswordRequest(password: "correct horse battery staple"),
      done: "Done; every browser has to sign in again."
    ) { daemon, request in try await daemon.setPanelPassword(request.body(PanelPasswordRequest.self).password) },
    DaemonRoute(
      "DELETE", "/v1/panel/password", "removePanelPassword", in: .daemon, "Remove the panel's password",
      done: "Done; every browser has to sign in again.",
      refusals: [409: "The network can reach the panel, so it needs one."]
    ) { daemon, _ in try await daemon.setPanelPassword(nil) },
    DaemonRoute(
      "PUT", "/v1/panel/network", "setPanelNetwork", in: .daemon,
      "Make the panel listen on the network, or for this machine only", body: PanelNetworkRequest(isOn: true),
      answer: "It listens there now, and after every restart.",
      refusals: [409: "The panel is off, has no password, or is placed by the settings."]
    ) { daemon, request -> PanelReport in
      let isOn = try request.body(PanelNetworkRequest.self).isOn
      return try await daemon.panel.setNetwork(isOn) { value async throws(ControlError) in
        try await daemon.host.change { store in try store.setMeta(.panelNetwork, value) }
      }
    },
  ]
}

extension ControlParts {
  /// Stores the panel's password and then sets it, or removes it with nil; every browser has to sign in again.
  /// - Throws: `ControlError` 400 if it is too short, 409 if the network can reach the panel, which then needs one.
  fileprivate func setPanelPassword(_ password: String?) async throws(ControlError) {
    try await panel.setPassword(password) { hash async throws(ControlError) in
      try await host.change { store in
        // A power cut between the two ends the sessions, and never keeps one that an earlier password opened.
        try store.setMeta(.panelSessions, nil)
        try store.setMeta(.panelPassword, hash)
      }
    }
    // A browser that signed in meanwhile was signed out again.
    await panel.keepSessions(by: host)
  }
}

extension PanelAccess {
  /// Stores the current sessions on the host's turn, so that of two changes the later one is stored last.
  func keepSessions(by host: Host, logger: Logger? = nil) async {
    do {
      try await host.change { [sessions] store in try store.setMeta(.panelSessions, sessions.stored) }
    } catch {
      logger?.error("web panel: a restart will sign browsers out, or in again: \(error)")
    }
  }
}

extension ControlClient {
  public func panel() async throws -> PanelReport { try await get("/v1/panel") }

  public func panelToken() async throws -> PanelTokenReport { try await send("POST", "/v1/panel/tokens") }

  /// - Parameter password: nil removes the existing one.
  public func setPanelPassword(_ password: String?) async throws {
    guard let password else {
      try await send("DELETE", "/v1/panel/password")
      return
    }
    try await http.send("PUT", "/v1/panel/password", json: PanelPasswordRequest(password: password)).requireSuccess()
  }

  public func setPanelNetwork(_ isOn: Bool) async throws -> PanelReport {
    try await send("PUT", "/v1/panel/network", PanelNetworkRequest(isOn: isOn))
  }
}
