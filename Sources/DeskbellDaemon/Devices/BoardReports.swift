import Board
import HandsetCore
import Synchronization

/// Handles the reports of a board.
final class BoardReports: Sendable {
  private struct State {
    var lamp: Presentation.Lamp?
    /// A pattern that blinks is one event when it begins, not two a second for as long as it lasts.
    var edgeIsAwaited = false
  }

  private let reporter: DeviceReporter
  private let state = Mutex(State())

  init(_ reporter: DeviceReporter) {
    self.reporter = reporter
  }

  /// The board is about to show that lamp: its next edge is an event where it is another than before.
  func shows(_ lamp: Presentation.Lamp?) {
    state.withLock { state in
      if lamp != state.lamp { state.edgeIsAwaited = true }
      state.lamp = lamp
    }
  }

  /// Called on the panel's thread.
  func handle(_ report: BoardReport) {
    switch report {
    case .lamp(let lit, let pattern, let uptime):
      let isNew = state.withLock { state in
        // The first edge that belongs to what is shown now: lit where it should shine, dark where it should not.
        guard state.edgeIsAwaited, (pattern != nil) == (state.lamp != nil) else { return false }
        guard lit == (pattern != nil) else { return false }
        state.edgeIsAwaited = false
        return true
      }
      if isNew { reporter.emit(.lamp(lit: lit), at: uptime) }
    case .digits(let text, let overflows, let uptime):
      reporter.emit(overflows ? .displayOverflow(text: text) : .display(text: text), at: uptime)
    case .motor:
      // The event of the push says that it vibrates.
      break
    case .pressed(let button, let length, _):
      reporter.submit(.press(button, length), "the \(button.rawValue) button was pressed")
    case .silentSwitch(let isSilent, _):
      reporter.submit(.setCondition(.silent, isSilent), "the ring/silent switch was moved")
    case .lost(let device, let reason), .unanswered(let device, let reason):
      reporter.lost(device.rawValue, "\(device.rawValue): \(reason)")
    case .back(let device): reporter.back(device.rawValue)
    }
  }
}
