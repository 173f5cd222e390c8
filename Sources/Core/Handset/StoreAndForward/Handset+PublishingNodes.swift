// Rules R1, R3 and F2 for publishing nodes.

extension Handset {
  /// Creates a node for the provider, before or after the app registers (rule R1). Creating a node twice is allowed.
  mutating func createNode(_ id: NodeID, _ turn: inout Turn) -> Verdict {
    guard apps[id.app] != nil else { return .refused(.unknownApp(id.app)) }
    let before = nodes[id]
    if let before, before.goneSince == nil { return .accepted }
    guard nodes.living(of: id.app).count < Policy.nodeLimitPerApp else { return .refused(.tooManyNodes(id.app)) }
    commit(.node(id, before: before, after: PublishingNode(), published: .unchanged), &turn)
    emit(.nodeCreated(id.name), app: id.app, &turn)
    return .accepted
  }

  mutating func deleteNode(_ id: NodeID, _ turn: inout Turn) -> Verdict {
    guard let before = nodes[id] else { return .refused(.unknownNode(id)) }
    if let since = before.goneSince { return .refused(.goneNode(id, since: since)) }
    commit(.node(id, before: before, after: nil, published: .unchanged), &turn)
    emit(.nodeDeleted(id.name), app: id.app, &turn)
    return .accepted
  }

  /// Publishes a push through the node, which returns the last accepted property list (rule F2).
  mutating func publish(_ push: Push, through id: NodeID, _ propertyList: [UInt8], _ turn: inout Turn) -> Verdict {
    let verdict = receive(push, through: id, &turn)
    guard verdict == .accepted, let before = nodes[id] else { return verdict }
    let after = PublishingNode(lastPush: push.id)
    commit(.node(id, before: before, after: after, published: .bytes(propertyList)), &turn)
    return verdict
  }

  /// Returns the app of a node, or the reason why there is none.
  func addressee(of node: NodeID) -> (App?, Refusal?) {
    guard let found = nodes[node] else { return (nil, .unknownNode(node)) }
    if let since = found.goneSince { return (nil, .goneNode(node, since: since)) }
    guard let app = apps[node.app] else { return (nil, .unknownNode(node)) }
    if case .unregistered(let since) = app.state.registration { return (nil, .goneNode(node, since: since)) }
    return (app, nil)
  }

  /// Retires the app's nodes (rule R3).
  mutating func retireNodes(of app: AppID, _ turn: inout Turn) {
    for (id, node) in nodes.living(of: app) {
      commit(.node(id, before: node, after: PublishingNode(goneSince: turn.now.wall), published: .none), &turn)
    }
  }

  /// Forgets gone nodes after the same time as gone tokens, and the oldest above the limit.
  mutating func forgetGoneNodes(_ turn: inout Turn) {
    while let oldest = nodes.gone.first,
      oldest.time.advanced(by: Policy.goneTokenLifetime) <= turn.now.wall || nodes.gone.count > Policy.goneNodeLimit
    {
      commit(.node(oldest.item, before: nodes[oldest.item], after: nil, published: .unchanged), &turn)
    }
  }
}
