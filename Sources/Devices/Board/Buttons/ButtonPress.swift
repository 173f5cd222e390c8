// A press counts as long while the finger is still down, so that the user gets feedback at once.

import HandsetCore

/// The state of one button.
struct ButtonPress: Hashable, Sendable {
  let button: AlertButton
  /// The time since which the button is held; nil once its press was reported.
  private var heldSince: Duration?

  init(_ button: AlertButton) {
    self.button = button
  }

  /// The time at which the press becomes a long one; nil if it cannot.
  var deadline: Duration? { heldSince.map { $0 + Policy.longPressTime } }

  /// Handles a change of the button's level.
  /// - Returns: the length and time of the press if they are known now.
  mutating func change(to level: Debouncer.Level) -> (length: PressLength, at: Duration)? {
    if level.isActive {
      heldSince = level.since
      return nil
    }
    if let long = settle(at: level.since) { return long }
    guard heldSince != nil else { return nil }
    heldSince = nil
    return (.short, level.since)
  }

  /// Reports a long press once its time has passed.
  mutating func settle(at now: Duration) -> (length: PressLength, at: Duration)? {
    guard let deadline, now >= deadline else { return nil }
    heldSince = nil
    return (.long, deadline)
  }

  /// Discards the press after the loss of the line: the state of the button is unknown.
  mutating func forget() { heldSince = nil }
}
