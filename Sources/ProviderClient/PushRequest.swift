// One push as a provider sends it, and what APNs answers.

import HTTP2Session

/// The headers and the body of `POST /3/device/{token}` [APNs]. Nothing is checked here: a provider may want to see
/// how a bad push is refused. A nil leaves its header out.
public struct PushRequest: Sendable, Hashable {
  /// Hexadecimal.
  public var deviceToken: String
  public var topic: String?
  /// `alert`, `background`, …
  public var pushType: String?
  /// 10, 5 or 1.
  public var priority: Int?
  /// Seconds since 1970; 0 tries once.
  public var expiration: Int64?
  /// At most 64 bytes.
  public var collapseID: String?
  /// A UUID, echoed as it is written here.
  public var id: String?
  /// JSON.
  public var payload: [UInt8]

  public init(
    deviceToken: String, topic: String?, pushType: String? = nil, priority: Int? = nil, expiration: Int64? = nil,
    collapseID: String? = nil, id: String? = nil, payload: [UInt8]
  ) {
    self.deviceToken = deviceToken
    self.topic = topic
    self.pushType = pushType
    self.priority = priority
    self.expiration = expiration
    self.collapseID = collapseID
    self.id = id
    self.payload = payload
  }
}

extension PushRequest {
  /// - Parameter bearer: the provider token; nil sends no `authorization`.
  func head(_ server: Endpoint, bearer: String?) -> HTTP2Fields {
    var fields = HTTP2Fields()
    func add(_ name: String, _ value: String?) {
      if let value { fields.add(name, value) }
    }
    add(":method", "POST")
    add(":scheme", "https")
    add(":path", "/3/device/" + deviceToken)
    add(":authority", "\(server)")
    add("authorization", bearer.map { "bearer " + $0 })
    add("apns-topic", topic)
    add("apns-push-type", pushType)
    add("apns-priority", priority.map(String.init))
    add("apns-expiration", expiration.map(String.init))
    add("apns-collapse-id", collapseID)
    add("apns-id", id)
    add("content-type", "application/json")
    add("content-length", String(payload.count))
    return fields
  }
}

/// What APNs answers, or the 2008 service.
public struct PushAnswer: Sendable, Hashable {
  /// 200 where the push was accepted.
  public var status: Int
  /// `apns-id`: the request's, or the one APNs made. `push-id` of a Deskbell's 2008 service.
  public var apnsID: String?
  /// Why it was refused: `BadDeviceToken`, `Unregistered`, …; the 2008 service has a sentence.
  public var reason: String?
  /// Milliseconds since 1970 at which the token stopped being valid; with 410 only.
  public var timestamp: Int64?
  /// How long the server asks not to be asked again.
  public var retryAfter: Duration?

  public init(
    status: Int, apnsID: String? = nil, reason: String? = nil, timestamp: Int64? = nil, retryAfter: Duration? = nil
  ) {
    self.status = status
    self.retryAfter = retryAfter
    self.apnsID = apnsID
    self.reason = reason
    self.timestamp = timestamp
  }

  public var isAccepted: Bool { status == 200 }
}
