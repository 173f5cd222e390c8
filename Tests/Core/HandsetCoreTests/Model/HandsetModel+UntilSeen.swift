// Rules N11 and N12: the notifications that sound again until they are seen, and the ones that are silent for a while.

@testable import HandsetCore

/// The repetition of a notice.
struct ModelAgain: Hashable {
  var every: Duration
  var times: Int
  var done = 0
  /// The start of its interval.
  var since: Moment
}

struct ModelSnooze: Hashable {
  var since: Moment
  var length: Duration

  var until: Duration { since.uptime + length }
}

extension HandsetModel {
  /// Returns the repetition; only notices that are listed and make a sound can have one (rule N11).
  func again(_ push: Push, _ app: ModelApp) -> ModelAgain? {
    guard push.level != .passive else { return nil }
    switch (app.settings.repeats, push.repetition) {
    case (.off, _), (.asked, nil): return nil
    case (.urgent, nil) where push.level == .active: return nil
    default: break
    }
    return ModelAgain(
      every: push.repetition?.every ?? app.settings.repeatEvery,
      times: push.repetition?.times ?? app.settings.repeatTimes,
      since: now)
  }

  private func repeats(_ notice: ModelNotice) -> Bool { notice.isListed && !notice.isSeen && notice.again != nil }

  private func due(_ notice: ModelNotice) -> Duration { notice.again.map { $0.since.uptime + $0.every } ?? .zero }

  /// The time of the next repetition, which is not sooner than 10 s after the last.
  var nextAgain: Duration? {
    guard let first = notices.filter(repeats).map(due).min() else { return nil }
    return lastAgain.map { max($0 + .seconds(10), first) } ?? first
  }

  /// Returns the time until which a notice of that level is silenced, on the uptime clock.
  private func silentUntil(_ level: InterruptionLevel, _ app: ModelApp) -> Duration? {
    if level == .critical && app.settings.critical { return nil }
    return [snooze?.until, app.snooze?.until].compactMap { $0 }.filter { $0 > now.uptime }.max()
  }

  func isSnoozed(_ level: InterruptionLevel, _ app: ModelApp) -> Bool { silentUntil(level, app) != nil }

  mutating func soundAgain() {
    guard let next = nextAgain, next <= now.uptime else { return }
    var ringing: [Int] = []
    for index in notices.indices where repeats(notices[index]) && due(notices[index]) <= now.uptime {
      guard let place = place(of: notices[index].app) else { continue }
      if let end = silentUntil(notices[index].level, apps[place]) {
        notices[index].again?.since = Moment(uptime: end, wall: now.wall.advanced(by: end - now.uptime))
      } else {
        ringing.append(index)
      }
    }
    guard let chosen = ring(ringing) else { return }
    lastAgain = now.uptime
    for index in ringing {
      notices[index].again?.done += 1
      notices[index].again?.since = now
    }
    let again = notices[chosen.index].again
    let repeated = Event.Repeated(rung: chosen.rung, time: again?.done, times: again?.times, others: ringing.count - 1)
    emit(.repeated(repeated), notices[chosen.index].app, notices[chosen.index].push)
    for index in ringing where notices[index].again.map({ $0.done >= $0.times }) ?? false { stopAgain(index, .times) }
  }

  /// Makes one sound for all of them.
  private mutating func ring(_ indices: [Int]) -> (index: Int, rung: Rung)? {
    let inOrder = indices.sorted {
      let (one, other) = (notices[$0], notices[$1])
      return one.level != other.level ? one.level > other.level : one.place > other.place
    }
    func push(_ index: Int) -> Push {
      let notice = notices[index]
      var push = Push(id: notice.push, token: nil, topic: notice.app, sound: notice.sound, level: notice.level)
      push.options = notice.options
      return push
    }
    func app(_ index: Int) -> ModelApp { apps[place(of: notices[index].app)!] }
    let audible = inOrder.first { silence(push($0), app($0)) == nil }
    guard let index = audible ?? inOrder.first else { return nil }
    return (index, ring(push(index), app(index)))
  }

  private mutating func stopAgain(_ index: Int, _ why: Event.Ended) {
    notices[index].again = nil
    emit(.repeatEnded(why), notices[index].app, notices[index].push)
  }

  mutating func stopAllAgain(_ why: Event.Ended, _ which: (ModelNotice) -> Bool) {
    for index in notices.indices where repeats(notices[index]) && which(notices[index]) { stopAgain(index, why) }
  }

  /// Keeps 8 of an app and 64 of all; the newest, which has just come, stays.
  mutating func limitAgain(sparing place: Int) {
    let others = notices.indices.filter { repeats(notices[$0]) && notices[$0].place != place }
    guard let new = notices.first(where: { $0.place == place }) else { return }
    let own = others.filter { notices[$0].app == new.app }
    let crowd = own.count >= 8 ? own : others.count >= 64 ? others : []
    let least = crowd.min {
      let (one, other) = (notices[$0], notices[$1])
      return one.level != other.level ? one.level < other.level : one.place < other.place
    }
    if let least { stopAgain(least, .repeatLimit) }
  }

  // MARK: - Snoozing

  mutating func snooze(_ id: AppID?, _ length: Duration?) -> Refusal? {
    let length = length ?? settings.snooze
    guard length >= .seconds(60), length <= .seconds(86_400) else { return .badSnooze }
    let snooze = ModelSnooze(since: now, length: length)
    if let id {
      guard let place = place(of: id) else { return .unknownApp(id) }
      apps[place].snooze = snooze
      let own = notices.filter { $0.app == id }
      let listed = own.filter(\.isListed).max { $0.place < $1.place }
      let unlisted = own.filter { !$0.isListed }.max { $0.place < $1.place }
      let top = alerts.last.flatMap { $0.app == id ? $0 : nil }
      let pushes = Set([listed, unlisted, top].compactMap { $0?.push } + own.filter(repeats).map(\.push))
      effects += pushes.map { .stopSound(push: $0) }
    } else {
      self.snooze = snooze
      effects.append(.silence(.all))
    }
    emit(.snoozed(until: now.wall.advanced(by: length)), id, nil)
    return nil
  }

  mutating func endSnooze(_ id: AppID?) -> Refusal? {
    if let id {
      guard let place = place(of: id) else { return .unknownApp(id) }
      guard apps[place].snooze != nil else { return .notSnoozed(id) }
    }
    endSnoozes(.byPerson, everything: id == nil) { $0.id == id || id == nil }
    return nil
  }

  mutating func endSnoozesThatAreOver() {
    let now = now.uptime
    endSnoozes(.over, everything: snooze.map { $0.until <= now } ?? false) { ($0.snooze?.until ?? .zero) <= now }
  }

  private mutating func endSnoozes(
    _ why: Event.Ended, everything: Bool, _ which: (ModelApp) -> Bool
  ) {
    let ended = dropSnoozes(why, everything: everything, which)
    guard settings.notifications, ended.all || !ended.apps.isEmpty else { return }
    let concerned = notices.indices.filter {
      notices[$0].isListed && !notices[$0].isSeen && (ended.all || ended.apps.contains(notices[$0].app))
    }
    for index in concerned { notices[index].again?.since = now }
    let audible = concerned.filter { index in
      let app = apps[place(of: notices[index].app)!]
      return notices[index].level != .passive && notices[index].sound != .none
        && app.allows(.sound, isLocal: notices[index].isLocal)
        && !isSnoozed(notices[index].level, app)
    }
    guard let chosen = ring(audible) else { return }
    lastAgain = now.uptime
    emit(.repeated(Event.Repeated(rung: chosen.rung)), notices[chosen.index].app, notices[chosen.index].push)
  }

  private mutating func dropSnoozes(
    _ why: Event.Ended, everything: Bool, _ which: (ModelApp) -> Bool
  ) -> (all: Bool, apps: [AppID]) {
    var ended: [AppID] = []
    for place in apps.indices where apps[place].snooze != nil && which(apps[place]) {
      apps[place].snooze = nil
      ended.append(apps[place].id)
      emit(.snoozeEnded(why), apps[place].id, nil)
    }
    guard everything, snooze != nil else { return (false, ended) }
    snooze = nil
    emit(.snoozeEnded(why), nil, nil)
    return (true, ended)
  }

  /// Restarts without a sound (rule D4): snoozes that are over end, and intervals that are over begin again.
  mutating func restartUntilSeen(_ start: Start) {
    lastAgain = nil
    snooze = snooze.map { ModelSnooze(since: afterStart($0.since, start), length: $0.length) }
    for place in apps.indices {
      apps[place].snooze = apps[place].snooze.map { ModelSnooze(since: afterStart($0.since, start), length: $0.length) }
    }
    let now = now
    _ = dropSnoozes(.over, everything: snooze.map { $0.until <= now.uptime } ?? false) {
      ($0.snooze?.until ?? .zero) <= now.uptime
    }
    for index in notices.indices {
      guard var again = notices[index].again else { continue }
      again.since = afterStart(again.since, start)
      notices[index].again = again
      if due(notices[index]) <= now.uptime { notices[index].again?.since = now }
    }
  }
}
