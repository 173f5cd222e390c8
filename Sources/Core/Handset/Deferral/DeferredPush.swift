/// A push for the person that the handset has and does not present yet (rules Q1, Q2).
public struct DeferredPush: Hashable, Sendable, Codable {
  /// The whole push: it goes on as if it had just arrived.
  public var push: Push
  /// The number in the order in which they arrived, ascending.
  public var number: UInt64
  public var reason: Event.Deferred
  public var arrived: WallTime
  /// The time from which on it is expired.
  public var expires: WallTime

  public init(push: Push, number: UInt64, reason: Event.Deferred, arrived: WallTime, expires: WallTime) {
    self.push = push
    self.number = number
    self.reason = reason
    self.arrived = arrived
    self.expires = expires
  }

  /// Approximate, in bytes: the payload, the same words in the push, and the rest.
  var size: Int { NotificationContent.overhead + 2 * push.payload.count }

  fileprivate func hasCollapseID(_ id: String, of app: AppID) -> Bool {
    push.topic == app && push.collapseID.map(ExactText.init) == ExactText(id)
  }
}

/// The deferred pushes, at most `Policy.deferredLimit`.
struct DeferredPushes: Sendable, Equatable {
  /// In ascending order of their numbers.
  private(set) var all: [DeferredPush] = []

  var isEmpty: Bool { all.isEmpty }

  mutating func replace(_ before: DeferredPush?, with after: DeferredPush?) {
    guard let number = (after ?? before)?.number else { return }
    let place = all.firstPlace { $0.number >= number }
    if before != nil { all.remove(at: place) }
    if let after { all.insert(after, at: place) }
  }

  /// The time at which the first of them expires.
  var expiration: WallTime? { all.lazy.map(\.expires).min() }
}

extension Event {
  /// The reason why a push for the person is not presented yet. The raw value is its code.
  public enum Deferred: String, Hashable, Sendable, CaseIterable, Codable {
    case lowPower = "low-power"
    case summary

    var ruling: Ruling {
      switch self {
      case .lowPower: .deferredLowPower
      case .summary: .deferredSummary
      }
    }

    public var reason: Why { Why(rawValue, ruling) }
  }
}

extension Handset {
  /// Returns true if rules Q1 and Q2 have to be applied to the push: few pushes need more than this.
  func mayDefer(_ push: Push, of app: App) -> Bool {
    push.priority < 10 || !deferred.isEmpty || (record.settings.summary != nil && app.state.settings.summary)
  }

  /// Defers a push for the person, unless it is to be presented now.
  /// - Returns: true if it is deferred.
  @inline(never)
  mutating func `defer`(_ push: Push, of app: App, _ turn: inout Turn) -> Bool {
    guard !push.kinds.isEmpty, push.type != .background else { return false }
    // An older one would replace it later (rule N8).
    if let id = push.collapseID {
      discardDeferred(.replacedDeferred, newer: push.id, &turn) { $0.hasCollapseID(id, of: app.id) }
    }
    guard app.state.lifecycle != .foreground, let reason = reasonToDefer(push, of: app) else { return false }
    turn.rule(reason.ruling, on: push.id)
    let waiting = DeferredPush(
      push: push, number: record.nextEvent, reason: reason, arrived: turn.now.wall,
      expires: push.keptUntil(at: turn.now))
    commit(.deferred(before: nil, after: waiting), &turn)
    emit(
      .deferred(reason, until: reason == .summary ? summaryDue(at: turn.now) : nil), app: app.id, push: push.id, &turn)
    keepDeferredWithinLimits(of: app.id, &turn)
    return true
  }

  private func reasonToDefer(_ push: Push, of app: App) -> Event.Deferred? {
    let level = push.ring(for: app).level
    let breaksThrough =
      isCritical(level, from: app) || (level == .timeSensitive && app.state.settings.timeSensitive)
    if record.settings.summary != nil, app.state.settings.summary, !breaksThrough { return .summary }
    return push.priority < 10 && record.conditions.contains(.lowPower) ? .lowPower : nil
  }

  /// Returns the time of the summary that presents what waits for it; nil if nothing waits, or there are no times. It
  /// follows from the arrival of the oldest, so that a clock that is set ahead neither repeats nor skips a summary.
  public func summaryDue(at now: Moment) -> WallTime? {
    guard let times = record.settings.summary, let oldest = deferred.all.first(where: { $0.reason == .summary })
    else { return nil }
    return times.next(after: oldest.arrived, in: timeZone)
  }

  /// The pushes that wait, oldest first.
  public var deferredPushes: [DeferredPush] { deferred.all }

  // MARK: - Ends

  /// Presents what waits for a summary once that is due, or is switched off.
  mutating func settleSummary(_ turn: inout Turn) {
    guard !deferred.isEmpty else { return }
    let isDue = summaryDue(at: turn.now).map { $0 <= turn.now.wall } ?? true
    release(&turn) { waiting, handset in
      waiting.reason == .summary
        && (isDue || handset.apps[waiting.push.topic]?.state.settings.summary == false)
    }
  }

  /// Presents deferred pushes together, the most relevant last, which is the top of the list.
  /// - Parameter sounds: false if none of them sounds; else one does.
  mutating func release(
    sounds: Bool = true, _ turn: inout Turn, _ which: (DeferredPush, borrowing Handset) -> Bool
  ) {
    let group = deferred.all.filter { which($0, self) }
    guard !group.isEmpty else { return }
    for waiting in group { commit(.deferred(before: waiting, after: nil), &turn) }
    let inOrder = group.sorted { ($0.relevance, $0.number) < ($1.relevance, $1.number) }
    var members: [GroupMember] = []
    turn.isGrouped = true
    for push in inOrder.map(\.push) {
      guard let app = apps[push.topic] else { continue }
      let (event, rulings) = (turn.events.count, turn.rulings.count)
      emit(.arrived, app: app.id, push: push.id, &turn)
      turn.rule(.released, on: push.id)
      proceed(push, at: app, &turn)
      guard let silent = turn.events[event...].firstIndex(where: \.isGrouped) else { continue }
      members.append(GroupMember(ring: push.ring(for: app), app: app.id, event: silent, rulings: rulings))
    }
    turn.isGrouped = false
    guard sounds else { return }
    if members.isEmpty { letOneSound(of: inOrder.map(\.push), &turn) } else { ringOnce(for: members, &turn) }
  }

  /// Lets the most urgent of a group sound that service extensions have, if none sounds at once: all but it are silent.
  private mutating func letOneSound(of group: [Push], _ turn: inout Turn) {
    let waiting = group.reversed().compactMap { push in
      extending[push.topic]?.first { $0.push.id == push.id && $0.push.isGrouped && $0.push.sound != .none }
    }
    guard let before = waiting.max(by: { $0.push.level < $1.push.level }) else { return }
    var after = before
    after.push.isGrouped = false
    commit(.extending(before.push.topic, before: before, after: after), &turn)
  }

  /// Plays and vibrates once for the group: for the newest of the most urgent that may sound, as when several sound
  /// again (rule N11).
  private mutating func ringOnce(for members: [GroupMember], _ turn: inout Turn) {
    let rulings = turn.rulings
    // Ascending, and of equal ones the last is on top.
    let urgentFirst = members.enumerated().sorted {
      ($0.element.ring.level, $0.offset) > ($1.element.ring.level, $1.offset)
    }
    .map(\.element)
    let audible = urgentFirst.first { member in
      apps[member.app].map { reasonForSilence(of: member.ring, from: $0, &turn) == nil } ?? false
    }
    turn.rulings = rulings
    guard let chosen = audible ?? urgentFirst.first, let app = apps[chosen.app] else { return }
    // Rulings are recorded on the last push: the chosen one, for the moment.
    let last = turn.rulings.count - 1
    turn.rulings.swapAt(chosen.rulings, last)
    turn.rulings[last].rulings.removeAll { $0 == .grouped }
    turn.events[chosen.event].kind.ring(ring(chosen.ring, of: app, &turn))
    turn.rulings.swapAt(chosen.rulings, last)
  }

  mutating func discardDeferred(
    _ reason: Event.Discarded, newer: PushID? = nil, _ turn: inout Turn, _ which: (DeferredPush) -> Bool
  ) {
    guard !deferred.isEmpty else { return }
    for waiting in deferred.all.filter(which) {
      commit(.deferred(before: waiting, after: nil), &turn)
      emit(.discarded(reason, newer: newer), app: waiting.push.topic, push: waiting.push.id, &turn)
    }
  }

  /// Discards the app's deferred push with that collapse identifier, which its provider takes back (rule N8).
  mutating func retractDeferred(_ collapseID: String, of app: AppID, _ turn: inout Turn) {
    discardDeferred(.retracted, &turn) { $0.hasCollapseID(collapseID, of: app) }
  }

  /// A badge that is set is newer than those that wait, and 0 clears the app's notifications (rule B3).
  mutating func overtakeDeferredBadges(of app: AppID, by number: Int, _ push: PushID?, _ turn: inout Turn) {
    if number == 0 { return discardDeferred(.badgeZero, newer: push, &turn) { $0.push.topic == app } }
    discardDeferred(.replacedDeferred, newer: push, &turn) { $0.push.topic == app && $0.push.hasOnlyBadge }
    for before in deferred.all where before.push.topic == app {
      guard case .number = before.push.badge else { continue }
      var after = before
      after.push.badge = .absent
      commit(.deferred(before: before, after: after), &turn)
    }
  }

  /// Discards the oldest of the app, or of the app that has most, until the limits are kept.
  private mutating func keepDeferredWithinLimits(of app: AppID, _ turn: inout Turn) {
    let own = deferred.all.filter { $0.push.topic == app }
    if own.count > Policy.deferredLimitPerApp, let oldest = own.first {
      discardDeferred(.tooManyDeferred, &turn) { $0.number == oldest.number }
    }
    while deferred.all.count > Policy.deferredLimit
      || deferred.all.reduce(0, { $0 + $1.size }) > Policy.deferredSizeLimit
    {
      let byApp = Dictionary(grouping: deferred.all, by: \.push.topic).values
      guard let oldest = byApp.max(by: { ($0.count, $1[0].number) < ($1.count, $0[0].number) })?.first else { return }
      discardDeferred(.tooManyDeferred, &turn) { $0.number == oldest.number }
    }
  }

  mutating func expireDeferred(_ turn: inout Turn) {
    let now = turn.now.wall
    // The clock was set back: the next summary is sooner.
    for before in deferred.all where before.arrived > now {
      var after = before
      after.arrived = now
      commit(.deferred(before: before, after: after), &turn)
    }
    discardDeferred(.expiredDeferred, &turn) { $0.expires <= now }
  }

  /// Renews stamps of an unset clock.
  mutating func renewDeferred(_ turn: inout Turn) {
    let expires = turn.now.wall.advanced(by: Policy.defaultExpiration)
    for before in deferred.all where !before.arrived.isPlausible || !before.expires.isPlausible {
      var after = before
      if !before.arrived.isPlausible { after.arrived = turn.now.wall }
      if !before.expires.isPlausible { after.expires = expires }
      commit(.deferred(before: before, after: after), &turn)
    }
  }
}

/// A push of a group that is presented together, and that has a sound.
private struct GroupMember {
  var ring: Ring
  var app: AppID
  /// The place of its event in the turn, and of its rulings.
  var event: Int
  var rulings: Int
}

extension DeferredPush {
  fileprivate var relevance: Double { push.options?.relevance ?? 0 }
}

extension Push {
  /// True if its badge is all that it has.
  fileprivate var hasOnlyBadge: Bool { kinds == .badge && !contentAvailable }
}

extension Event {
  /// True if another push of its group may sound, and this one does not.
  fileprivate var isGrouped: Bool {
    switch kind {
    case .presented(let presented): presented.rung.silenced == .grouped
    case .notPresented(let reason): reason == .grouped
    default: false
    }
  }
}

extension Event.Kind {
  /// Notes that the push sounds for its group, or why it does not.
  fileprivate mutating func ring(_ rung: Rung) {
    var presented = Event.Presented()
    if case .presented(let before) = self { presented = before }
    presented.rung = rung
    if !presented.isEmpty {
      self = .presented(presented)
    } else if let reason = rung.silenced {
      self = .notPresented(reason)
    }
  }
}
