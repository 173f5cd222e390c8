import FoundationEssentials
import HTTP

/// A request to the push port as the linter sees it, with its answer or its end. The keys are those of a recorded
/// request of `GET /v1/requests`; others are ignored.
public struct LintedRequest: Sendable, Hashable, Decodable {
  private enum CodingKeys: String, CodingKey {
    case number = "request"
    case frontEnd = "protocol"
    case connection, method, path, headers, payload, payloadBase64, payloadBytes, realMicroseconds, uptimeMicroseconds
    case wallMicroseconds
    case provider, handset, answer, end
  }

  public struct Answer: Sendable, Hashable {
    public var status: Int
    /// The reason in the body, `BadDeviceToken`; nil for none.
    public var reason: String?
    /// True if a fault of the bench gave it.
    public var isOfFault = false
    /// The value of Retry-After in seconds; nil for none.
    public var retryAfter: Int64?
    /// The timestamp in the body of a 410, in milliseconds since 1970; nil for none.
    public var timestamp: Int64?
    public var time: LintTime

    public init(status: Int, reason: String? = nil, time: LintTime) {
      (self.status, self.reason, self.time) = (status, reason, time)
    }
  }

  public var number: Int
  public var connection: Int
  /// The front end: `apns`; `none` for a request that HTTP/2 did not allow.
  public var frontEnd: String
  public var method = "POST"
  public var path: String
  /// The fields, their names in lower case. The value of `authorization` may be a digest behind its scheme.
  public var headers: [Field]
  /// The whole payload; nil if there is none.
  public var payload: [UInt8]?
  public var payloadBytes: Int
  public var time: LintTime
  /// The handset's wall time at its arrival, in microseconds since 1970; nil if it is not known.
  public var wall: Int64?
  public var provider: String?
  public var handset: String?
  /// Nil if it got none.
  public var answer: Answer?
  /// The end of a request without an answer, such as `reset`.
  public var end: String?

  public struct Field: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  public init(number: Int, connection: Int, path: String, headers: [Field], payload: [UInt8]?, time: LintTime) {
    (self.number, self.connection, frontEnd, self.path) = (number, connection, "apns", path)
    (self.headers, self.payload, payloadBytes, self.time) = (headers, payload, payload?.count ?? 0, time)
  }

  /// Returns the first field of a name in lower case.
  func field(_ name: String) -> String? { headers.first { $0.name == name }?.value }

  /// The device token as sent; empty if the path has none.
  var deviceToken: String {
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return parts.count > 3 && parts[1].elementsEqual("3".utf8) ? String(parts[3]) ?? "" : ""
  }

  /// The last moment that is known of it.
  var ended: LintTime { answer?.time ?? time }
}

/// A moment on both clocks. In a bench with a virtual clock they differ.
public struct LintTime: Sendable, Hashable {
  /// The machine's time, in microseconds since 1970.
  public var real: Int64
  /// The handset's uptime, in microseconds.
  public var uptime: Int64

  public init(real: Int64, uptime: Int64) { (self.real, self.uptime) = (real, uptime) }

  /// The time since an earlier moment, in microseconds, on the clock on which more has passed: a provider that waits on
  /// either has waited.
  func since(_ earlier: LintTime) -> Int64 { max(real - earlier.real, uptime - earlier.uptime) }
}

// MARK: - From JSON

extension LintedRequest {
  private struct RecordedAnswer: Decodable {
    var status: Int
    var reason: String?
    var by: String?
    var headers: [[String]]?
    var body: String?
    var realMicroseconds: Int64?
    var uptimeMicroseconds: Int64?
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    number = try members.decode(Int.self, forKey: .number)
    connection = try members.decode(Int.self, forKey: .connection)
    frontEnd = try members.decode(String.self, forKey: .frontEnd)
    method = try members.decodeIfPresent(String.self, forKey: .method) ?? ""
    path = try members.decodeIfPresent(String.self, forKey: .path) ?? ""
    headers = try members.decodeIfPresent([[String]].self, forKey: .headers).map(LintedRequest.fields) ?? []
    payload =
      try members.decodeIfPresent(String.self, forKey: .payload).map { Array($0.utf8) }
      ?? members.decodeIfPresent(Data.self, forKey: .payloadBase64).map { Array($0) }
    payloadBytes = try members.decodeIfPresent(Int.self, forKey: .payloadBytes) ?? payload?.count ?? 0
    let real = try members.decode(Int64.self, forKey: .realMicroseconds)
    time = LintTime(real: real, uptime: try members.decodeIfPresent(Int64.self, forKey: .uptimeMicroseconds) ?? real)
    wall = try members.decodeIfPresent(Int64.self, forKey: .wallMicroseconds)
    provider = try members.decodeIfPresent(String.self, forKey: .provider)
    handset = try members.decodeIfPresent(String.self, forKey: .handset)
    end = try members.decodeIfPresent(String.self, forKey: .end)
    answer = try members.decodeIfPresent(RecordedAnswer.self, forKey: .answer).map { [time] in
      LintedRequest.answer($0, to: time)
    }
  }

  private static func fields(_ pairs: [[String]]) -> [Field] {
    pairs.compactMap { $0.count == 2 ? Field($0[0].lowercased(), $0[1]) : nil }
  }

  private static func answer(_ recorded: RecordedAnswer, to began: LintTime) -> Answer {
    let real = recorded.realMicroseconds ?? began.real
    let time = LintTime(real: real, uptime: recorded.uptimeMicroseconds ?? began.uptime)
    var answer = Answer(status: recorded.status, reason: recorded.reason, time: time)
    answer.isOfFault = recorded.by == "fault"
    answer.read(headers: fields(recorded.headers ?? []), body: Array((recorded.body ?? "").utf8))
    return answer
  }
}

extension LintedRequest.Answer {
  /// Reads the members that the rules need.
  public mutating func read(headers: [LintedRequest.Field], body: [UInt8]) {
    retryAfter = headers.first { $0.name == "retry-after" }.flatMap { Int64($0.value) }
    guard status == 410, case .object(let members) = try? JSONDecoder().decode(JSONValue.self, from: Data(body)),
      case .integer(let timestamp) = members["timestamp"]
    else { return }
    self.timestamp = timestamp
  }
}
