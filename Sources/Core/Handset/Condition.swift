// Conditions around the handset, as its switches and battery would report them. The person's choices are settings.

/// A condition around the handset, which is on or off.
public enum Condition: String, Hashable, Sendable, CaseIterable, Codable {
  /// No network: nothing arrives (rule F1).
  case offline
  /// The battery is low: no background deliveries (rule U7).
  case lowPower = "low-power"
  /// The screen is locked (rule N5).
  case locked
  /// The ring/silent switch is set to silent (rule S5).
  case silent
}

extension Handset {
  /// Sets a condition. Setting it to its current value changes nothing and has no event.
  mutating func set(_ condition: Condition, _ isOn: Bool, _ turn: inout Turn) -> Verdict {
    guard record.conditions.contains(condition) != isOn else { return .accepted }
    if isOn { record.conditions.insert(condition) } else { record.conditions.remove(condition) }
    emit(.condition(condition, isOn), &turn)
    if condition == .offline && !isOn { forwardAll(&turn) }
    // Silent also stops what already plays (rule S5).
    if condition == .silent && isOn { turn.effects.append(.silence(.allButCritical)) }
    if condition == .offline || condition == .lowPower { settleAllHeld(&turn) }
    return .accepted
  }
}
