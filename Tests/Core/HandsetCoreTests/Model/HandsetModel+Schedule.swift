// Rules L1 to L3, and everything else that happens by the passing of time.

@testable import HandsetCore

/// A local notification that waits. For a calendar it keeps all presented times: none of them is presented again, and
/// every other time ahead is (rule L3).
struct ModelPending {
  var request: LocalNotification
  var dueUptime: Duration?
  var dueWall: WallTime
  /// For a calendar: the time up to which its times are handled, on the clock as it runs now.
  var reckoned: WallTime
  var presented: [WallTime] = []

  /// Restarts the wait with its full length at most, less if the wall clock says so.
  mutating func restartWait(at now: Moment) {
    guard case .interval(let interval, _) = request.trigger else { return }
    let isUnset = dueWall < HandsetModel.earliest && now.wall >= HandsetModel.earliest
    let left = isUnset ? interval : min(.microseconds(dueWall.microseconds - now.wall.microseconds), interval)
    dueUptime = now.uptime + left
    dueWall = now.wall.advanced(by: left)
  }

  /// Resumes the wait. The wall clock may have been set while the daemon was stopped; the uptime clock continued.
  /// - Returns: true if the calendar has to be computed again.
  mutating func resumeWait(at now: Moment) -> Bool {
    if let dueUptime {
      let wall = now.wall.advanced(by: dueUptime - now.uptime)
      if abs(wall.microseconds - dueWall.microseconds) >= 1_000_000 { dueWall = wall }
      return false
    }
    guard now.wall < reckoned else { return false }
    reckoned = now.wall
    return true
  }

  /// Returns the first time of the calendar that is neither handled nor presented.
  func next(in zone: TimeZoneTable) -> WallTime? {
    guard case .calendar(let time, _) = request.trigger else { return nil }
    var from = reckoned
    while let candidate = ModelCalendar.next(time, after: from, in: zone) {
      guard presented.contains(candidate) else { return candidate }
      from = candidate
    }
    return nil
  }

  /// Presents it now, once for all missed times: for the last of them.
  /// - Parameter wasSet: true if it is due because the clock was set to where the last of them had been presented.
  /// - Returns: true if it is to be presented.
  mutating func present(at wall: WallTime, in zone: TimeZoneTable, wasSet: Bool) -> Bool {
    reckoned = wall
    guard case .calendar(let time, _) = request.trigger else { return true }
    var last = dueWall
    while let next = ModelCalendar.next(time, after: last, in: zone), next <= wall { last = next }
    if wasSet && presented.contains(last) { return false }
    presented.append(last)
    return true
  }
}

extension HandsetModel {
  mutating func schedule(_ request: LocalNotification) -> Refusal? {
    guard let place = place(of: request.app) else { return .unknownApp(request.app) }
    if request.identifier.isEmpty || request.identifier.utf8.count > 64 { return .badLocalNotification(.badIdentifier) }
    let content = request.content
    switch content.badge {
    case .absent:
      if content.message == nil && content.sound == .none { return .badLocalNotification(.nothingToPresent) }
    case .number(let number): if number < 0 { return .badLocalNotification(.badBadge) }
    case .bad: return .badLocalNotification(.badBadge)
    }
    var pending = ModelPending(request: request, dueWall: now.wall, reckoned: now.wall)
    switch request.trigger {
    case .interval(let interval, let repeats):
      if interval <= .zero || (repeats && interval < .seconds(60)) { return .badLocalNotification(.badInterval) }
      pending.dueUptime = now.uptime + interval
      pending.dueWall = now.wall.advanced(by: interval)
    case .calendar(let time, _):
      let isTime = (0...23).contains(time.hour) && (0...59).contains(time.minute) && (0...59).contains(time.second)
      let isDay = time.month.map((1...12).contains) ?? true && time.day.map((1...31).contains) ?? true
      let isYear = time.year.map((1970...9999).contains) ?? true && time.weekday.map((1...7).contains) ?? true
      guard isTime && isDay && isYear else { return .badLocalNotification(.badCalendarTime) }
      guard let due = pending.next(in: zone) else { return .badLocalNotification(.neverComes) }
      pending.dueWall = due
    }
    apps[place].pending.removeAll { $0.request.identifier == request.identifier }
    apps[place].pending.append(pending)
    apps[place].hasScheduled = true
    emit(.scheduled(request.identifier, due: pending.dueWall), request.app, request.content.id)
    // Rule L2.
    if apps[place].pending.count > 64 {
      let last = soonestFirst(apps[place].pending).last!
      apps[place].pending.removeAll { $0.request.identifier == last.request.identifier }
      emit(.unscheduled(last.request.identifier, .pendingLimit), request.app, last.request.content.id)
    }
    return nil
  }

  mutating func cancel(_ id: AppID, _ identifier: String?) -> Refusal? {
    guard let place = place(of: id) else { return .unknownApp(id) }
    let cancelled = apps[place].pending.filter { identifier == nil || $0.request.identifier == identifier }
    if let identifier, cancelled.isEmpty { return .unknownLocalNotification(identifier) }
    apps[place].pending.removeAll { identifier == nil || $0.request.identifier == identifier }
    for request in cancelled.map(\.request) {
      emit(.unscheduled(request.identifier, .cancelled), id, request.content.id)
    }
    return nil
  }

  func soonestFirst(_ pending: [ModelPending]) -> [ModelPending] {
    pending.sorted { ($0.dueWall, $0.request.identifier) < ($1.dueWall, $1.request.identifier) }
  }

  mutating func move(to zone: TimeZoneTable) {
    guard zone != self.zone else { return }
    self.zone = zone
    emit(.timeZone(zone.name), nil, nil)
    reckonCalendars()
    followHours()
    presentSummary()
  }

  private mutating func reckonCalendars() {
    for place in apps.indices {
      for index in apps[place].pending.indices {
        guard let next = apps[place].pending[index].next(in: zone) else { continue }
        apps[place].pending[index].dueWall = next
      }
    }
  }

  // MARK: - Time

  /// Compares the clocks, to find whether the wall clock was set since the daemon last looked.
  mutating func noticeClocks(_ now: Moment) {
    self.now = now
    wasSet = false
    guard let clocks else { return }
    let step = Duration.microseconds(now.wall.microseconds - clocks.wall.microseconds) - (now.uptime - clocks.uptime)
    guard step >= .seconds(1) || step <= .seconds(-1) else { return }
    wasSet = true
    self.clocks = now
    for place in apps.indices {
      for index in apps[place].pending.indices {
        if apps[place].pending[index].dueUptime != nil {
          apps[place].pending[index].dueWall = apps[place].pending[index].dueWall.advanced(by: step)
        } else if step < .zero {
          apps[place].pending[index].reckoned = now.wall
        }
      }
    }
    if step < .zero { reckonCalendars() }
  }

  /// The first plausible time: a clock that shows an earlier one was never set.
  static let earliest = WallTime(seconds: 1_735_689_600)

  /// Restarts waits that were computed from such a clock, once the time is known (rules R3, U9, F1, L3).
  mutating func renewWhatAnUnsetClockStamped() {
    guard now.wall >= HandsetModel.earliest else { return }
    let anew = now.wall.advanced(by: .seconds(30 * 24 * 3600))
    renewWaiting(anew)
    for index in nodes.indices {
      guard let since = nodes[index].goneSince, since < HandsetModel.earliest else { continue }
      nodes[index].goneSince = now.wall
    }
    for index in goneTokens.indices where goneTokens[index].since < HandsetModel.earliest {
      goneTokens[index].since = now.wall
    }
    for place in apps.indices {
      if let held = apps[place].held, held.expires < HandsetModel.earliest { apps[place].held?.expires = anew }
      for index in apps[place].kept.indices where apps[place].kept[index].expires < HandsetModel.earliest {
        apps[place].kept[index].expires = anew
        apps[place].kept[index].push.expiration = .at(anew)
      }
      for index in apps[place].offers.indices where apps[place].offers[index].expires < HandsetModel.earliest {
        apps[place].offers[index].expires = anew
      }
      for index in apps[place].pending.indices {
        var pending = apps[place].pending[index]
        let isKnown = pending.presented.contains { $0 >= HandsetModel.earliest }
        guard pending.dueUptime == nil, pending.dueWall < HandsetModel.earliest, !isKnown else { continue }
        pending.reckoned = now.wall
        guard let due = pending.next(in: zone) else { continue }
        pending.dueWall = due
        apps[place].pending[index] = pending
      }
    }
  }

  /// Does everything that is due by time alone.
  /// - Parameter isStart: what ended while the handset was off takes nothing of what is fetched now.
  mutating func doWhatIsDue(isStart: Bool) {
    renewWhatAnUnsetClockStamped()
    forgetGoneTokens()
    forgetGoneNodes()
    if let banner, banner.until <= now.uptime { self.banner = nil }
    let wall = now.wall
    for index in waiting.indices where waiting[index].arrived > wall { waiting[index].arrived = wall }
    dropWaiting(.expiredDeferred) { $0.expires <= wall }
    for id in apps.map(\.id) {
      guard let place = place(of: id) else { continue }
      dropKept(place, .expiredOffline) { [now] in $0.expires <= now.wall }
      if let held = apps[place].held, held.expires <= now.wall { dropHeld(place, .expired) }
      for offer in apps[place].offers where offer.waits && offer.expires <= now.wall {
        apps[place].offers.removeAll { $0.push == offer.push }
        emit(.discarded(.expired), id, offer.push)
      }
      while let late = apps[place].offers.filter({ $0.deadline.map { $0 <= now.uptime } ?? false })
        .min(by: { $0.deadline! < $1.deadline! })
      {
        stopLate(place, late.push)
      }
      if apps[place].held != nil { tryHeld(place) }
    }
    if isStart { settleActivities() }
    fetchIfDue()
    doSelected()
    followHours()
    presentSummary()
    presentPending()
    settleActivities()
    endSnoozesThatAreOver()
    soundAgain()
  }

  /// Returns the time for which it has been due; negative before.
  private func lateness(_ pending: ModelPending) -> Duration {
    pending.dueUptime.map { now.uptime - $0 } ?? .microseconds(now.wall.microseconds - pending.dueWall.microseconds)
  }

  /// Presents local notifications by the rules of a push (rule L1), in the order of their times.
  private mutating func presentPending() {
    let inOrder = apps.flatMap(\.pending).sorted {
      let (one, other) = ($0.request, $1.request)
      return (lateness($1), one.app, one.identifier) < (lateness($0), other.app, other.identifier)
    }
    for pending in inOrder {
      let id = pending.request.app
      guard let place = place(of: id),
        let index = apps[place].pending.firstIndex(where: { $0.request.identifier == pending.request.identifier })
      else { continue }
      guard lateness(pending) >= .zero else {
        apps[place].pending[index].reckoned = max(apps[place].pending[index].reckoned, now.wall)
        continue
      }
      let isNew = apps[place].pending[index].present(at: now.wall, in: zone, wasSet: wasSet)
      switch pending.request.trigger {
      case .interval(let interval, true):
        var due = pending.dueUptime ?? now.uptime
        due += interval * Int((now.uptime - due) / interval)
        while due <= now.uptime { due += interval }
        apps[place].pending[index].dueUptime = due
        apps[place].pending[index].dueWall = now.wall.advanced(by: due - now.uptime)
      case .calendar(_, true):
        if let next = apps[place].pending[index].next(in: zone) {
          apps[place].pending[index].dueWall = next
        } else {
          apps[place].pending.remove(at: index)
        }
      default:
        apps[place].pending.remove(at: index)
      }
      guard isNew else { continue }
      let request = pending.request
      emit(.due(request.identifier), id, request.content.id)
      let content = request.content
      var push = Push(
        id: content.id, token: nil, topic: id, message: content.message, badge: content.badge,
        sound: content.sound, level: content.level, collapseID: request.identifier,
        threadID: content.threadID, payload: content.payload)
      (push.tags, push.options) = (content.tags, content.options)
      push.levelWhereNotCritical = content.levelWhereNotCritical
      push.isLocal = true
      if case .unregistered = apps[place].registration, !apps[place].hasScheduled {
        emit(.discarded(.unregistered), id, request.content.id)
      } else {
        arrive(push, place)
      }
    }
  }
}
