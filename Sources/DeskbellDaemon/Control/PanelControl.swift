// Access to the web panel, and its password, which is stored before it counts.

import ControlAPI
import HandsetStore

/// The web panel, as the control API sees it.
struct PanelControl: PanelBackend {
  let access: PanelAccess
  let host: Host

  func panel() async throws(ControlError) -> PanelReport { try access.report() }

  func panelToken() async throws(ControlError) -> PanelTokenReport { try access.token() }

  func setPanelPassword(_ password: String?) async throws(ControlError) {
    try await access.setPassword(password) { hash async throws(ControlError) in
      try await host.change { store in try store.setMeta(.panelPassword, hash) }
    }
  }
}
