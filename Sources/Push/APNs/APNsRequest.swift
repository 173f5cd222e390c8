import HTTP
import HandsetCore

/// One request of the provider API: the header fields of APNs, as sent.
final class APNsRequest {
  enum Field: Int, CaseIterable {
    case authorization, id, topic, pushType, expiration, priority, collapseID, contentLength

    var name: StaticString {
      switch self {
      case .authorization: "authorization"
      case .id: "apns-id"
      case .topic: "apns-topic"
      case .pushType: "apns-push-type"
      case .expiration: "apns-expiration"
      case .priority: "apns-priority"
      case .collapseID: "apns-collapse-id"
      case .contentLength: "content-length"
      }
    }

    fileprivate init?(_ name: UnsafeRawBufferPointer) {
      for place in 0...Field.contentLength.rawValue {
        guard let field = Field(rawValue: place), field.name.utf8CodeUnitCount == name.count else { continue }
        if name.elementsEqual(UnsafeRawBufferPointer(start: field.name.utf8Start, count: name.count)) {
          self = field
          return
        }
      }
      return nil
    }
  }

  let head: RequestHead
  /// The places of the known fields among all; -1 if the request lacks one.
  private let places: InlineArray<8, Int>
  /// The first field that was sent twice.
  let duplicate: Field?
  /// The identifier of the push if the request has none.
  let madeID: PushID

  init(_ head: RequestHead, madeID: PushID) {
    self.head = head
    self.madeID = madeID
    var places = InlineArray<8, Int>(repeating: -1)
    var duplicate: Field?
    var next = 0
    head.headers.eachField { name, _ in
      if let field = Field(name) {
        if places[field.rawValue] < 0 || field == .contentLength {
          places[field.rawValue] = next
        } else if duplicate == nil {
          duplicate = field
        }
      }
      next += 1
    }
    self.places = places
    self.duplicate = duplicate
  }

  func has(_ field: Field) -> Bool { places[field.rawValue] >= 0 }

  func bytes(_ field: Field) -> ArraySlice<UInt8>? { has(field) ? head.headers.value(at: places[field.rawValue]) : nil }

  subscript(field: Field) -> String? { bytes(field).map { String(decoding: $0, as: UTF8.self) } }

  /// The `apns-id` of the answer: exactly as it was sent, else the generated one.
  var echoedID: String { self[.id] ?? madeID.description }

  func push(_ accepted: APNsPushHead, _ body: [UInt8], _ limits: PortLimits) throws(APNsRefusal) -> Push {
    let payload = try APNsPayload(body, type: accepted.type, limits: limits)
    var push = try Push(accepted, payload, body: body)
    push.hasProviderID = has(.id)
    if let blankField = head.blankField {
      push.faults.append(
        PayloadFault(
          path: blankField,
          problem: "has a blank at an end, which HTTP/2 forbids [RFC 9113, 8.2.1]; Apple's service may refuse it"))
    }
    return push
  }

  func record(of refusal: APNsRefusal) -> RefusedPush {
    RefusedPush(
      id: has(.id) ? self[.id].flatMap { PushID($0) } : madeID, topic: self[.topic].flatMap { AppID($0) },
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
