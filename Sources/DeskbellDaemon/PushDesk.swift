// The gateway hands pushes to the handset here, and hears what became of them in words that every protocol shares.

import HandsetCore
import PushGateway

/// The host, as the push gateway sees it.
struct PushDesk: PushReceiver {
  let host: Host
  /// What the 2008 service knows the handset by.
  let device: DeviceID

  func receive(_ push: Push, completion: @escaping @Sendable (PushOutcome) -> Void) {
    host.submit(.push(push)) { outcome in
      switch outcome {
      case .failed: completion(.unavailable)
      case .stored(.accepted): completion(.accepted)
      case .stored(.refused(.badDeviceToken)): completion(.badDeviceToken)
      case .stored(.refused(.deviceTokenNotForTopic)): completion(.deviceTokenNotForTopic)
      case .stored(.refused(.unregistered(let since))): completion(.unregistered(since: since))
      case .stored(.refused(.expiredToken(let since))): completion(.expiredToken(since: since))
      // No other refusal is a push's: were there one, the fault is ours, and the provider should not forget its token.
      case .stored(.refused): completion(.failed)
      }
    }
  }

  func note(_ refusal: RefusedPush) {
    host.report(.refused(refusal))
  }
}

extension PushDesk: PublishingReceiver {
  func isKnown(_ device: DeviceID) -> Bool { device == self.device }

  func create(_ node: NodeID) async -> NodeOutcome { await submit(.createNode(node)) }

  func delete(_ node: NodeID) async -> NodeOutcome { await submit(.deleteNode(node)) }

  func publish(_ push: Push, propertyList: [UInt8]) async -> NodeOutcome {
    await submit(.publish(push, propertyList: propertyList))
  }

  func lastPublished(_ id: NodeID) async -> LastPublished {
    do {
      return try await host.read { handset, store, number, _ in
        guard let node = handset.node(id) else { return .noNode }
        if let since = node.goneSince { return .gone(since: since) }
        return try store.published(through: id, handset: number).map { .propertyList($0) } ?? .nothing
      }
    } catch {
      return .unavailable
    }
  }

  private func submit(_ input: Input) async -> NodeOutcome {
    switch await host.submit(input) {
    case .failed: .unavailable
    case .stored(.accepted): .done
    case .stored(.refused(.unknownApp)): .noApp
    case .stored(.refused(.unknownNode)): .noNode
    case .stored(.refused(.goneNode(_, let since))): .gone(since: since)
    case .stored(.refused(.tooManyNodes)): .tooManyNodes
    // No other refusal is a node's.
    case .stored(.refused): .unavailable
    }
  }
}
