// The keys of a TM1637 in a board description.

import StrictYAML

extension TM1637 {
  static func read(_ section: MappingReader, _ lines: LineReader) -> BoardDescription.Display? {
    let digits = section.required("digits") { node throws(Diagnostic) in
      let count = try node.integer()
      guard BoardLimits.tm1637Digits.contains(count) else {
        throw node.diagnostic("must be 4 or 6 for a \(TM1637.type), not \(count)")
      }
      return count
    }
    // Many modules have a colon and no points: the default must not need points that are missing.
    let hasDecimalPoints = section.optional("decimal-points", default: false) { try $0.boolean() }
    let clock = section.required("clock", lines.line)
    let data = section.required("data", lines.line)
    let brightness = Brightness.read(
      section, in: BoardLimits.tm1637Brightness, default: BoardLimits.defaultTM1637Brightness)
    guard let digits, let clock, let data, let brightness else { return nil }
    return BoardDescription.Display(
      driver: TM1637(digits: digits), lines: [clock, data], hasDecimalPoints: hasDecimalPoints, brightness: brightness)
  }
}
