import Board
import HandsetCore
import Synchronization

final class BoardReports: Sendable {
  private struct State {
    var lamp: Presentation.Lamp?
    /// True until a pattern's first edge: a blinking pattern is one event when it begins, not two a second.
    var edgeIsAwaited = false
  }

  private let reporter: DeviceReporter
  private let state = Mutex(State())

  init(_ reporter: DeviceReporter) {
    self.reporter = reporter
  }

  /// Announces the lamp that the board will show: its next edge is an event if the lamp has changed.
  func shows(_ lamp: Presentation.Lamp?) {
    state.withLock { state in
      if lamp != state.lamp { state.edgeIsAwaited = true }
      state.lamp = lamp
    }
  }

  /// Handles a report. Called on the front's thread.
  func handle(_ report: BoardReport) {
    switch report {
    case .lamp(let lit, let pattern, let uptime):
      let isNew = state.withLock { state in
        // The first edge that belongs to the current pattern: lit if a lamp is shown, dark if not.
        guard state.edgeIsAwaited, (pattern != nil) == (state.lamp != nil) else { return false }
        guard lit == (pattern != nil) else { return false }
        state.edgeIsAwaited = false
        return true
      }
      if isNew { reporter.emit(.lamp(lit: lit), at: uptime) }
    case .digits(let text, let overflows, let uptime):
      reporter.emit(overflows ? .displayOverflow(text: text) : .display(text: text), at: uptime)
    // The event of the push already records vibration and sound; how bright the board is, is no event.
    case .motor, .buzzer, .darkness: break
    case .pressed(let key, let length, _): submit(key, length)
    case .silentSwitch(let isSilent, _):
      reporter.submit(.setCondition(.silent, isSilent), "the ring/silent switch was moved")
    case .lost(let device, let reason), .unanswered(let device, let reason):
      reporter.lost(device.rawValue, "\(device.rawValue): \(reason)")
    case .back(let device): reporter.back(device.rawValue)
    }
  }

  private func submit(_ key: BoardKey, _ length: PressLength) {
    switch key {
    case .view: reporter.submit(.press(.view, length), "the view button was pressed")
    case .close: reporter.submit(.press(.close, length), "the close button was pressed")
    case .snooze:
      reporter.submit(length == .long ? .endSnooze(nil) : .snooze(nil, for: nil), "the snooze key was pressed")
    case .dim: break
    case .action(let action):
      reporter.submit(.respond(nil, action: action), "the key of the action '\(action)' was pressed")
    }
  }
}
