import HTTP
import HandsetCore

/// A request to ntfy's publishing API, by its method and path. The first part of the path is the topic or `v1`.
enum NtfyRequest: Hashable {
  /// The body is the message.
  case publish(sequenceID: String?)
  /// The body is JSON, which names the topic.
  case publishJSON
  /// The query is the message.
  case trigger
  case retract(sequenceID: String, Retraction)
  case authorize
  case subscribe(NtfySubscriptions.Format)
  case health, version, account, stats
  /// A request for the account's token.
  case token
  /// A path of the API with a wrong method.
  case badMethod
  /// A path in the form of the API's, without a resource.
  case nothing

  /// Names that cannot be topics, because they are paths of this port, or of ntfy's own server.
  static let reserved: Set<String> = [
    "h", "message", "version", "health", "v1", "docs", "static", "file", "app", "metrics", "account", "settings",
    "signup", "login", "3", "4",
  ]

  /// Returns true if a topic can have that name [ntfy].
  static func isTopic(_ text: String) -> Bool { isName(text) && !reserved.contains(text) }

  /// Returns true if the name has the form of a topic's or a sequence's.
  static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
  }

  /// Reads a request; nil if its path does not belong to the API.
  init?(_ method: String, _ target: RequestTarget) {
    let segments = target.segments
    guard let first = segments.first else {
      guard target.path == "/", method == "POST" || method == "PUT" else { return nil }
      self = .publishJSON
      return
    }
    if first == "v1" {
      self = NtfyRequest.service(method, segments)
      return
    }
    guard NtfyRequest.isName(first) else { return nil }
    switch segments.count {
    case 1: self = ["PUT", "POST"].contains(method) ? .publish(sequenceID: nil) : .badMethod
    case 2: self = NtfyRequest.ofTopic(segments[1], method)
    // All other paths of three segments are nodes of the 2008 service.
    case 3
    where ["PUT", "POST"].contains(method) && NtfyRequest.isName(segments[1]) && DeviceID(hex: segments[1]) == nil:
      guard segments[2] == "clear" || segments[2] == "read" else { return nil }
      self = .retract(sequenceID: segments[1], .seen)
    default: return nil
    }
  }

  private static func service(_ method: String, _ segments: [String]) -> NtfyRequest {
    if segments == ["v1", "account", "token"] { return ["POST", "PATCH"].contains(method) ? .token : .badMethod }
    let requests: [String: NtfyRequest] = [
      "health": .health, "version": .version, "account": .account, "stats": .stats,
    ]
    guard segments.count == 2, let request = requests[segments[1]] else { return .nothing }
    return method == "GET" ? request : .badMethod
  }

  private static func ofTopic(_ word: String, _ method: String) -> NtfyRequest {
    switch (method, word) {
    case ("GET", "publish"), ("GET", "send"), ("GET", "trigger"): .trigger
    case ("GET", "auth"): .authorize
    case ("GET", _): NtfySubscriptions.Format(rawValue: word).map { .subscribe($0) } ?? .nothing
    case ("PUT", _) where isName(word), ("POST", _) where isName(word): .publish(sequenceID: word)
    case ("DELETE", _) where isName(word): .retract(sequenceID: word, .removed)
    default: .nothing
    }
  }
}
