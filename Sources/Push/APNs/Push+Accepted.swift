import HandsetCore

extension Push {
  /// Makes a push that another machine has checked by APNs' rules and sent here with its payload unchanged.
  /// - Throws: `BadStoredPush` if the payload is invalid.
  public init(
    acceptedAs id: PushID, token: DeviceToken?, topic: AppID, type: PushType, priority: Int, expiration: Expiration,
    collapseID: String?, payload body: [UInt8], limits: PortLimits = .standard
  ) throws(BadStoredPush) {
    do throws(APNsRefusal) {
      let head = APNsPushHead(
        id: id, token: token, topic: topic, type: type, priority: priority,
        expiration: expiration, collapseID: collapseID, payloadLimit: limits.voipPayloadBytes)
      try self.init(head, APNsPayload(body, type: type, limits: limits), body: body)
    } catch {
      throw BadStoredPush(problem: "\(error.reason.rawValue): \(error.detail)")
    }
  }
}

/// The reason why a stored push is invalid.
public struct BadStoredPush: Error, Hashable, Sendable, CustomStringConvertible {
  public var problem: String

  public init(problem: String) {
    self.problem = problem
  }

  public var description: String { problem }
}
