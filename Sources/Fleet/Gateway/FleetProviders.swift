// Each desk announces the providers that may push to it. A gateway accepts the credentials of all of them, and forwards
// each push only to desks that announced its provider. So announcements do not affect other desks' pushes: two desks'
// keys with one team and identifier are two providers; an access key is that of the first desk to claim it.

import FleetLink
import FoundationEssentials
import HandsetCore
import Logging
import NATSClient
import PushPort
import Synchronization

final class FleetProviders: Sendable {
  enum Limits {
    /// The providers of one desk.
    static let providers = 256
    /// The claims of access keys by one desk, including removed ones.
    static let claims = 10_000
  }

  private struct State {
    /// The announced providers by subject, with the order in which the servers stored them.
    var known: [String: (desk: String, order: UInt64, provider: Provider)] = [:]
    /// The desk that claimed each access key.
    var owners: [TokenKey: String] = [:]
    var claims: [String: Int] = [:]
    /// The desks and their apps, by a provider's name at the port. An access key opens its app by itself.
    var allowed: [String: [String: Set<AppID>]] = [:]
    /// The providers' names at the port. They remain while other desks' providers change: requests are in progress.
    var names: [Identity: String] = [:]
    var isComplete = false
    var mustBuild = false
  }

  let directory: ProviderDirectory
  private let environment: PushEnvironment
  private let logger: Logger
  private let state = Mutex(State())

  init(environment: PushEnvironment, logger: Logger) throws {
    directory = try ProviderDirectory()
    (self.environment, self.logger) = (environment, logger)
  }

  var isComplete: Bool { state.withLock(\.isComplete) }

  /// Returns true if a desk still announces the provider. Its credential may have been accepted a moment before the last
  /// desk removed it.
  /// - Parameter provider: its name at the port.
  func knows(_ provider: String?) -> Bool {
    guard let provider else { return false }
    return state.withLock { $0.allowed[provider] != nil }
  }

  /// - Parameter provider: its name at the port.
  func allows(_ provider: String?, _ app: AppID, on desk: String) -> Bool {
    guard let provider else { return false }
    return state.withLock { $0.allowed[provider]?[desk]?.contains(app) == true }
  }

  /// Reads a value of the bucket. `build` activates it.
  func take(_ message: StreamMessage) {
    let subject = message.message.subject
    let words = subject.split(separator: ".")
    guard words.count == 4, message.message.fields["Status"] == nil else { return }
    let desk = String(words[2])
    let isGone = message.message.isDeletion
    if let accessKey = FleetNames.claimedKey(in: words[3]) {
      if !isGone { take(claimOf: accessKey, by: desk) }
      return
    }
    let provider = isGone ? nil : try? JSONDecoder().decode(Provider.self, from: Data(message.message.payload))
    if provider == nil && !isGone {
      return logger.warning(
        "fleet: a provider of desk \(desk) cannot be read; is that desk newer than this gateway?")
    }
    let isTaken = state.withLock { state in
      let known = state.known[subject]
      guard known != nil || isGone || state.known.values.count(where: { $0.desk == desk }) < Limits.providers else {
        return false
      }
      // A repeated announcement keeps the order of the first one.
      state.known[subject] = provider.map { (desk, known?.order ?? message.sequence, $0) }
      state.mustBuild = true
      return true
    }
    if !isTaken { logger.warning("fleet: desk \(desk) has more than \(Limits.providers) providers") }
  }

  private func take(claimOf key: TokenKey, by desk: String) {
    let owner = state.withLock { state in
      if let owner = state.owners[key] { return owner }
      guard state.claims[desk, default: 0] < Limits.claims else { return desk }
      state.claims[desk, default: 0] += 1
      (state.owners[key], state.mustBuild) = (desk, true)
      return desk
    }
    if owner != desk { logger.warning("fleet: an access key of desk \(desk) is \(owner)'s; it is left out") }
  }

  func complete() {
    build()
    state.withLock { $0.isComplete = true }
  }

  /// Activates the values that were read.
  func build() {
    let taken = state.withLock { state in
      exchange(&state.mustBuild, with: false) ? (known: state.known, owners: state.owners, names: state.names) : nil
    }
    guard let taken else { return }
    var providers: [Identity: Provider] = [:]
    /// The providers in order, with the first desk that announced each.
    var found: [(identity: Identity, desk: String)] = []
    var allowed: [Identity: [String: Set<AppID>]] = [:]
    var signers: Set<[String]> = []
    for (desk, _, announced) in taken.known.values.sorted(by: { $0.order < $1.order }) {
      let provider = announced.atDesk(desk)
      guard let identity = Identity(provider) else { continue }
      switch identity {
      case .key(let teamID, let keyID, _):
        // A desk's further keys with one identifier are left out: each would be tried with every token that names it.
        guard signers.insert([desk, teamID, keyID]).inserted else { continue }
      case .access(let accessKey):
        // An unclaimed key, of a desk with too many claims, belongs to the first desk.
        let owner = taken.owners[TokenKey(digest: accessKey.digest)] ?? desk
        guard owner == desk, providers[identity] == nil else { continue }
      case .certificate: break
      }
      let covers = provider.covers(environment)
      if covers { allowed[identity, default: [:]][desk, default: []].formUnion(provider.topics) }
      guard var known = providers[identity] else {
        providers[identity] = provider
        found.append((identity, desk))
        continue
      }
      known.topics.formUnion(provider.topics)
      // The first one may be for the other environment.
      if covers { known.credential = provider.credential }
      providers[identity] = known
    }
    var names = taken.names.filter { providers[$0.key] != nil }
    var used = Set(names.values)
    for (identity, desk) in found {
      // Topics are not renamed: a topic's name is in its address, and its key identifies it.
      if case .access = identity { continue }
      if names[identity] == nil, var name = providers[identity]?.name {
        while !used.insert(name).inserted { name += "@\(desk)" }
        names[identity] = name
      }
      if let name = names[identity] { providers[identity]?.name = name }
    }
    do {
      try directory.replace(with: found.compactMap { providers[$0.identity] }, ofSeveralDesks: true)
      let byName = Dictionary(uniqueKeysWithValues: names.map { ($0.value, allowed[$0.key] ?? [:]) })
      state.withLock { [names] in ($0.allowed, $0.names) = (byName, names) }
    } catch {
      logger.error("fleet: the providers stay as they were: \(error)")
    }
  }
}

/// The properties by which two desks' providers are the same one.
private enum Identity: Hashable {
  case key(teamID: String, keyID: String, ProviderKey)
  case certificate(ProviderCertificate)
  case access(AccessKey)

  /// Nil for a credential that gateways do not support.
  init?(_ provider: Provider) {
    switch provider.credential {
    case .token(let teamID, let keyID, let key, _): self = .key(teamID: teamID, keyID: keyID, key)
    case .certificate(let certificate): self = .certificate(certificate)
    case .topic(let keyed), .hook(let keyed, _): self = .access(keyed.key)
    // Publishing nodes are not part of a fleet.
    case .password: return nil
    }
  }
}

extension Provider {
  /// Returns the provider as the gateway uses it: an access key opens an app on a handset of that desk.
  fileprivate func atDesk(_ desk: String) -> Provider {
    func keyed(_ keyed: KeyedApp) -> KeyedApp {
      KeyedApp(key: keyed.key, handset: keyed.handset.map { "\(desk)/\($0)" } ?? desk)
    }
    var provider = self
    switch credential {
    case .topic(let app): provider.credential = .topic(keyed(app))
    case .hook(let app, let template): provider.credential = .hook(keyed(app), template: template)
    case .token, .certificate, .password: break
    }
    return provider
  }
}
