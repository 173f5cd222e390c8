/// A condition around the handset, as its switches and battery would report it. The person's choices are settings.
public enum Condition: String, Hashable, Sendable, CaseIterable, Codable {
  case offline
  case lowPower = "low-power"
  case locked, silent

  /// The meaning while it is on, in a sentence for help and the reference.
  public var meaning: String {
    switch self {
    case .offline: "Nothing arrives; the newest push of each app is kept until it expires (F1)."
    case .lowPower: "No app is woken in the background, and notifications of low priority wait (U7, Q1)."
    case .locked: "The screen is locked (N5)."
    case .silent: "The ring/silent switch is set to silent (S5)."
    }
  }
}

extension Handset {
  /// Sets a condition. Setting it to its current value changes nothing and has no event.
  mutating func set(_ condition: Condition, _ isOn: Bool, _ turn: inout Turn) -> Verdict {
    guard record.conditions.contains(condition) != isOn else { return .accepted }
    if isOn { record.conditions.insert(condition) } else { record.conditions.remove(condition) }
    emit(.condition(condition, isOn), &turn)
    if condition == .offline && !isOn { settleKept(&turn) }
    // Silent also stops what already plays (rule S5).
    if condition == .silent && isOn { turn.effects.append(.silence(.allButCritical)) }
    if condition == .lowPower && !isOn { release(&turn) { waiting, _ in waiting.reason == .lowPower } }
    if condition == .offline || condition == .lowPower { settleAllHeld(&turn) }
    return .accepted
  }
}
