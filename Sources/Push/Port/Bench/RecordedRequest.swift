import HandsetCore

/// A connection as the test bench knows it.
public struct RecordedConnection: Sendable, Hashable {
  /// From 1, in the order of acceptance.
  public var number: Int
  /// The client's IP address; nil if it has none.
  public var address: String?

  public init(number: Int, address: String?) {
    (self.number, self.address) = (number, address)
  }
}

/// A request as the port received it, and its answer. Secrets are replaced by the beginning of their SHA-256.
public struct RecordedRequest: Sendable, Hashable {
  /// From 1, in the order of arrival; 0 until the bench has numbered it.
  public var number = 0
  public var connection: Int
  /// The HTTP/2 stream; nil over HTTP/1.1.
  public var stream: UInt32?
  /// The name of the front end that got it: `apns`, `channels`, `2008`, `ntfy`, `gotify`, `hook`; `none` if no front end did.
  public var frontEnd: String
  /// Empty, as `path`, if the request could not be read.
  public var method: String
  public var path: String
  /// The fields in the order of their arrival.
  public var headers: [RecordedField]
  /// Nil until the body has arrived. A request that was denied before its body was read has none.
  public var payload: [UInt8]?
  /// The size of the body as it arrived, in bytes.
  public var payloadBytes = 0
  /// The machine's time at which the head had arrived, in microseconds since 1970.
  public var realMicroseconds: Int64 = 0
  /// The handset's uptime and wall time then.
  public var moment: Moment?
  /// The name of the handset. Known from the device token, or else once the request has become a push.
  public var handset: String?
  /// The topic.
  public var app: String?
  /// The name of the provider; nil until it has authenticated.
  public var provider: String?
  /// The device token of the path, in hexadecimal digits as sent.
  public var token: String?
  /// The push's identifier as answered, or as sent.
  public var push: String?
  /// The fields of APNs as sent, nil if absent.
  public var pushType: String?
  public var priority: String?
  public var expiration: String?
  public var collapseID: String?
  /// Nil while there is none.
  public var answer: RecordedAnswer?
  /// The way it ended without an answer: `reset`, `refused`, `cut` or `silence`.
  public var end: String?
  /// The numbers of refusals of its connection that its answer brings, and those before it that no fault was asked about;
  /// nil if it brings none.
  var refusals: ClosedRange<Int>?
  /// The names of the faults that struck it, in their order.
  public var faults: [String] = []
  /// The codes of the linter's findings.
  public var lint: [String] = []

  public init(
    connection: Int, stream: UInt32?, frontEnd: String, method: String, path: String, headers: [RecordedField]
  ) {
    (self.connection, self.stream, self.frontEnd) = (connection, stream, frontEnd)
    (self.method, self.path, self.headers) = (method, path, headers)
  }

  /// Returns the first field of a name in lower case.
  public func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

public struct RecordedField: Sendable, Hashable {
  /// In lower case.
  public var name: String
  public var value: String

  public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

public struct RecordedAnswer: Sendable, Hashable {
  /// The part that gave an answer.
  public enum Source: String, Sendable, Codable, CaseIterable {
    /// The front end and the handset.
    case handset
    /// A limit of the port, or of HTTP.
    case limit
    case fault
  }

  public var status: Int
  /// The reason that the body names, `BadDeviceToken`; nil if it names none.
  public var reason: String?
  public var by: Source
  /// The name of the fault that gave it.
  public var fault: String?
  public var headers: [RecordedField]
  public var body: [UInt8]
  /// The machine's time at which it was given, in microseconds since 1970.
  public var realMicroseconds: Int64 = 0
  public var moment: Moment?

  public init(
    status: Int, reason: String? = nil, by source: Source, fault: String? = nil, headers: [RecordedField] = [],
    body: [UInt8] = []
  ) {
    (self.status, self.reason, self.by, self.fault) = (status, reason, source, fault)
    (self.headers, self.body) = (headers, body)
  }
}
