import Board
import Clocks
import HandsetCore
import Host
import Synchronization

/// The sink for one handset's presentation on the board, and for motor and buzzer.
final class BoardSink: CommitSink {
  private struct State {
    /// The motor's current or last pattern, and its start on the system's own clock; nil after it was stopped.
    var vibration: Pulses?
    /// The buzzer's: it sounds where the speaker does.
    var beeps: Pulses?

    typealias Pulses = (pattern: VibrationPattern, push: PushID, isCritical: Bool, since: Duration)

    /// Returns the patterns after the batch; nil inside if a device is stopped, and outside if nothing changes. Of
    /// several patterns the last one runs: those before it would be replaced before they begin.
    mutating func patterns(
      after batch: CommittedBatch, of handset: HandsetID
    ) -> (motor: VibrationPattern??, buzzer: VibrationPattern??) {
      var (motor, buzzer): (VibrationPattern??, VibrationPattern??)
      func stop(if isToStop: (Pulses) -> Bool) {
        if let vibration, isToStop(vibration) { (self.vibration, motor) = (nil, .some(nil)) }
        if let beeps, isToStop(beeps) { (self.beeps, buzzer) = (nil, .some(nil)) }
      }
      batch.forEachEffect(of: handset) { effect in
        switch effect {
        case .vibrate(let pattern, let push, let isCritical):
          vibration = (pattern, push, isCritical, SystemClock().now().uptime)
          motor = .some(pattern)
        case .play(let sound) where sound.volume > 0:
          let pattern = sound.isCritical ? VibrationPattern.triple : .double
          beeps = (pattern, sound.push, sound.isCritical, SystemClock().now().uptime)
          buzzer = .some(pattern)
        case .stopSound(let push): stop { $0.push == push }
        // What is critical continues, as its sound does.
        case .silence(let what): stop { what == .all || !$0.isCritical }
        case .play, .deliver, .extend, .launchApp, .leftForeground, .tellDelivered, .stopApp, .mint: break
        }
      }
      return (motor, buzzer)
    }
  }

  private let handset: HandsetID
  private let front: Front?
  private let hasPulses: Bool
  private let reports: BoardReports
  private let state = Mutex(State())

  /// - Parameter reports: receives the lamp that is shown, so that its first edge can be an event.
  init(handset: HandsetID, board: BoardSetup, reports: BoardReports) {
    self.handset = handset
    front = board.front
    hasPulses = board.description.map { $0.motor != nil || $0.buzzer != nil } ?? false
    self.reports = reports
  }

  func publish(_ batch: CommittedBatch) {
    guard let presentation = batch.presentations[handset] else { return }
    reports.shows(presentation.lamp)
    // Together, since each call wakes the front's thread.
    let patterns = hasPulses ? state.withLock { $0.patterns(after: batch, of: handset) } : (nil, nil)
    front?.show(presentation, motor: patterns.0, buzzer: patterns.1)
  }

  /// Returns the motor's pattern; nil if the motor is still, or there is none.
  /// - Parameter uptime: the system's own uptime, whatever clock the handset has.
  func vibration(at uptime: Duration) -> (pattern: VibrationPattern, elapsed: Duration)? {
    guard let vibration = state.withLock(\.vibration) else { return nil }
    let elapsed = max(uptime - vibration.since, .zero)
    return elapsed < vibration.pattern.duration ? (vibration.pattern, elapsed) : nil
  }
}
