// The lines of one device through loss and return. A handle can go stale while nothing is drawn (a chip unplugged and
// plugged in again), so the first failure of lines that worked opens them anew; only a second one is a loss.

struct DeviceLines {
  let device: BoardDevice
  let request: LineRequest
  /// Nil while the device is lost.
  private(set) var group: (any LineGroup)?
  /// Why it is lost.
  private(set) var fault: LineFault?
  /// Whether its loss was reported and its return was not.
  private(set) var isReportedLost = false
  /// Opened, and nothing was set since.
  private var isFresh = false

  init(device: BoardDevice, request: LineRequest) {
    self.device = device
    self.request = request
  }

  /// Takes the lines.
  /// - Returns: what to report, if the device is lost for another reason than before.
  mutating func open(from bank: any LineBank) -> BoardReport? {
    // Lines that we still hold would be busy.
    group = nil
    do {
      group = try bank.open(request)
      fault = nil
      isFresh = true
      return nil
    } catch {
      return lose(error)
    }
  }

  /// A set or sample failed.
  /// - Returns: as `open(from:)`.
  mutating func failed(_ fault: LineFault, bank: any LineBank) -> BoardReport? {
    isFresh ? lose(fault) : open(from: bank)
  }

  /// A program was played.
  /// - Returns: what to report, if the device was lost.
  mutating func worked() -> BoardReport? {
    isFresh = false
    guard isReportedLost else { return nil }
    isReportedLost = false
    return .back(device)
  }

  private mutating func lose(_ newFault: LineFault) -> BoardReport? {
    group = nil
    let isNews = !isReportedLost || newFault != fault
    fault = newFault
    isReportedLost = true
    return isNews ? .lost(device, reason: newFault.description) : nil
  }
}
