// What the handset was made of when a journal begins, so that a replay begins there too. A field that is added to
// `Handset.Contents`, or to what is in it, is added here; a test counts them. It is optional here, so that journals that
// were recorded before can still be read.

import HandsetCore

/// A handset at rest, as a journal has it.
struct JournaledContents: Codable {
  struct Token: Codable {
    var token: DeviceToken
    var app: AppID
    var goneSince: WallTime?
  }

  struct Held: Codable {
    var app: AppID
    var push: PushID
    var expires: WallTime
    var due: JournaledUptime?
  }

  struct Offered: Codable {
    var app: AppID
    var push: PushID
    var number: UInt64
    var attempt: Int
    var expires: WallTime
    var deadline: JournaledUptime?
    var isCharged: Bool
    var waits: Bool

    init(_ app: AppID, _ offer: Offer) {
      (self.app, push, number, attempt) = (app, offer.push, offer.number, offer.attempt)
      (expires, deadline) = (offer.expires, offer.deadline.map(JournaledUptime.init))
      (isCharged, waits) = (offer.isCharged, offer.waits)
    }

    var offer: Offer {
      Offer(
        push: push, number: number, attempt: attempt, expires: expires, deadline: deadline?.duration,
        isCharged: isCharged, waits: waits)
    }
  }

  struct Budget: Codable {
    var app: AppID
    var deliveries: [JournaledMoment]
  }

  struct Kept: Codable {
    var app: AppID
    var push: JournaledPush
    var number: UInt64
    var expires: WallTime
  }

  struct Recent: Codable {
    var push: PushID
    var digest: UInt64
    var number: UInt64
    var moment: JournaledMoment
  }

  struct Node: Codable {
    var node: JournaledNode
    var lastPush: PushID?
    var goneSince: WallTime?
  }

  struct Banner: Codable {
    var notification: UInt64
    var app: AppID
    var until: JournaledUptime
  }

  var record: JournaledRecord
  var apps: [JournaledApp]
  var tokens: [Token]
  var notifications: [JournaledNotification]
  var held: [Held]
  var offers: [Offered]?
  var budgets: [Budget]?
  var kept: [Kept]?
  var recentPushes: [Recent]?
  var nodes: [Node]?
  var listeners: [AppID]?
  var pending: [JournaledPending]?
  var timeZone: JournaledTimeZone?
  var clockSkew: JournaledUptime?
  var banner: Banner?

  init(_ contents: Handset.Contents) {
    record = JournaledRecord(contents.record)
    apps = contents.apps.map(JournaledApp.init).sorted { $0.manifest.id < $1.manifest.id }
    tokens = contents.tokens.map { Token(token: $0.key, app: $0.value.app, goneSince: $0.value.goneSince) }
      .sorted { $0.token.bytes.lexicographicallyPrecedes($1.token.bytes) }
    notifications = contents.notifications.map(JournaledNotification.init)
    held = contents.held.map { app, update in
      Held(app: app, push: update.push, expires: update.expires, due: update.due.map(JournaledUptime.init))
    }.sorted { $0.app < $1.app }
    offers = contents.offers.flatMap { app, offers in offers.map { Offered(app, $0) } }
      .sorted { ($0.app, $0.number) < ($1.app, $1.number) }
    budgets = contents.budgets.map { Budget(app: $0.key, deliveries: $0.value.deliveries.map(JournaledMoment.init)) }
      .sorted { $0.app < $1.app }
    kept = contents.kept.map {
      Kept(app: $0.key, push: JournaledPush($0.value.push), number: $0.value.number, expires: $0.value.expires)
    }.sorted { $0.app < $1.app }
    recentPushes = contents.recentPushes.map {
      Recent(push: $0.id, digest: $0.digest, number: $0.number, moment: JournaledMoment($0.moment))
    }
    nodes = contents.nodes.sorted { $0.key < $1.key }.map { id, node in
      Node(node: JournaledNode(id), lastPush: node.lastPush, goneSince: node.goneSince)
    }
    listeners = contents.listeners.sorted()
    pending = contents.pending.map(JournaledPending.init)
    timeZone = JournaledTimeZone(contents.timeZone)
    clockSkew = contents.clockSkew.map(JournaledUptime.init)
    banner = contents.banner.map {
      Banner(notification: $0.notification.number, app: $0.app, until: JournaledUptime($0.until))
    }
  }

  /// - Throws: `DecodingError` or `SettingError` where a word in it is unknown.
  func contents() throws -> Handset.Contents {
    var contents = Handset.Contents()
    contents.record = try record.record()
    contents.apps = try apps.map { try $0.app() }
    for token in tokens { contents.tokens[token.token] = TokenRecord(app: token.app, goneSince: token.goneSince) }
    contents.notifications = notifications.map(\.notification)
    for update in held {
      contents.held[update.app] = HeldUpdate(push: update.push, expires: update.expires, due: update.due?.duration)
    }
    for offered in offers ?? [] { contents.offers[offered.app, default: []].append(offered.offer) }
    for budget in budgets ?? [] {
      contents.budgets[budget.app] = DeliveryBudget(deliveries: budget.deliveries.map(\.moment))
    }
    for slot in kept ?? [] {
      contents.kept[slot.app] = KeptPush(push: try slot.push.push(), number: slot.number, expires: slot.expires)
    }
    contents.recentPushes = (recentPushes ?? []).map {
      RecentPush(id: $0.push, digest: $0.digest, number: $0.number, moment: $0.moment.moment)
    }
    for node in nodes ?? [] {
      contents.nodes[try node.node.id()] = PublishingNode(lastPush: node.lastPush, goneSince: node.goneSince)
    }
    contents.listeners = Set(listeners ?? [])
    contents.pending = try (pending ?? []).map { try $0.notification() }
    if let timeZone { contents.timeZone = try timeZone.zone() }
    contents.clockSkew = clockSkew?.duration
    contents.banner = banner.map {
      Presentation.Banner(
        notification: NotificationID(number: $0.notification), app: $0.app, until: $0.until.duration)
    }
    return contents
  }
}

struct JournaledRecord: Codable {
  var settings: [String: String]
  var nextNotification: UInt64
  var nextEvent: UInt64
  var nextAlert: UInt64
  var conditions: [Condition]?
  var fetchStart: JournaledMoment?

  init(_ record: HandsetRecord) {
    let keys = HandsetSettings.Key.allCases
    settings = Dictionary(uniqueKeysWithValues: keys.map { ($0.rawValue, record.settings[$0]) })
    nextNotification = record.nextNotification
    nextEvent = record.nextEvent
    nextAlert = record.nextAlert
    conditions = record.conditions.sorted { $0.rawValue < $1.rawValue }
    fetchStart = JournaledMoment(record.fetchStart)
  }

  func record() throws -> HandsetRecord {
    var record = HandsetRecord()
    for (name, value) in settings {
      try record.settings.set(journaledKey(name), to: value)
    }
    record.nextNotification = nextNotification
    record.nextEvent = nextEvent
    record.nextAlert = nextAlert
    record.conditions = Set(conditions ?? [])
    if let fetchStart { record.fetchStart = fetchStart.moment }
    return record
  }
}

struct JournaledManifest: Codable {
  var id: AppID
  var name: String
  var receivesBackgroundUpdates: Bool
  var actionTitle: String?
  var lampPattern: LampPattern?
  var foregroundPresentation: [String]
  var sounds: [String]
  var strings: [String: String]
  var hasHooks: Bool?

  init(_ manifest: AppManifest) {
    id = manifest.id
    name = manifest.name
    receivesBackgroundUpdates = manifest.receivesBackgroundUpdates
    actionTitle = manifest.actionTitle
    lampPattern = manifest.lampPattern
    foregroundPresentation = manifest.foregroundPresentation.names
    sounds = manifest.sounds.sorted()
    strings = manifest.strings
    hasHooks = manifest.hasHooks
  }

  func manifest() throws -> AppManifest {
    AppManifest(
      id: id, name: name, receivesBackgroundUpdates: receivesBackgroundUpdates, actionTitle: actionTitle,
      lampPattern: lampPattern, foregroundPresentation: try NotificationKinds(journaled: foregroundPresentation),
      sounds: Set(sounds), strings: strings, hasHooks: hasHooks ?? false)
  }
}

struct JournaledApp: Codable {
  enum Registered: Codable {
    case pending
    case registered(kinds: [String])
    case unregistered(since: WallTime)
  }

  var manifest: JournaledManifest
  var token: DeviceToken
  var registration: Registered
  var lifecycle: Lifecycle
  var settings: [String: String]
  var badge: Int
  var listens: Bool?
  var foregroundPresentation: [String]?

  init(_ app: App) {
    manifest = JournaledManifest(app.manifest)
    token = app.state.token
    registration =
      switch app.state.registration {
      case .pending: .pending
      case .registered(let kinds): .registered(kinds: kinds.names)
      case .unregistered(let since): .unregistered(since: since)
      }
    lifecycle = app.state.lifecycle
    let keys = AppSettings.Key.allCases
    settings = Dictionary(uniqueKeysWithValues: keys.map { ($0.rawValue, app.state.settings[$0]) })
    badge = app.state.badge
    listens = app.state.listens
    foregroundPresentation = app.state.foregroundPresentation?.names
  }

  func app() throws -> App {
    var settings = AppSettings()
    for (name, value) in self.settings { try settings.set(journaledKey(name), to: value) }
    let registration: Registration =
      switch self.registration {
      case .pending: .pending
      case .registered(let kinds): .registered(try NotificationKinds(journaled: kinds))
      case .unregistered(let since): .unregistered(since: since)
      }
    return App(
      manifest: try manifest.manifest(),
      state: AppState(
        token: token, registration: registration, lifecycle: lifecycle, settings: settings, badge: badge,
        listens: listens ?? false,
        foregroundPresentation: try foregroundPresentation.map(NotificationKinds.init(journaled:))))
  }
}

struct JournaledNotification: Codable {
  var number: UInt64
  var app: AppID
  var push: PushID
  var level: InterruptionLevel
  var collapseID: String?
  var isListed: Bool
  var isSeen: Bool
  var alertOrder: UInt64?
  var hasAction: Bool
  var size: Int?

  init(_ notification: Notification) {
    number = notification.id.number
    app = notification.app
    push = notification.push
    level = notification.level
    collapseID = notification.collapseID
    isListed = notification.isListed
    isSeen = notification.isSeen
    alertOrder = notification.alertOrder
    hasAction = notification.hasAction
    size = notification.size
  }

  var notification: Notification {
    Notification(
      id: NotificationID(number: number), app: app, push: push, level: level, collapseID: collapseID,
      isListed: isListed, isSeen: isSeen, alertOrder: alertOrder, hasAction: hasAction, size: size ?? 0)
  }
}

/// A key that this version does not know is an error: without it the replay would not be the same.
private func journaledKey<Key: RawRepresentable>(_ name: String) throws -> Key where Key.RawValue == String {
  guard let key = Key(rawValue: name) else {
    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "'\(name)' is no setting"))
  }
  return key
}
