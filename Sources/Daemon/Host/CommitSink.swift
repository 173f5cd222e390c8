// Committed turns go to a list of sinks. A sink is constructed with everything it needs and handed to the host. To add
// a sink, write a type that conforms to `CommitSink` and add it to the list (`RunningHost.swift`).

import AppLink
import HandsetCore
import HandsetStore

public protocol CommitSink: Sendable {
  /// Called on the host's thread after each commit, in order. Must not block: a sink that works elsewhere hands over to
  /// its own bounded queue. It cannot throw: a sink reports its own failures.
  func publish(_ batch: CommittedBatch)
}

/// The stored turns of one commit.
public struct CommittedBatch: Sendable {
  public internal(set) var turns: [HandsetTurn]
  /// The current presentation of each handset that took a turn.
  public internal(set) var presentations: [HandsetID: Presentation]
  /// The payloads of the pushes to be delivered, and of opened notifications. A push without payload ended within the
  /// batch.
  public internal(set) var payloads: [AppAddress: [PushID: [UInt8]]] = [:]
  /// The time that the commit waited for the disk; nil if it did not have to.
  public internal(set) var waited: Duration?
  /// False if no effect is for an app.
  public internal(set) var concernsApps = true
  /// The delivered notifications of each app that asked for its own, newest first.
  public internal(set) var delivered: [AppAddress: [DeliveredNotification]] = [:]
  /// The broadcasts that were submitted to all handsets with their app.
  public internal(set) var broadcasts: [CommittedBroadcast] = []

  /// Calls the closure with each effect for one handset, in order. Inlinable, and no turn is copied: several sinks ask
  /// after each commit.
  @inlinable
  public func forEachEffect(of handset: HandsetID, _ body: (Effect) -> Void) {
    for index in turns.indices where turns[index].handset == handset {
      for effect in turns[index].turn.effects { body(effect) }
    }
  }
}

/// A broadcast on a channel that all handsets with the app have taken.
public struct CommittedBroadcast: Hashable, Sendable {
  public var app: AppID
  public var channel: ChannelID
  /// The handsets on which it changed a Live Activity.
  public var delivered: Int
}
