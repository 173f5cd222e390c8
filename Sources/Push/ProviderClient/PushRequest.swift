import HTTP2Session

/// The headers and the body of `POST /3/device/{token}` [APNs]. Nothing is checked here: a provider may want to see
/// how a bad push is refused. A nil omits its header.
public struct PushRequest: Sendable, Hashable {
  /// The token in hexadecimal.
  public var deviceToken: String
  public var topic: String?
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

  var path: String { "/3/device/" + deviceToken }

  /// Returns the headers that describe the push and authenticate its sender.
  /// - Parameter bearer: the provider token; nil sends no `authorization`.
  func headers(bearer: String?) -> [(name: String, value: String)] {
    let values = [
      ("authorization", bearer.map { "bearer " + $0 }), ("apns-topic", topic), ("apns-push-type", pushType),
      ("apns-priority", priority.map(String.init)), ("apns-expiration", expiration.map(String.init)),
      ("apns-collapse-id", collapseID), ("apns-id", id),
    ]
    return values.compactMap { name, value in value.map { (name, $0) } }
  }

  func head(_ server: Endpoint, bearer: String?) -> HTTP2Fields {
    var fields = HTTP2Fields(method: "POST", path: path, server)
    for (name, value) in headers(bearer: bearer) { fields.add(name, value) }
    fields.add("content-type", "application/json")
    fields.add("content-length", String(payload.count))
    return fields
  }
}

extension HTTP2Fields {
  init(method: String, path: String, _ server: Endpoint) {
    self.init()
    add(":method", method)
    add(":scheme", "https")
    add(":path", path)
    add(":authority", "\(server)")
  }
}

/// An answer of APNs or of the 2008 service.
public struct PushAnswer: Sendable, Hashable {
  public var status: Int
  /// `apns-id`: the request's, or one made by APNs. `push-id` of a Deskbell's 2008 service.
  public var apnsID: String?
  /// The reason for a refusal: `BadDeviceToken`, `Unregistered`, …; the 2008 service has a sentence.
  public var reason: String?
  /// Milliseconds since 1970 at which the token stopped being valid; with 410 only.
  public var timestamp: Int64?
  /// The time that the server asks to wait before the next request.
  public var retryAfter: Duration?

  public var isAccepted: Bool { status == 200 }
}
