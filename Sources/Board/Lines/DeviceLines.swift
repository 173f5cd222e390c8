// The lines of one device through loss and return. A handle can go stale while nothing is drawn (a chip unplugged and
// plugged in again), so the first failure of lines that worked opens them anew; only a second one is a loss.
// A chip that is missing shows when it comes; a line that another program uses gives no sign, and is asked for at growing
// intervals.

/// A device and what it holds of its bank: `any LineGroup` or `any InputLine`. Reports its loss, for each reason once,
/// and its return. Times are those of the panel's pulses.
struct DeviceLines<Handle: Sendable> {
  private let device: BoardDevice
  /// Nil while the device is lost, and before the first `retry`.
  private(set) var handle: Handle?
  /// Why it is lost.
  private var fault: LineFault?
  private let take: () throws(LineFault) -> Handle
  private let report: (BoardReport) -> Void
  /// Whether its loss was reported and its return was not.
  private var isReportedLost = false
  /// Opened, and not used since.
  private var isFresh = false
  private var schedule = RetrySchedule()

  /// - Parameter take: takes the lines.
  init(
    _ device: BoardDevice, _ report: @escaping (BoardReport) -> Void, take: @escaping () throws(LineFault) -> Handle
  ) {
    self.device = device
    self.report = report
    self.take = take
  }

  /// Nil while trying again is not a matter of time.
  var retryAt: Duration? { schedule.dueAt }

  /// Takes the lines if the device is lost and they should be tried now, and at the first call.
  /// - Returns: whether they were tried.
  mutating func retry(at now: Duration, _ reason: DeviceRetry) -> Bool {
    guard handle == nil, fault == nil || schedule.isDue(at: now, reason) else { return false }
    open(at: now)
    return true
  }

  /// Using the lines failed.
  mutating func failed(_ fault: LineFault, at now: Duration) {
    if isFresh { lose(fault, at: now) } else { open(at: now) }
  }

  /// The lines were used.
  mutating func worked() {
    isFresh = false
    schedule.reset()
    guard isReportedLost else { return }
    isReportedLost = false
    report(.back(device))
  }

  private mutating func open(at now: Duration) {
    // Lines that we still hold would be busy.
    handle = nil
    do {
      handle = try take()
      fault = nil
      isFresh = true
      schedule.taken()
    } catch {
      lose(error, at: now)
    }
  }

  private mutating func lose(_ newFault: LineFault, at now: Duration) {
    handle = nil
    let isNews = !isReportedLost || newFault != fault
    fault = newFault
    isReportedLost = true
    schedule.lost(newFault.kind, at: now)
    if isNews { report(.lost(device, reason: newFault.description)) }
  }
}

/// Why lost devices are looked for.
enum DeviceRetry {
  /// A chip came or went, or somebody asked.
  case now
  /// There is something new to draw.
  case wanted
  /// Time has passed.
  case time
}

/// The times at which one device is tried again.
struct RetrySchedule: Hashable, Sendable {
  private var interval: Duration?
  /// Of a retry; the first attempt is none.
  private var lastAt: Duration?
  /// Nil while nothing is due by itself.
  private(set) var dueAt: Duration?

  /// It could not be had.
  mutating func lost(_ kind: LineFault.Kind, at now: Duration) {
    guard kind == .busy || kind == .failed else {
      dueAt = nil
      return
    }
    let limits = BoardLimits.retryIntervals
    let next = min(interval.map { $0 * 2 } ?? limits.lowerBound, limits.upperBound)
    interval = next
    dueAt = now + next
  }

  /// Its lines are ours; whether they work shows when they are used.
  mutating func taken() { dueAt = nil }

  /// It works.
  mutating func reset() { self = RetrySchedule() }

  /// Whether to try again now; counts as having tried.
  mutating func isDue(at now: Duration, _ reason: DeviceRetry) -> Bool {
    let isDue =
      switch reason {
      case .now: true
      case .wanted: dueAt != nil && lastAt.map { now - $0 >= BoardLimits.retryIntervals.lowerBound } ?? true
      case .time: dueAt.map { now >= $0 } ?? false
      }
    if isDue { lastAt = now }
    return isDue
  }
}
