// Between the gateway and the handsets: a push is given to the handset that has its token, and what became of it comes
// back in terms that every protocol shares.

import HandsetCore
import PushGateway

/// The handsets, as the push gateway sees them.
struct PushAdapter: PushReceiver {
  let queue: InputQueue
  let handsets: Handsets
  /// Reads what nodes have published.
  let host: Host

  func receive(_ push: Push, completion: @escaping @Sendable (PushOutcome) -> Void) {
    queue.submit(.push(push), to: .tokenOwner) { outcome in
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
    queue.report(.refused(refusal), to: handsets.board.id)
  }
}

extension PushAdapter: PublishingReceiver {
  func isKnown(_ device: DeviceID) -> Bool { handsets.having(device) != nil }

  func create(_ node: NodeID, on device: DeviceID) async -> NodeOutcome { await submit(.createNode(node), device) }

  func delete(_ node: NodeID, on device: DeviceID) async -> NodeOutcome { await submit(.deleteNode(node), device) }

  func publish(_ push: Push, propertyList: [UInt8], on device: DeviceID) async -> NodeOutcome {
    await submit(.publish(push, propertyList: propertyList), device)
  }

  func lastPublished(_ id: NodeID, on device: DeviceID) async -> LastPublished {
    guard let known = handsets.having(device) else { return .noNode }
    do {
      return try await host.read(known.id) { handset, store, number, _ in
        guard let node = handset.node(id) else { return .noNode }
        if let since = node.goneSince { return .gone(since: since) }
        return try store.published(through: id, handset: number).map { .propertyList($0) } ?? .nothing
      }
    } catch {
      return .unavailable
    }
  }

  private func submit(_ input: Input, _ device: DeviceID) async -> NodeOutcome {
    guard let handset = handsets.having(device) else { return .noNode }
    switch await queue.submit(input, to: handset.id) {
    case .failed: return .unavailable
    case .stored(.accepted): return .done
    case .stored(.refused(.unknownApp)): return .noApp
    case .stored(.refused(.unknownNode)): return .noNode
    case .stored(.refused(.goneNode(_, let since))): return .gone(since: since)
    case .stored(.refused(.tooManyNodes)): return .tooManyNodes
    // No other refusal is a node's.
    case .stored(.refused): return .unavailable
    }
  }
}
