// Access to the web panel: its password, which is stored before it takes effect, and its sessions, which are stored
// when one begins or ends.

import ControlAPI
import HandsetStore
import Host
import Logging

/// The web panel in the control API.
struct PanelControl: PanelBackend {
  let access: PanelAccess
  let host: Host
  let metrics: MetricsControl

  func panel() async throws(ControlError) -> PanelReport { try await access.report() }

  func panelToken() async throws(ControlError) -> PanelTokenReport { try await access.token() }

  func setPanelPassword(_ password: String?) async throws(ControlError) {
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

  func setPanelNetwork(_ isOn: Bool) async throws(ControlError) -> PanelReport {
    try await access.setNetwork(isOn) { value async throws(ControlError) in
      try await host.change { store in try store.setMeta(.panelNetwork, value) }
    }
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
