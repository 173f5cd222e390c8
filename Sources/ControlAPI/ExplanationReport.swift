// Why one push rang, or did not: the words of the API. What is in them the handset decided when it happened.

import HandsetCore

/// What `GET /v1/pushes/{id}/explanation` answers.
public struct ExplanationReport: Codable, Sendable, Equatable {
  /// As its provider wrote it.
  public var push: String
  public var app: String?
  /// How many pushes with this identifier the journal has; this is the newest of them.
  public var pushes: Int
  /// Whether its sound was played.
  public var rang: Bool
  /// In a sentence or two.
  public var summary: String
  /// Each rule that applied, in order.
  public var rulings: [RulingReport]
  /// What happened to it, in order.
  public var events: [EventReport]
  /// How many of its events are left out in the middle.
  public var eventsLeftOut: Int
  /// Where it is now: `in Notification Center, unseen`; empty where it is nowhere any more.
  public var now: [String]
}

/// A rule that applied to a push, and its outcome.
public struct RulingReport: Codable, Sendable, Equatable {
  /// The number of the event at which it was decided.
  public var event: UInt64
  /// Its number in docs/handset.md: `S5`.
  public var rule: String
  /// What the rule is about.
  public var title: String
  /// The outcome, for a script: `S5.quiet-hours`.
  public var code: String
  /// The outcome, for a person.
  public var outcome: String
  /// The kinds that it kept from the person: `badge`, `sound`, `alert`.
  public var stops: [String]

  /// - Parameter code: a ruling's raw value, as stored; one that no version knows is given as it is.
  init(_ code: String, event: UInt64) {
    let ruling = Ruling(rawValue: code)
    self.event = event
    self.code = code
    rule = String(code.prefix { $0 != "." })
    title = ruling?.rule?.title ?? ""
    outcome = ruling?.outcome ?? code
    stops = ruling?.stops.names ?? []
  }
}
