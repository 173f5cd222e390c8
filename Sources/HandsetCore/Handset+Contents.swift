// What a handset is made from after a restart, and what the store or a journal makes of it.

extension Handset {
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

  /// What the rules go by: a handset made of it has the same events for every input from now on. Only the lamp's
  /// pattern begins anew.
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
    for (app, nodes) in nodes.byApp {
      for (name, node) in nodes {
        if let id = NodeID(app: app, name: name) { contents.nodes[id] = node }
      }
    }
    contents.pending = schedule.pending.values.flatMap(\.values)
    contents.timeZone = timeZone
    contents.clockSkew = clockSkew
    contents.listeners = listeners
    contents.banner = banner
    return contents
  }
}
