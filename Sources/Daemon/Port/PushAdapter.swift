import HandsetCore
import Host
import PushPort

/// The receiver of the gateway's pushes: it submits them to the handsets.
struct PushAdapter: PushReceiver {
  let queue: InputQueue
  let handsets: Handsets
  let host: Host

  func receive(_ push: __owned Push, completion: @escaping @Sendable (Input.Outcome) -> Void) {
    queue.submit(.push(consume push), to: .tokenOwner, completion: completion)
  }

  func note(_ refusal: RefusedPush) {
    queue.report(.refused(refusal), to: handsets.board.id)
  }
}

extension PushAdapter: KeyedReceiver {
  func receive(
    _ input: Input, on handset: String?, completion: @escaping @Sendable (Input.Outcome) -> Void
  ) {
    guard let id = handset.map({ handsets.names.handset(named: $0) }) ?? handsets.board.id else {
      // The handset was removed from the settings.
      return completion(input.topic.map { .stored(.refused(.unknownApp($0))) } ?? .failed("there is no such handset"))
    }
    queue.submit(input, to: .handset(id), completion: completion)
  }
}

extension PushAdapter: PublishingReceiver {
  func isKnown(_ device: DeviceID) -> Bool { handsets.having(device) != nil }

  func submit(_ input: Input, to device: DeviceID) async -> Input.Outcome {
    guard let handset = handsets.having(device) else { return .failed("no handset has device ID \(device)") }
    return await queue.submit(input, to: .handset(handset.id))
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
}
