// Rule F1: while the handset is unreachable, the service keeps the newest notification of each app. The slot belongs to
// the service, so on the handset only uninstalling or unregistering the app empties it.

/// A push that the service has taken and that has not reached the handset.
public struct KeptPush: Hashable, Sendable, Codable {
  /// The whole push: it arrives as if just sent.
  public var push: Push
  /// The number in the order in which they were sent, ascending.
  public var number: UInt64
  /// The time from which on it is expired.
  public var expires: WallTime

  public init(push: Push, number: UInt64, expires: WallTime) {
    self.push = push
    self.number = number
    self.expires = expires
  }
}

struct ServiceSlots: Sendable, Equatable {
  private(set) var pushes: [AppID: KeptPush] = [:]
  private(set) var expirations = SortedSet<Due<WallTime, AppID>>()

  subscript(app: AppID) -> KeptPush? {
    get { pushes[app] }
    set {
      expirations.move(app, from: pushes[app]?.expires, to: newValue?.expires)
      pushes[app] = newValue
    }
  }
}
