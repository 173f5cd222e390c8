import HandsetCore
import Host
import PushPort

/// The receiver of a bench's pushes, also of those for unknown apps and devices: their apps are installed first.
struct CatchAllReceiver: PushReceiver {
  let adapter: PushAdapter
  let apps: BenchApps

  var handsets: Handsets { adapter.handsets }

  /// Returns the name of the handset that a device token belongs to, also before its first push.
  func handset(of token: DeviceToken) -> String { handsets.names.name(of: apps.handset(of: token)) }

  func receive(_ push: __owned Push, completion: @escaping @Sendable (Input.Outcome) -> Void) {
    guard let token = push.token else { return adapter.receive(push, completion: completion) }
    guard apps.isGood(token) else { return completion(.stored(.refused(.badDeviceToken))) }
    if let place = apps.place(of: token) { return submit(push, at: place, completion) }
    apps.place(of: token, for: push.topic) { place in submit(push, at: place, completion) }
  }

  private func submit(
    _ push: Push, at place: BenchApps.Place, _ completion: @escaping @Sendable (Input.Outcome) -> Void
  ) {
    var push = push
    push.token = place.token
    adapter.queue.submit(.push(push), to: .handset(place.handset), completion: completion)
  }

  func note(_ refusal: RefusedPush) { adapter.note(refusal) }
}

extension CatchAllReceiver: KeyedReceiver {
  func receive(
    _ input: Input, on handset: String?, completion: @escaping @Sendable (Input.Outcome) -> Void
  ) {
    let id = handset.flatMap { handsets.names.handset(named: $0) } ?? handsets.board.id
    guard let app = input.topic else { return adapter.receive(input, on: handset, completion: completion) }
    apps.install(app, on: id) { adapter.receive(input, on: handset, completion: completion) }
  }
}

extension CatchAllReceiver: PublishingReceiver {
  func isKnown(_ device: DeviceID) -> Bool { true }

  /// Returns the device, or, if no handset has that ID, the one of the handset on the board.
  private func known(_ device: DeviceID) -> DeviceID {
    (handsets.having(device) ?? handsets.board).device
  }

  func submit(_ input: Input, to device: DeviceID) async -> Input.Outcome {
    let device = known(device)
    var app = input.topic
    if case .createNode(let node) = input { app = node.app }
    if let app, let handset = handsets.having(device) {
      _ = await apps.token(of: app, on: handset.id)
    }
    return await adapter.submit(input, to: device)
  }

  func lastPublished(_ id: NodeID, on device: DeviceID) async -> LastPublished {
    await adapter.lastPublished(id, on: known(device))
  }
}
