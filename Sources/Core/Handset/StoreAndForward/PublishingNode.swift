/// The address of a whole handset [2008: the remote notification system identifier, "basically just a hex string"].
public struct DeviceID: Hashable, Sendable, CustomStringConvertible {
  /// The length of a handset's identifier in 2008.
  public static let byteCount = 20

  public let bytes: [UInt8]

  public init?(bytes: [UInt8]) {
    guard bytes.count == DeviceID.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Nil unless `hex` is 40 hexadecimal digits, in either case.
  public init?(hex: some StringProtocol) {
    guard let token = DeviceToken(hex: hex) else { return nil }
    self.init(bytes: token.bytes)
  }

  public var hex: String { Hex.text(bytes) }
  public var description: String { hex }
}

/// A publishing node of this handset, the 2008 service's address of an app: a provider creates a node, publishes
/// through it, and reads back what it published last (rules R1, R3 and F2). Nodes belong to the service, so only
/// uninstalling the app removes them [2008: publisher ID, device ID, node name].
public struct NodeID: Hashable, Comparable, Sendable, CustomStringConvertible, SingleValueCodable {
  public let app: AppID
  /// [2008]: "we haven't decided on the name yet, but we're just going to call it Inbox today".
  public let name: String

  /// Nil unless `name` is 1 to `Policy.nodeNameLimit` letters, digits, dots, dashes and underscores.
  public init?(app: AppID, name: String) {
    guard (1...Policy.nodeNameLimit).contains(name.utf8.count), name.utf8.allSatisfy(\.isOfIdentifier) else {
      return nil
    }
    self.app = app
    self.name = name
  }

  public var description: String { "\(app)/\(name)" }

  public static func < (left: NodeID, right: NodeID) -> Bool {
    (left.app.text, left.name) < (right.app.text, right.name)
  }

  public var coded: [String: String] { ["app": app.text, "name": name] }

  public init?(coded parts: [String: String]) {
    guard let app = parts["app"].flatMap({ AppID($0) }), let name = parts["name"] else { return nil }
    self.init(app: app, name: name)
  }
}

/// The handset's record of a node. The database has the bytes that were published last.
public struct PublishingNode: Hashable, Sendable, Codable {
  public var lastPush: PushID?
  /// The time since when its app is not installed (rule R3); nil while it can be published through.
  public var goneSince: WallTime?

  public init(lastPush: PushID? = nil, goneSince: WallTime? = nil) {
    self.lastPush = lastPush
    self.goneSince = goneSince
  }
}

struct PublishingNodes: Sendable, Equatable {
  private(set) var byApp: [AppID: [NodeID: PublishingNode]] = [:]
  /// The gone nodes, each with the time since when.
  private(set) var gone = SortedSet<Due<WallTime, NodeID>>()

  subscript(id: NodeID) -> PublishingNode? {
    get { byApp[id.app]?[id] }
    set {
      gone.move(id, from: self[id]?.goneSince, to: newValue?.goneSince)
      byApp[id.app, default: [:]][id] = newValue
      if byApp[id.app]?.isEmpty == true { byApp[id.app] = nil }
    }
  }

  /// Returns the app's nodes that can be published through, by name.
  fileprivate func living(of app: AppID) -> [(key: NodeID, value: PublishingNode)] {
    (byApp[app] ?? [:]).filter { $0.value.goneSince == nil }.sorted { $0.key < $1.key }
  }
}

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

  /// Returns the app of a node.
  func addressee(of node: NodeID) throws(Refusal) -> App {
    guard let found = nodes[node] else { throw .unknownNode(node) }
    if let since = found.goneSince { throw .goneNode(node, since: since) }
    guard let app = apps[node.app] else { throw .unknownNode(node) }
    if case .unregistered(let since) = app.state.registration { throw .goneNode(node, since: since) }
    return app
  }

  /// Retires the app's nodes (rule R3).
  mutating func retireNodes(of app: AppID, _ turn: inout Turn) {
    for (id, node) in nodes.living(of: app) {
      commit(.node(id, before: node, after: PublishingNode(goneSince: turn.now.wall), published: .none), &turn)
    }
  }
}
