import HandsetCore

/// The store of publishing nodes, on behalf of the handset.
public protocol PublishingReceiver: Sendable {
  /// Returns true if a handset of this daemon has that device ID. Never blocks.
  func isKnown(_ device: DeviceID) -> Bool

  /// Submits an input to the handset with that device ID. Returns when the input is stored or will never be.
  func submit(_ input: Input, to device: DeviceID) async -> Input.Outcome

  func lastPublished(_ node: NodeID, on device: DeviceID) async -> LastPublished
}

/// The result of reading a node (rule F2).
public enum LastPublished: Hashable, Sendable {
  case propertyList([UInt8])
  case nothing
  case noNode
  case gone(since: WallTime)
  case unavailable
}
