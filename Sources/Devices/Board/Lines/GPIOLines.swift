// Lines of the kernel's GPIO chips. Each way in which they can be missing becomes a sentence that names the chip or
// line and the remedy; the front only passes it on.

import CGPIOBank
import Glibc
import SystemThreads

/// The GPIO chips of this machine, through libgpiod.
public struct GPIOLines: LineBank {
  public let arrivalDirectory: String?

  /// - Parameter arrivalDirectory: the folder of the kernel's device files.
  public init(arrivalDirectory: String = "/dev") {
    self.arrivalDirectory = arrivalDirectory
  }

  public func open(_ request: LineRequest) throws(LineFault) -> any LineGroup {
    guard request.lines.count <= BoardLimits.linesPerGroup else {
      throw LineFault(.failed, "\(request.lines.count) lines are more than \(BoardLimits.linesPerGroup)")
    }
    let flags = CGPIOBANK_OUTPUTS | (request.drive == .openDrain ? CGPIOBANK_OPEN_DRAIN : 0)
    return try GPIOBank(request.lines, ofChip: request.chip, flags: flags, levels: request.initialLevels)
  }

  public func open(_ request: InputRequest) throws(LineFault) -> any InputLine {
    var flags = CGPIOBANK_EDGES
    if request.activeLow { flags |= CGPIOBANK_ACTIVE_LOW }
    switch request.bias {
    case .pullUp: flags |= CGPIOBANK_PULL_UP
    case .pullDown: flags |= CGPIOBANK_PULL_DOWN
    case .none: flags |= CGPIOBANK_BIAS_DISABLED
    }
    return try GPIOBank([request.line], ofChip: request.chip, flags: flags, levels: 0)
  }
}

/// The requested lines of one device. May move between threads if one at a time uses it, as `LineGroup` and `InputLine`
/// require: the bank has one owner, and libgpiod keeps no global state.
private final class GPIOBank: LineGroup, InputLine, @unchecked Sendable {
  private let bank: OpaquePointer
  /// The levels of all lines: a bank is set as a whole.
  private var levels: UInt64
  private let chip: String
  private let lines: [LineName]

  init(_ lines: [LineName], ofChip name: String, flags: UInt32, levels: UInt32) throws(LineFault) {
    let chip = name == BoardDescription.anyChip ? try OpenChip.having(lines) : try OpenChip(name)
    let offsets = try lines.map { line throws(LineFault) in try chip.offset(of: line) }
    var bank: OpaquePointer?
    var culprit = cgpiobank_line_info()
    let code = cgpiobank_request(chip.handle, offsets, offsets.count, flags, UInt64(levels), &bank, &culprit)
    guard code >= 0, let bank else {
      if flags & CGPIOBANK_EDGES != 0, code == -ENXIO || code == -EINVAL {
        throw LineFault(
          .failed,
          "line \(lines[0]) of GPIO chip '\(chip.name)' has no interrupt, which a button or switch needs: choose "
            + "another line in the board file")
      }
      throw chip.fault(requestCode: -code, lines: lines, offsets: offsets, culprit: culprit)
    }
    self.bank = bank
    self.levels = UInt64(levels)
    self.chip = chip.name
    self.lines = lines
  }

  deinit {
    cgpiobank_release(bank)
  }

  func set(mask: UInt32, levels newLevels: UInt32) throws(LineFault) {
    levels = levels & ~UInt64(mask) | UInt64(newLevels & mask)
    let code = cgpiobank_set(bank, levels)
    if code < 0 { throw fault("set", -code) }
  }

  func level(of line: Int) throws(LineFault) -> Bool {
    var values: UInt64 = 0
    let code = cgpiobank_get(bank, &values)
    if code < 0 { throw fault("read", -code) }
    return values >> UInt64(line) & 1 == 1
  }

  var realTimeBank: OpaquePointer? { bank }

  func fault(ofSetting code: Int32) -> LineFault { fault("set", code) }

  var descriptor: Int32 { cgpiobank_event_fd(bank) }

  func isActive() throws(LineFault) -> Bool { try level(of: 0) }

  func takeEdges() throws(LineFault) -> [LineEdge] {
    // Usually no edge waits: every wake-up of the front reads this line.
    var events = InlineArray<8, cgpiobank_event>(repeating: cgpiobank_event())
    var edges: [LineEdge] = []
    // At most as many as the kernel keeps: a line that never comes to rest must not block the front.
    for _ in 0..<BoardLimits.edgeReads {
      var span = events.mutableSpan
      let code = span.withUnsafeMutableBufferPointer { cgpiobank_read_events(bank, $0.baseAddress, $0.count) }
      if code < 0 { throw fault("read", -code) }
      for place in 0..<Int(code) {
        let event = events[place]
        edges.append(LineEdge(isActive: event.is_rising, time: .nanoseconds(event.timestamp_nanoseconds)))
      }
      if Int(code) < events.count { break }
    }
    return edges
  }

  /// Returns the fault for open lines that can no longer be used.
  private func fault(_ action: String, _ code: Int32) -> LineFault {
    let names = lines.map(\.description).joined(separator: ", ")
    let subject = "\(lines.count == 1 ? "line" : "lines") \(names) of GPIO chip '\(chip)' cannot be \(action)"
    return code == ENODEV
      ? LineFault(.chipMissing, "\(subject): the chip was removed; it is used again when it is back")
      : LineFault(.failed, "\(subject): \(SystemError(code: code).reason)")
  }
}
