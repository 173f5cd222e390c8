// The times at which an update may wake its app: rules U7 and S3, and whether the app can receive it.

/// The times at which background updates are delivered (rule S3) [2008].
public enum FetchMode: String, Hashable, Sendable, CaseIterable {
  /// Delivered when they arrive.
  case push
  /// Delivered at an interval.
  case fetch
  /// Delivered only when the app is launched or in the foreground.
  case manual
}

extension Handset {
  /// The answer to whether the rules allow a background delivery now.
  enum Permission {
    case now
    /// At that uptime, if nothing changes before.
    case later(Duration, Event.Held)
    /// Not by time alone. There is no reason while the handset is offline: the service keeps new pushes (rule F1).
    case no(Event.Held?)
  }

  func isReachable(_ app: App) -> Bool { !app.state.listens || app.manifest.hasPrograms || listeners.contains(app.id) }

  func permission(for app: App, at now: Moment) -> Permission {
    guard isReachable(app) else { return .no(.notConnected) }
    if app.state.lifecycle == .foreground { return .now }
    if record.conditions.contains(.offline) { return .no(nil) }
    if record.conditions.contains(.lowPower) { return .no(.lowPower) }
    let freeAt = budgets[app.id]?.freeAt
    switch record.settings.fetchMode {
    case .manual: return .no(.manual)
    case .push:
      guard let freeAt, freeAt > now.uptime else { return .now }
      return .later(freeAt, .budget)
    case .fetch:
      let isSpent = freeAt.map { $0 > now.uptime } ?? false
      let tick = firstFetch(notBefore: isSpent ? freeAt ?? now.uptime : now.uptime)
      return tick <= now.uptime ? .now : .later(tick, isSpent ? .budget : .fetchInterval)
    }
  }

  /// Intervals are counted from the moment at which the person chose them, also while there is nothing to deliver.
  private func firstFetch(notBefore uptime: Duration) -> Duration {
    let start = record.fetchStart.uptime
    let interval = record.settings.fetchInterval
    let elapsed = (uptime - start).inMicroseconds
    let length = interval.inMicroseconds
    guard elapsed > length else { return start + interval }
    // Rounded up: a fraction of a microsecond belongs to the next interval.
    let count = elapsed / length
    let tick = start + .microseconds(count * length)
    return tick >= uptime ? tick : tick + interval
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
    let settled = HeldUpdate(push: update.push, expires: update.expires, due: due)
    commit(.held(id, before: update, after: settled, payload: nil), &turn)
  }

  /// Settles all held updates after a change that concerns every app: a setting, a condition or a start.
  mutating func settleAllHeld(_ turn: inout Turn) {
    for id in holds.slots.keys.sorted() { settleHeld(of: id, &turn) }
  }

  /// Handles everything that is due by the wall clock, and by the uptime clock unless it has restarted.
  mutating func expireUpdates(isStart: Bool, _ turn: inout Turn) {
    while let next = holds.expirations.first, next.time <= turn.now.wall {
      discardHeld(of: next.item, .expired, &turn)
    }
    while let next = slots.expirations.first, next.time <= turn.now.wall {
      discardKept(of: next.item, .expiredOffline, &turn)
    }
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
  }
}
