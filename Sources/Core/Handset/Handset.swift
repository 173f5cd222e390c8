/// A handset: its apps, the pushes that they received, and its decisions. It is a value: no clock, no I/O, no
/// randomness. An input comes with its moment. The result is changes to store, effects to carry out once, events, and a
/// presentation to show.
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
  private(set) var queue = CallQueue()
  private(set) var activities: [ActivityID: LiveActivity] = [:]
  /// The pushes that apps' service extensions have, oldest first (rule X1).
  public private(set) var extending: [AppID: [ExtendingPush]] = [:]
  private(set) var deferred = DeferredPushes()
  /// By name; one of them may be on, `HandsetSettings.focus`.
  public private(set) var focusModes: [String: FocusMode] = [:]

  // Derived from the above, and kept so that reading it costs the same with any number of apps.

  /// At most one app.
  public private(set) var foreground: AppID?
  private(set) var badgeSum: Int128 = 0
  /// The number of apps whose badge counts their unseen notifications.
  private var unseenBadges = 0
  /// The place in `apps` of the app that the last push was for; the next push mostly has the same.
  private var lastApp = LastPlace<App>()
  /// Invalid tokens whose apps have another token or are not installed, each with the time since when.
  private(set) var goneTokens = SortedSet<Due<WallTime, DeviceToken>>()
  /// The valid tokens of apps besides their ordinary ones, by their use.
  private(set) var purposeTokens: [AppID: [TokenPurpose: DeviceToken]] = [:]
  /// The snoozed apps, by the end of the snooze (rule N12).
  private(set) var snoozes = SortedSet<Due<Duration, AppID>>()

  // Not stored.

  /// The apps that are connected to their sockets.
  public private(set) var listeners: Set<AppID> = []
  private(set) var banner: Presentation.Banner?
  private(set) var lamp: LitLamp?
  public private(set) var timeZone = TimeZoneTable.utc
  /// The lead of the wall clock over the uptime clock, while something is scheduled.
  private(set) var clockSkew: Duration?
  /// The time on the uptime clock at which a notification sounded again last (rule N11).
  private(set) var soundedAgain: Duration?
  /// The action of the alert on top that View has selected (rule N15).
  private(set) var selection: ActionSelection?

  public init(_ contents: Contents = Contents()) {
    record = contents.record
    timeZone = contents.timeZone
    // Before the apps, whose numbers on the display may be those of their unseen notifications.
    center = NotificationCenter(contents.notifications)
    for app in contents.apps { apply(.app(app.id, before: nil, after: app)) }
    for (token, record) in contents.tokens { apply(.token(token, before: nil, after: record)) }
    for (app, update) in contents.held { apply(.held(app, before: nil, after: update, payload: nil)) }
    for (app, offers) in contents.offers {
      for offer in offers { apply(.offered(app, before: nil, after: offer, payload: .unchanged)) }
    }
    for (app, budget) in contents.budgets { apply(.budget(app, before: DeliveryBudget(), after: budget)) }
    for (slot, kept) in contents.kept { apply(.kept(slot, before: nil, after: kept)) }
    for push in contents.deferred { apply(.deferred(before: nil, after: push)) }
    for mode in contents.focusModes { apply(.focusMode(mode.name, before: nil, after: mode)) }
    recent = RecentPushes(contents.recentPushes)
    for (id, node) in contents.nodes { apply(.node(id, before: nil, after: node, published: .unchanged)) }
    for pending in contents.pending { apply(.pending(before: nil, after: pending)) }
    for call in contents.calls { apply(.call(before: nil, after: call)) }
    for activity in contents.activities { apply(.activity(before: nil, after: activity)) }
    extending = contents.extending
    clockSkew = contents.clockSkew
    listeners = contents.listeners
    banner = contents.banner
    soundedAgain = contents.soundedAgain
    selection = contents.selection
  }

  // MARK: - Contents

  /// All state of a handset as plain values, which the store loads after a restart and recorded inputs begin with.
  public struct Contents: Sendable, Codable {
    public var record = HandsetRecord()
    public var apps: [App] = []
    public var tokens: [DeviceToken: TokenRecord] = [:]
    public var notifications = SortedSet<Notification>()
    public var held: [AppID: HeldUpdate] = [:]
    public var offers: [AppID: [Offer]] = [:]
    public var budgets: [AppID: DeliveryBudget] = [:]
    public var kept: [SlotKey: KeptPush] = [:]
    /// In ascending order of their numbers.
    public var recentPushes: [RecentPush] = []
    public var nodes: [NodeID: PublishingNode] = [:]
    public var pending: [PendingNotification] = []
    /// In ascending order of their numbers.
    public var calls: [QueuedCall] = []
    public var activities: [LiveActivity] = []
    /// In ascending order of their numbers.
    public var extending: [AppID: [ExtendingPush]] = [:]
    /// In ascending order of their numbers.
    public var deferred: [DeferredPush] = []
    public var focusModes: [FocusMode] = []
    /// Not stored: the daemon reads it at start.
    public var timeZone = TimeZoneTable.utc
    /// Not stored, like those below: the lead of the wall clock over the uptime clock, while something is scheduled.
    public var clockSkew: Duration?
    public var listeners: Set<AppID> = []
    /// A banner ends with the daemon. Inputs recorded from a time when a banner is up begin with it.
    public var banner: Presentation.Banner?
    public var soundedAgain: Duration?
    public var selection: ActionSelection?

    public init() {}

    /// Adds a notification. Compiled with its set: other modules would call the generic one, at many times the cost.
    public mutating func add(_ notification: Notification) { notifications.update(notification) }
  }

  /// The current state. A handset created from it has the same events for every later input; only the lamp's pattern
  /// starts again.
  public var contents: Contents {
    var contents = Contents()
    contents.record = record
    contents.apps = Array(apps.values)
    contents.tokens = tokens
    contents.notifications = center.notifications
    contents.held = holds.slots
    contents.offers = outbox.offers.mapValues { offers in offers.values.sorted { $0.number < $1.number } }
    contents.budgets = budgets
    contents.kept = slots.pushes
    contents.recentPushes = recent.all
    for nodes in nodes.byApp.values { contents.nodes.merge(nodes) { $1 } }
    contents.pending = schedule.pending.values.flatMap(\.values)
    contents.calls = queuedCalls
    contents.activities = liveActivities
    contents.extending = extending
    contents.deferred = deferred.all
    contents.focusModes = focusModes.values.sorted { $0.name < $1.name }
    contents.timeZone = timeZone
    contents.clockSkew = clockSkew
    contents.listeners = listeners
    contents.banner = banner
    contents.soundedAgain = soundedAgain
    contents.selection = selection
    return contents
  }

  // MARK: - Changes

  /// Undoes the changes of one turn or of several in order, which could not be stored, the newest first.
  public mutating func undo(_ changes: some BidirectionalCollection<Change>) {
    for change in changes.reversed() { apply(change.reversed) }
  }

  mutating func commit(_ change: Change, _ turn: inout Turn) {
    apply(change)
    if case .token = change { turn.changesTokens = true }
    turn.changes.append(change)
  }

  mutating func change(_ id: AppID, _ turn: inout Turn, _ body: (inout AppState) -> Void) {
    guard let before = apps[id] else { return }
    var state = before.state
    body(&state)
    guard state != before.state else { return }
    var after = before
    after.state = state
    commit(.appState(id, before: before, after: after), &turn)
  }

  /// Adds an event to the turn.
  /// - Parameter moment: nil for the turn's own.
  mutating func emit(
    _ kind: Event.Kind, app: AppID? = nil, push: PushID? = nil, at moment: Moment? = nil, _ turn: inout Turn
  ) {
    if let push, kind.isExplained {
      var rulings = PushRulings(event: record.nextEvent, push: push)
      swap(&rulings.rulings, &turn.spareRulings)
      // As many as most pushes have: an array that grows is copied at each step.
      rulings.rulings.reserveCapacity(16)
      turn.rulings.append(rulings)
    }
    turn.events.append(Event(sequence: record.nextEvent, moment: moment ?? turn.now, app: app, push: push, kind: kind))
    // The database has no number beyond 63 bits; recorded inputs may have any.
    record.nextEvent &+= 1
  }

  /// Returns the order number of a new alert, which is on top.
  mutating func takeAlertOrder() -> UInt64 {
    defer { record.nextAlert &+= 1 }
    return record.nextAlert
  }

  private mutating func apply(_ change: Change) {
    switch change {
    case .app(let id, let before, let after):
      lastApp = LastPlace()
      apps[id] = after
      follow(id, from: before, to: after)
    case .appState(let id, let before, let after):
      apps[id] = after
      follow(id, from: before, to: after)
    case .token(let token, let before, let after):
      goneTokens.move(token, from: before?.goneSince, to: nil)
      tokens[token] = after
      index(token, from: before, to: after)
      settleGone(token)
    case .notification(let change):
      if let replaced = change.replaced { remove(replaced) }
      if change.isRemoval {
        remove(change.notification)
        center.remove(change.notification)
      } else {
        center.update(change.notification)
        count(change.notification, by: 1)
      }
    case .held(let app, _, let after, _):
      holds[app] = after
    case .offered(let app, let before, let after, _):
      outbox.replace(before, with: after, of: app)
    case .budget(let app, _, let after):
      budgets[app] = after.deliveries.isEmpty ? nil : after
    case .kept(let slot, _, let after):
      slots[slot] = after
    case .deferred(let before, let after):
      deferred.replace(before, with: after)
    case .focusMode(let name, _, let after):
      focusModes[name] = after
    case .recent(let before, let after):
      recent.replace(before, with: after)
    case .node(let id, _, let after, _):
      nodes[id] = after
    case .listener(let app, _, let after):
      if after { listeners.insert(app) } else { listeners.remove(app) }
    case .call(let before, let after):
      queue.replace(before, with: after)
    case .activity(let before, let after):
      if let before { activities[before.id] = nil }
      if let after { activities[after.id] = after }
    case .extending(let app, let before, let after):
      var waiting = (extending[app] ?? []).filter { $0.number != before?.number }
      if let after { waiting.insert(after, at: waiting.firstIndex { $0.number > after.number } ?? waiting.count) }
      extending[app] = waiting.isEmpty ? nil : waiting
    case .record(let change):
      record = change.after
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
    case .soundedAgain(_, let after):
      soundedAgain = after
    case .selection(_, let after):
      selection = after
    }
  }

  /// Removes a notification from every order and from the sum on the display.
  private mutating func remove(_ notification: Notification) {
    center.list(notification, isIn: false)
    count(notification, by: -1)
  }

  /// Adds an unseen notification to the sum on the display, or subtracts it, if its app's number counts them.
  private mutating func count(_ notification: Notification, by change: Int) {
    guard unseenBadges > 0, notification.isUnseen, let app = apps[notification.app],
      app.state.settings.badgeShows == .unseen
    else { return }
    badgeSum += Int128(change * app.state.number(unseen: 1))
  }

  /// Returns the app that a push is for.
  mutating func app(receiving id: AppID) -> App? { lastApp.find(id, in: apps).map { apps.values[$0] } }

  /// Returns the app, without a search if the last push was for it.
  func app(_ id: AppID) -> App? {
    if let place = lastApp.place(of: id) { apps.values[place] } else { apps[id] }
  }

  func number(of app: App?, _ id: AppID) -> Int {
    app?.state.number(unseen: center.sections[id]?.unseen ?? 0) ?? 0
  }

  private mutating func follow(_ id: AppID, from before: App?, to after: App?) {
    badgeSum += Int128(number(of: after, id)) - Int128(number(of: before, id))
    if before?.state.settings.badgeShows == .unseen { unseenBadges -= 1 }
    if after?.state.settings.badgeShows == .unseen { unseenBadges += 1 }
    if after?.state.lifecycle == .foreground { foreground = id } else if foreground == id { foreground = nil }
    let (oldSnooze, newSnooze) = (before?.state.snooze, after?.state.snooze)
    if oldSnooze != newSnooze { snoozes.move(id, from: oldSnooze?.until, to: newSnooze?.until) }
    let (oldToken, newToken) = (before?.state.token, after?.state.token)
    if oldToken != newToken {
      if let oldToken { settleGone(oldToken) }
      if let newToken { settleGone(newToken) }
    }
  }

  private mutating func index(_ token: DeviceToken, from before: TokenRecord?, to after: TokenRecord?) {
    if let before, let purpose = before.purpose, before.goneSince == nil {
      purposeTokens[before.app]?[purpose] = nil
      if purposeTokens[before.app]?.isEmpty == true { purposeTokens[before.app] = nil }
    }
    if let after, let purpose = after.purpose, after.goneSince == nil {
      purposeTokens[after.app, default: [:]][purpose] = token
    }
  }

  /// Settles whether an invalid token is forgotten in time. The last one of an installed app is not: pushes to an app
  /// that has only unregistered are answered 410 for as long as it is installed (rules R3, R4).
  private mutating func settleGone(_ token: DeviceToken) {
    guard let record = tokens[token], let since = record.goneSince else { return }
    let gone = Due(time: since, item: token)
    if apps[record.app]?.state.token == token { goneTokens.remove(gone) } else { goneTokens.insert(gone) }
  }
}
