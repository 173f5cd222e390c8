// The 2008 service's way out: it reads property lists and checks passwords; nodes are the handset's.

import HandsetCore

/// What keeps publishing nodes, on behalf of the handset.
public protocol PublishingReceiver: Sendable {
  /// Whether a handset of this daemon has that device ID. Never blocks.
  func isKnown(_ device: DeviceID) -> Bool

  /// Each is for a handset that is known, and answered when it is stored, or will never be.
  func create(_ node: NodeID, on device: DeviceID) async -> NodeOutcome
  func delete(_ node: NodeID, on device: DeviceID) async -> NodeOutcome
  /// - Parameters:
  ///   - push: addressed to a node.
  ///   - propertyList: what it was made of, to be given back byte for byte.
  func publish(_ push: Push, propertyList: [UInt8], on device: DeviceID) async -> NodeOutcome

  func lastPublished(_ node: NodeID, on device: DeviceID) async -> LastPublished
}

/// What became of a call.
public enum NodeOutcome: Hashable, Sendable {
  case done
  /// No such app is installed on the handset.
  case noApp
  case noNode
  /// The app is uninstalled or unregistered since then (rules R3, R4).
  case gone(since: WallTime)
  /// The app has as many nodes as it may.
  case tooManyNodes
  /// It could not be stored, now; the provider should try again.
  case unavailable
}

/// What a node gives back (rule F2).
public enum LastPublished: Hashable, Sendable {
  case propertyList([UInt8])
  case nothing
  case noNode
  case gone(since: WallTime)
  case unavailable
}
