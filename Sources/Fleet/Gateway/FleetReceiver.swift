// The gateway's side of a push: the registry judges the token, and the servers' acknowledgement is the answer.

import Clocks
import FleetLink
import FleetMember
import HandsetCore
import Host
import Logging
import NATSClient
import PushPort
import Synchronization

/// The receiver of a fleet's pushes: it forwards them to the desks.
final class FleetReceiver: PushReceiver {
  private let name: String
  private let registry: FleetRegistry
  private let providers: FleetProviders
  private let storage: FleetStorage
  private let logger: Logger

  /// - Parameter name: the gateway's name.
  init(
    named name: String, registry: FleetRegistry, providers: FleetProviders, storage: FleetStorage, logger: Logger
  ) {
    (self.name, self.registry, self.providers) = (name, registry, providers)
    (self.storage, self.logger) = (storage, logger)
  }

  func receive(_ push: Push, completion: @escaping @Sendable (Input.Outcome) -> Void) {
    guard let token = push.token, let (app, target) = registry.target(of: token) else {
      // Providers delete a token that is called bad.
      guard registry.isCurrent else { return completion(.failed("the registry cannot be read at the time")) }
      return completion(.stored(.refused(.badDeviceToken)))
    }
    guard app == push.topic.text else { return completion(.stored(.refused(.deviceTokenNotForTopic))) }
    switch target {
    case .gone(let since, .unregistered): completion(.stored(.refused(.unregistered(since: since))))
    case .gone(let since, .expired): completion(.stored(.refused(.expiredToken(since: since))))
    case .desk(let address): send(push, to: [address], group: nil, completion)
    case .group(let group, let desks): send(push, to: desks, group: group, completion)
    }
  }

  /// - Parameter group: the group that the push was sent to; nil if it was sent to the desk itself.
  private func send(
    _ push: Push, to addresses: [HandsetAddress], group: String?,
    _ completion: @escaping @Sendable (Input.Outcome) -> Void
  ) {
    // A provider is valid only for the desks that announced it, and cannot push to the apps of others.
    for address in addresses where !providers.allows(push.provider, push.topic, on: address.desk) {
      return completion(.stored(.refused(.badDeviceToken)))
    }
    let now = SystemClock.wallTime()
    let messages = addresses.map { FleetMessage.push(push, to: $0, group: group, from: name, at: now) }
    deliver(messages, isStored: push.expiration != .once, completion)
  }

  private func deliver(
    _ messages: [NATSMessage], isStored: Bool, _ completion: @escaping @Sendable (Input.Outcome) -> Void
  ) {
    guard isStored else {
      let problem = messages.lazy.compactMap { self.storage.send($0) }.first
      return completion(problem.map { .failed($0) } ?? .stored(.accepted))
    }
    guard !messages.isEmpty else { return completion(.stored(.refused(.badDeviceToken))) }
    let state = Mutex((missing: messages.count, problem: String?.none))
    for message in messages {
      storage.store(message) { fault in
        let (isOver, problem) = state.withLock { state in
          state = (state.missing - 1, state.problem ?? fault)
          return (state.missing == 0, state.problem)
        }
        if isOver { completion(problem.map { .failed($0) } ?? .stored(.accepted)) }
      }
    }
  }

  /// Gateways have no journal of events.
  func note(_ refusal: RefusedPush) {
    logger.info("refused: \(refusal.status) \(refusal.reason): \(refusal.detail)")
  }
}

extension FleetReceiver: KeyedReceiver {
  /// - Parameter handset: `DESK/HANDSET`, or `DESK` for the one on its board; `FleetProviders` adds the desk.
  func receive(
    _ input: Input, on handset: String?, completion: @escaping @Sendable (Input.Outcome) -> Void
  ) {
    guard let app = input.topic, let address = handset.flatMap({ HandsetAddress($0) }) else {
      return completion(.failed("the access key belongs to no desk"))
    }
    var isStored = true
    if case .push(let push) = input { isStored = push.expiration != .once }
    do {
      let message = try FleetMessage.input(input, to: address, app: app, from: name, at: SystemClock.wallTime())
      deliver([message], isStored: isStored, completion)
    } catch {
      completion(.failed("\(error)"))
    }
  }
}

extension FleetReceiver: PublishingReceiver {
  /// False: publishing nodes belong to one handset, which has to answer for them itself.
  func isKnown(_ device: DeviceID) -> Bool { false }

  func submit(_ input: Input, to device: DeviceID) async -> Input.Outcome {
    .failed("the gateway of a fleet does not have the service of 2008")
  }

  func lastPublished(_ id: NodeID, on device: DeviceID) async -> LastPublished { .noNode }
}
