// One daemon runs many handsets. Everything that is stored, sent or addressed names the one it belongs to.

/// Identifies a handset of a daemon. The first is 1; a number is never given to another handset.
public struct HandsetID: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let number: Int64

  public init(_ number: Int64) {
    self.number = number
  }

  public static let first = HandsetID(1)

  public var description: String { "\(number)" }

  public static func < (left: HandsetID, right: HandsetID) -> Bool { left.number < right.number }
}

/// An app on one of the handsets.
public struct AppAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
  public var handset: HandsetID
  public var app: AppID

  public init(_ app: AppID, on handset: HandsetID) {
    self.handset = handset
    self.app = app
  }

  public var description: String { "\(app) on handset \(handset)" }

  public static func < (left: AppAddress, right: AppAddress) -> Bool {
    (left.handset, left.app) < (right.handset, right.app)
  }
}
