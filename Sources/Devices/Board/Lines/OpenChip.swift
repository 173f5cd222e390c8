// Finds chips and lines by the names that users write, and has a sentence for each way in which they can be missing.

import CGPIOBank
import Glibc
import StrictYAML
import SystemThreads

/// A chip that is open while its lines are looked up. Closing it does not affect requested lines.
final class OpenChip {
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
      let code = cgpiobank_chip_find_line(handle, label)
      if code >= 0 { return UInt32(code) }
      let subject = "GPIO chip '\(name)' has"
      switch -code {
      case ENOENT:
        throw LineFault(.lineMissing, "\(subject) no line '\(label)'\(advice(for: label))")
      case ENOTUNIQ:
        throw LineFault(
          .lineMissing, "\(subject) several lines '\(label)': name the line by its number in the board file")
      default:
        throw LineFault(
          .failed, "line '\(label)' of GPIO chip '\(name)' cannot be looked up: \(SystemError(code: -code).reason)")
      }
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

  private var lineLabels: [String] {
    let count = cgpiobank_chip_describe(handle)?.pointee.line_count ?? 0
    return (0..<count).compactMap { offset in
      var info = cgpiobank_line_info()
      return cgpiobank_chip_line_info(handle, offset, &info) >= 0 ? text(info.name) : nil
    }
  }

  private func advice(for label: String) -> String {
    if let near = nearest(label, among: lineLabels) { return ", did you mean '\(near)'?" }
    return ": `gpioinfo` lists its lines; name the line so, or by its number, in the board file"
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
func text<Characters>(_ characters: Characters) -> String {
  withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
