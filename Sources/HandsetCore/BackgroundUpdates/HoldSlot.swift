// Rule U4: the handset may hold a background update, and it holds one for each app, the newest.

/// A background update that was accepted and is not yet delivered to its app.
public struct HeldUpdate: Hashable, Sendable {
  public var push: PushID
  /// From then on it is worth nothing (rule U9).
  public var expires: WallTime

  public init(push: PushID, expires: WallTime) {
    self.push = push
    self.expires = expires
  }
}

/// Every app's slot.
struct HoldSlots: Sendable, Equatable {
  private(set) var slots: [AppID: HeldUpdate] = [:]
  private var expirations = SortedSet<Expiry>()

  private struct Expiry: Comparable, Sendable {
    var time: WallTime
    var app: AppID

    static func < (left: Expiry, right: Expiry) -> Bool { (left.time, left.app) < (right.time, right.app) }
  }

  subscript(app: AppID) -> HeldUpdate? {
    get { slots[app] }
    set {
      if let old = slots[app] { expirations.remove(Expiry(time: old.expires, app: app)) }
      slots[app] = newValue
      if let newValue { expirations.insert(Expiry(time: newValue.expires, app: app)) }
    }
  }

  /// The app whose update expires first.
  var nextToExpire: (app: AppID, at: WallTime)? { expirations.first.map { ($0.app, $0.time) } }
}
