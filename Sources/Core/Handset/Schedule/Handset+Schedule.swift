// Rules L1 to L3: local notifications, which survive restarts and changes of the clock.

extension Handset {
  mutating func schedule(_ request: LocalNotification, _ turn: inout Turn) -> Verdict {
    if let problem = request.problem { return .refused(.badLocalNotification(problem)) }
    guard let pending = request.pending(at: turn.now, in: timeZone) else {
      return .refused(.badLocalNotification(.neverComes))
    }
    // The clock is not followed while nothing is scheduled.
    if schedule.isEmpty { noteClock(&turn) }
    commit(.pending(before: schedule[request.app, request.identifier], after: pending), &turn)
    change(request.app, &turn) { $0.hasScheduled = true }
    let kind = Event.Kind.scheduled(request.identifier, due: pending.dueWall)
    emit(kind, app: request.app, push: request.content.id, &turn)
    let all = schedule.all(of: request.app, at: turn.now)
    if all.count > Policy.localPendingLimit, let last = all.last { unschedule(last, .pendingLimit, &turn) }
    return .accepted
  }

  /// Cancels a scheduled notification, or all of the app's if `identifier` is nil.
  mutating func cancel(_ app: AppID, _ identifier: String?, _ turn: inout Turn) -> Verdict {
    if let identifier {
      guard let pending = schedule[app, identifier] else {
        return .refused(.unknownLocalNotification(excerpt(identifier)))
      }
      unschedule(pending, .cancelled, &turn)
    } else {
      unscheduleAll(of: app, .cancelled, &turn)
    }
    return .accepted
  }

  mutating func unscheduleAll(of app: AppID, _ reason: Event.Ended, _ turn: inout Turn) {
    for pending in schedule.all(of: app, at: turn.now) { unschedule(pending, reason, &turn) }
  }

  mutating func unschedule(_ pending: PendingNotification, _ reason: Event.Ended, _ turn: inout Turn) {
    commit(.pending(before: pending, after: nil), &turn)
    let kind = Event.Kind.unscheduled(pending.request.identifier, reason)
    emit(kind, app: pending.request.app, push: pending.request.content.id, &turn)
  }

  /// Presents each due notification once, the one that is due longest first (rule L3).
  mutating func presentDue(_ turn: inout Turn) {
    while let pending = schedule.due(at: turn.now) {
      let request = pending.request
      commit(.pending(before: pending, after: pending.following(at: turn.now, in: timeZone)), &turn)
      emit(.due(request.identifier), app: request.app, push: request.content.id, &turn)
      turn.rule(.localDue, on: request.content.id)
      // In the foreground the app gets it like a push (rule N2).
      if let app = apps[request.app] { arrive(request.asPush(), at: app, &turn) }
    }
  }

  // MARK: - Clocks

  /// Continues the schedule after a start. Notifications that became due meanwhile are presented once each.
  mutating func resumeSchedule(after start: Start, _ turn: inout Turn) {
    let zone = timeZone
    switch start {
    case .board: reschedule(&turn) { $0.afterBoot(at: $1) }
    case .daemon: reschedule(&turn) { $0.afterRestart(at: $1, in: zone) }
    }
    // The board may be in another time zone now.
    reschedule(&turn) { $0.inTimeZone(zone, at: $1) }
    presentDue(&turn)
  }

  mutating func set(_ zone: TimeZoneTable, _ turn: inout Turn) -> Verdict {
    guard zone != timeZone else { return .accepted }
    commit(.timeZone(before: timeZone, after: zone), &turn)
    emit(.timeZone(excerpt(zone.name)), &turn)
    reschedule(&turn) { $0.inTimeZone(zone, at: $1) }
    followFocusHours(&turn)
    settleSummary(&turn)
    return .accepted
  }

  /// Detects that the wall clock was set, by comparing it with the uptime clock; only while something is scheduled.
  mutating func followWallClock(_ turn: inout Turn) {
    guard !schedule.isEmpty else { return }
    guard let known = clockSkew else { return noteClock(&turn) }
    let step = turn.now.skew - known
    guard step >= Policy.wallClockStep || step <= .zero - Policy.wallClockStep else { return }
    noteClock(&turn)
    let zone = timeZone
    reschedule(&turn) { $0.afterWallClockStep(of: step, to: $1.wall, in: zone) }
  }

  private mutating func noteClock(_ turn: inout Turn) {
    if clockSkew != turn.now.skew { commit(.clockSkew(before: clockSkew, after: turn.now.skew), &turn) }
  }

  private mutating func reschedule(_ turn: inout Turn, _ change: (PendingNotification, Moment) -> PendingNotification) {
    for app in schedule.pending.keys.sorted() {
      for (_, pending) in (schedule.pending[app] ?? [:]).sorted(by: { $0.key < $1.key }) {
        let changed = change(pending, turn.now)
        if changed != pending { commit(.pending(before: pending, after: changed), &turn) }
      }
    }
  }
}
