/// The place in the service in which the newest push waits (rules F1, F4).
public enum SlotKey: Hashable, Comparable, Sendable, SingleValueCodable {
  /// That of an app, for pushes to a device token or with an access key.
  case app(AppID)
  /// That of a publishing node, of which the service saves the last notification [2008].
  case node(NodeID)
  /// That of a Live Activity, for its updates and its end (rule LA7).
  case activity(AppID, ActivityID)

  public var app: AppID {
    switch self {
    case .app(let app): app
    case .node(let node): node.app
    case .activity(let app, _): app
    }
  }

  /// The node's name; nil if it is not a node's.
  public var node: String? { if case .node(let node) = self { node.name } else { nil } }

  /// Nil if it is not an activity's.
  public var activity: ActivityID? { if case .activity(_, let id) = self { id } else { nil } }

  /// `com.example.mail`, `com.example.mail/Inbox` or `com.example.mail#41`: no identifier of an app has a slash or a
  /// number sign.
  public var coded: String {
    switch self {
    case .app(let app): app.text
    case .node(let node): node.description
    case .activity(let app, let id): "\(app)#\(id)"
    }
  }

  public init?(coded text: String) {
    let end = text.firstIndex { $0 == "/" || $0 == "#" } ?? text.endIndex
    guard let app = AppID(String(text[..<end])) else { return nil }
    guard end < text.endIndex else {
      self = .app(app)
      return
    }
    let name = String(text[text.index(after: end)...])
    if text[end] == "#" {
      guard let id = ActivityID(name) else { return nil }
      self = .activity(app, id)
    } else {
      guard let node = NodeID(app: app, name: name) else { return nil }
      self = .node(node)
    }
  }

  public static func < (left: SlotKey, right: SlotKey) -> Bool { left.coded < right.coded }
}

/// A push that waits in the service, because the handset is unreachable or fetches later: the newest of each slot
/// (rules F1, F4). The slot belongs to the service, so on the handset only uninstalling or unregistering the app
/// empties it, and that of a Live Activity the activity's end.
public struct KeptPush: Hashable, Sendable, Codable {
  /// The whole push: it arrives as if just sent.
  public var push: Push
  /// The number in the order in which they were sent, ascending.
  public var number: UInt64
  public var expires: WallTime
  /// The time since when it waits; nil if a release before 0.10 stored it.
  public var since: WallTime?

  public init(push: Push, number: UInt64, expires: WallTime, since: WallTime? = nil) {
    self.push = push
    self.number = number
    self.expires = expires
    self.since = since
  }
}

struct ServiceSlots: Sendable, Equatable {
  private(set) var pushes: [SlotKey: KeptPush] = [:]
  private(set) var expirations = SortedSet<Due<WallTime, SlotKey>>()
  /// The slots of each app that are not empty.
  private var ofApp: [AppID: Set<SlotKey>] = [:]

  var isEmpty: Bool { pushes.isEmpty }

  subscript(slot: SlotKey) -> KeptPush? {
    get { pushes[slot] }
    set {
      expirations.move(slot, from: pushes[slot]?.expires, to: newValue?.expires)
      pushes[slot] = newValue
      if newValue != nil { ofApp[slot.app, default: []].insert(slot) } else { ofApp[slot.app]?.remove(slot) }
      if ofApp[slot.app]?.isEmpty == true { ofApp[slot.app] = nil }
    }
  }

  /// Returns what waits for an app, or for all if it is nil, in the order in which it was sent.
  func waiting(for app: AppID?) -> [WaitingPush] {
    let slots = app.map { Array(ofApp[$0] ?? []) } ?? Array(pushes.keys)
    return slots.compactMap { slot in pushes[slot].map { (slot, $0) } }.sorted { $0.kept.number < $1.kept.number }
  }
}

public typealias WaitingPush = (slot: SlotKey, kept: KeptPush)

extension Handset {
  /// Keeps a push until it is delivered, in place of an older one of its slot.
  /// - Parameter isKept: true if the service has kept it; then it may have expired since.
  @inline(never)
  mutating func keep(
    _ push: Push, in slot: SlotKey, isKept: Bool = false, _ turn: inout Turn
  ) {
    let isLoud = !push.isGrouped
    guard case .at(let expires) = push.expiration, isKept || expires > turn.now.wall else {
      if isLoud { turn.rule(.notKept, on: push.id) }
      return emit(.discarded(.notKept), app: slot.app, push: push.id, &turn)
    }
    if let older = slots[slot] {
      if case .activity = slot, let update = push.activity, let kept = older.push.activity,
        update.timestamp < kept.timestamp
      {
        if isLoud { turn.rule(.activityOlder, on: push.id) }
        return emit(.discarded(.olderTimestamp), app: slot.app, push: push.id, &turn)
      }
      if isLoud { turn.rule(.tookServiceSlot, on: push.id) }
    }
    let reason = isKept ? .offline : reasonToWait ?? .offline
    if isLoud { turn.rule(reason.ruling, on: push.id) }
    discardKept(in: slot, reason == .offline ? .replacedOffline : .replacedInService, newer: push.id, &turn)
    if slots.isEmpty { passFetchTimes(&turn) }
    let kept = KeptPush(push: push, number: record.nextEvent, expires: expires, since: turn.now.wall)
    commit(.kept(slot, before: nil, after: kept), &turn)
    emit(.kept(reason), app: slot.app, push: push.id, &turn)
    if expires <= turn.now.wall { discardKept(in: slot, .expiredOffline, &turn) }
  }

  mutating func discardKept(in slot: SlotKey, _ reason: Event.Discarded, newer: PushID? = nil, _ turn: inout Turn) {
    guard let kept = slots[slot] else { return }
    commit(.kept(slot, before: kept, after: nil), &turn)
    emit(.discarded(reason, newer: newer), app: slot.app, push: kept.push.id, &turn)
  }

  mutating func discardAllKept(of app: AppID, _ reason: Event.Discarded, _ turn: inout Turn) {
    for (slot, _) in slots.waiting(for: app) { discardKept(in: slot, reason, &turn) }
  }

  /// Delivers what was kept, in the order in which it was sent, as if it were just sent.
  /// - Parameter ruling: the reason why it arrives now.
  mutating func forward(_ waiting: [WaitingPush], _ ruling: Ruling, _ turn: inout Turn) {
    for (slot, kept) in waiting {
      commit(.kept(slot, before: kept, after: nil), &turn)
      guard let app = apps[slot.app] else { continue }
      emit(.arrived, app: app.id, push: kept.push.id, &turn)
      turn.rule(ruling, on: kept.push.id)
      if case .activity(_, let id) = slot, let update = kept.push.activity {
        arrive(update, by: kept.push, at: app, for: id, &turn)
      } else {
        arrive(kept.push, at: app, &turn)
      }
    }
  }
}
