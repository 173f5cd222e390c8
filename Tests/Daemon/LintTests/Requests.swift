// Requests that follow all rules, and copies of them with a fault.

import Lint

let second: Int64 = 1_000_000
let minute: Int64 = 60 * second
/// 2026-01-01T00:00:00Z.
let start: Int64 = 1_767_225_600 * second
let device = String(repeating: "0f", count: 32)

/// Returns a request without a fault: an alert over connection 1, answered 200 after 10 ms.
/// - Parameter at: the time since `start`, in microseconds.
func request(
  _ number: Int = 1, at: Int64 = 0, connection: Int = 1, device: String = device, id: Int? = nil,
  payload: String = #"{"aps":{"alert":{"title":"A parcel"},"sound":"default"}}"#, token: String = "…0a1b2c3d",
  without absent: Set<String> = [], _ fields: [String: String] = [:]
) -> LintedRequest {
  var headers = [
    "apns-push-type": "alert", "apns-priority": "10", "apns-expiration": "0", "apns-topic": "com.example.mail",
    "apns-id": uuid(id ?? number), "authorization": "bearer \(token)",
  ]
  headers.merge(fields) { _, new in new }
  for name in absent { headers[name] = nil }
  let time = LintTime(real: start + at, uptime: at)
  var request = LintedRequest(
    number: number, connection: connection, path: "/3/device/\(device)",
    headers: headers.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) }, payload: Array(payload.utf8),
    time: time)
  request.provider = "mailer"
  return request.answered(200)
}

func request(_ fields: [String: String]) -> LintedRequest { request(1, fields) }

func background(_ fields: [String: String]) -> LintedRequest { background(1, fields) }

/// Returns a background update without a fault.
func background(
  _ number: Int = 1, payload: String = #"{"aps":{"content-available":1}}"#, without absent: Set<String> = [],
  _ fields: [String: String] = [:]
) -> LintedRequest {
  let own = ["apns-push-type": "background", "apns-priority": "5"]
  return request(number, payload: payload, without: absent, own.merging(fields) { _, new in new })
}

func uuid(_ number: Int) -> String {
  let digits = String(number, radix: 16)
  return "123e4567-e89b-12d3-a456-" + String(repeating: "0", count: 12 - digits.count) + digits
}

/// Returns an alert of `bytes` bytes.
func large(_ bytes: Int, _ fields: [String: String] = [:]) -> LintedRequest {
  let (head, tail) = (#"{"aps":{"alert":""#, #""}}"#)
  let filling = String(repeating: "x", count: bytes - head.utf8.count - tail.utf8.count)
  return request(payload: head + filling + tail, fields)
}

extension LintedRequest {
  func answered(
    _ status: Int, _ reason: String? = nil, retryAfter: Int64? = nil, byFault: Bool = false, timestamp: Int64? = nil
  ) -> LintedRequest {
    var copy = self
    copy.answer = Answer(
      status: status, reason: reason, time: LintTime(real: time.real + 10_000, uptime: time.uptime + 10_000))
    copy.answer?.isOfFault = byFault
    var headers: [Field] = []
    if let retryAfter { headers.append(Field("retry-after", "\(retryAfter)")) }
    let body = timestamp.map { #"{"reason":"Unregistered","timestamp":\#($0)}"# } ?? ""
    copy.answer?.read(headers: headers, body: Array(body.utf8))
    return copy
  }

  func ended(_ end: String, frontEnd: String = "apns") -> LintedRequest {
    var copy = self
    (copy.answer, copy.end, copy.frontEnd) = (nil, end, frontEnd)
    return copy
  }

  func withWallTime(at microseconds: Int64) -> LintedRequest {
    var copy = self
    copy.wall = start + microseconds
    return copy
  }

  /// The same request with its clocks set apart: real time has stood still.
  func withRealTime(at microseconds: Int64) -> LintedRequest {
    var copy = self
    copy.time.real = start + microseconds
    copy.answer?.time.real = start + microseconds + 1
    return copy
  }
}

/// Returns the codes of the findings of each request.
func codes(_ requests: [LintedRequest], followsHandset: Bool = false) -> [[String]] {
  var linter = Linter(followsHandset: followsHandset)
  return requests.map { linter.note($0).map(\.code) }
}
