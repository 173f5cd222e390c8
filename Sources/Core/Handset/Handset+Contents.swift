// All state of a handset as plain values, which the store loads after a restart and recorded inputs begin with.

extension Handset {
  /// The state that a handset is created from.
  public struct Contents: Sendable, Codable {
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
    /// In ascending order of their numbers.
    public var calls: [QueuedCall] = []
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
  }

  /// The current state. A handset created from it has the same events for every later input; only the lamp's pattern
  /// starts again.
  public var contents: Contents {
    var contents = Contents()
    contents.record = record
    contents.apps = Array(apps.values)
    contents.tokens = tokens
    contents.notifications = center.notifications.values.sorted { $0.id < $1.id }
    contents.held = holds.slots
    contents.offers = outbox.offers.mapValues { offers in offers.values.sorted { $0.number < $1.number } }
    contents.budgets = budgets
    contents.kept = slots.pushes
    contents.recentPushes = recent.all
    for nodes in nodes.byApp.values { contents.nodes.merge(nodes) { $1 } }
    contents.pending = schedule.pending.values.flatMap(\.values)
    contents.calls = queuedCalls
    contents.timeZone = timeZone
    contents.clockSkew = clockSkew
    contents.listeners = listeners
    contents.banner = banner
    contents.soundedAgain = soundedAgain
    contents.selection = selection
    return contents
  }
}
