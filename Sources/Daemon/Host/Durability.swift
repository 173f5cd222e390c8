// The commits that wait for the disk.

import HandsetCore

extension Input {
  /// Returns whether the input's commit waits for the disk. Providers and users are answered only then; and effects on
  /// devices, apps and readers of events must not be undone by a power cut. Reports of drivers and refusals are only
  /// events, whose numbers the store has reserved.
  func mustBeDurable(after turn: Turn) -> Bool {
    switch self {
    case .report, .refused, .wake, .listDelivered: !turn.effects.isEmpty || turn.events.contains { !$0.isReport }
    default: true
    }
  }
}

extension Event {
  fileprivate var isReport: Bool {
    switch kind {
    case .driver, .refused: true
    default: false
    }
  }
}
