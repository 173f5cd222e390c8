// Rules Q1 and Q2: the pushes that wait for the end of low power or for the summary, and are then presented together.

@testable import HandsetCore

struct ModelWaiting: Hashable {
  var app: AppID
  var push: Push
  var why: Event.Deferred
  var arrived: WallTime
  var expires: WallTime
}

/// A push of a group that asked to sound.
struct ModelMember {
  var push: Push
  var app: AppID
  /// The place of the event that says what became of it.
  var event: Int
}

extension HandsetModel {
  /// Returns the push with the level at which it is presented (rules N9, Q1, Q4).
  func leveled(_ sent: Push, _ app: ModelApp) -> Push {
    var push = sent
    if push.level == .critical && !app.settings.critical, let other = push.levelWhereNotCritical { push.level = other }
    if push.priority == 1 || app.registeredKinds.contains(.provisional) { push.level = .passive }
    return push
  }

  /// Returns true if the push waits.
  mutating func wait(_ push: Push, _ place: Int) -> Bool {
    let app = apps[place]
    let isForPerson = push.message != nil || push.sound != .none || push.badge.number != nil
    guard isForPerson, push.type != .background else { return false }
    dropWaiting(.replacedDeferred, newer: push.id) {
      $0.app == app.id && push.collapseID != nil && $0.push.collapseID == push.collapseID
    }
    if app.lifecycle == .foreground { return false }
    let level = leveled(push, app).level
    let isUrgent =
      (level == .critical && app.settings.critical) || (level == .timeSensitive && app.settings.timeSensitive)
    let why: Event.Deferred
    if settings.summary != nil && app.settings.summary && !isUrgent {
      why = .summary
    } else if conditions.contains(.lowPower) && push.priority != 10 {
      why = .lowPower
    } else {
      return false
    }
    waiting.append(
      ModelWaiting(app: app.id, push: push, why: why, arrived: now.wall, expires: expiration(of: push)))
    emit(.deferred(why, until: why == .summary ? summaryTime : nil), app.id, push.id)
    if waiting.count(where: { $0.app == app.id }) > 32, let oldest = waiting.first(where: { $0.app == app.id }) {
      dropWaiting(.tooManyDeferred) { $0 == oldest }
    }
    return true
  }

  /// The time of the summary for which something waits.
  var summaryTime: WallTime? {
    guard let times = settings.summary, let oldest = waiting.first(where: { $0.why == .summary }) else { return nil }
    return times.description.split(separator: ",").compactMap { text in
      let parts = text.split(separator: ":").compactMap { Int($0) }
      return ModelCalendar.next(CalendarTime(hour: parts[0], minute: parts[1]), after: oldest.arrived, in: zone)
    }.min()
  }

  mutating func presentSummary() {
    let isDue = settings.summary == nil || (summaryTime.map { $0 <= now.wall } ?? false)
    let off = apps.filter { !$0.settings.summary }.map(\.id)
    presentWaiting { $0.why == .summary && (isDue || off.contains($0.app)) }
  }

  /// Presents them in order, the most relevant last, with one sound or none.
  mutating func presentWaiting(sounds: Bool = true, _ which: (ModelWaiting) -> Bool) {
    let chosen = waiting.filter(which)
    waiting.removeAll(where: which)
    var ordered: [ModelWaiting] = []
    for one in chosen {
      let relevance = one.push.options?.relevance ?? 0
      let place = ordered.firstIndex { ($0.push.options?.relevance ?? 0) > relevance } ?? ordered.count
      ordered.insert(one, at: place)
    }
    group = []
    for one in ordered {
      guard let place = place(of: one.app) else { continue }
      emit(.arrived, one.app, one.push.id)
      goOn(one.push, place)
    }
    let members = group ?? []
    group = nil
    if sounds && members.isEmpty { soundOneExtended(of: ordered) }
    guard sounds, let top = members.map(\.push.level).max() else { return }
    func app(_ member: ModelMember) -> ModelApp { apps[place(of: member.app)!] }
    var loudest: ModelMember?
    for level in InterruptionLevel.allCases where level <= top {
      for member in members where member.push.level == level && silence(member.push, app(member)) == nil {
        loudest = member
      }
    }
    guard let loudest = loudest ?? members.last(where: { $0.push.level == top }) else { return }
    let rung = ring(loudest.push, app(loudest))
    var presented = Event.Presented()
    if case .presented(let before) = events[loudest.event].kind { presented = before }
    presented.rung = rung
    let isShown = presented.style != .none || presented.isListed || rung.sound != nil || rung.vibration != nil
    events[loudest.event].kind = isShown ? .presented(presented) : .notPresented(rung.silenced!)
  }

  /// Of a group that extensions have, the most urgent sounds when it is presented.
  private mutating func soundOneExtended(of ordered: [ModelWaiting]) {
    var chosen: (place: Int, index: Int)?
    var best = InterruptionLevel.passive
    for one in ordered where one.push.sound != .none && one.push.level >= best {
      guard let place = place(of: one.app),
        let index = apps[place].extending.firstIndex(where: { $0.push.id == one.push.id && $0.push.isGrouped })
      else { continue }
      (chosen, best) = ((place, index), one.push.level)
    }
    if let chosen { apps[chosen.place].extending[chosen.index].push.isGrouped = false }
  }

  mutating func dropWaiting(_ why: Event.Discarded, newer: PushID? = nil, _ which: (ModelWaiting) -> Bool) {
    for one in waiting where which(one) { emit(.discarded(why, newer: newer), one.app, one.push.id) }
    waiting.removeAll(where: which)
  }

  /// A badge is set now: the ones that wait are older.
  mutating func overtakeBadges(of id: AppID, _ number: Int, _ push: PushID?) {
    if number == 0 { return dropWaiting(.badgeZero, newer: push) { $0.app == id } }
    dropWaiting(.replacedDeferred, newer: push) {
      $0.app == id && $0.push.badge.number != nil && $0.push.message == nil && $0.push.sound == .none
        && !$0.push.contentAvailable
    }
    for index in waiting.indices where waiting[index].app == id && waiting[index].push.badge.number != nil {
      waiting[index].push.badge = .absent
    }
  }

  mutating func renewWaiting(_ anew: WallTime) {
    for index in waiting.indices {
      if waiting[index].arrived < HandsetModel.earliest { waiting[index].arrived = now.wall }
      if waiting[index].expires < HandsetModel.earliest { waiting[index].expires = anew }
    }
  }
}
