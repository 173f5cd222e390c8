// Each desk announces the providers that may push to it. A gateway accepts the credentials of all of them, and lets each
// push only to the desks that announced it.

import FleetLink
import FoundationEssentials
import HandsetCore
import Logging
import NATSClient
import PushGateway
import Synchronization

/// The providers of all desks.
final class FleetProviders: Sendable {
  enum Limits {
    /// Of one desk.
    static let providers = 256
  }

  /// One desk's word for one provider.
  private struct Key: Hashable {
    var desk: String
    var word: Substring
  }

  private struct State {
    /// In the order in which the engine stored them.
    var known: [Key: (order: UInt64, provider: Provider)] = [:]
    /// By a provider's name at the port: the desks that know it, and for which apps. An access key opens its app by itself.
    var allowed: [String: [String: Set<AppID>]] = [:]
    var isComplete = false
    var mustBuild = false
  }

  let directory: ProviderDirectory
  private let logger: Logger
  private let state = Mutex(State())

  init(logger: Logger) throws {
    directory = try ProviderDirectory()
    self.logger = logger
  }

  var isComplete: Bool { state.withLock(\.isComplete) }

  /// - Parameter provider: its name at the port.
  func allows(_ provider: String?, _ app: AppID, on desk: String) -> Bool {
    guard let provider else { return false }
    return state.withLock { $0.allowed[provider]?[desk]?.contains(app) == true }
  }

  /// Takes a value of the bucket. `build` puts it into service.
  func take(_ message: StreamMessage) {
    let words = message.message.subject.split(separator: ".")
    guard words.count == 4 else { return }
    let key = Key(desk: String(words[2]), word: words[3])
    guard message.message.fields["Status"] == nil else { return }
    let isGone = message.message.isDeletion
    let provider = isGone ? nil : try? JSONDecoder().decode(Provider.self, from: Data(message.message.payload))
    if provider == nil && !isGone {
      return logger.warning(
        "fleet: a provider of desk \(key.desk) cannot be read; is that desk newer than this gateway?")
    }
    let isTaken = state.withLock { state in
      let isNew = state.known[key] == nil
      guard !isNew || isGone || state.known.keys.count(where: { $0.desk == key.desk }) < Limits.providers else {
        return false
      }
      // Who says it again is not later than who said it first.
      let order = state.known[key]?.order ?? message.sequence
      state.known[key] = provider.map { (order, $0) }
      state.mustBuild = true
      return true
    }
    if !isTaken { logger.warning("fleet: desk \(key.desk) has more than \(Limits.providers) providers") }
  }

  func complete() {
    build()
    state.withLock { $0.isComplete = true }
  }

  /// Puts what was taken into service.
  func build() {
    let known = state.withLock { state in
      defer { state.mustBuild = false }
      return state.mustBuild ? state.known : nil
    }
    guard let known else { return }
    var providers: [Provider] = []
    /// Their places among the providers.
    var places: [Identity: Int] = [:]
    var names: Set<String> = []
    var allowed: [String: [String: Set<AppID>]] = [:]
    for (key, entry) in known.sorted(by: { $0.value.order < $1.value.order }) {
      var provider = entry.provider.atDesk(key.desk)
      guard let identity = Identity(provider) else { continue }
      if let place = places[identity] {
        // The first to name a key says whose signatures it checks; another desk cannot put its own in their place.
        guard providers[place].credential == provider.credential else {
          logger.warning(
            "fleet: provider '\(provider.name)' of desk \(key.desk) has the key id of another one; it is left out")
          continue
        }
        providers[place].topics.formUnion(provider.topics)
        if identity.isNamed {
          allowed[providers[place].name, default: [:]][key.desk, default: []].formUnion(provider.topics)
        }
        continue
      }
      // A topic's name is in its address. Its key tells which one is meant.
      places[identity] = providers.count
      if identity.isNamed {
        while !names.insert(provider.name).inserted { provider.name += "@\(key.desk)" }
        allowed[provider.name, default: [:]][key.desk, default: []].formUnion(provider.topics)
      }
      providers.append(provider)
    }
    do {
      try directory.replace(with: providers)
      state.withLock { [allowed] in $0.allowed = allowed }
    } catch {
      logger.error("fleet: the providers stay as they were: \(error)")
    }
  }
}

/// What makes two desks' providers the same one.
private enum Identity: Hashable {
  case key(teamID: String, keyID: String)
  case certificate(ProviderCertificate)
  case access(AccessKey)

  /// Nil for one that gateways have no use for.
  init?(_ provider: Provider) {
    switch provider.credential {
    case .token(let teamID, let keyID, _, _): self = .key(teamID: teamID, keyID: keyID)
    case .certificate(let certificate): self = .certificate(certificate)
    case .topic(let keyed), .hook(let keyed, _): self = .access(keyed.key)
    // Publishing nodes are not part of a fleet.
    case .password: return nil
    }
  }

  var isNamed: Bool { if case .access = self { false } else { true } }
}

extension Provider {
  /// As the gateway has it: an access key opens an app on a handset of that desk.
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
