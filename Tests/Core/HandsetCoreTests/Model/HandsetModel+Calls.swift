// Rule N13: the sender of a notification is informed that a person has reacted.

@testable import HandsetCore

struct ModelCall: Hashable {
  var app: AppID
  var push: PushID
  var answer: Answer
}

extension HandsetModel {
  /// Queues the calls for notifications to which the person has reacted, unless there was a reaction before.
  mutating func answer(_ answered: [ModelNotice], _ how: Answer) {
    for app in apps where app.manifest.acknowledge != nil {
      let own = answered.filter { notice in
        notice.app == app.id && (notice.isListed ? !notice.isSeen : notice.alertNumber != nil)
      }
      if !own.isEmpty { callBack(own.sorted { $0.place < $1.place }.map { ($0.app, $0.push) }, how) }
    }
  }

  /// Queues the calls for the new ones, which are all of one app.
  mutating func callBack(_ new: [(app: AppID, push: PushID)], _ how: Answer) {
    guard let id = new.first?.app else { return }
    for (app, push) in new.suffix(100) {
      calls.append(ModelCall(app: app, push: push, answer: how))
      emit(.callQueued(how), app, push)
    }
    var dropped = max(new.count - 100, 0)
    while calls.count(where: { $0.app == id }) > 100, let oldest = calls.firstIndex(where: { $0.app == id }) {
      calls.remove(at: oldest)
      dropped += 1
    }
    if dropped > 0 { emit(.callEnded(.callLimit, count: dropped), id, nil) }
  }

  mutating func settleCall(of app: AppID?, _ push: PushID?, _ number: UInt64, _ outcome: CallOutcome) -> Verdict {
    // Pushes of several apps may have the same identifier.
    guard let index = calls.firstIndex(where: { $0.app == app && $0.push == push }) else {
      return .refused(.unknownCall(number))
    }
    let call = calls[index]
    switch outcome {
    case .failed(let problem): emit(.callFailed(problem), call.app, call.push)
    case .delivered(let status, let attempts):
      emit(.called(status: status, attempts: attempts), call.app, call.push)
      calls.remove(at: index)
    case .gaveUp(let problem):
      emit(.callEnded(.gaveUp, problem: problem), call.app, call.push)
      calls.remove(at: index)
    }
    return .accepted
  }

  mutating func dropCalls(of id: AppID) {
    let count = calls.count { $0.app == id }
    calls.removeAll { $0.app == id }
    if count > 0 { emit(.callEnded(.uninstalled, count: count), id, nil) }
  }
}
