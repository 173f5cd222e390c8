// One request of the provider API, judged without a socket.

import HandsetCore

struct APNsRequest {
  private let head: APNsRequestHead
  private let madeID: PushID
  /// Whether it was counted as one of its provider's.
  private(set) var isCounted = false

  /// - Parameter madeID: names the push where the request does not.
  init(_ head: RequestHead, madeID: PushID) {
    self.head = APNsRequestHead(head)
    self.madeID = madeID
  }

  /// `apns-id` of the answer: exactly as it was sent, else the one that was made.
  var echoedID: String { head.id ?? madeID.description }

  /// Judges the header fields.
  ///
  /// - Parameters:
  ///   - now: on the handset's clock.
  ///   - authenticate: finds the provider and counts the request.
  mutating func accept(
    now: WallTime, limits: GatewayLimits,
    authenticate: (_ authorization: String?) throws(APNsRefusal) -> Provider
  ) throws(APNsRefusal) -> APNsPushHead {
    var isCounted = false
    defer { self.isCounted = isCounted }
    return try APNsPushHead(
      head, id: madeID, now: now, limits: limits,
      authenticate: { (authorization) throws(APNsRefusal) -> Provider in
        let provider = try authenticate(authorization)
        isCounted = true
        return provider
      })
  }

  /// Judges the body.
  func push(_ accepted: APNsPushHead, _ body: [UInt8], _ limits: GatewayLimits) throws(APNsRefusal) -> Push {
    let payload = try APNsPayload(body, type: accepted.type, limits: limits)
    var push = try Push(accepted, payload, body: body)
    push.hasProviderID = head.id != nil
    return push
  }

  /// The record of its refusal: it names what could be read.
  func record(of refusal: APNsRefusal) -> RefusedPush {
    RefusedPush(
      id: head.id == nil ? madeID : head.id.flatMap { PushID($0) }, topic: head.app, status: refusal.reason.status,
      reason: refusal.reason.rawValue, detail: refusal.detail)
  }
}
