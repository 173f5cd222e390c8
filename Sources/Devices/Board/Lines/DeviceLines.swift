// The lines of one device through loss and return. A handle can become stale while nothing is drawn (a chip unplugged
// and plugged in again), so after the first failure of working lines they are opened again; only a second failure is a
// loss. The return of a missing chip is reported by its folder; the release of a line by another program is not, so it
// is tried at growing intervals.

/// A device and its handle from the bank: `any LineGroup` or `any InputLine`. Reports its loss, once for each reason,
/// and its return. Times are on the front's clock for pulses.
struct DeviceLines<Handle: Sendable> {
  private let device: BoardDevice
  /// The handle; nil while the device is lost, and before the first `retry`.
  private(set) var handle: Handle?
  private var fault: LineFault?
  private let take: () throws(LineFault) -> Handle
  private let report: (BoardReport) -> Void
  /// True if the loss was reported and the return was not.
  private var isReportedLost = false
  /// True if the lines were opened and not used since.
  private var isFresh = false
  private var schedule = RetrySchedule()

  init(
    _ device: BoardDevice, _ report: @escaping (BoardReport) -> Void, take: @escaping () throws(LineFault) -> Handle
  ) {
    self.device = device
    self.report = report
    self.take = take
  }

  /// The time of the next attempt; nil if none is scheduled.
  var retryAt: Duration? { schedule.dueAt }

  /// Opens the lines at the first call, and later if the device is lost and an attempt is due.
  /// - Returns: true if an attempt was made.
  mutating func retry(at now: Duration, _ reason: DeviceRetry) -> Bool {
    guard handle == nil, fault == nil || schedule.isDue(at: now, reason) else { return false }
    open(at: now)
    return true
  }

  mutating func failed(_ fault: LineFault, at now: Duration) {
    if isFresh { lose(fault, at: now) } else { open(at: now) }
  }

  mutating func worked() {
    isFresh = false
    schedule.reset()
    guard isReportedLost else { return }
    isReportedLost = false
    report(.back(device))
  }

  private mutating func open(at now: Duration) {
    // Lines that this device still holds would be busy.
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

/// The reason for an attempt to open lost devices.
enum DeviceRetry {
  /// A chip came or went, or a caller asked.
  case now
  /// There is something new to draw.
  case wanted
  case time
}

struct RetrySchedule: Hashable, Sendable {
  private var interval: Duration?
  /// The time of the last retry; nil if only the first attempt was made.
  private var lastAt: Duration?
  /// The time of the next attempt; nil if none is scheduled.
  private(set) var dueAt: Duration?

  /// Schedules the next attempt after a failed one.
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

  /// Ends the attempts after the lines were opened; their use shows later if they work.
  mutating func taken() { dueAt = nil }

  mutating func reset() { self = RetrySchedule() }

  /// Returns true if an attempt is due now, and then records it.
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
