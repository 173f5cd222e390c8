// Rule U4: the handset holds one background update for each app, the newest.

/// A background update that was accepted and is not yet delivered to its app.
public struct HeldUpdate: Hashable, Sendable, Codable {
  public var push: PushID
  /// The time from which on it is expired (rule U9).
  public var expires: WallTime
  /// The time on the uptime clock at which the budget and the fetch interval allow it (rules U7, S3). Nil if time alone
  /// does not allow it.
  public var due: Duration?

  public init(push: PushID, expires: WallTime, due: Duration? = nil) {
    self.push = push
    self.expires = expires
    self.due = due
  }
}

struct HoldSlots: Sendable, Equatable {
  private(set) var slots: [AppID: HeldUpdate] = [:]
  private(set) var expirations = SortedSet<Due<WallTime, AppID>>()
  private(set) var dues = SortedSet<Due<Duration, AppID>>()

  subscript(app: AppID) -> HeldUpdate? {
    get { slots[app] }
    set {
      expirations.move(app, from: slots[app]?.expires, to: newValue?.expires)
      dues.move(app, from: slots[app]?.due, to: newValue?.due)
      slots[app] = newValue
    }
  }
}
