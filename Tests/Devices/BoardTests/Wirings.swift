// Displays in all their wirings. The tests of all displays draw each of them, so a new driver adds its own here.

@testable import Board

/// Board files with one display, on simulated lines.
enum Wiring {
  static func tm1637(digits: Int = 4, points: Bool = false) -> String {
    """
    board: Test
    chip: simulated
    lamp: { line: LAMP }
    display: { type: tm1637, digits: \(digits), decimal-points: \(points), clock: CLK, data: DIO }
    """
  }

  static func multiplexed(
    digits: Int = 4, points: Bool = false, active: String = "high", digitsActive: String? = nil
  ) -> String {
    let segments = ["A", "B", "C", "D", "E", "F", "G"] + (points ? ["DP"] : [])
    return """
      board: Test
      chip: simulated
      display:
        type: multiplexed
        segments: [\(segments.joined(separator: ", "))]
        digits: [\((1...digits).map { "D\($0)" }.joined(separator: ", "))]
        segments-active: \(active)
        digits-active: \(digitsActive ?? (active == "high" ? "low" : "high"))
      """
  }

  static func max7219(digits: Int = 4, points: Bool = true, first: String = "rightmost") -> String {
    """
    board: Test
    chip: simulated
    lamp: { line: LAMP }
    display:
      type: max7219
      digits: \(digits)
      first-digit: \(first)
      decimal-points: \(points)
      data: DIN
      clock: CLK
      select: LOAD
    """
  }

  static func static74HC595(
    digits: Int = 4, points: Bool = true, active: String = "high", first: String = "leftmost"
  ) -> String {
    """
    board: Test
    chip: simulated
    display:
      type: 74hc595-static
      digits: \(digits)
      first-digit: \(first)
      segments-active: \(active)
      decimal-points: \(points)
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

  /// All displays in all their wirings, four digits with points each.
  static let all: [(name: String, board: String)] = [
    ("tm1637", tm1637(points: true)),
    ("multiplexed, common cathode", multiplexed(points: true, active: "high", digitsActive: "low")),
    ("multiplexed, common cathode, transistors", multiplexed(points: true, active: "high", digitsActive: "high")),
    ("multiplexed, common anode", multiplexed(points: true, active: "low", digitsActive: "high")),
    ("multiplexed, common anode, transistors", multiplexed(points: true, active: "low", digitsActive: "low")),
    ("max7219", max7219()),
    ("max7219 from the left", max7219(first: "leftmost")),
    ("74hc595-static, common cathode", static74HC595(active: "high", first: "leftmost")),
    ("74hc595-static, common anode", static74HC595(active: "low", first: "rightmost")),
    ("74hc595-multiplexed, common anode", multiplexed74HC595()),
    (
      "74hc595-multiplexed, common cathode",
      multiplexed74HC595(segmentsActive: "high", digitsActive: "low", firstRegister: "segments", first: "leftmost")
    ),
  ]

  /// Returns a board for each display of that many digits.
  static func boards(width: Int, points: Bool) -> [String] {
    let tm1637 = BoardLimits.tm1637Digits.contains(width) ? [Wiring.tm1637(digits: width, points: points)] : []
    return tm1637 + [
      multiplexed(digits: width, points: points), max7219(digits: width, points: points),
      static74HC595(digits: width, points: points), multiplexed74HC595(digits: width, points: points),
    ]
  }
}

/// Returns the description in a board file.
func described(_ text: String) throws -> BoardDescription { try BoardDescription(text: text, file: "test.yaml") }
