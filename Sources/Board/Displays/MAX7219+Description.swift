// The keys of a MAX7219 in a board description.

import StrictYAML

extension MAX7219 {
  static func read(_ section: MappingReader, _ lines: LineReader) -> BoardDescription.Display? {
    let digits = section.required("digits") { try $0.integer(in: BoardLimits.max7219Digits) }
    let first = section.optional("first-digit", default: DigitEnd.rightmost) { try $0.choice() }
    // The modules that are sold have digits with points.
    let hasDecimalPoints = section.optional("decimal-points", default: true) { try $0.boolean() }
    let data = section.required("data", lines.line)
    let clock = section.required("clock", lines.line)
    let select = section.required("select", lines.line)
    let brightness = Brightness.read(
      section, in: BoardLimits.max7219Brightness, default: BoardLimits.defaultMAX7219Brightness)
    guard let digits, let data, let clock, let select, let brightness else { return nil }
    return BoardDescription.Display(
      driver: MAX7219(digits: digits, firstDigit: first), lines: [data, clock, select],
      hasDecimalPoints: hasDecimalPoints, brightness: brightness)
  }
}
