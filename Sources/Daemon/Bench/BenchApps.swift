// Pushes for unknown apps and device tokens: a bench installs and registers an app when it is first pushed to. A device
// token stays with the app and the handset that it was first used for.

import AppLink
import HandsetCore
import Host
import PushPort
import Synchronization

final class BenchApps: Sendable {
  enum Limits {
    /// The number of device tokens that are remembered; a push to a further one is answered 400 BadDeviceToken.
    static let tokens = 100_000
  }

  /// The place of a device token: its handset, and the token that its app has there. An app has one token of its own;
  /// further ones, of phones that the bench has no handset for, stand for that one.
  struct Place: Hashable, Sendable {
    var handset: HandsetID
    var token: DeviceToken
  }

  typealias Next = @Sendable (Place) -> Void

  private enum Standing {
    case known(Place)
    /// Its app is being installed; the pushes that wait for that, in their order.
    case coming([Next])
  }

  private struct State {
    var tokens: [DeviceToken: Standing] = [:]
    var apps: Set<AppAddress> = []
    /// The handsets of tokens that were given out, and of those that were used since the last reset.
    var handsets: [DeviceToken: HandsetID] = [:]
    /// The tokens that a reset leaves in `handsets`: those that were given out, and the apps' own.
    var given: Set<DeviceToken> = []
    var own: [AppAddress: DeviceToken] = [:]
    var environments: [DeviceToken: PushEnvironment] = [:]
    /// The last installation: they follow one another, so that none is made twice.
    var last: Task<Void, Never>?
  }

  let environment: PushEnvironment
  private let host: Host
  private let queue: InputQueue
  private let link: AppLink
  private let board: HandsetID
  private let state: Mutex<State>

  /// - Parameter board: the handset of tokens that were not given out for another one.
  init(host: Host, queue: InputQueue, link: AppLink, board: HandsetID, environment: PushEnvironment) {
    (self.host, self.queue, self.link, self.board, self.environment) = (host, queue, link, board, environment)
    state = Mutex(State())
  }

  // MARK: Tokens

  /// Returns a new device token for whichever app is first pushed to with it.
  func makeToken(on handset: HandsetID) -> DeviceToken {
    let token = DeviceToken.random()
    state.withLock { state in
      state.handsets[token] = handset
      state.given.insert(token)
    }
    return token
  }

  /// Returns the handset that a device token belongs to, also before its first push.
  func handset(of token: DeviceToken) -> HandsetID { state.withLock { $0.handsets[token] ?? board } }

  /// Sets the environment that a token belongs to, until the next reset: a push to it in the other one is answered 400
  /// BadDeviceToken. The token need not have been used.
  /// - Parameter environment: nil for the bench's own.
  func set(_ environment: PushEnvironment?, of token: DeviceToken) {
    state.withLock { $0.environments[token] = environment }
  }

  /// Returns true if the token belongs to the environment of the bench.
  func isGood(_ token: DeviceToken) -> Bool {
    state.withLock { $0.environments.isEmpty || $0.environments[token, default: environment] == environment }
  }

  /// Returns the token's place, if it has been used for a push before.
  func place(of token: DeviceToken) -> Place? {
    state.withLock { if case .known(let place)? = $0.tokens[token] { place } else { nil } }
  }

  /// Calls `next` with the place of a token, once its app is installed. Calls for one token keep their order.
  func place(of token: DeviceToken, for app: AppID, _ next: @escaping Next) {
    let now = state.withLock { state -> Place? in
      switch state.tokens[token] {
      case .known(let place)?: return place
      case .coming(let waiting)?: state.tokens[token] = .coming(waiting + [next])
      case nil where state.tokens.count >= Limits.tokens:
        return Place(handset: board, token: token)
      case nil:
        state.tokens[token] = .coming([next])
        let handset = state.handsets[token] ?? board
        chain(&state) { apps in await apps.settle(token, of: app, on: handset) }
      }
      return nil
    }
    if let now { next(now) }
  }

  /// Calls `next` once the app is installed.
  func install(_ app: AppID, on handset: HandsetID, _ next: @escaping @Sendable () -> Void) {
    let address = AppAddress(app, on: handset)
    let isKnown = state.withLock { state in
      if state.apps.contains(address) { return true }
      chain(&state) { apps in
        _ = await apps.token(of: address, making: nil)
        next()
      }
      return false
    }
    if isKnown { next() }
  }

  /// Returns the device token of an app, which is installed if it is not.
  /// - Returns: nil if it cannot be installed.
  func token(of app: AppID, on handset: HandsetID) async -> DeviceToken? {
    let address = AppAddress(app, on: handset)
    return await withCheckedContinuation { continuation in
      state.withLock { state in
        chain(&state) { apps in continuation.resume(returning: await apps.token(of: address, making: nil)) }
      }
    }
  }

  /// The number of device tokens whose handset is known.
  var knownTokens: Int { state.withLock { $0.handsets.count } }

  // MARK: Installation

  private func chain(_ state: inout State, _ work: @escaping @Sendable (BenchApps) async -> Void) {
    state.last = Task(executorPreference: TaskThreads.shared) { [last = state.last, self] in
      await last?.value
      await work(self)
    }
  }

  private func settle(_ token: DeviceToken, of app: AppID, on handset: HandsetID) async {
    let place: Place
    if let owner = await host.owner(of: token) {
      place = Place(handset: owner, token: token)
    } else {
      let own = await self.token(of: AppAddress(app, on: handset), making: token)
      place = Place(handset: handset, token: own ?? token)
    }
    var next: ArraySlice<Next>
    repeat {
      next = state.withLock { state in
        guard case .coming(let waiting)? = state.tokens[token], !waiting.isEmpty else {
          (state.tokens[token], state.handsets[token]) = (.known(place), place.handset)
          return []
        }
        state.tokens[token] = .coming([])
        return waiting[...]
      }
      for next in next { next(place) }
    } while !next.isEmpty
  }

  /// Returns the app's own token; installs the app if it is not installed.
  /// - Parameter token: nil for a random one.
  private func token(of address: AppAddress, making token: DeviceToken?) async -> DeviceToken? {
    let (app, handset) = (address.app, address.handset)
    var own = await host.read(handset) { contents, _, _, _ in contents.apps[app]?.state.token }
    if own == nil {
      let made = token ?? .random()
      let verdict = await queue.submit(.install(BenchApps.manifest(app), token: made), to: .handset(handset))
      guard case .stored(.accepted) = verdict else { return nil }
      link.install(address, programs: AppPrograms())
      _ = await queue.submit(.register(app, .all, token: .random()), to: .handset(handset))
      own = made
    }
    if let own {
      state.withLock { state in
        state.apps.insert(address)
        state.handsets[own] = handset
        state.own[address] = own
      }
    }
    return own
  }

  /// Returns the manifest of an app that is installed at its first push: it takes background updates and broadcasts.
  static func manifest(_ app: AppID) -> AppManifest {
    let name = String(app.text.prefix(Policy.appNameLimit))
    var manifest = AppManifest(id: app, name: name, receivesBackgroundUpdates: true)
    manifest.hasBroadcasts = true
    return manifest
  }

  // MARK: Reset

  /// Forgets which apps and tokens are known: they may have been uninstalled. Tokens that were given out,
  /// and those of apps, stay on their handsets.
  /// - Parameter handsets: the handsets that begin anew.
  func reset(_ handsets: Set<HandsetID>) {
    state.withLock { state in
      state.apps = state.apps.filter { !handsets.contains($0.handset) }
      for (token, standing) in state.tokens {
        if case .known(let place) = standing, handsets.contains(place.handset) { state.tokens[token] = nil }
      }
      state.environments = state.environments.filter { !handsets.contains(state.handsets[$0.key] ?? board) }
      let lasting = state.given.union(state.own.values)
      state.handsets = state.handsets.filter { lasting.contains($0.key) || !handsets.contains($0.value) }
    }
  }
}
