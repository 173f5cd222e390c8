// What was committed goes to a list of sinks. A sink is constructed with all it needs and handed to the host; to add one
// is a type that conforms to `CommitSink`, and its place in the list (`Appliance.swift`).

import AppLink
import HandsetCore
import HandsetStore

/// Receives what the host has committed.
protocol CommitSink: Sendable {
  /// Called on the host's thread after each commit, in order. Must not block: a sink that does its work elsewhere hands
  /// over to a queue of its own, which is bounded. There is nothing to throw: a sink that fails says so itself.
  func publish(_ batch: CommittedBatch)
}

/// Turns that are stored.
struct CommittedBatch: Sendable {
  /// In the order in which they were taken.
  var turns: [HandsetTurn]
  /// What each handset that took a turn should show now.
  var presentations: [HandsetID: Presentation]
  /// The payloads of the pushes that are to be delivered, and of those whose notifications were opened. One that is
  /// missing ended within the batch.
  var payloads: [AppAddress: [PushID: [UInt8]]] = [:]
  /// How long the commit waited for the disk; nil where it did not have to.
  var waited: Duration?

  /// Of the apps that asked, what is delivered of their own, newest first.
  var delivered: [AppAddress: [DeliveredNotification]] = [:]

  /// The effects for one handset, in order.
  func effects(of handset: HandsetID) -> some Sequence<Effect> {
    turns.lazy.filter { $0.handset == handset }.flatMap(\.turn.effects)
  }
}
