// Between the handset's presentation and the board. The caller passes a value and does not wait; the panel's own thread
// makes the lines follow it.

import HandsetCore
import Synchronization
import SystemThreads

/// Draws presentations on a board. All methods may be called from any thread, and none but `stop` blocks.
///
/// A device that is missing, busy or not permitted is reported once and affects no other; it is drawn when it is back.
/// With nothing lit, or nothing that changes by itself, no thread of the panel wakes.
public final class Panel: Sendable {
  private let mailbox: PanelMailbox
  private let scan: ScanLoop?
  private let thread: SystemThread

  /// Opens the board's lines, dark, on the panel's thread.
  /// - Parameters:
  ///   - bank: opens the lines: `GPIOLines`, or a simulated board.
  ///   - clock: uptime: that of `Presentation.Lamp.since`, of patterns and of reports.
  ///   - wireClock: paces programs; nil for `clock`. Pulses last real microseconds even if uptime is virtual and stands
  ///     still.
  ///   - report: called on the panel's thread; it delays the next drawing.
  /// - Throws: if the system has no thread or pipe left.
  public init(
    description: BoardDescription, bank: any LineBank, clock: any BoardClock = MonotonicClock(),
    wireClock: (any BoardClock)? = nil, report: @escaping @Sendable (BoardReport) -> Void
  ) throws(BoardStartFault) {
    do throws(SystemError) {
      let mailbox = PanelMailbox(bell: try Doorbell())
      self.mailbox = mailbox
      var scan: ScanLoop?
      if description.display?.driver.isScanned == true {
        // Simulated lines are set in Swift, which must not run at real-time priority.
        scan = try ScanLoop(clock: wireClock ?? clock, realTime: !description.isSimulated) { mailbox.bell.ring() }
      }
      self.scan = scan
      thread = try SystemThread(named: "panel") { [scan] in
        let loop = PanelLoop(
          description: description, bank: bank, clock: clock, wireClock: wireClock, scan: scan, mailbox: mailbox,
          report: report)
        loop.run()
        scan?.stop()
      }
    } catch {
      throw BoardStartFault(description: "board: its threads cannot be started: \(error)")
    }
  }

  deinit {
    stop()
  }

  /// Sets what is visible from now on. The newest wins; one that was not drawn yet is dropped.
  public func show(_ presentation: Presentation) {
    mailbox.put { $0.presentation = presentation }
  }

  /// Starts the motor, if there is one.
  public func vibrate(_ pattern: VibrationPattern) {
    mailbox.put { $0.vibration = .some(pattern) }
  }

  /// Stops the motor.
  public func stopVibrating() {
    mailbox.put { $0.vibration = .some(nil) }
  }

  /// Figures of the scan; nil if no display is scanned.
  public var scanReport: ScanReport? { scan?.report }

  /// Tries lost devices now.
  public func retry() {
    mailbox.put { $0.retries = true }
  }

  /// The clock was moved: draws what is due by it.
  public func wake() {
    mailbox.bell.ring()
  }

  /// Darkens the board, releases its lines, and returns when that is done. Further calls do nothing.
  public func stop() {
    mailbox.put { $0.quits = true }
    thread.join()
  }

  /// The wait of the panel's thread, and how often it woke.
  var rest: PanelMailbox.Rest { mailbox.rest.withLock { $0 } }
}

/// From the callers' threads to the panel's: only the newest.
final class PanelMailbox: Sendable {
  struct Mail: Sendable {
    var presentation: Presentation?
    /// Nil for no change of the motor.
    var vibration: VibrationPattern??
    var retries = false
    var quits = false
  }

  struct Rest: Hashable, Sendable {
    var wakeCount = 0
    /// Nil if it waits only for mail.
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

/// The board's threads cannot be started.
public struct BoardStartFault: Error, Sendable, CustomStringConvertible {
  public var description: String
}
