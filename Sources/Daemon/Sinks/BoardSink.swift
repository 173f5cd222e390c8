import Board
import Clocks
import HandsetCore
import Host
import Synchronization

/// The sink for one handset's presentation on the board, and for the motor.
final class BoardSink: CommitSink {
  private struct State {
    /// The motor's current or last pattern, and its start on the system's own clock; nil after it was stopped.
    var vibration: (pattern: VibrationPattern, push: PushID, isCritical: Bool, since: Duration)?

    /// Returns the motor's pattern after the batch; nil inside if it is stopped, and outside if nothing changes. Of
    /// several patterns the last one runs: those before it would be replaced before they begin.
    mutating func motor(after batch: CommittedBatch, of handset: HandsetID) -> VibrationPattern?? {
      var motor: VibrationPattern??
      batch.forEachEffect(of: handset) { effect in
        let stops: Bool
        switch effect {
        case .vibrate(let pattern, let push, let isCritical):
          vibration = (pattern, push, isCritical, SystemClock().now().uptime)
          motor = .some(pattern)
          return
        case .stopSound(let push): stops = vibration?.push == push
        // The vibration of a critical push continues, as its sound does.
        case .silence(let what): stops = vibration.map { what == .all || !$0.isCritical } ?? false
        case .play, .deliver, .launchApp, .leftForeground, .tellDelivered, .stopApp: return
        }
        if stops { (vibration, motor) = (nil, .some(nil)) }
      }
      return motor
    }
  }

  private let handset: HandsetID
  private let front: Front?
  private let hasMotor: Bool
  private let reports: BoardReports
  private let state = Mutex(State())

  /// - Parameter reports: receives the lamp that is shown, so that its first edge can be an event.
  init(handset: HandsetID, board: BoardSetup, reports: BoardReports) {
    self.handset = handset
    front = board.front
    hasMotor = board.description?.motor != nil
    self.reports = reports
  }

  func publish(_ batch: CommittedBatch) {
    guard let presentation = batch.presentations[handset] else { return }
    reports.shows(presentation.lamp)
    // Together, since each call wakes the front's thread.
    front?.show(presentation, motor: hasMotor ? state.withLock { $0.motor(after: batch, of: handset) } : nil)
  }

  /// Returns the motor's pattern; nil if the motor is still, or there is none.
  /// - Parameter uptime: the system's own uptime, whatever clock the handset has.
  func vibration(at uptime: Duration) -> (pattern: VibrationPattern, elapsed: Duration)? {
    guard let vibration = state.withLock(\.vibration) else { return nil }
    let elapsed = max(uptime - vibration.since, .zero)
    return elapsed < vibration.pattern.duration ? (vibration.pattern, elapsed) : nil
  }
}
