// Boards that several tests stand on, and a way to wait for a report instead of for time.

import Board
import BoardSimulator
import HandsetCore

enum Fixture {
  static let lampOnly = """
    board: Test
    chip: simulated
    lamp: { line: LAMP }
    """

  static func tm1637(digits: Int = 4, points: Bool = false) -> String {
    """
    board: Test
    chip: simulated
    lamp: { line: LAMP }
    display: { type: tm1637, digits: \(digits), decimal-points: \(points), clock: CLK, data: DIO }
    """
  }

  static func multiplexed(digits: Int = 4, points: Bool = false, active: String = "high") -> String {
    let segments = ["A", "B", "C", "D", "E", "F", "G"] + (points ? ["DP"] : [])
    return """
      board: Test
      chip: simulated
      display:
        type: multiplexed
        segments: [\(segments.joined(separator: ", "))]
        digits: [\((1...digits).map { "D\($0)" }.joined(separator: ", "))]
        segments-active: \(active)
        digits-active: \(active == "high" ? "low" : "high")
      """
  }

  static func description(_ text: String) throws -> BoardDescription {
    try BoardDescription(text: text, file: "test.yaml")
  }
}

/// The reports of a panel, to be awaited one by one.
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
  init(badge: Int128, lamp pattern: LampPattern? = nil, since: Duration = .zero) {
    self.init(badge: badge, lamp: pattern.map { Lamp(pattern: $0, since: since) }, banner: nil, alert: nil)
  }
}
