// When a press is a long one: while the finger is still down, so that it is felt to have worked.

import HandsetCore

/// One button, held or not.
struct ButtonPress: Hashable, Sendable {
  let button: AlertButton
  /// While it is held and nothing was said of it.
  private var heldSince: Duration?

  init(_ button: AlertButton) {
    self.button = button
  }

  /// When the press becomes a long one; nil while it cannot.
  var deadline: Duration? { heldSince.map { $0 + Policy.longPressTime } }

  /// The button is down or up.
  /// - Returns: what the press was and when, where that is known now.
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

  /// Time has passed.
  mutating func settle(at now: Duration) -> (length: PressLength, at: Duration)? {
    guard let deadline, now >= deadline else { return nil }
    heldSince = nil
    return (.long, deadline)
  }

  /// The line was lost: what the finger does now is not known.
  mutating func forget() { heldSince = nil }
}
