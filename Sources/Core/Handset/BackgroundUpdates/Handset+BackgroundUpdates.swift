// Rules U1, U2, U4 to U7 and U9: from the arrival of an update to its delivery to the app.

extension Handset {
  /// Delivers the update if the rules allow that now, otherwise holds it in the app's slot.
  mutating func hold(_ push: Push, for app: App, _ turn: inout Turn) {
    guard app.manifest.receivesBackgroundUpdates else {
      turn.rule(.noBackgroundMode, on: push.id)
      return emit(.discarded(.noBackgroundMode), app: app.id, push: push.id, &turn)
    }
    turn.rule(.backgroundMode, on: push.id)
    guard app.state.lifecycle != .forceQuit else {
      turn.rule(.forceQuit, on: push.id)
      return emit(.discarded(.isForceQuit), app: app.id, push: push.id, &turn)
    }
    if let old = holds[app.id] {
      turn.rule(.replacesHeld, on: push.id)
      commit(.held(app.id, before: old, after: nil, payload: nil), &turn)
      emit(.discarded(.replaced, newer: push.id), app: app.id, push: old.push, &turn)
    }
    let (due, reason): (Duration?, Event.Held?)
    switch permission(for: app, at: turn.now) {
    case .now:
      let isCharged = app.state.lifecycle != .foreground
      turn.rule(isCharged ? .budgetLeft : .atOnce, on: push.id)
      return deliver(
        push.id, to: app, payload: .bytes(push.payload), expires: push.keptUntil(at: turn.now), isCharged: isCharged,
        &turn)
    case .later(let uptime, let why): (due, reason) = (uptime, why)
    case .no(let why): (due, reason) = (nil, why)
    }
    var update = HeldUpdate(push: push.id, expires: push.keptUntil(at: turn.now), due: due)
    if !push.asksForPerson { update.type = push.type }
    commit(.held(app.id, before: nil, after: update, payload: push.payload), &turn)
    guard let reason else { return }
    turn.rule(reason.ruling, on: push.id)
    emit(.held(reason), app: app.id, push: push.id, &turn)
  }

  /// Delivers the held update (rules U6, U7 and U10).
  /// - Returns: false if no update is held, or the app cannot receive it.
  @discardableResult
  mutating func deliverHeld(of id: AppID, isCharged: Bool, _ turn: inout Turn) -> Bool {
    guard let update = holds[id], let app = apps[id], isReachable(app) else { return false }
    deliver(update.push, to: app, payload: .held, expires: update.expires, isCharged: isCharged, &turn)
    commit(.held(id, before: update, after: nil, payload: nil), &turn)
    return true
  }

  mutating func discardHeld(of app: AppID, _ reason: Event.Discarded, _ turn: inout Turn) {
    guard let update = holds[app] else { return }
    commit(.held(app, before: update, after: nil, payload: nil), &turn)
    emit(.discarded(reason), app: app, push: update.push, &turn)
  }

  mutating func spendBudget(of app: AppID, _ turn: inout Turn) {
    let before = budgets[app] ?? DeliveryBudget()
    commit(.budget(app, before: before, after: before.spending(at: turn.now)), &turn)
  }

  /// Converts waits on the uptime clock of an earlier boot, by the wall clock; if that is implausible, they start
  /// again.
  mutating func carryWaitsOver(_ start: Start, _ turn: inout Turn) {
    record.fetchStart = record.fetchStart.afterStart(start, at: turn.now)
    for (app, before) in budgets.sorted(by: { $0.key < $1.key }) {
      let after = before.afterStart(start, at: turn.now)
      if after != before { commit(.budget(app, before: before, after: after), &turn) }
    }
  }

  // MARK: - Permission

  /// The answer to whether the rules allow a background delivery now.
  private enum Permission {
    case now
    /// At that uptime, if nothing changes before.
    case later(Duration, Event.Held)
    /// Not by time alone. There is no reason while the handset is offline: the service keeps new pushes (rule F1).
    case no(Event.Held?)
  }

  func isReachable(_ app: App) -> Bool { !app.state.listens || app.manifest.hasPrograms || listeners.contains(app.id) }

  private func permission(for app: App, at now: Moment) -> Permission {
    guard isReachable(app) else { return .no(.notConnected) }
    if app.state.lifecycle == .foreground { return .now }
    if record.conditions.contains(.offline) { return .no(nil) }
    if record.conditions.contains(.lowPower) { return .no(.lowPower) }
    guard let freeAt = budgets[app.id]?.freeAt, freeAt > now.uptime else { return .now }
    return .later(freeAt, .budget)
  }

  /// Delivers the app's held update if the rules allow that now, otherwise stores the time at which they will.
  mutating func settleHeld(of id: AppID, _ turn: inout Turn) {
    guard let update = holds[id], let app = apps[id] else { return }
    var due: Duration?
    switch permission(for: app, at: turn.now) {
    case .now:
      deliverHeld(of: id, isCharged: app.state.lifecycle != .foreground, &turn)
      return
    case .later(let uptime, _): due = uptime
    case .no: break
    }
    guard update.due != due else { return }
    var settled = update
    settled.due = due
    commit(.held(id, before: update, after: settled, payload: nil), &turn)
  }

  mutating func settleAllHeld(_ turn: inout Turn) {
    for id in holds.slots.keys.sorted() { settleHeld(of: id, &turn) }
  }

  /// Handles everything that is due by the wall clock, and by the uptime clock unless it has restarted.
  mutating func expireUpdates(isStart: Bool, _ turn: inout Turn) {
    while let next = holds.expirations.first, next.time <= turn.now.wall {
      discardHeld(of: next.item, .expired, &turn)
    }
    while let next = slots.expirations.first, next.time <= turn.now.wall {
      discardKept(in: next.item, .expiredOffline, &turn)
    }
    expireDeferred(&turn)
    while let next = outbox.expirations.first, next.time <= turn.now.wall {
      for offer in outbox.all(of: next.item) where offer.waits && offer.expires <= turn.now.wall {
        discard(offer, of: next.item, .expired, &turn)
      }
    }
    guard !isStart else { return }
    while let next = outbox.deadlines.first, next.time <= turn.now.uptime {
      guard let late = outbox.all(of: next.item).first(where: { $0.deadline == next.time }) else { break }
      timeOut(late, of: next.item, &turn)
    }
    // The other rules were checked when the time was stored, and again after each change that concerns them.
    while let next = holds.dues.first, next.time <= turn.now.uptime {
      guard deliverHeld(of: next.item, isCharged: true, &turn) else { break }
    }
    fetchWhereDue(&turn)
  }
}

extension Push {
  /// Returns the time until which the handset keeps it. An expiration of 0 concerns the service only: its one attempt
  /// has succeeded, since the handset has the push.
  func keptUntil(at now: Moment) -> WallTime {
    switch expiration {
    case .once: now.wall.advanced(by: Policy.defaultExpiration)
    // An expiration from before the earliest plausible time comes from the provider, not from a clock that was not set.
    case .at(let time): now.wall.isPlausible ? max(time, Policy.earliestWallTime) : time
    }
  }
}

/// A background update that was accepted and is not yet delivered to its app.
public struct HeldUpdate: Hashable, Sendable, Codable {
  public var push: PushID
  /// The time from which on it is expired (rule U9).
  public var expires: WallTime
  /// The time on the uptime clock at which the budget allows it (rule U7). Nil if time alone does not allow it.
  public var due: Duration?
  /// The type of a push of which nothing was delivered yet. Nil if its notification was, and if 0.9 held it.
  public var type: PushType?

  public init(push: PushID, expires: WallTime, due: Duration? = nil) {
    self.push = push
    self.expires = expires
    self.due = due
  }
}

/// The held updates, by expiration and by due time.
struct HoldSlots: Sendable, Equatable {
  private(set) var slots: [AppID: HeldUpdate] = [:]
  private(set) var expirations = SortedSet<Due<WallTime, AppID>>()
  private(set) var dues = SortedSet<Due<Duration, AppID>>()

  subscript(app: AppID) -> HeldUpdate? {
    get { slots[app] }
    set {
      expirations.move(app, from: slots[app]?.expires, to: newValue?.expires)
      dues.move(app, from: slots[app]?.due, to: newValue?.due)
      slots[app] = newValue
    }
  }
}
