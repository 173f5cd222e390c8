import Board
import Clocks
import HandsetCore
import Host
import Synchronization

/// The sink for one handset's presentation on the board, and for the motor.
final class BoardSink: CommitSink {
  private struct State {
    /// The motor's current or last pattern, and its start on the system's own clock; nil after it was stopped.
    var vibration: (Vibration, since: Duration)?
  }

  private typealias Vibration = (pattern: VibrationPattern, push: PushID, isCritical: Bool)

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
    front?.show(presentation)
    // The motor runs the last pattern of a batch; those before it would be replaced before they begin.
    var vibration: Vibration?
    for effect in batch.effects(of: handset) {
      switch effect {
      case .vibrate(let pattern, let push, let isCritical): vibration = (pattern, push, isCritical)
      case .stopSound, .silence:
        vibrate(vibration)
        vibration = nil
        stopVibrating(by: effect)
      case .play, .deliver, .launchApp, .leftForeground, .tellDelivered, .stopApp: break
      }
    }
    vibrate(vibration)
  }

  /// Returns the motor's pattern; nil if the motor is still, or there is none.
  /// - Parameter uptime: the system's own uptime, whatever clock the handset has.
  func vibration(at uptime: Duration) -> (pattern: VibrationPattern, elapsed: Duration)? {
    guard hasMotor, let ((pattern, _, _), since) = state.withLock(\.vibration) else { return nil }
    let elapsed = max(uptime - since, .zero)
    return elapsed < pattern.duration ? (pattern, elapsed) : nil
  }

  private func vibrate(_ new: Vibration?) {
    guard let new else { return }
    state.withLock { $0.vibration = (new, SystemClock().now().uptime) }
    front?.vibrate(new.pattern)
  }

  private func stopVibrating(by effect: Effect) {
    let stops = state.withLock { state in
      guard let (vibration, _) = state.vibration else { return false }
      let isMeant =
        switch effect {
        case .stopSound(let stopped): stopped == vibration.push
        // The vibration of a critical push continues, as its sound does.
        case .silence(let what): what == .all || !vibration.isCritical
        default: false
        }
      if isMeant { state.vibration = nil }
      return isMeant
    }
    if stops { front?.vibrate(nil) }
  }
}
