// Recording of rulings in the turn that decides.

extension Ruling {
  /// Returns the rulings of rule S6 for kinds in a push that its app did not register for.
  static func notRegistered(_ kinds: NotificationKinds) -> [Ruling] {
    kinds.isEmpty
      ? [.kindsRegistered]
      : kinds.rulings(badge: .badgeNotRegistered, sound: .soundNotRegistered, alert: .alertNotRegistered)
  }

  /// Returns the rulings of rule S1 for kinds that are switched off.
  static func switchedOff(_ kinds: NotificationKinds) -> [Ruling] {
    kinds.rulings(badge: .badgeOff, sound: .soundOff, alert: .alertOff)
  }

  /// Returns the rulings of rule N2 for kinds that an app in the foreground did not ask for, except the badge's.
  static func notAsked(_ kinds: NotificationKinds) -> [Ruling] {
    kinds.subtracting(.badge).rulings(badge: .badgeLeft, sound: .soundNotAsked, alert: .alertNotAsked)
  }
}

extension NotificationKinds {
  fileprivate func rulings(badge: Ruling, sound: Ruling, alert: Ruling) -> [Ruling] {
    (contains(.badge) ? [badge] : []) + (contains(.sound) ? [sound] : []) + (contains(.alert) ? [alert] : [])
  }
}

/// The rulings on one push in one turn, in the order of the decisions.
public struct PushRulings: Hashable, Sendable {
  /// The number of the event that they explain: `accepted`, `refused`, `arrived` or `due`. They are stored with the
  /// event and deleted with it.
  public var event: UInt64
  public var push: PushID
  public var rulings: [Ruling] = []
}

extension Turn {
  /// Records the ruling if it is on the push that this turn decides about. Later turns have events instead.
  mutating func rule(_ ruling: Ruling, on push: PushID) {
    guard let last = rulings.indices.last, rulings[last].push == push else { return }
    rulings[last].rulings.append(ruling)
  }

  /// Records the ruling that decides an outcome.
  /// - Returns: `outcome`, which the ruling decides.
  mutating func rule<Outcome>(_ ruling: Ruling, on push: PushID, so outcome: Outcome) -> Outcome {
    rule(ruling, on: push)
    return outcome
  }

  mutating func rule(_ list: [Ruling], on push: PushID) {
    for ruling in list { rule(ruling, on: push) }
  }
}
