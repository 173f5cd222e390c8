/// A push that the service keeps while the handset is unreachable, the newest of each app (rule F1). The slot belongs
/// to the service, so on the handset only uninstalling or unregistering the app empties it.
public struct KeptPush: Hashable, Sendable, Codable {
  /// The whole push: it arrives as if just sent.
  public var push: Push
  /// The number in the order in which they were sent, ascending.
  public var number: UInt64
  public var expires: WallTime

  public init(push: Push, number: UInt64, expires: WallTime) {
    self.push = push
    self.number = number
    self.expires = expires
  }
}

struct ServiceSlots: Sendable, Equatable {
  private(set) var pushes: [AppID: KeptPush] = [:]
  private(set) var expirations = SortedSet<Due<WallTime, AppID>>()

  subscript(app: AppID) -> KeptPush? {
    get { pushes[app] }
    set {
      expirations.move(app, from: pushes[app]?.expires, to: newValue?.expires)
      pushes[app] = newValue
    }
  }
}

extension Handset {
  /// Keeps a push until the handset is reached, in place of an older one of the app.
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
