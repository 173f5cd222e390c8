// The four calls: create and delete a publishing node, publish through it, and read back its last property list.

import HTTP
import HandsetCore

extension PublishingSession {
  /// The node that a path names, and its publisher, which the provider may use.
  struct NodeAddress {
    var publisher: AppID
    var device: DeviceID
    var nodeName: String
    /// The node; nil if no node can have that name.
    var node: NodeID?

    func existing() throws(PublishingRefusal) -> NodeID {
      guard let node else { throw .unknownNode(nodeName) }
      return node
    }
  }

  /// Returns the address in the path. Publisher, device and node are checked in this order.
  func address(_ request: PublishingRequest, _ provider: Provider) throws(PublishingRefusal) -> NodeAddress {
    guard let app = request.topic, provider.topics.contains(app) else {
      throw PublishingRefusal(
        .forbidden,
        "publisher \(quoted(request.publisher)) is not this user's; the provider's apps: "
          + provider.topics.map(\.text).sorted().prefix(8).joined(separator: ", "))
    }
    guard let id = DeviceID(hex: request.device), receiver.isKnown(id) else {
      throw PublishingRefusal(
        .unknownDevice, "no handset here has device ID \(quoted(request.device)); deskbell state shows it")
    }
    return NodeAddress(publisher: app, device: id, nodeName: request.node, node: NodeID(app: app, name: request.node))
  }

  /// Creates or deletes a node: `POST …?action=create`, `POST …?action=delete`.
  func manage(
    _ request: PublishingRequest, _ address: NodeAddress
  ) async throws(PublishingRefusal) -> HTTPResponse {
    switch request.action {
    case "create":
      guard let node = address.node else {
        throw PublishingRefusal(
          .badNodeName,
          "node \(quoted(address.nodeName)): a name is 1 to \(Policy.nodeNameLimit) letters, digits, "
            + "dots, dashes and underscores")
      }
      try check(await receiver.submit(.createNode(node), to: address.device), node)
      return .plainText(200, "\(node) is there")
    case "delete":
      let node = try address.existing()
      try check(await receiver.submit(.deleteNode(node), to: address.device), node)
      return .plainText(200, "\(node) is deleted")
    case let action:
      throw PublishingRefusal(
        .methodNotAllowed, "POST with action \(quoted(action)); expected ?action=create or ?action=delete")
    }
  }

  func publish(_ propertyList: [UInt8], _ address: NodeAddress) async throws(PublishingRefusal) -> HTTPResponse {
    let node = try address.existing()
    var push = try Push(
      propertyList: propertyList, app: node.app, id: .random(), now: port.clock.handset(),
      depth: port.limits.propertyListDepth)
    push.provider = refusals.providerName
    switch await receiver.submit(.publish(push, through: node, propertyList: propertyList), to: address.device) {
    case .stored(.accepted):
      return HTTPResponse(headers: ["Push-ID": push.id.description, "Content-Length": "0"])
    // The handset has recorded these refusals itself.
    case .stored(.refused(.unknownNode)): return PublishingRefusal.unknownNode(node.name).response
    case .stored(.refused(.goneNode(_, let since))): return PublishingRefusal.gone(node, since: since).response
    case let other:
      try check(other, node)
      return HTTPResponse(headers: ["Content-Length": "0"])
    }
  }

  /// Returns the last property list of a node (rule F2).
  func readBack(_ address: NodeAddress) async throws(PublishingRefusal) -> HTTPResponse {
    let node = try address.existing()
    switch await receiver.lastPublished(node, on: address.device) {
    case .propertyList(let bytes):
      return HTTPResponse(contentType: "application/x-plist", bytes: bytes)
    case .nothing:
      throw PublishingRefusal(.nothingPublished, "nothing was published through \(node) yet")
    case .noNode: throw .unknownNode(node.name)
    case .gone(let since): throw .gone(node, since: since)
    case .unavailable: throw .unavailable
    }
  }

  private func check(_ outcome: Input.Outcome, _ node: NodeID) throws(PublishingRefusal) {
    switch outcome {
    case .stored(.accepted): break
    case .stored(.refused(.unknownApp)):
      throw PublishingRefusal(.unknownPublisher, "\(node.app) is not installed on that handset")
    case .stored(.refused(.unknownNode)): throw .unknownNode(node.name)
    case .stored(.refused(.goneNode(_, let since))): throw .gone(node, since: since)
    case .stored(.refused(.tooManyNodes)):
      throw PublishingRefusal(
        .tooManyNodes, "\(node.app) has \(Policy.nodeLimitPerApp) nodes, the most there can be; delete one first")
    // A node has no other refusal.
    case .stored(.refused), .failed: throw .unavailable
    }
  }
}

extension PublishingRefusal {
  static func unknownNode(_ name: String) -> PublishingRefusal {
    PublishingRefusal(.unknownNode, "there is no node \(quoted(name)); POST to it with ?action=create makes it")
  }

  static func gone(_ node: NodeID, since: WallTime) -> PublishingRefusal {
    PublishingRefusal(
      .gone, "\(node.app) is uninstalled or unregistered since \(since.microseconds / 1_000_000) (seconds since 1970)")
  }

  static var tooManyRefused: PublishingRefusal {
    var refusal = PublishingRefusal(.tooManyRequests, "too many requests of this address were refused")
    refusal.connection = .close
    return refusal
  }

  static var unavailable: PublishingRefusal {
    PublishingRefusal(.serviceUnavailable, "it cannot be stored just now; try again")
  }
}
