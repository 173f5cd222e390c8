import HandsetCore
import ServerIdentity
import Synchronization

/// The current providers. The list is replaced as a whole, so that a request sees it before or after a change, never in
/// between.
public final class ProviderDirectory: Sendable {
  /// The name of a signing key, as a token has it.
  struct KeyName: Hashable, Sendable {
    var teamID: String
    var keyID: String
  }

  private struct State {
    /// The providers by key; more than one only if several desks have keys of that name.
    var byKey: [KeyName: [Provider]] = [:]
    var byCertificate: [CertificateFingerprint: Provider] = [:]
    /// The apps of providers with a password: an app's bundle identifier is the user name [2008].
    var users: [AppID: (provider: Provider, hash: PasswordHash)] = [:]
    var byAccessKey: [AccessKey: KeyedProvider] = [:]
  }

  private let state = Mutex(State())
  /// The functions that receive the access keys that have ended.
  private let keyWatchers = Mutex<[@Sendable (Set<AccessKey>) -> Void]>([])
  /// The count of replacements, by which a connection checks without the lock that its remembered provider is current.
  private let currentGeneration = Atomic<UInt64>(0)

  /// - Throws: the errors of `replace(with:)`.
  public init(_ providers: [Provider] = []) throws {
    try replace(with: providers)
  }

  /// Replaces all providers by `providers`. Requests that arrive from now on are checked against them, also on open
  /// connections.
  ///
  /// - Parameter ofSeveralDesks: true if several may have the same team and key id, each with a key of its own: a
  ///   token's signature decides between them.
  /// - Throws: `ProviderError.sameKey`, `.sameUser` or `.sameCertificate` if two have the same team and key id,
  ///   passwords for the same app, or the same certificate; then nothing changes.
  public func replace(with providers: [Provider], ofSeveralDesks: Bool = false) throws {
    var new = State()
    for provider in providers {
      switch provider.credential {
      case .token(let teamID, let keyID, _, _):
        let name = KeyName(teamID: teamID, keyID: keyID)
        if !ofSeveralDesks, let other = new.byKey[name]?.first {
          throw ProviderError.sameKey(first: other.name, second: provider.name, teamID: teamID, keyID: keyID)
        }
        new.byKey[name, default: []].append(provider)
      case .password(let hash):
        for app in provider.topics {
          if let other = new.users.updateValue((provider, hash), forKey: app) {
            throw ProviderError.sameUser(first: other.provider.name, second: provider.name, app)
          }
        }
      case .topic(let keyed): new.byAccessKey[keyed.key] = KeyedProvider(provider, keyed)
      case .hook(let keyed, let template):
        new.byAccessKey[keyed.key] = KeyedProvider(provider, keyed, template: template)
      case .certificate(let certificate):
        if let other = new.byCertificate.updateValue(provider, forKey: certificate.fingerprint) {
          throw ProviderError.sameCertificate(first: other.name, second: provider.name)
        }
      }
    }
    let ended = state.withLock { [new] state in
      let ended = state.byAccessKey.filter { key, known in
        guard let now = new.byAccessKey[key] else { return true }
        return now.opens != known.opens
      }
      state = new
      currentGeneration.add(1, ordering: .releasing)
      return Set(ended.keys)
    }
    emit(ended)
  }

  /// Ends an app's subscriptions: the app is uninstalled, and later messages under its name belong to another app.
  ///
  /// - Parameter names: the handset's names in keys; nil for the one on the board.
  public func endReading(of app: AppID, on names: Set<String?>) {
    emit(
      state.withLock { state in
        Set(state.byAccessKey.values.filter { $0.app == app && names.contains($0.handset) }.map(\.key))
      })
  }

  /// Registers `body`, which is called with keys that have ended: after each replacement, and by `endReading`.
  func whenKeysEnd(_ body: @escaping @Sendable (Set<AccessKey>) -> Void) {
    keyWatchers.withLock { $0.append(body) }
  }

  private func emit(_ ended: Set<AccessKey>) {
    guard !ended.isEmpty else { return }
    for watcher in keyWatchers.withLock(\.self) { watcher(ended) }
  }

  /// A number that changes whenever the list does.
  var generation: UInt64 { currentGeneration.load(ordering: .acquiring) }

  func providers(for name: KeyName) -> [Provider] {
    state.withLock { $0.byKey[name] ?? [] }
  }

  func provider(for fingerprint: CertificateFingerprint) -> Provider? {
    state.withLock { $0.byCertificate[fingerprint] }
  }

  func provider(for key: AccessKey) -> KeyedProvider? {
    state.withLock { $0.byAccessKey[key] }
  }

  func user(_ name: AppID) -> (provider: Provider, hash: PasswordHash)? {
    state.withLock { $0.users[name] }
  }
}
