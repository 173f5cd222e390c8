/// Something that the bench does wrong on purpose, and to which requests.
///
///     bell.fault(.answer(503, retryAfter: .seconds(2)), pushes: 1...2)
public struct Fault: Sendable {
  /// The keys of `POST /v1/faults` with their values.
  package let words: [String: FaultValue]

  /// The place of a request at which something happens.
  public enum Point: String, Sendable {
    /// Nothing is stored.
    case beforeCommit = "before-commit"
    /// The push is stored, and presented. Its provider does not know.
    case afterCommit = "after-commit"
  }

  public enum Cut: String, Sendable {
    /// When the connection is accepted.
    case accept
    /// After the head of the request.
    case request
    /// In place of the answer.
    case answer
    /// After the head of the answer.
    case headers
    /// In the body of the answer.
    case body
  }

  public enum Certificate: String, Sendable {
    case expired
    case notYetValid = "not-yet-valid"
    case otherName = "other-name"
    case otherAuthority = "other-authority"
  }

  /// An answer in place of the handset's. Nothing is stored.
  ///
  /// - Parameters:
  ///   - reason: Apple's word, or any text; nil for the usual one of the status.
  ///   - retryAfter: in whole seconds.
  ///   - timestamp: of a 410, in milliseconds since 1970.
  ///   - body: the whole body, for one that is no JSON; nil for Apple's form.
  public static func answer(
    _ status: Int, reason: String? = nil, retryAfter: Duration? = nil, timestamp: Int? = nil, body: String? = nil
  ) -> Fault {
    Fault([
      "answer": .number(status), "reason": .text(reason), "retry-after": .time(retryAfter),
      "timestamp": .number(timestamp), "body": .text(body),
    ])
  }

  /// The request waits, in real time, and then goes on.
  public static func delay(_ time: Duration, _ point: Point = .beforeCommit) -> Fault {
    Fault(["delay": .time(time), "at": .text(point.rawValue)])
  }

  /// No answer; the connection stays open.
  public static func silence(_ point: Point = .afterCommit) -> Fault {
    Fault(["silent": .flag(true), "at": .text(point.rawValue)])
  }

  /// RST_STREAM with an error code of HTTP/2 in words: `refused-stream`.
  public static func reset(_ code: String = "internal-error", _ point: Point = .beforeCommit) -> Fault {
    Fault(["reset": .text(code), "at": .text(point.rawValue)])
  }

  /// GOAWAY at the request of a number.
  ///
  /// - Parameters:
  ///   - afterStream: the request at which it is sent, 1 for the first.
  ///   - lastProcessed: the last request that is answered; nil for the one at which it is sent.
  ///   - closes: true to close the connection then.
  public static func goaway(
    afterStream: Int = 1, lastProcessed: Int? = nil, twice: Bool = false, closes: Bool = true
  ) -> Fault {
    // Requests of a connection have the streams 1, 3, 5 …
    Fault([
      "goaway": .text("no-error"), "last-stream": .number(lastProcessed.map { 2 * $0 - 1 }),
      "times": .number(twice ? 2 : nil), "close": .flag(closes), "pushes": .text("\(afterStream)-\(afterStream)"),
    ])
  }

  /// New SETTINGS of an open connection: MAX_CONCURRENT_STREAMS, and INITIAL_WINDOW_SIZE in bytes.
  public static func settings(streams: Int? = nil, window: Int? = nil) -> Fault {
    Fault(["streams": .number(streams), "window": .number(window)])
  }

  /// The connection ends without a word. With `.answer` the push is stored and its provider gets no answer, unless `point`
  /// is before the commit.
  public static func cut(_ place: Cut, _ point: Point? = nil) -> Fault {
    Fault(["cut": .text(place.rawValue), "at": .text(point?.rawValue)])
  }

  /// The certificate that new connections get.
  public static func certificate(_ certificate: Certificate) -> Fault {
    Fault(["certificate": .text(certificate.rawValue)])
  }

  /// A condition of the handset while the fault is armed: `offline`, `low-power` …
  public static func condition(_ name: String) -> Fault { Fault(["condition": .text(name)]) }

  /// One of Apple's habits by its name, as `deskbell fault presets` lists them.
  public static func preset(_ name: String) -> Fault { Fault(["preset": .text(name)]) }

  /// Any fault, in the words of a scenario: `["answer": 503, "retry-after": "2s"]`.
  public static func words(_ words: [String: FaultValue]) -> Fault { Fault(words.mapValues(Optional.some)) }

  private init(_ words: [String: FaultValue?]) { self.words = words.compactMapValues(\.self) }

  /// The same fault with more words; nil leaves one as it is.
  func adding(_ more: [String: FaultValue?]) -> Fault {
    Fault(words.merging(more.compactMapValues(\.self)) { $1 }.mapValues(Optional.some))
  }
}

/// A value of a word of a fault.
public enum FaultValue: Encodable, Sendable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral
{
  case text(String)
  case number(Int)
  case share(Double)
  case flag(Bool)

  public init(stringLiteral value: String) { self = .text(value) }
  public init(integerLiteral value: Int) { self = .number(value) }
  public init(floatLiteral value: Double) { self = .share(value) }
  public init(booleanLiteral value: Bool) { self = .flag(value) }

  static func text(_ value: String?) -> FaultValue? { value.map { .text($0) } }
  static func number(_ value: Int?) -> FaultValue? { value.map { .number($0) } }
  static func time(_ value: Duration?) -> FaultValue? { value.map { .text(text($0)) } }

  /// Returns `2s` or `1500ms`.
  static func text(_ time: Duration) -> String {
    let (seconds, attoseconds) = time.components
    let milliseconds = attoseconds / 1_000_000_000_000_000
    return milliseconds == 0 ? "\(seconds)s" : "\(seconds * 1_000 + milliseconds)ms"
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .share(let value): try container.encode(value)
    case .flag(let value): try container.encode(value)
    }
  }
}

/// A fault that a test has armed. One that never strikes fails its test.
public struct ArmedFault: Sendable {
  /// Its name, which the requests have that it struck. Of a preset with several faults, that of the first one.
  public let name: String
  let names: [String]
  let control: ControlSocket

  init(_ report: FaultReport, control: ControlSocket) {
    (name, names, self.control) = (report.name, [report.name] + (report.more ?? []), control)
  }

  /// The number of requests, or connections, that it has struck.
  public var hits: Int {
    get async throws {
      let faults = try await control.get("/v1/faults", as: FaultList.self).faults.filter { names.contains($0.name) }
      guard faults.count == names.count else {
        throw BenchError("there is no fault '\(name)' any more: it was removed, or the bench was reset")
      }
      return faults.map(\.hits).reduce(0, +)
    }
  }

  /// Ends it.
  public func remove() async throws {
    for name in names { try await control.bytes("DELETE", "/v1/faults/\(name)") }
  }
}

struct FaultReport: Decodable, Sendable {
  var name: String
  var hits: Int
  var handset: String?
  /// The names of the other faults of a preset.
  var more: [String]?
}

struct FaultList: Decodable, Sendable {
  var faults: [FaultReport]
}
