// The front with its threads, on simulated lines. Nothing here waits for time: each step is awaited by its report.

import DeviceTestSupport
import Synchronization
import Testing

@testable import Board
@testable import BoardSimulator
@testable import HandsetCore

@Suite(.timeLimit(.minutes(10))) struct FrontTests {
  @Test func drawsLampAndDigits() async throws {
    let bench = try FrontBench(Wiring.tm1637())
    bench.show(12, lamp: .steady)
    try await bench.lamp(true, .steady)
    #expect(try await bench.digits("  12") <= MonotonicClock().now())
    #expect(bench.board.picture == BoardPicture(lampIsLit: true, segments: [0, 0, 0x06, 0x5B]))
    bench.front.stop()
    #expect(bench.board.picture == BoardPicture(lampIsLit: false, segments: [0, 0, 0, 0]))
  }

  @Test("Every display is drawn, and left dark", arguments: Wiring.all)
  func drawsEveryDisplay(name: String, board: String) async throws {
    let bench = try FrontBench(board)
    for (badge, text) in [(12, "  12"), (10_000, "9.9.9.9."), (0, "    "), (9, "   9")] {
      bench.show(Int128(badge))
      try await bench.digits(text, overflows: badge > 9999)
    }
    // The turn of the last of bare digits ends in the next frame.
    if !name.hasPrefix("multiplexed") { #expect(bench.board.picture.digits == "   9") }
    bench.front.stop()
    #expect(bench.board.picture.digits == "    ")
  }

  @Test("A multiplexed display is left at rest when dark")
  func multiplexedDisplayRests() async throws {
    let bench = try FrontBench(Wiring.multiplexed(), recordsEdges: true)
    for (badge, text) in [(345, " 345"), (0, "    "), (9, "   9")] {
      bench.show(Int128(badge))
      try await bench.digits(text)
    }
    bench.front.stop()
    // At rest: all segments low, all digits (active low) high.
    var levels: [LineName: Bool] = [:]
    for edge in bench.recorder.edges { levels[edge.line] = edge.level }
    let digits: Set<LineName> = [.label("D1"), .label("D2"), .label("D3"), .label("D4")]
    #expect(levels.allSatisfy { line, level in level == digits.contains(line) })
  }

  @Test(
    "B5: the same number at night is drawn dimmer, and is no news", arguments: [Wiring.ht16k33(), Wiring.max7219()])
  func dimsAtNight(board: String) async throws {
    let bench = try FrontBench(board)
    func brightness() -> Int? {
      bench.board.models.lazy.compactMap(\.brightness).first
    }
    bench.show(5)
    try await bench.digits("   5")
    #expect(brightness() == 4)
    // The lamp is drawn before the digits, so its next edge shows that they were drawn.
    for pattern in [LampPattern.steady, nil] {
      bench.show(5, lamp: pattern, isDimmed: true)
      try await bench.lamp(pattern != nil, pattern)
    }
    #expect(brightness() == 0)
    bench.show(6)
    try await bench.digits("   6")
    #expect(brightness() == 4)
    bench.front.stop()
    #expect(brightness() == nil)
  }

  @Test("D1: lamp edges come at the pattern's own times")
  func lampEdgesAtExactTimes() async throws {
    let clock = SimulatedClock(uptime: .seconds(100))
    let bench = try FrontBench(FrontBench.lampOnly, clock: clock, recordsEdges: true)
    bench.show(0, lamp: .heartbeat, since: .seconds(100))
    let edges: [(Int, Bool)] = [(0, true), (80, false), (240, true), (400, false), (1_200, true), (1_280, false)]
    for (milliseconds, lit) in edges {
      let edge = Duration.seconds(100) + .milliseconds(milliseconds)
      clock.wait(until: edge)
      bench.front.wake()
      #expect(try await bench.lamp(lit, .heartbeat) == edge)
    }
    bench.front.show(.dark)
    #expect(try await bench.lamp(false, nil) == .milliseconds(101_280))
    bench.front.stop()
    #expect(
      bench.recorder.edges.map(\.time)
        == [100_000, 100_080, 100_240, 100_400, 101_200, 101_280].map { .milliseconds($0) })
  }

  @Test("In real time the front wakes for each edge, never before it")
  func lampEdgesInRealTime() async throws {
    let bench = try FrontBench(FrontBench.lampOnly)
    let since = MonotonicClock().now()
    bench.show(0, lamp: .double, since: since)
    for (milliseconds, lit) in [(0, true), (120, false), (240, true), (360, false)] {
      #expect(try await bench.lamp(lit, .double) >= since + .milliseconds(milliseconds))
    }
  }

  @Test(
    "Virtual uptime that stands still: programs keep their real pace, reports have virtual times",
    arguments: [Wiring.tm1637(), Wiring.multiplexed()])
  func drawsUnderVirtualUptime(board: String) async throws {
    let bench = try FrontBench(board, clock: SimulatedClock(uptime: .seconds(42)), wireClock: MonotonicClock())
    bench.show(12)
    #expect(try await bench.digits("  12") == .seconds(42))
  }

  @Test func newestPresentationWins() async throws {
    let board = SimulatedBoard(description: try described(Wiring.tm1637()))
    let bank = GatedBank(board)
    let bench = try FrontBench(Wiring.tm1637(), on: board, bank: bank)
    // The front's thread waits at the gate while all of these arrive.
    for badge in 1...1_000 { bench.show(Int128(badge)) }
    bank.openGate()
    try await bench.digits("1000")
  }

  @Test("If nothing changes by itself, the front wakes for new presentations only")
  func restsWithoutWaking() async throws {
    let bench = try FrontBench(Wiring.tm1637())
    var wakeCounts: [Int] = []
    for badge in 1...10 {
      bench.show(Int128(badge))
      _ = await bench.next()
      wakeCounts.append(bench.front.rest.wakeCount)
      #expect(bench.front.rest.nextChange == nil)
    }
    // The first mail may be found before the thread first rests, and its ring after.
    let growth = zip(wakeCounts.dropFirst(2), wakeCounts.dropFirst()).map { $0 - $1 }
    #expect(growth == Array(repeating: 1, count: 8))
  }

  @Test("The same presentation again draws nothing and reports nothing")
  func sameAgainIsSilent() async throws {
    let bench = try FrontBench(Wiring.tm1637(), recordsEdges: true)
    bench.show(7)
    try await bench.digits("   7")
    let drawn = bench.recorder.edges.count
    for _ in 1...5 { bench.show(7) }
    // Only the lamp is reported, so the earlier presentations were not drawn.
    bench.show(7, lamp: .steady)
    try await bench.lamp(true, .steady)
    #expect(bench.recorder.edges.count == drawn + 1)
  }

  private func silentDisplay() throws -> FrontBench {
    var chip = TM1637Model(lines: [.label("CLK"), .label("DIO")], digits: 4)
    chip.acknowledges = false
    return try FrontBench(Wiring.tm1637(), on: SimulatedBoard(models: [chip], clock: MonotonicClock()))
  }

  @Test("A chip that does not answer is reported once, and drawing goes on")
  func unansweredIsSaidOnce() async throws {
    let bench = try silentDisplay()
    bench.show(1)
    #expect(
      await bench.next()
        == .unanswered(
          .display,
          reason:
            "display on chip 'simulated': the TM1637 does not answer (7 bytes not acknowledged): check its supply, "
            + "and that clock is on line CLK and data on line DIO; drawing goes on"))
    for (badge, text) in [(1, "   1"), (2, "   2"), (3, "   3")] {
      bench.show(Int128(badge))
      try await bench.digits(text)
    }
    bench.board.change(TM1637Model.self) { $0.acknowledges = true }
    bench.show(4)
    await bench.back(.display)
    try await bench.digits("   4")
    bench.show(5)
    try await bench.digits("   5")
  }

  @Test("A chip that does not answer after its lines were lost is reported once more")
  func unansweredAfterALoss() async throws {
    let bench = try silentDisplay()
    bench.show(1)
    let report = await bench.next()
    try await bench.digits("   1")
    bench.unplug()
    bench.show(2)
    await bench.lost(.display)
    bench.board.plugIn()
    bench.front.retry()
    await bench.back(.display)
    #expect(await bench.next() == report)
    try await bench.digits("   2")
  }
}

/// A bank whose lines cannot be opened before its gate is.
private final class GatedBank: LineBank {
  private let bank: any LineBank
  private let isOpen = Atomic(false)

  init(_ bank: any LineBank) { self.bank = bank }

  var arrivalDirectory: String? { nil }

  func openGate() { isOpen.store(true, ordering: .releasing) }

  func open(_ request: LineRequest) throws(LineFault) -> any LineGroup {
    while !isOpen.load(ordering: .acquiring) {}
    return try bank.open(request)
  }

  func open(_ request: InputRequest) throws(LineFault) -> any InputLine { try bank.open(request) }
}
