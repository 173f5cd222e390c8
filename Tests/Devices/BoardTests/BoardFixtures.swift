// Boards that several tests use, and a way to wait for a report instead of for time.

@testable import Board
@testable import BoardSimulator
@testable import HandsetCore

enum Fixture {
  static let lampOnly = """
    board: Test
    chip: simulated
    lamp: { line: LAMP }
    """

  /// Active-low contacts with the chip's own resistors: pressed is `drive(_:to: false)`.
  static let everything = """
    board: Test
    chip: simulated
    lamp: { line: LAMP }
    motor: { line: MOTOR }
    buttons:
      view: { line: VIEW }
      close: { line: CLOSE }
    switch:
      ring-silent: { line: SILENT }
    """

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

  static func description(_ text: String) throws -> BoardDescription {
    try BoardDescription(text: text, file: "test.yaml")
  }
}

/// The reports of a front, to be awaited one by one.
struct ReportLog: Sendable {
  let reports: AsyncStream<BoardReport>
  let send: @Sendable (BoardReport) -> Void

  init() {
    let (stream, continuation) = AsyncStream<BoardReport>.makeStream()
    reports = stream
    send = { continuation.yield($0) }
  }
}

extension Presentation {
  init(badge: Int128, lamp pattern: LampPattern? = nil, since: Duration = .zero, isDimmed: Bool = false) {
    self.init(
      badge: badge, lamp: pattern.map { Lamp(pattern: $0, since: since) }, banner: nil, alert: nil, isDimmed: isDimmed)
  }
}
