// The contents that a store would have on disk, from the recorded changes alone. It is stricter than a database: a
// change with a wrong before-image would update a row that does not exist.

@testable import HandsetCore

struct StoredContents {
  private var record = HandsetRecord()
  private var apps: [AppID: App] = [:]
  private var tokens: [DeviceToken: TokenRecord] = [:]
  private var notifications: [NotificationID: Notification] = [:]
  private var held: [AppID: HeldUpdate] = [:]
  private var offers: [AppID: [PushID: Offer]] = [:]
  private var budgets: [AppID: DeliveryBudget] = [:]
  private var kept: [SlotKey: KeptPush] = [:]
  private var extending: [AppID: [UInt64: ExtendingPush]] = [:]
  private var recent: [UInt64: RecentPush] = [:]
  private var nodes: [NodeID: PublishingNode] = [:]
  private var pending: [AppID: [ExactText: PendingNotification]] = [:]
  private var calls: [UInt64: QueuedCall] = [:]
  private var activities: [ActivityID: LiveActivity] = [:]
  private var deferred: [UInt64: DeferredPush] = [:]
  private var focusModes: [String: FocusMode] = [:]
  /// The words of each notification, and the payloads of held and offered updates.
  private(set) var words: [NotificationID: NotificationContent] = [:]
  private(set) var payloads: [AppID: [UInt8]] = [:]
  private(set) var offeredPayloads: [AppID: [PushID: [UInt8]]] = [:]
  private(set) var published: [NodeID: [UInt8]] = [:]
  // Not stored, but undone like the rest.
  private var listeners: Set<AppID> = []
  private var banner: Presentation.Banner?
  private var lamp: LitLamp?
  private var timeZone = TimeZoneTable.utc
  private var clockSkew: Duration?
  private var soundedAgain: Duration?
  private var selection: ActionSelection?

  /// Applies the change.
  /// - Returns: the faults of the change; empty if there are none.
  mutating func apply(_ change: Change) -> [String] {
    var wrong: [String] = []
    func check<Value: Equatable>(_ claimed: Value, _ actual: Value, _ what: String) {
      wrong += StoredContents.faults(claimed, actual, what)
    }
    func replace<Value: Equatable>(_ value: inout Value, _ before: Value, _ after: Value, _ what: String) {
      check(before, value, what)
      value = after
    }
    switch change {
    case .app(let id, let before, let after): replace(&apps[id], before, after, "app \(id)")
    case .appState(let id, let before, let after):
      replace(&apps[id], before, after, "the state of \(id)")
    case .token(let token, let before, let after): replace(&tokens[token], before, after, "token \(token.hex)")
    case .notification(let change):
      let (before, after, content) = (change.before, change.after, change.content)
      guard let id = after?.id ?? before?.id else { return ["a change of no notification"] }
      check(before, notifications[id], "notification \(id)")
      if let before, let after, before.id != after.id { wrong.append("notification \(before.id) became \(after.id)") }
      if before == nil && content == nil { wrong.append("notification \(id) came without words") }
      notifications[id] = after
      words[id] = after == nil ? nil : content ?? words[id]
    case .held(let app, let before, let after, let payload):
      check(before, held[app], "the update held for \(app)")
      if before == nil && payload == nil { wrong.append("the update for \(app) came without its payload") }
      held[app] = after
      payloads[app] = after == nil ? nil : payload ?? payloads[app]
    case .offered(let app, let before, let after, let payload): wrong += offer(app, before, after, payload)
    case .budget(let app, let before, let after):
      check(before, budgets[app] ?? DeliveryBudget(), "the budget of \(app)")
      budgets[app] = after.deliveries.isEmpty ? nil : after
    case .deferred(let before, let after): wrong += `defer`(before, after)
    case .focusMode(let name, let before, let after):
      replace(&focusModes[name], before, after, "the Focus mode \(name)")
    case .kept(let slot, let before, let after):
      replace(&kept[slot], before, after, "the push kept for \(slot.coded)")
    case .extending(let app, let before, let after):
      let number = after?.number ?? before?.number ?? 0
      replace(&extending[app, default: [:]][number], before, after, "push \(number)")
    case .recent(let before, let after): wrong += remember(before, after)
    case .node(let id, let before, let after, let bytes):
      check(before, nodes[id], "node \(id)")
      nodes[id] = after
      switch bytes {
      case .unchanged: if after == nil { published[id] = nil }
      case .none: published[id] = nil
      case .bytes(let propertyList): published[id] = propertyList
      }
    case .listener(let app, let before, let after):
      check(before, listeners.contains(app), "the connection of \(app)")
      if after { listeners.insert(app) } else { listeners.remove(app) }
    case .record(let change): replace(&record, change.before, change.after, "the record")
    case .banner(let before, let after): replace(&banner, before, after, "the banner")
    case .lamp(let before, let after): replace(&lamp, before, after, "the lamp")
    case .pending(let before, let after): wrong += schedule(before, after)
    case .call(let before, let after):
      guard let number = after?.number ?? before?.number else { return ["a change of no call"] }
      replace(&calls[number], before, after, "call \(number)")
    case .activity(let before, let after):
      guard let id = after?.id ?? before?.id else { return ["a change of no activity"] }
      replace(&activities[id], before, after, "activity \(id)")
    case .timeZone(let before, let after): replace(&timeZone, before, after, "the time zone")
    case .clockSkew(let before, let after): replace(&clockSkew, before, after, "the skew")
    case .selection(let before, let after): replace(&selection, before, after, "the selection")
    case .soundedAgain(let before, let after): replace(&soundedAgain, before, after, "the last sound again")
    }
    if change.reversed.reversed.withoutWords != change.withoutWords { wrong.append("\(change) is not its own reverse") }
    return wrong
  }

  private static func faults<Value: Equatable>(_ claimed: Value, _ actual: Value, _ what: String) -> [String] {
    claimed == actual ? [] : ["\(what) was \(actual), its change says \(claimed)"]
  }

  private mutating func offer(
    _ app: AppID, _ before: Offer?, _ after: Offer?, _ payload: OfferedPayload
  ) -> [String] {
    guard let push = after?.push ?? before?.push else { return ["a change of no offer"] }
    var wrong = StoredContents.faults(before, offers[app]?[push], "the offer of \(push) to \(app)")
    offers[app, default: [:]][push] = after
    let bytes: [UInt8]? =
      switch payload {
      case .bytes(let bytes): bytes
      case .held: payloads[app]
      case .notification(let id): words[id]?.payload
      case .unchanged: offeredPayloads[app]?[push]
      }
    if after != nil && bytes == nil { wrong.append("the offer of \(push) to \(app) came without its payload") }
    offeredPayloads[app, default: [:]][push] = after == nil ? nil : bytes
    return wrong
  }

  private mutating func remember(_ before: RecentPush?, _ after: RecentPush?) -> [String] {
    var wrong: [String] = []
    if let before {
      wrong += StoredContents.faults(before, recent[before.number], "push \(before.number)")
      recent[before.number] = nil
    }
    if let after {
      wrong += StoredContents.faults(nil, recent[after.number], "push \(after.number)")
      recent[after.number] = after
    }
    return wrong
  }

  private mutating func `defer`(_ before: DeferredPush?, _ after: DeferredPush?) -> [String] {
    guard let number = (before ?? after)?.number else { return ["a change of nothing deferred"] }
    defer { deferred[number] = after }
    return StoredContents.faults(before, deferred[number], "the deferred push \(number)")
  }

  private mutating func schedule(_ before: PendingNotification?, _ after: PendingNotification?) -> [String] {
    guard let request = after?.request ?? before?.request else { return ["a change of nothing scheduled"] }
    let (app, identifier) = (request.app, ExactText(request.identifier))
    var wrong = StoredContents.faults(before, pending[app]?[identifier], "\(app)'s \(identifier.text)")
    if let before, before.request.app != app || ExactText(before.request.identifier) != identifier {
      wrong.append("\(before.request.identifier) became \(identifier.text)")
    }
    pending[app, default: [:]][identifier] = after
    return wrong
  }

  /// Drops the values that are not stored, as when the daemon ends.
  mutating func forgetWhatIsNotStored(_ zone: TimeZoneTable) {
    listeners = []
    banner = nil
    lamp = nil
    timeZone = zone
    clockSkew = nil
    soundedAgain = nil
    selection = nil
  }

  var contents: Handset.Contents {
    var contents = Handset.Contents()
    contents.record = record
    contents.apps = apps.values.sorted { $0.id < $1.id }
    contents.tokens = tokens
    contents.notifications = SortedSet(ascending: notifications.values.sorted())
    contents.held = held
    contents.offers = offers.compactMapValues { $0.isEmpty ? nil : Array($0.values) }
    contents.budgets = budgets
    contents.kept = kept
    contents.extending = extending.mapValues { $0.values.sorted { $0.number < $1.number } }.filter { !$1.isEmpty }
    contents.recentPushes = recent.values.sorted { $0.number < $1.number }
    contents.nodes = nodes
    contents.deferred = deferred.values.sorted { $0.number < $1.number }
    contents.focusModes = Array(focusModes.values)
    contents.calls = calls.values.sorted { $0.number < $1.number }
    contents.activities = activities.values.sorted { $0.id < $1.id }
    contents.timeZone = timeZone
    contents.pending = pending.values.flatMap(\.values)
    return contents
  }
}

extension Change {
  /// A reversed change cannot bring words back, and need not.
  fileprivate var withoutWords: Change {
    switch self {
    case .notification(let change) where change.content != nil: .added(change.notification)
    case .held(let app, let before, let after, _): .held(app, before: before, after: after, payload: nil)
    case .offered(let app, let before, let after, _):
      .offered(app, before: before, after: after, payload: .unchanged)
    case .node(let id, let before, let after, _): .node(id, before: before, after: after, published: .unchanged)
    default: self
    }
  }
}
