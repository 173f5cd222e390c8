// The edge between the handset's presentation and the board. Whoever decides what should be visible hands over a
// value and goes on; a thread of the panel's own makes the lines follow it.

import HandsetCore
import Synchronization
import SystemThreads

/// Draws presentations on a board. All methods may be called from any thread, and none but `stop` blocks.
///
/// A device that is missing, busy or not permitted is reported once and costs nothing else; it is drawn when it is
/// there. With nothing lit or nothing that changes by itself, no thread of the panel wakes.
public final class Panel: Sendable {
  private let mailbox: PanelMailbox
  private let scan: ScanLoop?
  private let thread: Mutex<SystemThread?>

  /// Opens the board's lines, dark, on the panel's thread.
  /// - Parameters:
  ///   - bank: where the lines come from: `GPIOLines`, or a simulated board.
  ///   - clock: uptime: that of `Presentation.Lamp.since`, of patterns and of reports.
  ///   - wireClock: what programs are paced by; nil where that is `clock`. Pulses last real microseconds even where
  ///     uptime is virtual and stands still.
  ///   - report: called on the panel's thread; what it does delays the next drawing.
  /// - Throws: where the system has no thread or pipe left.
  public init(
    description: BoardDescription, bank: any LineBank, clock: any BoardClock = MonotonicClock(),
    wireClock: (any BoardClock)? = nil, report: @escaping @Sendable (BoardReport) -> Void
  ) throws(BoardStartFault) {
    do throws(SystemError) {
      let mailbox = PanelMailbox(bell: try Doorbell())
      self.mailbox = mailbox
      var scan: ScanLoop?
      if description.display?.driver.isScanned == true {
        // Simulated lines are set in Swift, which must not keep anything else from running.
        scan = try ScanLoop(clock: wireClock ?? clock, realTime: !description.isSimulated) { mailbox.bell.ring() }
      }
      self.scan = scan
      thread = Mutex(
        try SystemThread(named: "panel") { [scan] in
          let loop = PanelLoop(
            description: description, bank: bank, clock: clock, wireClock: wireClock, scan: scan, mailbox: mailbox,
            report: report)
          loop.run()
          scan?.stop()
        })
    } catch {
      throw BoardStartFault("its threads cannot be started", error)
    }
  }

  deinit {
    stop()
  }

  /// What should be visible from now on. The newest wins; one that was not drawn yet is forgotten.
  public func show(_ presentation: Presentation) {
    mailbox.put { $0.presentation = presentation }
  }

  /// Runs the motor, from now on, where one is fitted.
  public func vibrate(_ pattern: VibrationPattern) {
    mailbox.put { $0.vibration = .some(pattern) }
  }

  /// Stops the motor.
  public func stopVibrating() {
    mailbox.put { $0.vibration = .some(nil) }
  }

  /// How scanning goes; nil where no display has to be scanned.
  public var scanReport: ScanReport? { scan?.report }

  /// Looks for lost devices now.
  public func retry() {
    mailbox.put { $0.retries = true }
  }

  /// The clock was moved: draws what is due by it.
  public func wake() {
    mailbox.bell.ring()
  }

  /// Darkens the board, lets its lines go, and returns when that is done. Further calls do nothing.
  public func stop() {
    mailbox.put { $0.quits = true }
    let running = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    running?.join()
  }

  /// What the panel's thread waits for, and how often it woke.
  var rest: PanelMailbox.Rest { mailbox.rest.withLock { $0 } }
}

/// What crosses from the callers' threads to the panel's: the newest only.
final class PanelMailbox: Sendable {
  struct Mail: Sendable {
    var presentation: Presentation?
    /// Nil where the motor goes on as it does.
    var vibration: VibrationPattern??
    var retries = false
    var quits = false
  }

  struct Rest: Hashable, Sendable {
    var wakeCount = 0
    /// Nil where it waits for mail alone.
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
      defer {
        mail.presentation = nil
        mail.vibration = nil
        mail.retries = false
      }
      return mail
    }
  }
}
