// The front with its threads, on simulated lines. Nothing here waits for time: each step is awaited by its report.

import DeviceTestSupport
import Synchronization
import Testing

@testable import Board
@testable import BoardSimulator
@testable import HandsetCore

@Suite(.timeLimit(.minutes(10))) struct FrontTests {
  @Test func drawsLampAndDigits() async throws {
    let description = try Fixture.description(Fixture.tm1637())
    let board = SimulatedBoard(description: description)
    let log = ReportLog()
    let front = try Front(description: description, bank: board, report: log.send)
    var reports = log.reports.makeAsyncIterator()
    front.show(Presentation(badge: 12, lamp: .steady))
    guard case .lamp(lit: true, pattern: "steady", _) = await reports.next() else {
      Issue.record("no lamp")
      return
    }
    guard case .digits(text: "  12", overflows: false, let at) = await reports.next() else {
      Issue.record("no digits")
      return
    }
    #expect(at <= MonotonicClock().now())
    #expect(board.picture == BoardPicture(lampIsLit: true, segments: [0, 0, 0x06, 0x5B]))
    front.stop()
    #expect(board.picture == BoardPicture(lampIsLit: false, segments: [0, 0, 0, 0]))
  }

  @Test("A multiplexed display is scanned while lit, and left at rest when dark")
  func scansMultiplexedDisplay() async throws {
    let description = try Fixture.description(Fixture.multiplexed())
    let board = SimulatedBoard(description: description, recordsEdges: true)
    let log = ReportLog()
    let front = try Front(description: description, bank: board, report: log.send)
    var reports = log.reports.makeAsyncIterator()
    for (badge, text) in [(12, "  12"), (345, " 345"), (0, "    "), (9, "   9")] {
      front.show(Presentation(badge: Int128(badge)))
      guard case .digits(text: text, overflows: false, _) = await reports.next() else {
        Issue.record("no \(text)")
        return
      }
    }
    front.stop()
    #expect(board.picture.digits == "    ")
    // At rest: all segments low, all digits (active low) high.
    var levels: [LineName: Bool] = [:]
    for edge in board.edges { levels[edge.line] = edge.level }
    let digits: Set<LineName> = [.label("D1"), .label("D2"), .label("D3"), .label("D4")]
    #expect(levels.allSatisfy { line, level in level == digits.contains(line) })
  }

  @Test(
    "Displays behind shift registers are drawn and left dark",
    arguments: [
      Fixture.max7219(), Fixture.static74HC595(active: "low"), Fixture.multiplexed74HC595(),
    ])
  func drawsBehindShiftRegisters(text: String) async throws {
    let description = try Fixture.description(text)
    let board = SimulatedBoard(description: description)
    let log = ReportLog()
    let front = try Front(description: description, bank: board, report: log.send)
    var reports = log.reports.makeAsyncIterator()
    for (badge, text) in [(12, "  12"), (10_000, "9.9.9.9."), (0, "    "), (9, "   9")] {
      front.show(Presentation(badge: Int128(badge)))
      guard case .digits(text: text, overflows: badge > 9999, _) = await reports.next() else {
        Issue.record("no \(text)")
        return
      }
    }
    #expect(board.picture.digits == "   9")
    front.stop()
    #expect(board.picture.digits == "    ")
  }

  @Test(
    "B5: the same number at night is drawn dimmer, and is no news",
    arguments: [
      Fixture.tm1637(), Fixture.max7219(),
    ])
  func dimsAtNight(text: String) async throws {
    let description = try Fixture.description(text)
    let board = SimulatedBoard(description: description)
    let log = ReportLog()
    let front = try Front(description: description, bank: board, report: log.send)
    var reports = log.reports.makeAsyncIterator()
    func brightness() -> Int? {
      board.models.lazy.compactMap { ($0 as? TM1637Model)?.brightness ?? ($0 as? MAX7219Model)?.brightness }.first
    }
    front.show(Presentation(badge: 5))
    guard case .digits(text: "   5", _, _) = await reports.next() else {
      Issue.record("no digits")
      return
    }
    #expect(brightness() == 4)
    // The lamp is drawn before the digits, so its next edge shows that they were drawn.
    for (pattern, isDimmed) in [(LampPattern.steady, true), (nil, true)] as [(LampPattern?, Bool)] {
      front.show(Presentation(badge: 5, lamp: pattern, isDimmed: isDimmed))
      guard case .lamp(lit: pattern != nil, _, _) = await reports.next() else {
        Issue.record("something else than the lamp")
        return
      }
    }
    #expect(brightness() == 0)
    front.show(Presentation(badge: 6, isDimmed: false))
    guard case .digits(text: "   6", _, _) = await reports.next() else {
      Issue.record("no digits by day")
      return
    }
    #expect(brightness() == 4)
    front.stop()
    #expect(brightness() == nil)
  }

  @Test("D1: lamp edges come at the pattern's own times")
  func lampEdgesAtExactTimes() async throws {
    let description = try Fixture.description(Fixture.lampOnly)
    let clock = SimulatedClock(uptime: .seconds(100))
    let board = SimulatedBoard(description: description, clock: clock, recordsEdges: true)
    let log = ReportLog()
    let front = try Front(description: description, bank: board, clock: clock, report: log.send)
    var reports = log.reports.makeAsyncIterator()
    front.show(Presentation(badge: 0, lamp: .heartbeat, since: .seconds(100)))
    #expect(await reports.next() == .lamp(lit: true, pattern: "heartbeat", at: .seconds(100)))
    let edges: [(Int, Bool)] = [(80, false), (240, true), (400, false), (1_200, true), (1_280, false)]
    for (milliseconds, lit) in edges {
      let edge = Duration.seconds(100) + .milliseconds(milliseconds)
      clock.wait(until: edge)
      front.wake()
      #expect(await reports.next() == .lamp(lit: lit, pattern: "heartbeat", at: edge))
    }
    front.show(.dark)
    #expect(await reports.next() == .lamp(lit: false, pattern: nil, at: .milliseconds(101_280)))
    front.stop()
    #expect(
      board.edges.map(\.time)
        == [100_000, 100_080, 100_240, 100_400, 101_200, 101_280].map { .milliseconds($0) })
  }

  @Test("Real time wakes the front for each edge, never before it")
  func lampEdgesInRealTime() async throws {
    let description = try Fixture.description(Fixture.lampOnly)
    let log = ReportLog()
    let front = try Front(description: description, bank: SimulatedBoard(description: description), report: log.send)
    var reports = log.reports.makeAsyncIterator()
    let since = MonotonicClock().now()
    front.show(Presentation(badge: 0, lamp: .double, since: since))
    for (milliseconds, lit) in [(0, true), (120, false), (240, true), (360, false)] {
      guard case .lamp(lit: lit, pattern: "double", let at) = await reports.next() else {
        Issue.record("no edge at \(milliseconds) ms")
        return
      }
      #expect(at >= since + .milliseconds(milliseconds))
    }
    front.stop()
  }

  @Test("Virtual uptime that stands still: programs keep their real pace, reports have virtual times")
  func drawsUnderVirtualUptime() async throws {
    for text in [Fixture.tm1637(), Fixture.multiplexed()] {
      let description = try Fixture.description(text)
      let log = ReportLog()
      let front = try Front(
        description: description, bank: SimulatedBoard(description: description),
        clock: SimulatedClock(uptime: .seconds(42)), wireClock: MonotonicClock(), report: log.send)
      var reports = log.reports.makeAsyncIterator()
      front.show(Presentation(badge: 12))
      #expect(await reports.next() == .digits(text: "  12", overflows: false, at: .seconds(42)))
      front.stop()
    }
  }

  @Test func newestPresentationWins() async throws {
    let description = try Fixture.description(Fixture.tm1637())
    let bank = GatedBank(SimulatedBoard(description: description))
    let log = ReportLog()
    let front = try Front(description: description, bank: bank, report: log.send)
    var reports = log.reports.makeAsyncIterator()
    // The front's thread waits at the gate while all of these arrive.
    for badge in 1...1_000 { front.show(Presentation(badge: Int128(badge))) }
    bank.openGate()
    guard case .digits(text: "1000", overflows: false, _) = await reports.next() else {
      Issue.record("another than the newest was drawn")
      return
    }
    front.stop()
  }

  @Test("Nothing that changes by itself: the front wakes for mail alone")
  func restsWithoutWaking() async throws {
    let description = try Fixture.description(Fixture.tm1637())
    let log = ReportLog()
    let front = try Front(description: description, bank: SimulatedBoard(description: description), report: log.send)
    var reports = log.reports.makeAsyncIterator()
    var wakeCounts: [Int] = []
    for badge in 1...10 {
      front.show(Presentation(badge: Int128(badge)))
      _ = await reports.next()
      wakeCounts.append(front.rest.wakeCount)
      #expect(front.rest.nextChange == nil)
    }
    // The first mail may be found before the thread first rests, and its ring after.
    let growth = zip(wakeCounts.dropFirst(2), wakeCounts.dropFirst()).map { $0 - $1 }
    #expect(growth == Array(repeating: 1, count: 8))
    front.stop()
  }

  @Test("The same presentation again draws nothing and reports nothing")
  func sameAgainIsSilent() async throws {
    let description = try Fixture.description(Fixture.tm1637())
    let board = SimulatedBoard(description: description, recordsEdges: true)
    let log = ReportLog()
    let front = try Front(description: description, bank: board, report: log.send)
    var reports = log.reports.makeAsyncIterator()
    front.show(Presentation(badge: 7))
    guard case .digits(text: "   7", _, _) = await reports.next() else {
      Issue.record("no digits")
      return
    }
    let drawn = board.edges.count
    for _ in 1...5 { front.show(Presentation(badge: 7)) }
    // Only the lamp is reported, so the earlier presentations were not drawn.
    front.show(Presentation(badge: 7, lamp: .steady))
    guard case .lamp(lit: true, _, _) = await reports.next() else {
      Issue.record("no lamp")
      return
    }
    #expect(board.edges.count == drawn + 1)
    front.stop()
  }

  @Test("A chip that answers nothing is reported once, and drawn on")
  func unansweredIsSaidOnce() async throws {
    let description = try Fixture.description(Fixture.tm1637())
    var chip = TM1637Model(lines: [.label("CLK"), .label("DIO")], digits: 4)
    chip.acknowledges = false
    let lines = SimulatedBoard(models: [chip], clock: MonotonicClock())
    let log = ReportLog()
    let front = try Front(description: description, bank: lines, report: log.send)
    var reports = log.reports.makeAsyncIterator()
    front.show(Presentation(badge: 1))
    #expect(
      await reports.next()
        == .unanswered(
          .display,
          reason:
            "display on chip 'simulated': the TM1637 does not answer (7 bytes not acknowledged): check its supply, "
            + "and that clock is on line CLK and data on line DIO; drawing goes on"))
    for (badge, text) in [(1, "   1"), (2, "   2"), (3, "   3")] {
      front.show(Presentation(badge: Int128(badge)))
      guard case .digits(text: text, _, _) = await reports.next() else {
        Issue.record("no \(text)")
        return
      }
    }
    front.stop()
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
