// Access to the panel: sign-in tokens for users of the control socket, and a password for the network.

import ControlAPI
import HandsetStore
import ServerIdentity
import Synchronization
import WebPanel

/// The panel's sessions and its password.
final class PanelAccess: Sendable {
  enum Limits {
    /// Passwords that are being checked or wait for it; and those of one address.
    static let checks = 4
    static let checksPerAddress = 2
  }

  let sessions: PanelSessions

  private struct State {
    var listening: (address: Configuration.Address, scheme: String, isOnNetwork: Bool, certifiedHost: String?)?
    var hash: PasswordHash?
  }

  private let state: Mutex<State>
  private let machine: MachineAddress?
  private let checker = PasswordChecker(waiting: Limits.checks, perAddress: Limits.checksPerAddress)

  /// - Parameters:
  ///   - storedPassword: what `PasswordHash.stored` wrote; nil where none was set.
  ///   - storedSessions: what `PanelSessions.stored` was.
  ///   - machine: nil if no other machine is told an address.
  ///   - now: a clock that nobody can set.
  init(
    storedPassword: String?, storedSessions: String? = nil, machine: MachineAddress? = nil,
    now: @escaping @Sendable () -> Duration
  ) {
    self.machine = machine
    sessions = PanelSessions(stored: storedSessions, now: now)
    state = Mutex(State(hash: storedPassword.flatMap(PasswordHash.init(stored:))))
  }

  var hasPassword: Bool { state.withLock { $0.hash != nil } }

  /// The panel's port is open.
  /// - Parameter certifiedHost: under which the person's own certificate is good; nil with the daemon's own, which covers
  ///   every name of this machine.
  func started(
    at address: Configuration.Address, scheme: String, isOnNetwork: Bool, certifiedHost: String? = nil
  ) {
    state.withLock { $0.listening = (address, scheme, isOnNetwork, certifiedHost) }
  }

  /// Nil where too many are being checked. Without a password there is none that is right.
  func isRight(_ password: String, from peer: String?) async -> Bool? {
    guard let hash = state.withLock(\.hash) else { return false }
    return await checker.check(Array(password.utf8), against: hash, from: peer ?? "")
  }

  /// - Throws: `ControlError` 409 where there is no panel.
  func report() async throws(ControlError) -> PanelReport {
    let (listening, hasPassword) = state.withLock { ($0.listening, $0.hash != nil) }
    guard let (address, scheme, isOnNetwork, certifiedHost) = listening else {
      throw ControlError(
        409, "the web panel is off, or could not be started",
        hint: "deskbell state says why; deskbell serve --panel \(Configuration.loopbackPanel) turns it on")
    }
    var local = address
    if isOnNetwork, let certifiedHost {
      local.host = certifiedHost
    } else if address.isEverywhere {
      local.host = await machine?.reachable() ?? "localhost"
    }
    return PanelReport(
      address: address.description, url: "\(scheme)://\(local)/", isOnNetwork: isOnNetwork, hasPassword: hasPassword)
  }

  /// - Throws: `ControlError` 409 where there is no panel.
  func token() async throws(ControlError) -> PanelTokenReport {
    PanelTokenReport(
      url: "\(try await report().url)#token=\(sessions.makeToken())",
      validSeconds: PanelLimits.tokenLifetime.components.seconds)
  }

  /// - Parameters:
  ///   - store: keeps the hash before it counts.
  /// - Throws: `ControlError` 400, 409.
  func setPassword(
    _ password: String?, store: (_ hash: String?) async throws(ControlError) -> Void
  ) async throws(ControlError) {
    var hash: PasswordHash?
    if let password {
      do {
        hash = try PasswordHash(password: password)
      } catch {
        throw ControlError(400, "\(error)")
      }
    } else if state.withLock({ $0.listening?.isOnNetwork == true }) {
      throw ControlError(
        409, "the network can reach the panel, so it needs a password",
        hint: "set another, or start the daemon with --panel \(Configuration.loopbackPanel)")
    }
    try await store(hash?.stored)
    state.withLock { $0.hash = hash }
    sessions.endAll()
  }
}
