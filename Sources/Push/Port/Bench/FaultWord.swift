import HandsetCore

/// A key of a fault. Scenario files, the control API and the command have the same keys, with the same meanings.
public enum FaultWord: String, CaseIterable, Sendable {
  case name, preset
  case app, provider, token, handset, connection
  case pushes, every, share, seed
  case perToken = "per-token"
  case refusals
  case count
  case duration = "for"
  case at
  case answer, reason
  case retryAfter = "retry-after"
  case timestamp, body
  case delay, silent, reset
  case goaway
  case lastStream = "last-stream"
  case times, close
  case streams, window
  case cut, certificate, condition

  /// The form of its value, as JSON.
  public enum Form: Sendable {
    case text, flag
    case integer(ClosedRange<Int64>)
    /// An integer, or a text.
    case numberOrText
  }

  public var form: Form {
    switch self {
    case .close, .silent: .flag
    case .connection, .every, .refusals, .count: .integer(1...1_000_000_000)
    case .seed, .timestamp: .integer(0...Int64.max)
    case .answer: .integer(200...599)
    case .times: .integer(1...2)
    case .streams: .integer(0...1_000)
    case .window: .integer(0...65_535)
    case .pushes, .share, .perToken, .duration, .retryAfter, .delay, .lastStream: .numberOrText
    default: .text
    }
  }

  /// The only values; nil if there are others.
  public var values: [String]? {
    switch self {
    case .preset: FaultPreset.all.map(\.name)
    case .at: FaultWord.moments
    case .reset, .goaway: FaultWord.codes.map(\.word)
    case .cut: Fault.Cut.allCases.map(\.rawValue)
    case .certificate: Fault.CertificateFault.allCases.map(\.rawValue)
    case .condition: Condition.allCases.map(\.rawValue)
    default: nil
    }
  }

  public var meaning: String {
    switch self {
    case .name: "Its name, unique; absent gives it one: fault-1."
    case .preset: "A fault from the list of presets; the other keys limit it."
    case .app: "Only requests for this app, by its bundle identifier: the request's topic."
    case .provider: "Only this provider's requests, by its name."
    case .token: "Only requests for this device token."
    case .handset: "Only requests for this handset, by its name."
    case .connection: "Only this connection, by the number that the recorder gives it."
    case .pushes:
      "Which of the requests in scope since the fault was added: 2 or 1-2 for the first two, 3-3 for the third. "
        + "At accept or connect, connections are counted."
    case .every: "Every n-th of the requests in scope."
    case .share: "Each request in scope with this probability: 0.3 or 30%."
    case .seed: "The number that decides which ones a share strikes; absent is 0. The same seed strikes the same ones."
    case .perToken:
      "Each request of a device token beyond so many in a time: 10/1m. The time begins with a token's first request."
    case .refusals:
      "The request with which the refusals of a connection are so many. An answer of 400 to 499 counts once, "
        + "BadDeviceToken twice, 410 not at all."
    case .count: "It ends after so many hits."
    case .duration:
      "It ends so long after it was added, on the handset's clock: 10s, 500ms, 2m, or a number of seconds."
    case .at:
      "When it strikes: before-commit, so that the handset does not get the push, after-commit, so that it does, or "
        + "connect for streams and window. Absent: the usual one of the action; of streams and window connect, or "
        + "before-commit if the fault names requests."
    case .answer: "Answer with this status instead."
    case .reason: "The reason of the answer; absent is Apple's for the status. Any other word is an unknown reason."
    case .retryAfter: "The answer's Retry-After: 2s, or a number of seconds."
    case .timestamp: "The timestamp in the answer's body, in milliseconds since 1970."
    case .body: "The answer's whole body, whatever it is: empty, or no JSON."
    case .delay: "The real time that passes before it acts, or, without another action, before the request goes on."
    case .silent: "true: the request gets no answer, and the connection stays open."
    case .reset: "RST_STREAM with this code."
    case .goaway: "GOAWAY with this code. Streams behind last-stream get no answer."
    case .lastStream: "The stream that GOAWAY names: this one, the previous one, or a number. Absent is this."
    case .times: "2: a first GOAWAY names the highest stream, as in a graceful shutdown. Absent is 1."
    case .close: "false: the connection stays open after GOAWAY. Absent is true."
    case .streams: "The connection's MAX_CONCURRENT_STREAMS."
    case .window: "The connection's INITIAL_WINDOW_SIZE, in bytes."
    case .cut:
      "Close the connection: at accept, after the request's head, in place of the answer, after the answer's headers, or "
        + "within its body."
    case .certificate: "New connections get a certificate that no client should accept. Others stay."
    case .condition:
      "Set this condition of the handset, of the one on the board if none is named, until the fault ends."
    }
  }

  /// The keys of which a fault has exactly one, or a delay.
  static let actions: [FaultWord] = [
    .answer, .silent, .reset, .goaway, .streams, .window, .cut, .certificate, .condition,
  ]

  /// The keys that choose requests; a fault has one of them at most.
  static let choices: [FaultWord] = [.pushes, .every, .share, .perToken, .refusals]

  /// The action that a key belongs to; nil if it belongs to every fault.
  var owner: FaultWord? {
    switch self {
    case .reason, .retryAfter, .timestamp, .body: .answer
    case .lastStream, .times, .close: .goaway
    case .seed: .share
    default: nil
    }
  }

  static let beforeCommit = "before-commit"
  static let afterCommit = "after-commit"
  static let connect = "connect"
  static let moments = [beforeCommit, afterCommit, connect]

  /// The error codes of HTTP/2 [RFC 9113, 7].
  static let codes: [(word: String, code: UInt32)] = [
    ("no-error", 0), ("protocol-error", 1), ("internal-error", 2), ("flow-control-error", 3), ("settings-timeout", 4),
    ("stream-closed", 5), ("frame-size-error", 6), ("refused-stream", 7), ("cancel", 8), ("compression-error", 9),
    ("connect-error", 10), ("enhance-your-calm", 11), ("inadequate-security", 12), ("http-1.1-required", 13),
  ]
}

/// The reason why something is no fault: the key, and what is valid there.
public struct FaultError: Error, Hashable, CustomStringConvertible {
  /// The key; empty for the fault as a whole.
  public var key: String
  public var problem: String
  /// The words that are valid in its place.
  public var valid: String

  init(_ key: String, _ problem: String, valid: String) { (self.key, self.problem, self.valid) = (key, problem, valid) }

  init(_ word: FaultWord, _ problem: String, valid: String) { self.init(word.rawValue, problem, valid: valid) }

  public var description: String { "\(key.isEmpty ? "" : "\(key): ")\(problem); expected \(valid)" }
}
