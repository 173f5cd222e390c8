// Rule N13: the handset's requests to web servers. An app's receiver gets the person's answer, or a button of a
// notification makes a call. The core queues it in the turn, and so in the commit, that causes it; the caller is
// outside the core.

public struct WebCall: Hashable, Sendable, Codable {
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
  /// Nil for an action.
  public var notification: NotificationID?
  public var answer: Answer
  public var answered: WallTime
  /// For an acknowledgement only the address; the caller writes the body and signs it.
  public var call: WebCall

  /// The identifier of the call, the same at every attempt: a receiver takes it once.
  public var id: String { "\(push)-\(number)" }
}

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
  fileprivate var largest: AppID? { apps.min { ($1.value.count, $0.key) < ($0.value.count, $1.key) }?.key }

  fileprivate func oldest(of app: AppID) -> QueuedCall? { apps[app]?.first.flatMap { calls[$0] } }
}

extension Handset {
  /// Oldest first.
  public var queuedCalls: [QueuedCall] { queue.calls.values.sorted { $0.number < $1.number } }

  /// Queues a call for each notification that was still unanswered, if its app's manifest names a receiver.
  mutating func acknowledge(_ notifications: [Notification], _ answer: Answer, _ turn: inout Turn) {
    var concerned: [AppID: [Notification]] = [:]
    // Unanswered: it is unseen, or an alert that is not listed is up.
    for notification in notifications
    where notification.isUnseen || (!notification.isListed && notification.alertOrder != nil) {
      if apps[notification.app]?.manifest.acknowledge != nil {
        concerned[notification.app, default: []].append(notification)
      }
    }
    for (id, notifications) in concerned.sorted(by: { $0.key < $1.key }) {
      guard let url = apps[id]?.manifest.acknowledge else { continue }
      let newest = notifications.suffix(Policy.callLimitPerApp)
      for notification in newest {
        enqueue(WebCall(url: url), of: id, notification.push, notification.id, answer, &turn)
      }
      dropCalls(beyondLimitsOf: id, already: notifications.count - newest.count, &turn)
    }
  }

  /// Queues the call of another button of a notification, an `http` action.
  mutating func call(_ call: WebCall, of app: App, for push: PushID, _ turn: inout Turn) -> Verdict {
    guard call.isValid else { return .refused(.badCall) }
    enqueue(call, of: app.id, push, nil, .action, &turn)
    dropCalls(beyondLimitsOf: app.id, already: 0, &turn)
    return .accepted
  }

  private mutating func enqueue(
    _ call: WebCall, of app: AppID, _ push: PushID, _ notification: NotificationID?, _ answer: Answer,
    _ turn: inout Turn
  ) {
    let queued = QueuedCall(
      number: record.nextEvent, app: app, push: push, notification: notification, answer: answer,
      answered: turn.now.wall, call: call)
    commit(.call(before: nil, after: queued), &turn)
    emit(.callQueued(answer), app: app, push: push, &turn)
  }

  /// Drops the oldest calls above the limits: the app's own, then those of the app that has most.
  /// - Parameter already: the number of the app's calls that were not even queued.
  private mutating func dropCalls(beyondLimitsOf app: AppID, already: Int, _ turn: inout Turn) {
    var dropped = [app: already]
    while queue.apps[app]?.count ?? 0 > Policy.callLimitPerApp, let oldest = queue.oldest(of: app) {
      commit(.call(before: oldest, after: nil), &turn)
      dropped[app, default: 0] += 1
    }
    while queue.calls.count > Policy.callLimit, let most = queue.largest, let oldest = queue.oldest(of: most) {
      commit(.call(before: oldest, after: nil), &turn)
      dropped[most, default: 0] += 1
    }
    for (app, count) in dropped.sorted(by: { $0.key < $1.key }) where count > 0 {
      emit(.callEnded(.callLimit, count: count), app: app, &turn)
    }
  }

  mutating func settle(_ number: UInt64, _ outcome: CallOutcome, _ turn: inout Turn) -> Verdict {
    guard let call = queue.calls[number] else { return .refused(.unknownCall(number)) }
    switch outcome {
    case .failed(let problem):
      emit(.callFailed(excerpt(problem, limit: Policy.eventReasonLimit)), app: call.app, push: call.push, &turn)
      return .accepted
    case .delivered(let status, let attempts):
      emit(.called(status: status, attempts: attempts), app: call.app, push: call.push, &turn)
    case .gaveUp(let problem):
      let problem = excerpt(problem, limit: Policy.eventReasonLimit)
      emit(.callEnded(.gaveUp, problem: problem), app: call.app, push: call.push, &turn)
    }
    commit(.call(before: call, after: nil), &turn)
    return .accepted
  }

  /// Drops all calls of the app (rule R3).
  mutating func dropAllCalls(of app: AppID, _ turn: inout Turn) {
    let calls = queuedCalls.filter { $0.app == app }
    for call in calls { commit(.call(before: call, after: nil), &turn) }
    if !calls.isEmpty { emit(.callEnded(.uninstalled, count: calls.count), app: app, &turn) }
  }
}
