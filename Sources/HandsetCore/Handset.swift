// The handset is a value. It has no clock, does no I/O and draws no lots: inputs come with their moment, what follows
// goes out as changes to store, effects to carry out once, events to tell, and a presentation to show.

/// One handset: its apps, what they received, and the rules by which it decides.
public struct Handset: Sendable, Equatable {
  public internal(set) var record: HandsetRecord
  public private(set) var apps: [AppID: App] = [:]
  public private(set) var tokens: [DeviceToken: TokenRecord] = [:]
  private(set) var center = NotificationCenter()
  private(set) var holds = HoldSlots()
  private(set) var outbox = Outbox()
  private(set) var budgets: [AppID: DeliveryBudget] = [:]
  private(set) var slots = ServiceSlots()
  private(set) var recent = RecentPushes()
  private(set) var nodes = PublishingNodes()
  private(set) var schedule = Schedule()

  // What follows from the above, and is kept because asking for it must not cost more with more apps.

  /// The app in the foreground: there is at most one.
  public private(set) var foreground: AppID?
  private(set) var badgeSum: Int128 = 0
  private(set) var goneTokens = SortedSet<GoneToken>()

  // What is not stored.

  /// The apps that are connected to their sockets.
  public private(set) var listeners: Set<AppID> = []
  private(set) var banner: Presentation.Banner?
  private(set) var lamp: LitLamp?
  /// The edge says which.
  public private(set) var timeZone = TimeZoneTable.utc
  /// By how much the wall clock was ahead of the uptime clock, while something is scheduled.
  private(set) var clockSkew: Duration?

  /// A token that is good for nothing and whose app has another or is not installed, by age.
  struct GoneToken: Comparable, Sendable {
    var since: WallTime
    var token: DeviceToken

    static func < (left: GoneToken, right: GoneToken) -> Bool {
      left.since != right.since
        ? left.since < right.since : left.token.bytes.lexicographicallyPrecedes(right.token.bytes)
    }
  }

  /// What a handset is made from again after a restart.
  public struct Contents: Sendable {
    public var record = HandsetRecord()
    public var apps: [App] = []
    public var tokens: [DeviceToken: TokenRecord] = [:]
    /// In ascending order of their numbers.
    public var notifications: [Notification] = []
    public var held: [AppID: HeldUpdate] = [:]
    public var offers: [AppID: [Offer]] = [:]
    public var budgets: [AppID: DeliveryBudget] = [:]
    public var kept: [AppID: KeptPush] = [:]
    /// In ascending order of their numbers.
    public var recentPushes: [RecentPush] = []
    public var nodes: [NodeID: PublishingNode] = [:]
    public var pending: [PendingNotification] = []
    /// Not stored: the edge reads it at start.
    public var timeZone = TimeZoneTable.utc
    /// Never stored, as those below: by how much the wall clock was ahead of the uptime clock, while something is
    /// scheduled.
    public var clockSkew: Duration?
    public var listeners: Set<AppID> = []
    /// It does not outlive the daemon. A journal of inputs that begins while one is up has it.
    public var banner: Presentation.Banner?

    public init() {}
  }

  public init(_ contents: Contents = Contents()) {
    record = contents.record
    timeZone = contents.timeZone
    for app in contents.apps { apply(.app(app.id, before: nil, after: app)) }
    for (token, record) in contents.tokens { apply(.token(token, before: nil, after: record)) }
    for notification in contents.notifications {
      apply(.notification(before: nil, after: notification, content: nil))
    }
    for (app, update) in contents.held { apply(.held(app, before: nil, after: update, payload: nil)) }
    for (app, offers) in contents.offers {
      for offer in offers { apply(.offered(app, before: nil, after: offer, payload: .unchanged)) }
    }
    for (app, budget) in contents.budgets { apply(.budget(app, before: DeliveryBudget(), after: budget)) }
    for (app, kept) in contents.kept { apply(.kept(app, before: nil, after: kept)) }
    for push in contents.recentPushes { apply(.recent(before: nil, after: push)) }
    for (id, node) in contents.nodes { apply(.node(id, before: nil, after: node, published: .unchanged)) }
    for pending in contents.pending { apply(.pending(before: nil, after: pending)) }
    clockSkew = contents.clockSkew
    listeners = contents.listeners
    banner = contents.banner
  }
}

// MARK: - Inputs

extension Handset {
  /// Applies the input. Nothing else changes the handset but `undo`.
  public mutating func handle(_ input: Input, at now: Moment) -> Turn {
    let before = record
    var turn = Turn()
    if case .start = input { expire(at: now, isStart: true, &turn) } else { expire(at: now, isStart: false, &turn) }
    followWallClock(at: now, &turn)
    if !input.comesBeforeTheSchedule { presentDue(at: now, &turn) }
    turn.verdict = decide(input, at: now, &turn)
    forgetGoneTokens(at: now, &turn)
    forgetGoneNodes(at: now, &turn)
    settleLamp(at: now, &turn)
    ruleOnLamp(&turn)
    if record != before { turn.changes.append(.record(before: before, after: record)) }
    return turn
  }

  /// Takes back the changes of turns that could not be stored, the newest first.
  /// - Parameter changes: as `handle` gave them, of one turn or of several in a row.
  public mutating func undo(_ changes: some BidirectionalCollection<Change>) {
    for change in changes.reversed() { apply(change.reversed) }
  }

  private mutating func decide(_ input: Input, at now: Moment, _ turn: inout Turn) -> Verdict {
    switch input {
    case .push(let push):
      return receive(push, at: now, &turn)
    case .publish(let push, let propertyList):
      return publish(push, propertyList, at: now, &turn)
    case .createNode(let id):
      return createNode(id, at: now, &turn)
    case .deleteNode(let id):
      return deleteNode(id, at: now, &turn)
    case .refused(let push):
      let kind = Event.Kind.refused(status: push.status, reason: push.reason, detail: quoted(push.detail))
      tell(kind, app: push.topic, push: push.id, at: now, &turn)
      return .accepted
    case .report(let report):
      let then = Moment(uptime: report.uptime, wall: now.wall.advanced(by: report.uptime - now.uptime))
      tell(.driver(report.kind), app: nil, push: report.push, at: then, &turn)
      return .accepted
    case .install(let manifest, let token):
      return install(manifest, token: token, at: now, &turn)
    case .uninstall(let id):
      return withApp(id) { app, handset in handset.uninstall(app, at: now, &turn) }
    case .register(let id, let kinds, let token):
      return withApp(id) { app, handset in handset.register(app, kinds, freshToken: token, at: now, &turn) }
    case .unregister(let id):
      return withApp(id) { app, handset in handset.unregister(app, at: now, &turn) }
    case .lifecycle(let id, let command):
      return withApp(id) { app, handset in handset.move(app, command, at: now, &turn) }
    case .listening(let id, let state):
      return withApp(id) { app, handset in handset.listen(app, as: state, at: now, &turn) }
    case .disconnected(let id):
      return withApp(id) { app, handset in handset.lose(app, .disconnected, at: now, &turn) }
    case .died(let id):
      return withApp(id) { app, handset in handset.lose(app, .died, at: now, &turn) }
    case .completed(let id, let push, let result, let reason):
      return withApp(id) { app, handset in handset.complete(push, of: app, result, reason, at: now, &turn) }
    case .timedOut(let id, let push):
      return withApp(id) { app, handset in handset.hookTimedOut(push, of: app, at: now, &turn) }
    case .setBadge(let id, let number):
      return withApp(id) { app, handset in handset.setOwnBadge(app, number, at: now, &turn) }
    case .setAppSetting(let id, let key, let value):
      return withApp(id) { app, handset in handset.set(key, to: value, for: app, at: now, &turn) }
    case .setHandsetSetting(let key, let value):
      return set(key, to: value, at: now, &turn)
    case .setCondition(let condition, let isOn):
      return set(condition, isOn, at: now, &turn)
    case .setForegroundPresentation(let id, let kinds):
      return withApp(id) { app, handset in handset.setForegroundPresentation(of: app, to: kinds, at: now, &turn) }
    case .schedule(let request):
      return withApp(request.app) { _, handset in handset.schedule(request, at: now, &turn) }
    case .cancel(let id, let identifier):
      return withApp(id) { app, handset in handset.cancel(app.id, identifier, at: now, &turn) }
    case .setTimeZone(let zone):
      return set(zone, at: now, &turn)
    case .press(let button, let length):
      return press(button, length, at: now, &turn)
    case .clearNotification(let id):
      guard let notification = center.notifications[id] else { return .refused(.unknownNotification(id)) }
      clear([notification], .byPerson, at: now, &turn)
      return .accepted
    case .clearSection(let id):
      return withApp(id) { app, handset in
        handset.clear(handset.center.all(of: app.id), .byPerson, at: now, &turn)
        return .accepted
      }
    case .clearCenter:
      clearAll(at: now, &turn)
      return .accepted
    case .start(let start):
      let verdict = begin(start, at: now, &turn)
      resumeSchedule(after: start, at: now, &turn)
      return verdict
    case .wake:
      return .accepted
    }
  }

  private mutating func withApp(_ id: AppID, _ body: (App, inout Handset) -> Verdict) -> Verdict {
    guard let app = apps[id] else { return .refused(.unknownApp(id)) }
    return body(app, &self)
  }

  private mutating func begin(_ start: Start, at now: Moment, _ turn: inout Turn) -> Verdict {
    tell(.started(start), app: nil, push: nil, at: now, &turn)
    // A banner does not outlive the daemon; what was shown as nothing else has nowhere to be.
    withdraw(center.withoutPlace, &turn)
    endConnections(&turn)
    // An earlier version kept more.
    keepWithinSize(at: now, &turn)
    for app in apps.values.filter({ ended($0, with: start) }).sorted(by: { $0.id < $1.id }) {
      enter(.notRunning, app.id, at: now, &turn)
    }
    carryWaitsOver(start, at: now, &turn)
    carryRecentPushesOver(start, at: now, &turn)
    offerAgain(at: now, &turn)
    settleAllHeld(at: now, &turn)
    return .accepted
  }

  private mutating func set(
    _ key: HandsetSettings.Key, to value: String, at now: Moment, _ turn: inout Turn
  ) -> Verdict {
    do {
      var settings = record.settings
      try settings.set(key, to: value)
      if case .app(let id) = settings.badgeShows, apps[id] == nil { return .refused(.unknownApp(id)) }
      if record.settings.notifications && !settings.notifications { turn.effects.append(.silence(.all)) }
      record.settings = settings
      if key == .fetchMode || key == .fetchInterval { record.fetchStart = now.inWholeMicroseconds }
    } catch {
      return .refused(.badSetting(error))
    }
    tell(.setting(key: key.rawValue, value: value), app: nil, push: nil, at: now, &turn)
    if key == .fetchMode || key == .fetchInterval { settleAllHeld(at: now, &turn) }
    return .accepted
  }
}

// MARK: - Time

extension Handset {
  /// When it wants `Input.wake`; nil where nothing is due. What shows itself otherwise from a time of the day on is
  /// due as well, at the next such time.
  public func wakeAt(after now: Moment) -> Deadline? {
    let uptimes = [banner?.until, outbox.nextDeadline?.at, holds.nextDue?.at, schedule.nextUptime]
    let walls = [
      holds.nextToExpire?.at, outbox.nextToExpire?.at, slots.nextToExpire?.at, schedule.nextWall,
      nextNightEdge(after: now),
    ]
    return Deadline(uptime: uptimes.compactMap { $0 }.min(), wall: walls.compactMap { $0 }.min())
  }

  /// Does what fell due before the input came.
  private mutating func expire(at now: Moment, isStart: Bool, _ turn: inout Turn) {
    if let banner, banner.until <= now.uptime { endBanner(&turn) }
    renewUnsetStamps(at: now, &turn)
    expireUpdates(at: now, isStart: isStart, &turn)
    forgetGoneTokens(at: now, &turn)
    forgetGoneNodes(at: now, &turn)
  }

  /// Gone tokens are remembered for their time, and no more of them than the limit.
  private mutating func forgetGoneTokens(at now: Moment, _ turn: inout Turn) {
    while let oldest = goneTokens.first,
      oldest.since.advanced(by: Policy.goneTokenLifetime) <= now.wall || goneTokens.count > Policy.goneTokenLimit
    {
      commit(.token(oldest.token, before: tokens[oldest.token], after: nil), &turn)
    }
  }
}

// MARK: - Presentation

extension Handset {
  /// What should be visible at that moment.
  public func presentation(at now: Moment) -> Presentation {
    guard record.settings.notifications else { return .dark }
    let badge = shownBadge
    let alert = center.topAlert.map { top in
      Presentation.Alert(
        notification: top.id, app: top.app, hasAction: top.hasAction,
        isLocked: record.conditions.contains(.locked), below: center.alerts.count - 1)
    }
    let banner = banner.flatMap { $0.until > now.uptime ? $0 : nil }
    return Presentation(
      badge: badge, lamp: lamp?.lamp, banner: banner, alert: alert, isDimmed: badge > 0 && isNight(at: now))
  }

  private var shownBadge: Int128 {
    switch record.settings.badgeShows {
    case .sum: badgeSum
    case .app(let id): Int128(apps[id]?.state.allowedBadge ?? 0)
    }
  }

  private func isNight(at now: Moment) -> Bool {
    record.settings.nightHours?.contains(secondOfDay: timeZone.secondOfDay(at: now.wall)) ?? false
  }

  /// When night hours next begin or end while the display is lit; or when local clocks jump before that, which may do
  /// either.
  private func nextNightEdge(after now: Moment) -> WallTime? {
    guard let hours = record.settings.nightHours, record.settings.notifications, shownBadge > 0 else { return nil }
    let seconds = hours.secondsUntilChange(afterSecondOfDay: timeZone.secondOfDay(at: now.wall))
    let change = WallTime(seconds: floorDivide(now.wall.microseconds, by: 1_000_000)).advanced(by: .seconds(seconds))
    return timeZone.nextTransition(after: now.wall).map { min($0, change) } ?? change
  }

  /// The lamp shows the newest of the most urgent that is unseen (rule D1), by the pattern that the person chose for its
  /// app, else by the app's own, else by its level's. A new one starts its pattern at once;
  /// going back to an older one goes on with the pattern where that is the same.
  private mutating func settleLamp(at now: Moment, _ turn: inout Turn) {
    let top = center.newestToLight
    let app = top.flatMap { apps[$0.app] }
    guard let top,
      let pattern = app?.state.settings.lamp ?? app?.manifest.lampPattern ?? LampPattern.standard(for: top.level)
    else {
      if lamp != nil { commit(.lamp(before: lamp, after: nil), &turn) }
      return
    }
    var since = now.uptime
    if let lamp, lamp.lamp.pattern == pattern {
      if lamp.push == top.push && lamp.notification == top.id { return }
      if top.id < lamp.notification { since = lamp.lamp.since }
    }
    let lit = LitLamp(notification: top.id, push: top.push, lamp: .init(pattern: pattern, since: since))
    commit(.lamp(before: lamp, after: lit), &turn)
  }

  /// Of what came in this turn and is listed: whether the lamp shows it.
  private func ruleOnLamp(_ turn: inout Turn) {
    for index in turn.rulings.indices where turn.rulings[index].rulings.contains(.listed) {
      turn.rulings[index].rulings.append(lamp?.push == turn.rulings[index].push ? .lampLit : .lampOfAnother)
    }
  }
}

// MARK: - Changes

extension Handset {
  /// Applies the change and adds it to the turn.
  mutating func commit(_ change: Change, _ turn: inout Turn) {
    apply(change)
    turn.changes.append(change)
  }

  /// Changes how an app stands.
  mutating func change(_ id: AppID, _ turn: inout Turn, _ body: (inout AppState) -> Void) {
    guard let before = apps[id]?.state else { return }
    var after = before
    body(&after)
    if after != before { commit(.appState(id, before: before, after: after), &turn) }
  }

  mutating func tell(_ kind: Event.Kind, app: AppID?, push: PushID?, at moment: Moment, _ turn: inout Turn) {
    if let push, kind.isExplained { turn.rulings.append(PushRulings(event: record.nextEvent, push: push)) }
    turn.events.append(Event(sequence: record.nextEvent, moment: moment, app: app, push: push, kind: kind))
    record.nextEvent += 1
  }

  /// A number for a notification that is new.
  mutating func takeNotificationID() -> NotificationID {
    defer { record.nextNotification += 1 }
    return NotificationID(number: record.nextNotification)
  }

  /// A place on top of the alerts.
  mutating func takeAlertOrder() -> UInt64 {
    defer { record.nextAlert += 1 }
    return record.nextAlert
  }

  private mutating func apply(_ change: Change) {
    switch change {
    case .app(let id, let before, let after):
      apps[id] = after
      follow(id, from: before?.state, to: after?.state)
    case .appState(let id, let before, let after):
      apps[id]?.state = after
      follow(id, from: before, to: after)
    case .token(let token, let before, let after):
      if let since = before?.goneSince { goneTokens.remove(GoneToken(since: since, token: token)) }
      tokens[token] = after
      settleGone(token)
    case .notification(let before, let after, _):
      center.replace(before, with: after)
    case .held(let app, _, let after, _):
      holds[app] = after
    case .offered(let app, let before, let after, _):
      outbox.replace(before, with: after, of: app)
    case .budget(let app, _, let after):
      budgets[app] = after.deliveries.isEmpty ? nil : after
    case .kept(let app, _, let after):
      slots[app] = after
    case .recent(let before, let after):
      recent.replace(before, with: after)
    case .node(let id, _, let after, _):
      nodes[id] = after
    case .listener(let app, _, let after):
      if after { listeners.insert(app) } else { listeners.remove(app) }
    case .record(_, let after):
      record = after
    case .banner(_, let after):
      banner = after
    case .lamp(_, let after):
      lamp = after
    case .pending(let before, let after):
      schedule.replace(before, with: after)
    case .timeZone(_, let after):
      timeZone = after
    case .clockSkew(_, let after):
      clockSkew = after
    }
  }

  private mutating func follow(_ id: AppID, from before: AppState?, to after: AppState?) {
    badgeSum += Int128(after?.allowedBadge ?? 0) - Int128(before?.allowedBadge ?? 0)
    if after?.lifecycle == .foreground { foreground = id } else if foreground == id { foreground = nil }
    if before?.token != after?.token {
      if let token = before?.token { settleGone(token) }
      if let token = after?.token { settleGone(token) }
    }
  }

  /// A token that is good for nothing may be forgotten in time, but for the one that an installed app had last: an app
  /// that only unregistered answers as gone for as long as it is there (rules R3, R4).
  private mutating func settleGone(_ token: DeviceToken) {
    guard let record = tokens[token], let since = record.goneSince else { return }
    let gone = GoneToken(since: since, token: token)
    if apps[record.app]?.state.token == token { goneTokens.remove(gone) } else { goneTokens.insert(gone) }
  }
}
