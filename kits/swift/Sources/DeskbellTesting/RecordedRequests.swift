import Testing

/// The requests that a bench has recorded, the first one first.
public struct RecordedRequests: RandomAccessCollection, Sendable, CustomTestStringConvertible {
  let requests: [RecordedRequest]

  public var startIndex: Int { requests.startIndex }
  public var endIndex: Int { requests.endIndex }
  public subscript(index: Int) -> RecordedRequest { requests[index] }

  /// The status of each answer; 0 for a request without one.
  public var statuses: [Int] { requests.map { $0.answer?.status ?? 0 } }
  /// The time from each request to the next one, on the handset's clock.
  public var gaps: [Duration] {
    zip(requests, requests.dropFirst()).map { .microseconds($1.uptimeMicroseconds - $0.uptimeMicroseconds) }
  }
  /// The number of connections that they came on.
  public var connections: Int { Set(requests.map(\.connection)).count }

  public var testDescription: String { "[\(map(\.testDescription).joined(separator: ", "))]" }

  /// Returns true if all requests have the same value of each header field; `payload` is their body.
  public func same(_ names: String...) -> Bool {
    names.allSatisfy { name in
      Set(requests.map { name == "payload" ? $0.payload ?? $0.payloadBase64 : $0.header(name) }).count <= 1
    }
  }
}

/// A request as it came to the push port, and what it was answered. Secrets are cut to a hash.
public struct RecordedRequest: Decodable, Sendable, CustomTestStringConvertible {
  /// From 1, in the order of arrival.
  public let number: Int
  /// The number of its connection, from 1.
  public let connection: Int
  /// The HTTP/2 stream; nil over HTTP/1.1.
  public let stream: Int?
  /// `apns`, `2008`, `ntfy` …
  public let `protocol`: String
  public let method: String
  public let path: String
  /// Pairs of a name in lower case and a value.
  public let headers: [[String]]
  /// The body; nil if it is not UTF-8 or never came.
  public let payload: String?
  public let payloadBase64: String?
  /// The machine's time, in microseconds since 1970.
  public let realMicroseconds: Int64
  /// The time on the handset's clock, in microseconds.
  public let uptimeMicroseconds: Int64
  public let handset: String?
  public let app: String?
  public let provider: String?
  public let token: String?
  /// The `apns-id` as answered.
  public let push: String?
  public let collapseID: String?
  /// Nil while there is none.
  public let answer: Answer?
  /// How it ended without an answer: `reset`, `goaway`, `cut` …
  public let end: String?
  /// The codes of what the linter found.
  public let lint: [String]?

  public struct Answer: Decodable, Sendable {
    public let status: Int
    public let reason: String?
    /// `handset`, `limit` or `fault`.
    public let by: String
    /// The name of the fault.
    public let fault: String?
  }

  enum CodingKeys: String, CodingKey {
    case number = "request"
    case connection, stream, `protocol`, method, path, headers, payload, payloadBase64, realMicroseconds
    case uptimeMicroseconds, handset, app, provider, token, push, collapseID, answer, end, lint
  }

  public var testDescription: String { "#\(number) \(outcome)" }

  /// `503 ServiceUnavailable (fault busy)`, or `no answer: cut`.
  var outcome: String {
    guard let answer else { return end.map { "no answer: \($0)" } ?? "no answer yet" }
    let source = answer.fault.map { "(fault \($0))" } ?? (answer.by == "limit" ? "(limit)" : nil)
    return ["\(answer.status)", answer.reason, source].compactMap(\.self).joined(separator: " ")
  }

  /// Returns the first value of a header field; `name` in lower case.
  public func header(_ name: String) -> String? {
    headers.first { $0.first == name }?.dropFirst().first
  }
}

/// The ends of pushes of which nothing is under way any more.
public struct Settled: Sendable, CustomTestStringConvertible {
  public let pushes: [SettledPush]
  /// The requests until then.
  public let requests: RecordedRequests

  /// The pushes that were presented.
  public var presented: [SettledPush] { pushes.filter { $0.presented > 0 } }
  public var testDescription: String { why }

  /// A sentence for each push: what it did, and why.
  public var why: String { pushes.map { "\($0.push): \($0.why)" }.joined(separator: "\n") }
}

public struct SettledPush: Decodable, Sendable, CustomTestStringConvertible {
  public let push: String
  public let app: String?
  public let status: Int?
  public let rang: Bool
  /// The parts that it showed: `badge`, `banner` …
  public let shown: [String]
  /// A sentence: why it rang, or not.
  public let why: String
  /// How many times it was presented.
  public let presented: Int
  /// When the lamp was lit, the digits had the number, and the sound's first sample was played: by the drivers, in
  /// microseconds on the handset's clock; nil if the push did nothing of that.
  public let lamp: Int64?
  public let digits: Int64?
  public let sound: Int64?

  public var testDescription: String { "\(push): \(why)" }
}

/// A finding of the linter: what Apple accepts, and a careful provider does not send.
public struct LintFinding: Decodable, Sendable, CustomTestStringConvertible {
  public let code: String
  public let name: String
  /// The number of the request.
  public let request: Int
  public let sentence: String
  /// How to mend it.
  public let remedy: String
  /// Where Apple says so.
  public let source: String

  public var testDescription: String {
    "\(code) \(name) #\(request): \(sentence) \(remedy) (\(source))"
  }
}

/// The handset's board.
public struct Board: Decodable, Sendable {
  /// The text on the digits: `   1`; nil if the handset is on no board.
  public let digits: String?
  /// 0 is dark.
  public let badge: Int
  /// `steady`, `blink` …; nil if it is dark.
  public var lamp: String? { pattern?.pattern }
  /// The colour on a lamp of several colours, chosen or by level; nil if it is dark.
  public var lampColour: String? { pattern?.colour }
  private let pattern: Lamp?

  private struct Lamp: Decodable, Sendable {
    let pattern: String
    let colour: String
  }

  enum CodingKeys: String, CodingKey {
    case digits, badge
    case pattern = "lamp"
  }
}
