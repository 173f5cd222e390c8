import HTTP
import HandsetCore

/// One request of the provider API: the header fields of APNs, as sent.
struct APNsRequest {
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
        guard let field = Field(rawValue: place), name.hasBytes(of: field.name) else { continue }
        self = field
        return
      }
      return nil
    }
  }

  /// The fields, which requests that repeat them share.
  private final class Fields {
    let head: RequestHead
    /// The places of the known fields among all; -1 if the request lacks one.
    let places: InlineArray<8, Int>
    /// The first field that was sent twice.
    let duplicate: Field?

    init(_ head: RequestHead) {
      self.head = head
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
  }

  private let fields: Fields
  /// The identifier of the push if the request has none.
  let madeID: PushID

  init(_ head: RequestHead, madeID: PushID) { self.init(fields: Fields(head), madeID: madeID) }

  private init(fields: Fields, madeID: PushID) {
    (self.fields, self.madeID) = (fields, madeID)
  }

  /// Returns the request with another head, if that differs in the path only, and not in its length.
  func repeated(as head: RequestHead, madeID: PushID) -> APNsRequest? {
    guard head.headers == fields.head.headers, head.bytes == fields.head.bytes, head.method == fields.head.method,
      head.blankField == fields.head.blankField, head.foreignBytes.isEmpty, fields.head.foreignBytes.isEmpty
    else { return nil }
    return APNsRequest(fields: fields, madeID: madeID)
  }

  /// The head; for a request that repeats another one, the head of that.
  var head: RequestHead { fields.head }

  var duplicate: Field? { fields.duplicate }

  func has(_ field: Field) -> Bool { fields.places[field.rawValue] >= 0 }

  func bytes(_ field: Field) -> ArraySlice<UInt8>? {
    has(field) ? fields.head.headers.value(at: fields.places[field.rawValue]) : nil
  }

  subscript(field: Field) -> String? { bytes(field).map { String(decoding: $0, as: UTF8.self) } }

  /// The `apns-id` of the answer: exactly as it was sent, else the generated one.
  var echoedID: String { self[.id] ?? madeID.description }

  /// - Parameter faults: further faults; evaluated once the push is accepted.
  func push(
    _ accepted: APNsPushHead, _ body: [UInt8], _ limits: PortLimits, faults: @autoclosure () -> [PayloadFault] = [],
    provider: String? = nil
  ) throws(APNsRefusal) -> Push {
    let payload = try APNsPayload(body, type: accepted.type, limits: limits)
    let problem = "has a blank at an end, which HTTP/2 forbids [RFC 9113, 8.2.1]; Apple's service may refuse it"
    let blank = fields.head.blankField.map { [PayloadFault(path: $0, problem: problem)] } ?? []
    return try Push(
      accepted, payload, body: body, hasProviderID: has(.id), faults: blank + faults(), provider: provider)
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
      failure: !isCounted && refusal.reason.isFailedAuthentication ? FailedAuthentication(key: namedKey) : nil,
      with: HTTPResponse(refusal.reason, id: echoedID), tooMany: { HTTPResponse(.tooManyRequests, id: echoedID) })
  }
}
