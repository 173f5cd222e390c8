// What the handset is in, whoever brought it about: a switch on the board, a test, a person at the command line.
// Each is on or off, survives a restart, and is read by the rules that depend on it.

/// Something that holds for the whole handset for a while.
public enum Condition: String, Hashable, Sendable, CaseIterable {
  /// Nothing arrives (rule F1).
  case offline
  /// Background updates wait (rule U7).
  case lowPower = "low-power"
  /// The screen is locked (rule N5).
  case locked
  /// The ring/silent switch is on silent (rule S5).
  case silent
}

extension Handset {
  mutating func set(_ condition: Condition, to isOn: Bool, at now: Moment, _ turn: inout Turn) -> Verdict {
    guard record.conditions.contains(condition) != isOn else { return .accepted }
    if isOn { record.conditions.insert(condition) } else { record.conditions.remove(condition) }
    tell(.condition(condition, isOn), app: nil, push: nil, at: now, &turn)
    // Silent plays nothing, also of what has begun (rule S5).
    if condition == .silent && isOn { turn.effects.append(.silence(.allButCritical)) }
    return .accepted
  }
}
