// When an update may wake its app: rules U7 and S3, and whether there is anything to wake.

/// When the person lets background updates in (rule S3) [2008].
public enum FetchMode: String, Hashable, Sendable, CaseIterable {
  /// As they come.
  case push
  /// At an interval.
  case fetch
  /// When the app is launched or in the foreground.
  case manual
}

extension Handset {
  /// What the rules say to a background delivery at this moment.
  enum Permission {
    case now
    /// At that uptime, where nothing changes until then.
    case later(Duration, Event.Held)
    /// Not by time alone. Without a reason nothing can arrive to be held: the service keeps it (rule F1).
    case no(Event.Held?)
  }

  /// Whether nobody is there but a script: neither hooks nor a listener. What is delivered is done at once.
  func isPuppet(_ app: App) -> Bool { !app.manifest.hasHooks && !app.state.listens }

  /// Whether something can be given to the app.
  func isReachable(_ app: App) -> Bool { !app.state.listens || app.manifest.hasHooks || listeners.contains(app.id) }

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

  /// The intervals are counted from when the person chose them, one after the other, also while there is nothing to
  /// deliver.
  private func firstFetch(notBefore uptime: Duration) -> Duration {
    let start = record.fetchStart.uptime
    let interval = record.settings.fetchInterval
    let elapsed = (uptime - start).inMicroseconds
    let length = interval.inMicroseconds
    guard elapsed > length else { return start + interval }
    // Rounded up: what is finer than a microsecond belongs to the next interval.
    let count = elapsed / length
    let tick = start + .microseconds(count * length)
    return tick >= uptime ? tick : tick + interval
  }

  /// Delivers the app's held update where that may be now, else notes when.
  mutating func settleHeld(of id: AppID, at now: Moment, _ turn: inout Turn) {
    guard let update = holds[id], let app = apps[id] else { return }
    var due: Duration?
    switch permission(for: app, at: now) {
    case .now:
      deliverHeld(of: id, isCharged: app.state.lifecycle != .foreground, at: now, &turn)
      return
    case .later(let uptime, _): due = uptime
    case .no: break
    }
    guard update.due != due else { return }
    let settled = HeldUpdate(push: update.push, expires: update.expires, due: due)
    commit(.held(id, before: update, after: settled, payload: nil), &turn)
  }

  /// After something that concerns every app: a person's doing, or a start.
  mutating func settleAllHeld(at now: Moment, _ turn: inout Turn) {
    for id in holds.slots.keys.sorted() { settleHeld(of: id, at: now, &turn) }
  }

  /// Does what fell due by the wall clock, and by the uptime clock where that has gone on since it was noted.
  mutating func expireUpdates(at now: Moment, isStart: Bool, _ turn: inout Turn) {
    while let (app, time) = holds.nextToExpire, time <= now.wall { discardHeld(of: app, .expired, at: now, &turn) }
    while let (app, time) = slots.nextToExpire, time <= now.wall {
      discardKept(of: app, .expiredOffline, at: now, &turn)
    }
    while let (app, time) = outbox.nextToExpire, time <= now.wall {
      for offer in outbox.all(of: app) where offer.waits && offer.expires <= now.wall {
        discard(offer, of: app, .expired, at: now, &turn)
      }
    }
    guard !isStart else { return }
    while let (app, time) = outbox.nextDeadline, time <= now.uptime {
      guard let late = outbox.all(of: app).first(where: { $0.deadline == time }) else { break }
      timeOut(late, of: app, at: now, &turn)
    }
    // What stood in its way was asked when it was noted, and each time that something of it changed.
    while let (app, time) = holds.nextDue, time <= now.uptime {
      guard deliverHeld(of: app, isCharged: true, at: now, &turn) else { break }
    }
  }
}
