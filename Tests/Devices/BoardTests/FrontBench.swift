import DeviceTestSupport
import Testing

@testable import Board
@testable import BoardSimulator
@testable import HandsetCore

/// A front on simulated lines, whose reports are awaited one by one. Used by one test.
final class FrontBench {
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

  let board: SimulatedBoard
  let front: Front
  /// The changes of the lines, if they are recorded.
  let recorder: LineRecorder
  /// The lines that another program holds.
  var otherProgram: (any LineGroup)?
  private var reports: AsyncStream<BoardReport>.AsyncIterator

  /// - Parameters:
  ///   - text: the board file.
  ///   - board: nil for one with a model of each of the file's devices.
  ///   - bank: opens the lines; nil for the board itself.
  init(
    _ text: String, on board: SimulatedBoard? = nil, bank: (any LineBank)? = nil,
    clock: any BoardClock = MonotonicClock(), wireClock: (any BoardClock)? = nil, recordsEdges: Bool = false
  ) throws {
    let description = try described(text)
    let lines = board ?? SimulatedBoard(description: description, clock: wireClock ?? clock)
    let recorder = LineRecorder(lines, clock: wireClock ?? clock)
    let own: any LineBank = recordsEdges ? recorder : lines
    let bank = bank ?? own
    let (stream, continuation) = AsyncStream<BoardReport>.makeStream()
    (self.board, self.recorder) = (lines, recorder)
    reports = stream.makeAsyncIterator()
    front = try Front(description: description, bank: bank, clock: clock, wireClock: wireClock) { report in
      continuation.yield(report)
    }
  }

  func next() async -> BoardReport? { await reports.next() }

  func show(_ badge: Int128, lamp: LampPattern? = nil, since: Duration = .zero, isDimmed: Bool = false) {
    front.show(Presentation(badge: badge, lamp: lamp, since: since, isDimmed: isDimmed))
  }

  /// Waits for the next report: the display shows this text.
  /// - Returns: its time.
  /// - Throws: if it is another report.
  @discardableResult
  func digits(_ text: String, overflows: Bool = false) async throws -> Duration {
    let report = await next()
    guard case .digits(text: text, overflows: overflows, let at)? = report else {
      throw Unexpected(wanted: "digits '\(text)'", report: report)
    }
    return at
  }

  /// Waits for the next report: an edge or another pattern of the lamp.
  /// - Returns: its time.
  /// - Throws: if it is another report.
  @discardableResult
  func lamp(_ isLit: Bool, _ pattern: LampPattern?) async throws -> Duration {
    let (report, name) = (await next(), pattern?.name)
    guard case .lamp(lit: isLit, pattern: name, let at)? = report else {
      throw Unexpected(wanted: "lamp \(isLit), \(name ?? "no pattern")", report: report)
    }
    return at
  }

  /// Unplugs the chip, for which `lost` expects the reason.
  func unplug() { board.unplug(LineFault(.chipMissing, "chip pulled out")) }

  /// Waits for a report of the loss of each of these devices, in their order.
  func lost(_ devices: BoardDevice..., sourceLocation: SourceLocation = #_sourceLocation) async {
    for device in devices {
      let report = await next()
      #expect(report == .lost(device, reason: "chip pulled out"), sourceLocation: sourceLocation)
    }
  }

  /// Waits for a report of the return of each of these devices, in their order.
  func back(_ devices: BoardDevice..., sourceLocation: SourceLocation = #_sourceLocation) async {
    for device in devices {
      let report = await next()
      #expect(report == .back(device), sourceLocation: sourceLocation)
    }
  }

  private struct Unexpected: Error {
    let wanted: String
    let report: BoardReport?
  }
}

extension Presentation {
  init(badge: Int128, lamp pattern: LampPattern? = nil, since: Duration = .zero, isDimmed: Bool = false) {
    self.init(
      badge: badge, lamp: pattern.map { Lamp(pattern: $0, since: since) }, banner: nil, alert: nil, isDimmed: isDimmed)
  }
}
