// The lines of one device through loss and return. A handle can go stale while nothing is drawn (a chip unplugged and
// plugged in again), so the first failure of lines that worked opens them anew; only a second one is a loss.

/// A device and what it holds of its bank: `any LineGroup` or `any InputLine`. Times are those of the panel's pulses.
struct DeviceLines<Handle: Sendable> {
  let device: BoardDevice
  /// Nil while the device is lost.
  private(set) var handle: Handle?
  /// Why it is lost.
  private(set) var fault: LineFault?
  private let take: (any LineBank) throws(LineFault) -> Handle
  /// Whether its loss was reported and its return was not.
  private var isReportedLost = false
  /// Opened, and not used since.
  private var isFresh = false
  private var schedule = RetrySchedule()

  /// - Parameter take: takes the lines.
  init(_ device: BoardDevice, _ take: @escaping (any LineBank) throws(LineFault) -> Handle) {
    self.device = device
    self.take = take
  }

  /// Nil while trying again is not a matter of time.
  var retryAt: Duration? { schedule.dueAt }

  /// Whether the device is lost and should be opened now.
  mutating func isRetryDue(at now: Duration, _ reason: DeviceRetry) -> Bool {
    fault != nil && schedule.isDue(at: now, reason)
  }

  /// Takes the lines.
  /// - Returns: what to report, if the device is lost for another reason than before.
  mutating func open(from bank: any LineBank, at now: Duration) -> BoardReport? {
    // Lines that we still hold would be busy.
    handle = nil
    do {
      handle = try take(bank)
      fault = nil
      isFresh = true
      schedule.taken()
      return nil
    } catch {
      return lose(error, at: now)
    }
  }

  /// Using the lines failed.
  /// - Returns: as `open(from:at:)`.
  mutating func failed(_ fault: LineFault, bank: any LineBank, at now: Duration) -> BoardReport? {
    isFresh ? lose(fault, at: now) : open(from: bank, at: now)
  }

  /// The lines were used.
  /// - Returns: what to report, if the device was lost.
  mutating func worked() -> BoardReport? {
    isFresh = false
    schedule.reset()
    guard isReportedLost else { return nil }
    isReportedLost = false
    return .back(device)
  }

  private mutating func lose(_ newFault: LineFault, at now: Duration) -> BoardReport? {
    handle = nil
    let isNews = !isReportedLost || newFault != fault
    fault = newFault
    isReportedLost = true
    schedule.lost(newFault.kind, at: now)
    return isNews ? .lost(device, reason: newFault.description) : nil
  }
}
