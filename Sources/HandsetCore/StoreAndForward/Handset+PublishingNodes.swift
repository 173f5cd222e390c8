// Rules R1, R3 and F2 for publishing nodes.

extension Handset {
  /// Rule R1: the provider's step, before or after the app's own. Twice is fine.
  mutating func createNode(_ id: NodeID, at now: Moment, _ turn: inout Turn) -> Verdict {
    guard apps[id.app] != nil else { return .refused(.unknownApp(id.app)) }
    let before = nodes[id]
    if let before, before.goneSince == nil { return .accepted }
    guard nodes.living(of: id.app).count < Policy.nodeLimitPerApp else { return .refused(.tooManyNodes(id.app)) }
    commit(.node(id, before: before, after: PublishingNode(), published: .unchanged), &turn)
    tell(.nodeCreated(id.name), app: id.app, push: nil, at: now, &turn)
    return .accepted
  }

  mutating func deleteNode(_ id: NodeID, at now: Moment, _ turn: inout Turn) -> Verdict {
    guard let before = nodes[id] else { return .refused(.unknownNode(id)) }
    if let since = before.goneSince { return .refused(.goneNode(id, since: since)) }
    commit(.node(id, before: before, after: nil, published: .unchanged), &turn)
    tell(.nodeDeleted(id.name), app: id.app, push: nil, at: now, &turn)
    return .accepted
  }

  /// Rule F2: what was accepted is what the node gives back.
  mutating func publish(
    _ push: Push, _ propertyList: [UInt8], at now: Moment, _ turn: inout Turn
  ) -> Verdict {
    let verdict = receive(push, at: now, &turn)
    guard verdict == .accepted, case .node(let id) = push.address, let before = nodes[id] else { return verdict }
    let after = PublishingNode(lastPush: push.id)
    commit(.node(id, before: before, after: after, published: .bytes(propertyList)), &turn)
    return verdict
  }

  /// The app that publishes through a node, or why none does.
  func addressee(of node: NodeID) -> (App?, Refusal?) {
    guard let found = nodes[node] else { return (nil, .unknownNode(node)) }
    if let since = found.goneSince { return (nil, .goneNode(node, since: since)) }
    guard let app = apps[node.app] else { return (nil, .unknownNode(node)) }
    if case .unregistered(let since) = app.state.registration { return (nil, .goneNode(node, since: since)) }
    return (app, nil)
  }

  /// Rule R3.
  mutating func retireNodes(of app: AppID, at now: Moment, _ turn: inout Turn) {
    for (id, node) in nodes.living(of: app) {
      commit(.node(id, before: node, after: PublishingNode(goneSince: now.wall), published: .none), &turn)
    }
  }

  /// Gone nodes are remembered as long as gone tokens are, and no more of them than the limit.
  mutating func forgetGoneNodes(at now: Moment, _ turn: inout Turn) {
    while let oldest = nodes.oldestGone,
      oldest.since.advanced(by: Policy.goneTokenLifetime) <= now.wall || nodes.goneCount > Policy.goneNodeLimit
    {
      commit(.node(oldest.id, before: nodes[oldest.id], after: nil, published: .unchanged), &turn)
    }
  }
}
