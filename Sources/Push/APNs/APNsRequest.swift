import HTTP
import HandsetCore

/// One request of the provider API: the header fields of APNs, as sent.
struct APNsRequest {
  let method: String
  let path: String
  var authorization: String?
  var id: String?
  var topic: String?
  var pushType: String?
  var expiration: String?
  var priority: String?
  var collapseID: String?
  /// The bytes of `apns-collapse-id`, if it is not UTF-8.
  let collapseBytes: [UInt8]?
  /// The first field whose value begins or ends with a blank.
  let blankField: String?
  var contentLength: Int?
  /// The first field that was sent twice.
  var duplicate: String?
  /// The size of the fields as HPACK counts it.
  let listBytes: Int
  /// The identifier of the push if the request has none.
  let madeID: PushID

  init(_ head: RequestHead, madeID: PushID) {
    self.madeID = madeID
    method = head.method
    path = head.path
    listBytes = head.bytes
    collapseBytes = head.foreignBytes["apns-collapse-id"]
    blankField = head.blankField
    for field in head.headers.fields {
      switch field.name {
      case "authorization": Self.set(&authorization, to: field, &duplicate)
      case "apns-id": Self.set(&id, to: field, &duplicate)
      case "apns-topic": Self.set(&topic, to: field, &duplicate)
      case "apns-push-type": Self.set(&pushType, to: field, &duplicate)
      case "apns-expiration": Self.set(&expiration, to: field, &duplicate)
      case "apns-priority": Self.set(&priority, to: field, &duplicate)
      case "apns-collapse-id": Self.set(&collapseID, to: field, &duplicate)
      case "content-length": contentLength = Int(field.value)
      default: break
      }
    }
  }

  private static func set(_ value: inout String?, to field: HeaderFields.Field, _ duplicate: inout String?) {
    if value == nil {
      value = field.value
    } else if duplicate == nil {
      duplicate = field.name
    }
  }

  /// The `apns-id` of the answer: exactly as it was sent, else the generated one.
  var echoedID: String { id ?? madeID.description }

  func push(_ accepted: APNsPushHead, _ body: [UInt8], _ limits: PortLimits) throws(APNsRefusal) -> Push {
    let payload = try APNsPayload(body, type: accepted.type, limits: limits)
    var push = try Push(accepted, payload, body: body)
    push.hasProviderID = id != nil
    if let blankField {
      push.faults.append(
        PayloadFault(
          path: blankField,
          problem: "has a blank at an end, which HTTP/2 forbids [RFC 9113, 8.2.1]; Apple's service may refuse it"))
    }
    return push
  }

  func record(of refusal: APNsRefusal) -> RefusedPush {
    RefusedPush(
      id: id == nil ? madeID : id.flatMap { PushID($0) }, topic: topic.flatMap { AppID($0) },
      status: refusal.reason.status, reason: refusal.reason.rawValue, detail: refusal.detail)
  }

  func refuse(
    _ refusal: APNsRefusal, from client: Client, isCounted: Bool = true, namedKey: ProviderDirectory.KeyName? = nil
  ) -> HTTPResponse {
    client.refuse(
      record(of: refusal), isCounted: isCounted,
      failure: refusal.reason.isFailedAuthentication ? FailedAuthentication(key: namedKey) : nil,
      with: HTTPResponse(refusal.reason, id: echoedID), tooMany: { HTTPResponse(.tooManyRequests, id: echoedID) })
  }
}
