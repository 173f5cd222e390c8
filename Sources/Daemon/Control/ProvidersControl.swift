// The stored providers, and the daemon's own, which exists only in memory: its key ends with the process.

import ControlAPI
import HandsetCore
import HandsetStore
import Host
import PushPort
import ServerIdentity
import Synchronization
import SystemThreads

/// The providers in the control API.
final class ProvidersControl: ProvidersBackend {
  enum Limits {
    static let providers = 1_000
  }

  private let host: Host
  private let directory: ProviderDirectory
  let testProvider: TestProvider
  private let listeners = Mutex<[Signal<Void>.Sender]>([])
  /// The rights of the daemon's own provider. Changed on the host's thread only, together with the directory.
  private let granted = Mutex(TestProvider.Grants())

  init(host: Host, directory: ProviderDirectory, testProvider: TestProvider) {
    self.host = host
    self.directory = directory
    self.testProvider = testProvider
  }

  /// Returns a stream with an element for each change of the providers; unread elements are merged into one.
  func changes() -> AsyncStream<Void> {
    let signal = Signal<Void>()
    listeners.withLock { $0.append(signal.sender) }
    return signal.values
  }

  func providers() async throws(ControlError) -> [ProviderReport] {
    try await stored().map(ProviderReport.init)
  }

  func setProvider(_ name: String, _ request: ProviderRequest) async throws(ControlError) -> ProviderReport {
    let provider = try Provider(name, request)
    try await set(name) { _ in provider }
    return ProviderReport(provider)
  }

  /// - Parameter make: receives the provider that has the name already.
  /// - Throws: errors of `make`; then nothing changes.
  @discardableResult
  func set(
    _ name: String, _ make: @escaping @Sendable (Provider?) throws -> Provider
  ) async throws(ControlError) -> Provider {
    try await host.change { [self] store in
      var providers = try store.providers(Provider.self).providers
      let provider: Provider
      do {
        provider = try make(providers.first { $0.name == name })
      } catch let error as ProviderError {
        throw ControlError(400, error.description)
      }
      providers.removeAll { $0.name == name }
      guard providers.count < Limits.providers else {
        throw ControlError(409, "there are \(Limits.providers) providers, which is the most there can be")
      }
      providers.append(provider)
      do {
        // Refuses two providers with the same key before anything is stored.
        _ = try ProviderDirectory(providers)
        try store.setProvider(provider, named: name)
        try replace(stored: providers)
      } catch let error as ProviderError {
        throw ControlError(400, error.description)
      }
      return provider
    }
  }

  func stored() async throws(ControlError) -> [Provider] {
    try await host.change { store in try store.providers(Provider.self).providers }
  }

  func removeProvider(_ name: String) async throws(ControlError) {
    try await host.change { [self] store in
      guard try store.removeProvider(named: name) else {
        throw ControlError(404, "there is no provider '\(name)'", hint: "deskbell provider list shows them")
      }
      try replace(stored: store.providers(Provider.self).providers)
    }
  }

  /// Lets the daemon's own provider send to the app with provider tokens. The port's directory is updated on return.
  func allowTestPushes(to app: AppID) async throws(ControlError) {
    try await grant { grants, _ in grants.byToken.insert(app) }
  }

  /// Does the same with the password of the 2008 service.
  /// - Throws: `ControlError` 409 if another provider has the app's password.
  func allowTestPublishing(to app: AppID) async throws(ControlError) {
    try await grant { [testProvider] grants, stored in
      if let other = stored.first(where: { $0.hasPassword && $0.topics.contains(app) }) {
        throw ControlError(
          409, "provider '\(other.name)' has the 2008 service's password for \(app)", hint: "give that password")
      }
      if grants.passwordHash == nil { grants.passwordHash = try PasswordHash(password: testProvider.password) }
      grants.byPassword.insert(app)
    }
  }

  private func grant(
    _ change: @escaping @Sendable (inout TestProvider.Grants, _ stored: [Provider]) throws -> Void
  ) async throws(ControlError) {
    try await host.change { [self] store in
      let stored = try store.providers(Provider.self).providers
      let before = granted.withLock(\.self)
      var after = before
      try change(&after, stored)
      guard after != before else { return }
      granted.withLock { [after] in $0 = after }
      try replace(stored: stored)
    }
  }

  /// Gives a user's provider the app's password, which the daemon's own provider loses.
  private func replace(stored: [Provider]) throws {
    let taken = Set(stored.filter(\.hasPassword).flatMap(\.topics))
    let own = try granted.withLock { grants in
      grants.byPassword.subtract(taken)
      return try testProvider.providers(grants)
    }
    try directory.replace(with: stored + own)
    for listener in listeners.withLock(\.self) { listener.send() }
  }
}

extension Provider {
  fileprivate var hasPassword: Bool { if case .password = credential { true } else { false } }
}
