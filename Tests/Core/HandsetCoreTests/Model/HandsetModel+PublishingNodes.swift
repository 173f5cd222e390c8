// Rules R1, R3 and F2: a provider's nodes.

@testable import HandsetCore

struct ModelNode {
  var id: NodeID
  var last: PushID?
  var goneSince: WallTime?
}

extension HandsetModel {
  mutating func createNode(_ id: NodeID) -> Refusal? {
    guard place(of: id.app) != nil else { return .unknownApp(id.app) }
    if nodes.contains(where: { $0.id == id && $0.goneSince == nil }) { return nil }
    guard nodes.count(where: { $0.id.app == id.app && $0.goneSince == nil }) < 16 else { return .tooManyNodes(id.app) }
    nodes.removeAll { $0.id == id }
    nodes.append(ModelNode(id: id))
    emit(.nodeCreated(id.name), id.app, nil)
    return nil
  }

  mutating func deleteNode(_ id: NodeID) -> Refusal? {
    guard let node = nodes.first(where: { $0.id == id }) else { return .unknownNode(id) }
    if let since = node.goneSince { return .goneNode(id, since: since) }
    nodes.removeAll { $0.id == id }
    emit(.nodeDeleted(id.name), id.app, nil)
    return nil
  }

  mutating func publish(_ push: Push, _ id: NodeID) -> Refusal? {
    if let refusal = take(push, through: id) { return refusal }
    if let node = nodes.firstIndex(where: { $0.id == id }) { nodes[node].last = push.id }
    return nil
  }

  mutating func retireNodes(of app: AppID) {
    for index in nodes.indices where nodes[index].id.app == app && nodes[index].goneSince == nil {
      nodes[index].goneSince = now.wall
      nodes[index].last = nil
    }
  }

  /// Applies rule R3: 30 days.
  mutating func forgetGoneNodes() {
    nodes.removeAll { node in node.goneSince.map { now.wall >= $0.advanced(by: .seconds(30 * 24 * 3600)) } ?? false }
  }
}
