import FoundationEssentials
import HTTP
import HandsetCore
import PushPort

public struct RequestReport: Codable, Sendable, Equatable, WireType {
  static let meaning =
    "A request as the push port received it, and its answer. Credentials are shown as the first 8 digits of their SHA-256."

  public var request: Int
  public var connection: Int
  public var stream: Int?
  public var `protocol`: String
  public var method: String
  public var path: String
  public var headers: [[String]]
  public var payload: String?
  public var payloadBase64: String?
  public var payloadBytes: Int
  public var realMicroseconds: Int64
  public var uptimeMicroseconds: Int64
  public var wallMicroseconds: Int64
  public var handset: String?
  public var app: String?
  public var provider: String?
  public var token: String?
  public var push: String?
  public var pushType: String?
  public var priority: String?
  public var expiration: String?
  public var collapseID: String?
  public var answer: Answer?
  public var end: String?
  public var faults: [String]
  public var lint: [String]

  static let meanings: [String: Meaning] = [
    "request": .number(from: 1, "Its number, in the order of arrival."),
    "connection": .number(from: 1, "The number of its connection, in the order in which they were opened."),
    "stream": "The HTTP/2 stream; absent over HTTP/1.1.",
    "protocol": .words(
      ["apns", "channels", "2008", "ntfy", "gotify", "hook", "none"], "The protocol that the request belongs to."),
    "method": "The method; empty if the request could not be read.",
    "path": "The path with the query, as sent.",
    "headers": "The header fields in their order, each as a name in lower case and a value.",
    "payload": "The body as text; absent if it is not UTF-8, or was not read.",
    "payloadBase64": "The body if it is not UTF-8.",
    "payloadBytes": .count("The bytes of the body."),
    "realMicroseconds": "The machine's time of its arrival: microseconds since 1970-01-01T00:00:00Z.",
    "uptimeMicroseconds": "The uptime on the handset's clock when it arrived.",
    "wallMicroseconds": "The time on the handset's clock when it arrived: microseconds since 1970-01-01T00:00:00Z.",
    "app": "The topic.",
    "provider": "The provider; absent if none has authenticated.",
    "token": "The device token of the path, as sent.",
    "push": "The push's identifier, as answered; before that, as sent.",
    "pushType": "The value of apns-push-type.",
    "priority": "The value of apns-priority.",
    "expiration": "The value of apns-expiration.",
    "collapseID": "The value of apns-collapse-id.",
    "answer": "The answer; absent if there is none, or none yet.",
    "end": .words(
      ["reset", "refused", "cut", "silence", "goaway"],
      "The way it ended without an answer: its stream was reset or refused, its connection closed, or a fault withheld "
        + "the answer or left it out of a GOAWAY."),
    "faults": "The names of the faults that struck it, in their order.",
    "lint": "The codes of what a careful provider does not do.",
  ]

  public struct Answer: Codable, Sendable, Equatable, WireType {
    static let schemaName = "RequestAnswer"
    static let meaning = "The answer to a recorded request."

    public var status: Int
    public var reason: String?
    public var by: String
    public var fault: String?
    public var headers: [[String]]
    public var body: String
    public var realMicroseconds: Int64
    public var uptimeMicroseconds: Int64

    static let meanings: [String: Meaning] = [
      "status": "The HTTP status.",
      "reason": "The reason that the body names: `BadDeviceToken`.",
      "by": .one(
        of: RecordedAnswer.Source.self, "The part that gave it: the handset, a limit of the port, or a fault."),
      "fault": "The name of the fault that gave it.",
      "headers": "The header fields in their order, each as a name in lower case and a value.",
      "body": "The body as text.",
      "realMicroseconds": "The machine's time at which it was given: microseconds since 1970-01-01T00:00:00Z.",
      "uptimeMicroseconds": "The uptime on the handset's clock when it was given.",
    ]
  }
}

extension RequestReport {
  init(_ request: RecordedRequest) {
    self.request = request.number
    connection = request.connection
    stream = request.stream.map(Int.init)
    `protocol` = request.frontEnd
    method = request.method
    path = request.path
    headers = request.headers.map { [$0.name, $0.value] }
    payload = request.payload.flatMap { String(validating: $0, as: UTF8.self) }
    payloadBase64 = payload == nil ? request.payload.map { Data($0).base64EncodedString() } : nil
    payloadBytes = request.payloadBytes
    realMicroseconds = request.realMicroseconds
    uptimeMicroseconds = request.moment?.uptime.inMicroseconds ?? 0
    wallMicroseconds = request.moment?.wall.microseconds ?? 0
    (handset, app, provider) = (request.handset, request.app, request.provider)
    (token, push, pushType) = (request.token, request.push, request.pushType)
    (priority, expiration, collapseID) = (request.priority, request.expiration, request.collapseID)
    answer = request.answer.map(Answer.init)
    faults = request.faults
    end = request.end
    lint = request.lint
  }
}

extension RequestReport.Answer {
  init(_ answer: RecordedAnswer) {
    (status, reason, by, fault) = (answer.status, answer.reason, answer.by.rawValue, answer.fault)
    headers = answer.headers.map { [$0.name, $0.value] }
    body = String(decoding: answer.body, as: UTF8.self)
    realMicroseconds = answer.realMicroseconds
    uptimeMicroseconds = answer.moment?.uptime.inMicroseconds ?? 0
  }
}

struct RequestList: Codable, Sendable, WireType {
  static let meaning = "Requests of the recorder."

  var requests: [RequestReport]

  static let meanings: [String: Meaning] = [
    "requests": "The requests, oldest first."
  ]
}

extension ControlParts {
  /// - Throws: `ControlError` 404 if the daemon is no test bench.
  func requireBench() throws(ControlError) -> Bench {
    guard let bench else { throw .notABench }
    return bench
  }
}

enum RequestsResource {
  static let routes: [DaemonRoute] = [
    DaemonRoute(
      "GET", "/v1/requests", "requests", in: .bench, "The requests that the push port received",
      details: "Only a test bench records them. It keeps the newest 10,000, and at most 64 MB of them.",
      query: [
        Operation.Query(
          name: "after", meaning: .number(from: 0, "Requests after this number."), form: .integer,
          standard: .integer(0)),
        Operation.Query.app,
        Operation.Query(name: "provider", meaning: "Only requests of this provider."),
        Operation.Query(name: "handset", meaning: "Only requests for this handset."),
        Operation.Query(name: "status", meaning: "Only requests that were answered with this status.", form: .integer),
        Operation.Query(name: "connection", meaning: "Only requests on this connection.", form: .integer),
        Operation.Query(name: "push", meaning: "Only requests of the push with this identifier."),
        Operation.Query(
          name: "last", meaning: .number(from: 1, "Only the newest of them: this number."), form: .integer),
        Operation.Query(
          name: "follow",
          meaning: "True for JSON lines: each request when it has ended, and new ones as they end.", form: .flag,
          standard: false),
      ],
      response: Operation.Answer(
        meaning:
          "The requests, oldest first; with follow JSON lines, one RequestReport each, in the order of their ends.",
        form: RequestList.form),
      refusals: [404: ControlError.noBench]
    ) { daemon, request in
      let bench = try daemon.requireBench()
      let (filter, last) = try RequestRing.Filter.read(request)
      let word = request.target.queryValue("follow") ?? "false"
      guard let follow = Bool(word) else { throw ControlError(400, "follow is true or false, not '\(shown(word))'") }
      guard follow else {
        bench.examine()
        return try .json(RequestList(requests: bench.requests.requests(filter, last: last).map(RequestReport.init)))
      }
      return HTTPResponse(
        headers: ["Content-Type": "application/x-ndjson", "Cache-Control": "no-store"],
        body: .stream { write in try await bench.send(filter, last: last, to: write) })
    }
  ]
}

extension Bench {
  /// Sends requests as JSON lines as they end, until the reader leaves.
  /// - Parameter last: the number of those that have ended already; nil for all.
  fileprivate func send(
    _ filter: RequestRing.Filter, last: Int?, to write: @Sendable ([UInt8]) async throws -> Void
  ) async throws {
    // Begins before the first look, so that no request is missed.
    var news = requests.listen().makeAsyncIterator()
    var position = 0
    var isFirst = true
    repeat {
      var found = requests.ended(after: &position, until: examine(), filter)
      if let last, isFirst { found = found.suffix(last) }
      isFirst = false
      for request in found {
        try await write(RequestReport(request).encoded() + [UInt8(ascii: "\n")])
      }
    } while await news.next() != nil && !Task.isCancelled
  }
}

extension RequestRing.Filter {
  /// Reads the filter of a query.
  /// - Throws: `ControlError` 400 if a value is not valid.
  fileprivate static func read(_ request: HTTPRequest) throws(ControlError) -> (RequestRing.Filter, last: Int?) {
    func number(_ name: String, from least: Int) throws(ControlError) -> Int? {
      guard let text = request.target.queryValue(name) else { return nil }
      guard let number = Int(text), number >= least else {
        throw ControlError(400, "\(name) is a number, \(least) or more, not '\(shown(text))'")
      }
      return number
    }
    var filter = RequestRing.Filter()
    filter.after = try number("after", from: 0) ?? 0
    filter.status = try number("status", from: 100)
    filter.connection = try number("connection", from: 1)
    filter.app = request.target.queryValue("app")
    filter.provider = request.target.queryValue("provider")
    filter.handset = request.target.queryValue("handset")
    filter.push = request.target.queryValue("push")
    return (filter, try number("last", from: 1))
  }
}

extension ControlClient {
  /// The filter of recorded requests; nil wants all.
  public struct RequestFilter: Sendable {
    public var after: Int?
    public var app: String?
    public var provider: String?
    public var handset: String?
    public var status: Int?
    public var connection: Int?
    public var push: String?
    public var last: Int?

    public init() {}

    fileprivate var query: String {
      let numbers: [(String, Int?)] = [
        ("after", after), ("status", status), ("connection", connection), ("last", last),
      ]
      let texts = [("app", app), ("provider", provider), ("handset", handset), ("push", push)]
      let items = numbers.map { ($0.0, $0.1.map(String.init)) } + texts
      return items.compactMap { name, value in
        value.map { "&\(name)=\(RequestTarget.encodedSegment($0))" }
      }.joined()
    }
  }

  public func requests(_ filter: RequestFilter = RequestFilter()) async throws -> [RequestReport] {
    let list: RequestList = try await get("/v1/requests?follow=false" + filter.query)
    return list.requests
  }

  /// Passes each request to `body` when it has ended. Returns when the daemon stops.
  public func followRequests(
    _ filter: RequestFilter = RequestFilter(), _ body: (RequestReport, _ line: String) async throws -> Void
  ) async throws {
    try await http.lines("/v1/requests?follow=true" + filter.query) { lines in
      while let line = try await lines.next() {
        let report: RequestReport
        do {
          report = try JSONDecoder().decode(RequestReport.self, from: Data(line.utf8))
        } catch {
          throw otherVersion
        }
        try await body(report, line)
      }
    }
  }
}
