import HandsetCore

/// What keeps publishing nodes, on behalf of the handset.
public protocol PublishingReceiver: Sendable {
  /// Whether a handset of this daemon has that device ID. Never blocks.
  func isKnown(_ device: DeviceID) -> Bool

  /// Returns when the input, for the handset of that device ID, is stored or will never be.
  func submit(_ input: Input, to device: DeviceID) async -> Input.Outcome

  func lastPublished(_ node: NodeID, on device: DeviceID) async -> LastPublished
}

/// What a node gives back (rule F2).
public enum LastPublished: Hashable, Sendable {
  case propertyList([UInt8])
  case nothing
  case noNode
  case gone(since: WallTime)
  case unavailable
}
