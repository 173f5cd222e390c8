// Rule U4: the handset holds one background update for each app, the newest.

/// A background update that was accepted and is not yet delivered to its app.
public struct HeldUpdate: Hashable, Sendable, Codable {
  public var push: PushID
  /// From then on it is expired (rule U9).
  public var expires: WallTime
  /// On the uptime clock: when the budget and the fetch interval allow it (rules U7, S3). Nil if time alone does not
  /// allow it.
  public var due: Duration?

  public init(push: PushID, expires: WallTime, due: Duration? = nil) {
    self.push = push
    self.expires = expires
    self.due = due
  }
}

/// Every app's slot.
struct HoldSlots: Sendable, Equatable {
  private(set) var slots: [AppID: HeldUpdate] = [:]
  private var expirations = SortedSet<Due<WallTime>>()
  private var dues = SortedSet<Due<Duration>>()

  subscript(app: AppID) -> HeldUpdate? {
    get { slots[app] }
    set {
      if let old = slots[app] {
        expirations.remove(Due(time: old.expires, app: app))
        if let due = old.due { dues.remove(Due(time: due, app: app)) }
      }
      slots[app] = newValue
      if let newValue {
        expirations.insert(Due(time: newValue.expires, app: app))
        if let due = newValue.due { dues.insert(Due(time: due, app: app)) }
      }
    }
  }

  /// The app whose update expires first.
  var nextToExpire: (app: AppID, at: WallTime)? { expirations.first.map { ($0.app, $0.time) } }

  /// The app whose update may be delivered first.
  var nextDue: (app: AppID, at: Duration)? { dues.first.map { ($0.app, $0.time) } }
}

/// An app and the time at which something of it is due. Sorted, so that the next one is found at the same cost for any
/// number of apps.
struct Due<Time: Comparable & Sendable>: Comparable, Sendable {
  var time: Time
  var app: AppID

  static func < (left: Due, right: Due) -> Bool { (left.time, left.app) < (right.time, right.app) }
}
