// Lines of the kernel's GPIO chips. Each way in which they can be missing becomes a sentence that names the chip or
// line and the remedy; the front only passes it on.

import CGPIOBank
import FoundationEssentials
import Glibc
import StrictYAML
import SystemThreads

/// The GPIO chips of this machine, through libgpiod.
public struct GPIOLines: LineBank {
  /// The folder of the kernel's device files.
  static let devices = "/dev"

  public var arrivalDirectory: String? { GPIOLines.devices }

  public init() {}

  public func open(_ request: LineRequest) throws(LineFault) -> any LineGroup {
    guard request.lines.count <= BoardLimits.linesPerGroup else {
      throw LineFault(.failed, "\(request.lines.count) lines are more than \(BoardLimits.linesPerGroup)")
    }
    let flags = request.drive == .openDrain ? CGPIOBANK_OPEN_DRAIN : 0
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
/// require: the bank and its chip have one owner, and libgpiod keeps no global state.
private final class GPIOBank: LineGroup, InputLine, @unchecked Sendable {
  private let bank: OpaquePointer
  /// The levels of all lines: a bank is set as a whole.
  private var levels: UInt64
  private let chip: OpenChip
  private let lines: [LineName]

  init(_ lines: [LineName], ofChip name: String, flags: UInt32, levels: UInt32) throws(LineFault) {
    chip = name == BoardDescription.anyChip ? try OpenChip.having(lines) : try OpenChip.named(name)
    let offsets = try chip.offsets(of: lines)
    var bank: OpaquePointer?
    let code = cgpiobank_request(chip.handle, offsets, offsets.count, flags, UInt64(levels), &bank)
    guard code >= 0, let bank else {
      if flags & CGPIOBANK_EDGES != 0, code == -ENXIO || code == -EINVAL {
        throw LineFault(
          .failed,
          "line \(lines[0]) of GPIO chip '\(chip.name)' has no interrupt, which a button or switch needs: choose "
            + "another line in the board file")
      }
      throw chip.fault(requestCode: -code, lines: lines, offsets: offsets)
    }
    self.bank = bank
    self.levels = UInt64(levels)
    self.lines = lines
  }

  /// The chip is closed after it.
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

  private func fault(_ action: String, _ code: Int32) -> LineFault {
    let names = lines.map(\.description).joined(separator: ", ")
    let subject = "\(lines.count == 1 ? "line" : "lines") \(names) of GPIO chip '\(chip.name)' cannot be \(action)"
    return code == ENODEV
      ? LineFault(.chipMissing, "\(subject): the chip was removed; it is used again when it is back")
      : LineFault(.failed, "\(subject): \(SystemError(code: code).reason)")
  }
}

private final class OpenChip {
  let handle: OpaquePointer
  /// The name in messages.
  private(set) var name: String
  private let info: cgpiobank_chip_info

  private var label: String { text(info.label) }

  /// - Parameter name: nil for the chip's label.
  private init(path: String, name: String? = nil) throws(SystemError) {
    var handle: OpaquePointer?
    var info = cgpiobank_chip_info()
    let code = cgpiobank_chip_open(path, &handle, &info)
    guard code >= 0, let handle else { throw SystemError(code: -code) }
    (self.handle, self.info) = (handle, info)
    self.name = name ?? text(info.label)
  }

  /// Opens a chip by its path, its label or its name. Chips are looked up here rather than by the library: the two
  /// versions differ in the order, and neither reports an ambiguous label or a missing permission.
  static func named(_ name: String) throws(LineFault) -> OpenChip {
    do throws(SystemError) {
      if name.contains("/") { return try OpenChip(path: name, name: name) }
      let (chips, refusal) = listed()
      let labelled = chips.filter { $0.label == name }
      if labelled.count > 1 { throw SystemError(code: ENOTUNIQ) }
      guard let chip = labelled.first ?? chips.first(where: { text($0.info.name) == name }) else {
        throw refusal ?? SystemError(code: ENOENT)
      }
      chip.name = name
      return chip
    } catch {
      throw openFault(name, error.code)
    }
  }

  /// Returns the only chip of this machine that has all these lines, by their labels.
  static func having(_ lines: [LineName]) throws(LineFault) -> OpenChip {
    let names = "\(lines.count == 1 ? "line" : "lines") \(lines.map { "'\($0)'" }.joined(separator: ", "))"
    let (chips, refusal) = listed()
    if chips.isEmpty, let refusal { throw openFault(BoardDescription.anyChip, refusal.code) }
    var found: [OpenChip] = []
    var labels: Set<String> = []
    for chip in chips {
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

  /// - Throws: also if the chip does not have each line, or has one twice.
  func offsets(of lines: [LineName]) throws(LineFault) -> [UInt32] {
    let offsets = try lines.map { line throws(LineFault) in try offset(of: line) }
    for (place, offset) in offsets.enumerated() {
      let first = offsets.firstIndex(of: offset) ?? place
      let subject = "line \(lines[first]) of GPIO chip '\(name)'"
      if offset >= info.line_count {
        throw LineFault(.lineMissing, "\(subject) does not exist: its lines are 0 to \(Int(info.line_count) - 1)")
      }
      if first < place {
        throw LineFault(.lineMissing, "\(subject) is named twice in the board file, by its label and by its number")
      }
    }
    return offsets
  }

  private func offset(of line: LineName) throws(LineFault) -> UInt32 {
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

  func fault(requestCode code: Int32, lines: [LineName], offsets: [UInt32]) -> LineFault {
    // The request failed a moment ago, so the line may be free again by now.
    let infos = code == EBUSY ? offsets.map(lineInfo) : []
    let place = infos.firstIndex(where: \.is_used)
    let line = place.map { "line \(lines[$0])" } ?? "lines \(lines.map(\.description).joined(separator: ", "))"
    let subject = "\(line) of GPIO chip '\(name)'"
    switch code {
    case EBUSY:
      let consumer = place.map { text(infos[$0].consumer) } ?? ""
      return LineFault(
        .busy,
        "\(subject) is used by \(consumer.isEmpty ? "another program or driver" : "'\(consumer)'"): stop that, or "
          + "choose another line in the board file")
    case EACCES, EPERM:
      return LineFault(.notPermitted, "\(subject) cannot be used: \(SystemError(code: code).reason)")
    case ENODEV:
      return LineFault(.chipMissing, "\(subject) cannot be used: the chip was removed")
    default:
      return LineFault(.failed, "\(subject) cannot be used: \(SystemError(code: code).reason)")
    }
  }

  /// The labels of all lines; empty for a line without one, or that cannot be examined.
  private var lineLabels: [String] { (0..<info.line_count).map { text(lineInfo($0).name) } }

  private func lineInfo(_ offset: UInt32) -> cgpiobank_line_info {
    var info = cgpiobank_line_info()
    return cgpiobank_chip_line_info(handle, offset, &info) >= 0 ? info : cgpiobank_line_info()
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

  /// Returns the chips that can be opened, in the order of their numbers, and the error of one that may not be opened.
  private static func listed() -> (chips: [OpenChip], refusal: SystemError?) {
    let prefix = "gpiochip"
    let files = (try? FileManager.default.contentsOfDirectory(atPath: GPIOLines.devices)) ?? []
    let numbers = files.filter { $0.hasPrefix(prefix) }.compactMap { UInt32($0.dropFirst(prefix.count)) }.sorted()
    var (chips, refusal): ([OpenChip], SystemError?) = ([], nil)
    for number in numbers {
      do throws(SystemError) {
        chips.append(try OpenChip(path: "\(GPIOLines.devices)/\(prefix)\(number)"))
      } catch {
        // Another error is of a chip that has disappeared since.
        if error.code == EACCES || error.code == EPERM { refusal = error }
      }
    }
    return (chips, refusal)
  }

  private static let noChips =
    "this machine shows no GPIO chips: connect it, load its driver, or run with the simulated board"

  private static func chipAdvice(_ name: String) -> String {
    let labels = listed().chips.map(\.label)
    if let near = nearest(name, among: labels) { return "did you mean '\(near)'?" }
    if labels.isEmpty { return noChips }
    return "here are \(labels.map { "'\($0)'" }.joined(separator: ", ")): name one of them as 'chip' in the board file"
  }
}

/// Returns the text of a C array of characters, up to its NUL.
private func text<Characters>(_ characters: Characters) -> String {
  withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
