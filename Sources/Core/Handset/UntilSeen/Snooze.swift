/// A snooze of an app, or of all of them: silence for a time (rule N12).
public struct Snooze: Hashable, Sendable, Codable {
  /// The time at which it began, in whole microseconds.
  public var since: Moment
  /// The length, within `Policy.snoozeTimes`.
  public var length: Duration

  /// The time on the uptime clock at which it is over.
  public var until: Duration { since.uptime + length }

  func afterStart(_ start: Start, at now: Moment) -> Snooze {
    Snooze(since: since.afterStart(start, at: now), length: length)
  }

  /// Returns the time at which it is over, on both clocks as they show now.
  public func end(at now: Moment) -> Moment {
    Moment(uptime: until, wall: now.wall.advanced(by: until - now.uptime))
  }
}

extension Handset {
  /// The apps that are snoozed themselves, in the order in which their snoozes end.
  public var snoozedApps: [AppID] { snoozes.map(\.item) }

  /// Returns the time at which the notification may sound again; nil if no snooze silences it.
  func endOfSnooze(of notification: Notification, at now: Moment) -> Moment? {
    guard let app = apps[notification.app], !isCritical(notification.level, from: app) else { return nil }
    return endOfSnooze(of: app, at: now)
  }

  /// Returns the time at which the app's notifications may sound again; nil if neither it nor everything is snoozed.
  public func endOfSnooze(of app: App, at now: Moment) -> Moment? {
    let (all, own) = (record.snooze?.until ?? .zero, app.state.snooze?.until ?? .zero)
    guard max(all, own) > now.uptime else { return nil }
    return (own > all ? app.state.snooze : record.snooze)?.end(at: now)
  }

  /// Silences an app, or all if it is nil, for that time or for the setting's.
  mutating func snooze(_ id: AppID?, for length: Duration?, _ turn: inout Turn) -> Verdict {
    let length = length ?? record.settings.snooze
    guard Policy.snoozeTimes.contains(length) else { return .refused(.badSnooze) }
    if let id, apps[id] == nil { return .refused(.unknownApp(id)) }
    let snooze = Snooze(since: turn.now.inWholeMicroseconds, length: .microseconds(length.inMicroseconds))
    if let id { change(id, &turn) { $0.snooze = snooze } } else { record.snooze = snooze }
    emit(.snoozed(until: snooze.end(at: turn.now).wall), app: id, &turn)
    guard let id else {
      turn.effects.append(.silence(.all))
      return .accepted
    }
    for push in mayBeSounding(of: id) { turn.effects.append(.stopSound(push: push)) }
    return .accepted
  }

  /// Returns the pushes of an app whose sound may be playing.
  private func mayBeSounding(of id: AppID) -> [PushID] {
    let section = center.sections[id]
    let newest = [section?.listed.last, section?.unlisted.last, center.topAlert?.id].compactMap { $0 }
    let notifications = newest.compactMap { center.notifications[$0] } + center.repeating
    return Set(notifications.filter { $0.app == id }.map(\.push)).sorted { ($0.high, $0.low) < ($1.high, $1.low) }
  }

  /// Ends the snooze of an app, or every snooze if it is nil, by the person.
  mutating func endSnooze(_ id: AppID?, _ turn: inout Turn) -> Verdict {
    if let id {
      guard let app = apps[id] else { return .refused(.unknownApp(id)) }
      guard app.state.snooze != nil else { return .refused(.notSnoozed(id)) }
      endSnoozes(of: [id], all: false, .byPerson, &turn)
    } else {
      endSnoozes(of: snoozedApps.sorted(), all: record.snooze != nil, .byPerson, &turn)
    }
    return .accepted
  }

  mutating func expireSnoozes(_ turn: inout Turn) {
    guard record.snooze != nil || !snoozes.isEmpty else { return }
    let now = turn.now.uptime
    let over = snoozes.prefix { $0.time <= now }.map(\.item)
    endSnoozes(of: over, all: record.snooze.map { $0.until <= now } ?? false, .over, &turn)
  }

  /// Ends snoozes. Unseen notifications sound again, once for all snoozes that end now.
  private mutating func endSnoozes(of ended: [AppID], all: Bool, _ reason: Event.Ended, _ turn: inout Turn) {
    guard all || !ended.isEmpty else { return }
    dropSnoozes(of: ended, all: all, reason, &turn)
    guard record.settings.notifications else { return }
    for notification in center.repeating.sorted(by: { $0.id < $1.id })
    where all || ended.contains(notification.app) {
      restartRepetition(of: notification, from: turn.now, &turn)
    }
    let unseen = newestUnseen(of: all ? nil : ended).filter {
      $0.sound != .none && apps[$0.app]?.state.allowedKinds(isLocal: $0.isLocal).contains(.sound) == true
        && endOfSnooze(of: $0, at: turn.now) == nil
    }
    guard let (loudest, ring) = ringOnce(for: unseen, &turn) else { return }
    commit(.soundedAgain(before: soundedAgain, after: turn.now.inWholeMicroseconds.uptime), &turn)
    emit(.repeated(Event.Repeated(rung: ring)), app: loudest.app, push: loudest.push, &turn)
  }

  private mutating func dropSnoozes(of ended: [AppID], all: Bool, _ reason: Event.Ended, _ turn: inout Turn) {
    for id in ended {
      change(id, &turn) { $0.snooze = nil }
      emit(.snoozeEnded(reason), app: id, &turn)
    }
    guard all else { return }
    record.snooze = nil
    emit(.snoozeEnded(reason), &turn)
  }

  /// Returns unseen notifications with sounds, the most urgent first, then the newest; no more than one app may have.
  private func newestUnseen(of apps: [AppID]?) -> [Notification] {
    let levels = InterruptionLevel.allCases.filter { $0 != .passive }.reversed()
    guard let apps else {
      let ids = levels.lazy.flatMap { center.unseen[$0.rank].descending }.prefix(Policy.centerLimitPerApp)
      return ids.compactMap { center.notifications[$0] }
    }
    let own = apps.flatMap { center.sections[$0]?.listed.compactMap { center.notifications[$0] } ?? [] }
    return own.filter { $0.isUnseen && $0.level != .passive }.sorted { ($0.level, $0.id) > ($1.level, $1.id) }
  }

  /// Converts snoozes of an earlier boot. One that is over by then ends without a sound (rule D4).
  mutating func carrySnoozesOver(_ start: Start, _ turn: inout Turn) {
    let now = turn.now
    record.snooze = record.snooze?.afterStart(start, at: now)
    for id in snoozedApps.sorted() {
      change(id, &turn) { $0.snooze = $0.snooze?.afterStart(start, at: now) }
    }
    let over = snoozes.prefix { $0.time <= now.uptime }.map(\.item)
    dropSnoozes(of: over, all: record.snooze.map { $0.until <= now.uptime } ?? false, .over, &turn)
  }
}
