// Access to the web panel, its password, which is stored before it counts, and its sessions, which are stored when one
// begins or ends.

import ControlAPI
import HandsetStore
import Logging

/// The web panel, as the control API sees it.
struct PanelControl: PanelBackend {
  let access: PanelAccess
  let host: Host
  let metrics: MetricsControl

  func panel() async throws(ControlError) -> PanelReport { try await access.report() }

  func panelToken() async throws(ControlError) -> PanelTokenReport { try await access.token() }

  func setPanelPassword(_ password: String?) async throws(ControlError) {
    try await access.setPassword(password) { hash async throws(ControlError) in
      try await host.change { store in
        // A power cut in between costs the sessions, and never leaves one that an earlier password opened.
        try store.setMeta(.panelSessions, nil)
        try store.setMeta(.panelPassword, hash)
      }
    }
    // Where a browser signed in meanwhile, it was signed out again.
    await keepSessions()
  }

  func setPanelNetwork(_ isOn: Bool) async throws(ControlError) -> PanelReport {
    try await access.setNetwork(isOn) { value async throws(ControlError) in
      try await host.change { store in try store.setMeta(.panelNetwork, value) }
    }
  }

  /// Stores the sessions as they are on the host's turn, so that of two changes the later one is stored last.
  func keepSessions(logger: Logger? = nil) async {
    do {
      try await host.change { [sessions = access.sessions] store in try store.setMeta(.panelSessions, sessions.stored) }
    } catch {
      logger?.error("web panel: a restart will sign browsers out, or in again: \(error)")
    }
  }
}
