// Rule F1: the service keeps pushes while it cannot reach the handset, and sends them when it can again.

extension Handset {
  /// - Parameter isKept: true if the service has kept it; then it may have expired since.
  mutating func keep(_ push: Push, for app: AppID, isKept: Bool, _ turn: inout Turn) {
    guard case .at(let expires) = push.expiration, isKept || expires > turn.now.wall else {
      turn.rule(.notKept, on: push.id)
      return emit(.discarded(.notKept), app: app, push: push.id, &turn)
    }
    if slots[app] != nil { turn.rule(.tookServiceSlot, on: push.id) }
    turn.rule(.keptOffline, on: push.id)
    discardKept(of: app, .replacedOffline, newer: push.id, &turn)
    let kept = KeptPush(push: push, number: record.nextEvent, expires: expires)
    commit(.kept(app, before: nil, after: kept), &turn)
    emit(.kept, app: app, push: push.id, &turn)
    if expires <= turn.now.wall { discardKept(of: app, .expiredOffline, &turn) }
  }

  mutating func discardKept(of app: AppID, _ reason: Event.Discarded, newer: PushID? = nil, _ turn: inout Turn) {
    guard let kept = slots[app] else { return }
    commit(.kept(app, before: kept, after: nil), &turn)
    emit(.discarded(reason, newer: newer), app: app, push: kept.push.id, &turn)
  }

  /// Delivers everything that was kept once the handset is reached again, in the order in which it was sent.
  mutating func forwardAll(_ turn: inout Turn) {
    for (id, kept) in slots.pushes.sorted(by: { $0.value.number < $1.value.number }) {
      commit(.kept(id, before: kept, after: nil), &turn)
      guard let app = apps[id] else { continue }
      emit(.arrived, app: id, push: kept.push.id, &turn)
      turn.rule(.online, on: kept.push.id)
      arrive(kept.push, at: app, &turn)
    }
  }
}
