// Rule N13: the app's receiver is called with the person's answer. A call is queued in the answer's turn, and so in its
// commit.

extension Handset {
  /// The calls that wait, oldest first.
  public var queuedCalls: [QueuedCall] { queue.calls.values.sorted { $0.number < $1.number } }

  /// Queues a call for each notification that was still unanswered, if its app's manifest names a receiver.
  mutating func acknowledge(_ notifications: [Notification], _ answer: Answer, _ turn: inout Turn) {
    var concerned: [AppID: [Notification]] = [:]
    for notification in notifications where notification.isUnanswered {
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
      emit(.callEnded(.limit, count: count), app: app, &turn)
    }
  }

  /// Applies the outcome of a call.
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

extension Notification {
  /// True if the person has not reacted to it: it is unseen, or an alert that is not listed is up.
  fileprivate var isUnanswered: Bool { isUnseen || (!isListed && alertOrder != nil) }
}
