import HandsetStore
import ServerIdentity
import Synchronization
import WebPanel

/// Access to the panel: sign-in tokens for users of the control socket, and a password for the network.
final class PanelAccess: Sendable {
  enum Limits {
    /// The passwords that may be checked or wait for it; and those from one address.
    static let checks = 4
    static let checksPerAddress = 2
  }

  /// A request to the panel's port to listen on the network, or at the address in the settings. `done` is called with
  /// nil when it listens there; otherwise with the error.
  typealias Move = (toNetwork: Bool, done: @Sendable (String?) -> Void)

  let sessions: PanelSessions
  let moves: AsyncStream<Move>

  private struct State {
    var listening: (address: Configuration.Address, scheme: String, isOnNetwork: Bool, certifiedHost: String?)?
    var hash: PasswordHash?
    var isNetworkWanted: Bool
  }

  private let moving: AsyncStream<Move>.Continuation

  private let state: Mutex<State>
  private let machine: MachineAddress?
  private let checker = PasswordChecker(waiting: Limits.checks, perAddress: Limits.checksPerAddress)

  /// - Parameters:
  ///   - storedPassword: the output of `PasswordHash.stored`; nil if none was set.
  ///   - storedSessions: the earlier `PanelSessions.stored`.
  ///   - storedNetwork: the value that `setNetwork` stored.
  ///   - machine: nil if addresses are for this machine only.
  ///   - now: a clock that cannot be set.
  init(
    storedPassword: String?, storedSessions: String? = nil, storedNetwork: String? = nil,
    machine: MachineAddress? = nil, now: @escaping @Sendable () -> Duration
  ) {
    self.machine = machine
    sessions = PanelSessions(stored: storedSessions, now: now)
    (moves, moving) = AsyncStream.makeStream()
    state = Mutex(
      State(hash: storedPassword.flatMap(PasswordHash.init(stored:)), isNetworkWanted: storedNetwork != nil))
  }

  var hasPassword: Bool { state.withLock { $0.hash != nil } }

  /// True if the user made it listen on the network, where it then asks for the password.
  var isNetworkWanted: Bool { state.withLock { $0.isNetworkWanted && $0.hash != nil } }

  /// - Parameter certifiedHost: a name that the user's own certificate covers; nil with the daemon's own, which covers
  ///   every name of this machine.
  func started(
    at address: Configuration.Address, scheme: String, isOnNetwork: Bool, certifiedHost: String? = nil
  ) {
    state.withLock { $0.listening = (address, scheme, isOnNetwork, certifiedHost) }
  }

  func ended() {
    moving.finish()
  }

  /// Checks a password; nil if too many are being checked. Without a stored password none is right.
  func isRight(_ password: String, from peer: String?) async -> Bool? {
    guard let hash = state.withLock(\.hash) else { return false }
    return await checker.check(Array(password.utf8), against: hash, from: peer ?? "")
  }

  /// - Throws: `ControlError` 409 if there is no panel.
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

  /// - Throws: `ControlError` 409 if there is no panel.
  func token() async throws(ControlError) -> PanelTokenReport {
    PanelTokenReport(
      url: "\(try await report().url)#token=\(sessions.makeToken())",
      validSeconds: PanelLimits.tokenLifetime.components.seconds)
  }

  /// - Parameter store: stores the hash before it takes effect.
  /// - Throws: `ControlError` 400, 409.
  func setPassword(
    _ password: String?, store: (_ hash: String?) async throws(ControlError) -> Void
  ) async throws(ControlError) {
    var hash: PasswordHash?
    if let password {
      hash = try refusing(400) { try PasswordHash(password: password) }
    } else if state.withLock({ $0.listening?.isOnNetwork == true }) {
      throw ControlError(
        409, "the network can reach the panel, so it needs a password",
        hint: "set another, or first run: deskbell panel disable")
    }
    try await store(hash?.stored)
    state.withLock { $0.hash = hash }
    sessions.endAll()
  }

  /// Makes the port listen on the network, or at the address in the settings, now and after every restart.
  /// - Parameter store: stores the choice before it takes effect; nil for none.
  /// - Throws: `ControlError` 409.
  func setNetwork(
    _ isOn: Bool, store: (_ value: String?) async throws(ControlError) -> Void
  ) async throws(ControlError) -> PanelReport {
    let before = try await report()
    guard !isOn || before.hasPassword else {
      throw ControlError(
        409, "on the network the panel needs a password", hint: "'deskbell panel enable' asks for one")
    }
    let wasWanted = state.withLock(\.isNetworkWanted)
    guard isOn || wasWanted || !before.isOnNetwork else {
      throw ControlError(
        409, "the settings place the panel at \(before.address)",
        hint: "remove panel: from the settings file, or --panel, and start the daemon again")
    }
    guard isOn != before.isOnNetwork || isOn != wasWanted else { return before }
    try await store(isOn ? "on" : nil)
    state.withLock { $0.isNetworkWanted = isOn }
    if isOn != before.isOnNetwork, let problem = await move(toNetwork: isOn) {
      try await store(wasWanted ? "on" : nil)
      state.withLock { $0.isNetworkWanted = wasWanted }
      throw ControlError(409, "the panel stays at \(before.address): \(problem)")
    }
    return try await report()
  }

  private func move(toNetwork: Bool) async -> String? {
    await withCheckedContinuation { continuation in
      let sent = moving.yield((toNetwork, { continuation.resume(returning: $0) }))
      if case .enqueued = sent { return }
      continuation.resume(returning: "the daemon is ending")
    }
  }
}
