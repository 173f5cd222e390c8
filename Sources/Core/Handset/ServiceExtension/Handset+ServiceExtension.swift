// Rule X1: an app's service extension may change a notification before it is presented. The push waits for it, stored,
// and is presented once: as changed, or as sent if the extension is late, fails, or answers wrongly.

/// A push that its app's service extension has. It is stored until it is presented.
public struct ExtendingPush: Hashable, Sendable, Codable {
  /// The whole push, to present it as sent.
  public var push: Push
  /// The number in the order in which they arrived, ascending; no two of a handset have the same.
  public var number: UInt64
  /// 1, or 2 if the extension was asked again after a restart.
  public var attempt: Int

  public init(push: Push, number: UInt64, attempt: Int) {
    self.push = push
    self.number = number
    self.attempt = attempt
  }
}

/// What came of a push in its app's service extension.
public enum ExtensionAnswer: Hashable, Sendable, Codable {
  private enum ChangedCodingKeys: String, CodingKey { case _0 = "content" }
  private enum FailedCodingKeys: String, CodingKey { case _0 = "reason" }

  /// The push that the extension's payload describes. Only what the payload says counts: the push remains the same.
  indirect case changed(Push)
  case timedOut
  /// The text says why it gave no answer.
  case failed(String)
}

extension Handset {
  /// Goes on with a push that has arrived and may be presented now: first in the app's service extension, if there is
  /// one and the push allows it.
  mutating func proceed(_ push: Push, at app: App, _ turn: inout Turn) {
    if app.manifest.hasServiceExtension && extend(push, of: app, &turn) { return }
    show(push, at: app, &turn)
  }

  /// Gives the push to the app's service extension.
  /// - Returns: false if it is presented at once instead.
  @inline(never)
  private mutating func extend(_ push: Push, of app: App, _ turn: inout Turn) -> Bool {
    guard push.asksForPerson else { return false }
    if let collapseID = push.collapseID { discardExtending(collapseID, of: app.id, .collapsed, newer: push.id, &turn) }
    guard push.mutableContent, push.message != nil else { return false }
    guard extending[app.id]?.count ?? 0 < Policy.extendingLimitPerApp else {
      return turn.rule(.extensionBusy, on: push.id, so: false)
    }
    turn.rule(.extensionRuns, on: push.id)
    var push = push
    push.isGrouped = turn.isGrouped
    ask(ExtendingPush(push: push, number: record.nextEvent, attempt: 1), before: nil, of: app.id, &turn)
    return true
  }

  private mutating func ask(
    _ waiting: ExtendingPush, before: ExtendingPush?, of app: AppID, _ turn: inout Turn
  ) {
    commit(.extending(app, before: before, after: waiting), &turn)
    emit(.held(.serviceExtension), app: app, push: waiting.push.id, &turn)
    turn.effects.append(.extend(app, waiting.push, attempt: waiting.attempt))
  }

  /// Takes the answer of the service extension. Of several pushes with the identifier it is the oldest one's, since an
  /// app's extension runs for one at a time, in order.
  mutating func extended(
    _ push: PushID, of app: App, _ answer: ExtensionAnswer, _ turn: inout Turn
  ) -> Verdict {
    guard let waiting = extending[app.id]?.first(where: { $0.push.id == push }) else {
      return .refused(.notOffered(app.id, push))
    }
    end(waiting, of: app.id, answer, &turn)
    return .accepted
  }

  /// Presents the push, as changed or as sent.
  private mutating func end(
    _ waiting: ExtendingPush, of id: AppID, _ answer: ExtensionAnswer, _ turn: inout Turn
  ) {
    guard let app = apps[id] else { return }
    commit(.extending(id, before: waiting, after: nil), &turn)
    var push = waiting.push
    var faults: [PayloadFault] = []
    var ruling = Ruling.extensionFailed
    var reason: String?
    switch answer {
    case .changed(let changed) where changed.message == nil: reason = "its answer has no alert"
    case .changed(let changed):
      push = push.changed(as: changed)
      (ruling, faults) = (.extensionChanged, changed.faults)
    case .timedOut: ruling = .extensionTimedOut
    case .failed(let text): reason = excerpt(text, limit: Policy.eventReasonLimit)
    }
    emit(.extended(ruling, reason: reason), app: id, push: push.id, &turn)
    turn.rule(ruling, on: push.id)
    for fault in faults { emit(.ignored(fault), app: id, push: push.id, &turn) }
    guard isRegistered(app, for: push, &turn) else { return }
    turn.isGrouped = push.isGrouped
    show(push, at: app, &turn)
    turn.isGrouped = false
  }

  /// Asks for the pushes again that were not answered before the daemon ended, once; of all apps in the order in which
  /// they arrived, so that the newest is presented last.
  mutating func extendAgain(_ turn: inout Turn) {
    let all = extending.flatMap { id, pushes in pushes.map { (id: id, waiting: $0) } }
    for (id, waiting) in all.sorted(by: { $0.waiting.number < $1.waiting.number }) {
      if apps[id]?.manifest.hasServiceExtension != true {
        end(waiting, of: id, .failed("the app has no service extension any more"), &turn)
      } else if waiting.attempt >= Policy.offerAttempts {
        end(waiting, of: id, .failed("it was asked again after a restart and did not answer either"), &turn)
      } else {
        var next = waiting
        next.attempt += 1
        ask(next, before: waiting, of: id, &turn)
      }
    }
  }

  /// Presents what waits for the extension of an app whose new bundle has none.
  mutating func endExtending(of app: AppID, _ turn: inout Turn) {
    for waiting in extending[app] ?? [] {
      end(waiting, of: app, .failed("the app's new bundle has no service extension"), &turn)
    }
  }

  /// - Parameter collapseID: nil for all of the app's.
  mutating func discardExtending(
    _ collapseID: String? = nil, of app: AppID, _ reason: Event.Discarded, newer: PushID? = nil, _ turn: inout Turn
  ) {
    for waiting in extending[app] ?? [] {
      // Compared by bytes, as in the list (rule N8).
      if let collapseID, waiting.push.collapseID.map(ExactText.init) != ExactText(collapseID) { continue }
      commit(.extending(app, before: waiting, after: nil), &turn)
      emit(.discarded(reason, newer: newer), app: app, push: waiting.push.id, &turn)
    }
  }
}

extension Push {
  /// Returns the push with everything that a payload says from another one: who sent it, to whom and until when stays.
  fileprivate func changed(as other: Push) -> Push {
    var push = other
    (push.id, push.hasProviderID, push.token, push.topic, push.type) = (id, hasProviderID, token, topic, type)
    (push.collapseID, push.expiration, push.priority) = (collapseID, expiration, priority)
    (push.provider, push.tags, push.levelWhereNotCritical) = (provider, tags, levelWhereNotCritical)
    (push.faults, push.isGrouped) = (faults, isGrouped)
    return push
  }
}
