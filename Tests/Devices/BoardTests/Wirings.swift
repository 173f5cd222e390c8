// Displays in all their wirings. The tests of all displays draw those of the display files in board-configs/, so a new
// driver adds nothing here.

import StrictYAML

@testable import Board

/// Board files with one display, on simulated lines.
enum Wiring {
  static func tm1637(digits: Int = 4) -> String {
    """
    board: Test
    chip: simulated
    lamp: { line: LAMP }
    display: { type: tm1637, digits: \(digits), decimal-points: false, clock: CLK, data: DIO }
    """
  }

  static func tm1650(digits: Int = 4) -> String {
    tm1637(digits: digits).replacing("type: tm1637", with: "type: tm1650")
  }

  static func ht16k33(digits: Int = 4, segments: Int = 7) -> String {
    tm1637(digits: digits).replacing("type: tm1637", with: "type: ht16k33, segments-per-digit: \(segments)")
  }

  static func tm1638(keys: String = "{}") -> String {
    """
    board: Test
    chip: simulated
    display:
      type: tm1638
      digits: 8
      data: DIO
      clock: CLK
      strobe: STB
      keys: \(keys)
    """
  }

  static func multiplexed(digits: Int = 4) -> String {
    """
    board: Test
    chip: simulated
    display:
      type: multiplexed
      segments: [A, B, C, D, E, F, G]
      digits: [\(digitLines(digits))]
      segments-active: high
      digits-active: low
    """
  }

  static func max7219() -> String {
    """
    board: Test
    chip: simulated
    lamp: { line: LAMP }
    display:
      type: max7219
      digits: 4
      first-digit: rightmost
      decimal-points: true
      data: DIN
      clock: CLK
      select: LOAD
    """
  }

  static func static74HC595(digits: Int = 4, active: String = "high", first: String = "leftmost") -> String {
    """
    board: Test
    chip: simulated
    display:
      type: 74hc595-static
      digits: \(digits)
      first-digit: \(first)
      segments-active: \(active)
      decimal-points: true
      data: DS
      clock: SHCP
      latch: STCP
    """
  }

  static func multiplexed74HC595(
    digits: Int = 4, points: Bool = true, segmentsActive: String = "low", digitsActive: String = "high",
    firstRegister: String = "digits", first: String = "rightmost"
  ) -> String {
    """
    board: Test
    chip: simulated
    display:
      type: 74hc595-multiplexed
      digits: \(digits)
      first-digit: \(first)
      first-register: \(firstRegister)
      segments-active: \(segmentsActive)
      digits-active: \(digitsActive)
      decimal-points: \(points)
      data: DS
      clock: SHCP
      latch: STCP
    """
  }

  /// Each shipped display with four digits and points; then with the other value of one of its keys, of two, and so on.
  static let all: [(name: String, board: String)] = {
    var found: [(name: String, board: String)] = []
    for (file, keys) in shipped.sorted(by: { $0.key < $1.key }) {
      var name = file
      var display = keys
      // Its type has no other value: the display as it is shipped comes first.
      for key in ["type"] + keys.keys.sorted() {
        if let value = display[key], let other = opposites[value] {
          display[key] = other
          name += ", \(key) \(other)"
        }
        let board = Wiring.board(with: display, digits: 4, points: true)
        if !found.contains(where: { $0.board == board }) { found.append((name, board)) }
      }
    }
    return found
  }()

  /// Returns a board for each driver that takes that many digits.
  static func boards(width: Int, points: Bool) -> [String] {
    DriverCatalog.displays.map(\.type)
      .filter { widths[$0]?.contains(width) ?? true }
      .map { board(with: shipped[$0] ?? [:], digits: width, points: points) }
  }

  /// The numbers of digits of drivers that do not take each from 1 to 8.
  private static let widths = [
    TM1637.type: BoardLimits.tm1637Digits, TM1650.type: Array(BoardLimits.tm1650Digits), HT16K33.type: [4, 8],
  ]

  private static let opposites = [
    "high": "low", "low": "high", "leftmost": "rightmost", "rightmost": "leftmost", "digits": "segments",
    "segments": "digits",
  ]

  /// The shipped displays by the names of their files: each key that has one value, except the display's name.
  private static let shipped: [String: [String: String]] = try! BoardDescriptionTests.shipped("displays").mapValues {
    path in
    var values: [String: String] = [:]
    for entry in try YAMLDocument.parse(contentsOf: path).root.entries() where entry.key != "name" {
      values[entry.key] = entry.value.text
    }
    return values
  }

  /// Returns a board file with a shipped display, whose lines have the names of their keys.
  private static func board(with display: [String: String], digits: Int, points: Bool) -> String {
    var values = display
    values["digits"] = "\(digits)"
    values["decimal-points"] = "\(points)"
    let driver = DriverCatalog.displays.first { $0.type == display["type"] }
    for key in driver?.lineKeys ?? [] { values[key] = key.uppercased() }
    if driver?.type == Multiplexed.type {
      values["segments"] = points ? "[A, B, C, D, E, F, G, DP]" : "[A, B, C, D, E, F, G]"
      values["digits"] = "[\(digitLines(digits))]"
    }
    let section = values.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value)\n" }
    return "board: Test\nchip: simulated\ndisplay:\n" + section.joined()
  }

  private static func digitLines(_ count: Int) -> String { (1...count).map { "D\($0)" }.joined(separator: ", ") }
}

/// Returns the description in a board file.
func described(_ text: String) throws -> BoardDescription {
  try BoardDescription(YAMLDocument.parse(Array(text.utf8), file: "test.yaml"))
}
