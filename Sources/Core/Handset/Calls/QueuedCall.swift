// The handset's requests to web servers: an app's receiver gets the person's answer, or a button of a notification
// makes a call. The core queues it in the turn that causes it; the caller is outside the core.

/// A request to a web server.
public struct WebCall: Hashable, Sendable, Codable {
  /// An HTTP method: `POST`.
  public var method: String
  /// `https://…`, or `http://…`.
  public var url: String
  public var headers: [String: String]
  public var body: [UInt8]

  public init(method: String = "POST", url: String, headers: [String: String] = [:], body: [UInt8] = []) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }

  /// True if it is within the limits of `Policy`, and one request of HTTP whatever its texts are. The caller checks its
  /// address.
  public var isValid: Bool {
    let headerBytes = headers.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    return (1...Policy.callURLLimit).contains(url.utf8.count) && (1...16).contains(method.utf8.count)
      && method.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
      && headers.count <= Policy.callHeaderLimit && headerBytes <= Policy.callBytesLimit
      && body.count <= Policy.callBytesLimit && headers.allSatisfy { WebCall.isField($0.key, $0.value) }
  }

  /// Header fields that describe how a request is sent.
  private static let ownFields: Set = [
    "connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  private static func isField(_ name: String, _ value: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy(\.isOfIdentifier) && !ownFields.contains(name.lowercased())
      && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }
}

/// The person's answer to a notification.
public enum Answer: String, Hashable, Sendable, CaseIterable, Codable {
  /// The action button of its alert, or Close.
  case view, close
  /// Marked as seen, with all others.
  case seen
  /// Removed from Notification Center.
  case dismissed
  /// Its app was opened.
  case opened
  /// Another button of the notification, which makes a call of its own.
  case action
  /// One of its actions was chosen (rule N15).
  case responded
}

/// A call that has not been made yet.
public struct QueuedCall: Hashable, Sendable, Codable {
  /// The number of its `call-queued` event: ascending, and never given twice on one handset.
  public var number: UInt64
  public var app: AppID
  public var push: PushID
  /// The notification; nil for an action.
  public var notification: NotificationID?
  public var answer: Answer
  public var answered: WallTime
  /// For an acknowledgement only the address; the caller writes the body and signs it.
  public var call: WebCall

  public init(
    number: UInt64, app: AppID, push: PushID, notification: NotificationID?, answer: Answer, answered: WallTime,
    call: WebCall
  ) {
    self.number = number
    self.app = app
    self.push = push
    self.notification = notification
    self.answer = answer
    self.answered = answered
    self.call = call
  }

  /// The identifier of the call, the same at every attempt: a receiver takes it once.
  public var id: String { "\(push)-\(number)" }
}

/// The outcome of a call.
public enum CallOutcome: Hashable, Sendable, Codable {
  private enum FailedCodingKeys: String, CodingKey { case _0 = "problem" }
  private enum GaveUpCodingKeys: String, CodingKey { case _0 = "problem" }

  /// It was answered with a status of 200 to 299, at that attempt.
  case delivered(status: Int, attempts: Int)
  /// The first attempt failed; others follow.
  case failed(String)
  /// No attempt follows.
  case gaveUp(String)
}

/// All calls that wait, and those of each app.
struct CallQueue: Sendable, Equatable {
  private(set) var calls: [UInt64: QueuedCall] = [:]
  /// The calls of each app by number; none is empty.
  private(set) var apps: [AppID: SortedSet<UInt64>] = [:]

  mutating func replace(_ old: QueuedCall?, with new: QueuedCall?) {
    if let old {
      calls[old.number] = nil
      apps[old.app]?.remove(old.number)
      if apps[old.app]?.isEmpty == true { apps[old.app] = nil }
    }
    if let new {
      calls[new.number] = new
      apps[new.app, default: SortedSet()].insert(new.number)
    }
  }

  /// The app that has most calls; the first by name if there are several.
  var largest: AppID? { apps.min { ($1.value.count, $0.key) < ($0.value.count, $1.key) }?.key }

  func oldest(of app: AppID) -> QueuedCall? { apps[app]?.first.flatMap { calls[$0] } }
}
