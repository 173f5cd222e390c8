// Lines of the kernel's GPIO chips. Each way in which they can be missing becomes a sentence that names the chip or
// line and the remedy; the front only passes it on.

import CGPIOBank
import Glibc
import StrictYAML
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

/// A chip that is open while its lines are looked up. Closing it does not affect requested lines.
private final class OpenChip {
  let handle: OpaquePointer
  let name: String

  /// - Parameters:
  ///   - chip: its label, name or path.
  ///   - name: the name in messages; nil for `chip`.
  init(_ chip: String, named name: String? = nil) throws(LineFault) {
    var handle: OpaquePointer?
    let code = cgpiobank_chip_open(chip, &handle)
    guard code >= 0, let handle else { throw OpenChip.openFault(name ?? chip, -code) }
    self.handle = handle
    self.name = name ?? chip
  }

  /// Returns the only chip of this machine that has all these lines, by their labels.
  static func having(_ lines: [LineName]) throws(LineFault) -> OpenChip {
    let names = "\(lines.count == 1 ? "line" : "lines") \(lines.map { "'\($0)'" }.joined(separator: ", "))"
    let chips = try listed()
    var found: [OpenChip] = []
    var labels: Set<String> = []
    for info in chips {
      // A chip that has disappeared since is no candidate.
      guard let chip = try? OpenChip(text(info.path), named: text(info.label)) else { continue }
      let chipLabels = Set(chip.lineLabels)
      labels.formUnion(chipLabels)
      if lines.allSatisfy({ chipLabels.contains($0.description) }) { found.append(chip) }
    }
    if found.count == 1 { return found[0] }
    guard found.isEmpty else {
      throw LineFault(
        .chipMissing, "several GPIO chips have \(names): name one of them as 'chip' in the board file")
    }
    guard !chips.isEmpty else { throw LineFault(.chipMissing, "there is no GPIO chip with \(names); \(noChips)") }
    let advice =
      if let unknown = lines.map(\.description).first(where: { !labels.contains($0) }) {
        nearest(unknown, among: labels.sorted()).map { ", did you mean '\($0)'?" }
          ?? ": `gpioinfo` lists the lines of each; name them so in the board file"
      } else {
        ": they are on several, and all lines of one device must be on one"
      }
    throw LineFault(.lineMissing, "no GPIO chip has \(names)\(advice)")
  }

  deinit {
    cgpiobank_chip_close(handle)
  }

  func offset(of line: LineName) throws(LineFault) -> UInt32 {
    switch line {
    case .offset(let offset):
      return offset
    case .label(let label):
      let labels = lineLabels
      let places = labels.indices.filter { labels[$0] == label }
      if places.count == 1 { return UInt32(places[0]) }
      let subject = "GPIO chip '\(name)' has"
      guard places.isEmpty else {
        throw LineFault(
          .lineMissing, "\(subject) several lines '\(label)': name the line by its number in the board file")
      }
      let advice =
        nearest(label, among: labels).map { ", did you mean '\($0)'?" }
        ?? ": `gpioinfo` lists its lines; name the line so, or by its number, in the board file"
      throw LineFault(.lineMissing, "\(subject) no line '\(label)'\(advice)")
    }
  }

  func fault(
    requestCode code: Int32, lines: [LineName], offsets: [UInt32], culprit: cgpiobank_line_info
  ) -> LineFault {
    let place = offsets.firstIndex(of: culprit.offset)
    let line = place.map { "line \(lines[$0])" } ?? "lines \(lines.map(\.description).joined(separator: ", "))"
    let subject = "\(line) of GPIO chip '\(name)'"
    switch code {
    case EBUSY:
      let consumer = text(culprit.consumer)
      return LineFault(
        .busy,
        "\(subject) is used by \(consumer.isEmpty ? "another program or driver" : "'\(consumer)'"): stop that, or "
          + "choose another line in the board file")
    case ERANGE:
      let last = cgpiobank_chip_describe(handle).map { Int($0.pointee.line_count) - 1 } ?? 0
      return LineFault(.lineMissing, "\(subject) does not exist: its lines are 0 to \(last)")
    case EEXIST:
      return LineFault(.lineMissing, "\(subject) is named twice in the board file, by its label and by its number")
    case EACCES, EPERM:
      return LineFault(.notPermitted, "\(subject) cannot be used: \(SystemError(code: code).reason)")
    case ENODEV:
      return LineFault(.chipMissing, "\(subject) cannot be used: the chip was removed")
    default:
      return LineFault(.failed, "\(subject) cannot be used: \(SystemError(code: code).reason)")
    }
  }

  /// The labels of all lines; empty for a line without one, or that cannot be examined.
  private var lineLabels: [String] {
    let count = cgpiobank_chip_describe(handle)?.pointee.line_count ?? 0
    return (0..<count).map { offset in
      var info = cgpiobank_line_info()
      return cgpiobank_chip_line_info(handle, offset, &info) >= 0 ? text(info.name) : ""
    }
  }

  private static func openFault(_ name: String, _ code: Int32) -> LineFault {
    switch code {
    case EACCES, EPERM:
      return LineFault(
        .notPermitted,
        "no permission to open GPIO chip '\(name)': add this user to the group that owns /dev/gpiochip* (gpio on most "
          + "systems), and log in again")
    case ENOENT, ENODEV:
      return LineFault(.chipMissing, "there is no GPIO chip '\(name)'; \(chipAdvice(name))")
    case ENOTUNIQ:
      return LineFault(
        .chipMissing, "several GPIO chips are labelled '\(name)': name one as 'gpiochipN' in the board file")
    default:
      return LineFault(.failed, "GPIO chip '\(name)' cannot be opened: \(SystemError(code: code).reason)")
    }
  }

  private static func listed() throws(LineFault) -> [cgpiobank_chip_info] {
    var chips = [cgpiobank_chip_info](repeating: cgpiobank_chip_info(), count: Int(CGPIOBANK_MAX_CHIPS))
    let count = Int(cgpiobank_list_chips(&chips, chips.count))
    if count < 0 { throw openFault(BoardDescription.anyChip, Int32(-count)) }
    return Array(chips.prefix(count))
  }

  private static let noChips =
    "this machine shows no GPIO chips: connect it, load its driver, or run with the simulated board"

  private static func chipAdvice(_ name: String) -> String {
    let labels = ((try? listed()) ?? []).map { text($0.label) }
    if let near = nearest(name, among: labels) { return "did you mean '\(near)'?" }
    if labels.isEmpty { return noChips }
    return "here are \(labels.map { "'\($0)'" }.joined(separator: ", ")): name one of them as 'chip' in the board file"
  }
}

/// Returns the text of a C array of characters, up to its NUL.
private func text<Characters>(_ characters: Characters) -> String {
  withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
