// The connection between the handset's presentation and the board. The caller passes a value and does not wait; the
// front's own thread updates the lines.

import HandsetCore
import Synchronization
import SystemThreads

/// The drawer of presentations on a board. All methods may be called from any thread, and none but `stop` blocks.
///
/// A device that is missing, busy or not permitted is reported once and affects no other; it is drawn once it is back.
/// If nothing is lit, or nothing changes by itself, no thread of the front wakes.
public final class Front: Sendable {
  private let mailbox: FrontMailbox
  private let scan: ScanLoop?
  /// Plays the tone of a buzzer that has none of its own.
  private let tone: ScanLoop?
  private let thread: SystemThread

  /// Opens the board's lines, dark, on the front's thread.
  /// - Parameters:
  ///   - clock: the uptime clock of `Presentation.Lamp.since`, of patterns and of reports.
  ///   - wireClock: the clock that paces programs; nil for `clock`. Pulses last real microseconds even if uptime is
  ///     virtual and stands still.
  ///   - report: called on the front's thread; it delays the next drawing.
  /// - Throws: if the system has no thread or pipe left.
  public init(
    description: BoardDescription, bank: any LineBank, clock: any BoardClock = MonotonicClock(),
    wireClock: (any BoardClock)? = nil, report: @escaping @Sendable (BoardReport) -> Void
  ) throws(LineFault) {
    do throws(SystemError) {
      let mailbox = FrontMailbox(bell: try Doorbell())
      self.mailbox = mailbox
      var scan: ScanLoop?
      if description.display?.driver.isScanned == true {
        // Simulated lines are set in Swift, which must not run at real-time priority.
        scan = try ScanLoop(clock: wireClock ?? clock, realTime: !description.isSimulated) { mailbox.bell.ring() }
      }
      self.scan = scan
      let tone = try description.buzzer?.frequency.map { _ throws(SystemError) in
        try ScanLoop(clock: wireClock ?? clock, realTime: !description.isSimulated) { mailbox.bell.ring() }
      }
      self.tone = tone
      thread = try SystemThread(named: "front") { [scan] in
        let loop = FrontLoop(
          description: description, bank: bank, clock: clock, wireClock: wireClock, scan: scan, tone: tone,
          mailbox: mailbox,
          report: report)
        loop.run()
        scan?.stop()
        tone?.stop()
      }
    } catch {
      throw LineFault(.failed, "board: its threads cannot be started: \(error)")
    }
  }

  deinit {
    stop()
  }

  /// Shows a presentation from now on. The newest wins; one that was not drawn yet is dropped.
  /// - Parameters:
  ///   - motor: the motor's new pattern, as `vibrate` takes it; nil for no change.
  ///   - buzzer: the buzzer's, as `beep` takes it.
  public func show(
    _ presentation: Presentation, motor: VibrationPattern?? = nil, buzzer: VibrationPattern?? = nil
  ) {
    mailbox.put { mail in
      mail.presentation = presentation
      if let motor { mail.vibration = .some(motor) }
      if let buzzer { mail.beeps = .some(buzzer) }
    }
  }

  /// Starts the motor, if there is one.
  /// - Parameter pattern: nil stops it.
  public func vibrate(_ pattern: VibrationPattern?) {
    mailbox.put { $0.vibration = .some(pattern) }
  }

  /// Starts the buzzer, if there is one.
  /// - Parameter pattern: nil stops it.
  public func beep(_ pattern: VibrationPattern?) {
    mailbox.put { $0.beeps = .some(pattern) }
  }

  /// The figures of the scan; nil if no display is scanned.
  public var scanReport: ScanReport? { scan?.report }

  /// Tries to open lost devices now.
  public func retry() {
    mailbox.put { $0.retries = true }
  }

  /// Draws the changes that are due after the clock was moved.
  public func wake() {
    mailbox.bell.ring()
  }

  /// Darkens the board, releases its lines and waits for the front's thread to end. Further calls do nothing.
  public func stop() {
    mailbox.put { $0.quits = true }
    thread.join()
  }

  var rest: FrontMailbox.Rest { mailbox.rest.withLock { $0 } }
}

/// A mailbox from the callers' threads to the front's thread, which keeps only the newest values.
final class FrontMailbox: Sendable {
  struct Mail: Sendable {
    var presentation: Presentation?
    /// The new pattern of the motor; nil for no change.
    var vibration: VibrationPattern??
    var beeps: VibrationPattern??
    /// What the light sensor says; nil for no change.
    var isDark: Bool?
    var dimPresses = 0
    var retries = false
    var quits = false
  }

  struct Rest: Hashable, Sendable {
    var wakeCount = 0
    /// The time of the next change; nil if the thread waits only for mail.
    var nextChange: Duration?
  }

  let bell: Doorbell
  let rest = Mutex(Rest())
  private let mail = Mutex(Mail())

  init(bell: Doorbell) {
    self.bell = bell
  }

  func put(_ change: (inout sending Mail) -> Void) {
    mail.withLock { change(&$0) }
    bell.ring()
  }

  func take() -> Mail {
    mail.withLock { mail in
      defer { mail = Mail(quits: mail.quits) }
      return mail
    }
  }
}
