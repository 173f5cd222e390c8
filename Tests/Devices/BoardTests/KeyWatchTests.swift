// The keys of a display: read at intervals, pressed, held, lost with the display.

import DeviceTestSupport
import Testing

@testable import Board
@testable import BoardSimulator
@testable import HandsetCore

@Suite("D2: the keys of a display", .timeLimit(.minutes(10)))
struct KeyWatchTests {
  private let clock = SimulatedClock(uptime: .seconds(100))
  private let bench: FrontBench

  init() throws {
    let text = Wiring.tm1638(keys: "{ 1: view, 2: close, 3: snooze, 8: OPEN-GATE }") + "\n  brightness: 7"
    let board = SimulatedBoard(description: try described(text), clock: clock)
    // Before the front's thread first reads them.
    board.hold(keys: [1])
    bench = try FrontBench(text, on: board, clock: clock)
  }

  /// Holds these keys until they were read, which a new number on the display shows.
  private func hold(_ keys: Set<Int>, for time: Duration = BoardLimits.keyInterval, showing badge: Int128) {
    bench.board.hold(keys: keys)
    clock.wait(until: clock.now() + time)
    bench.show(badge)
  }

  private func pressed() async -> (key: BoardKey, length: PressLength)? {
    guard case .pressed(let key, let length, _)? = await bench.next() else { return nil }
    return (key, length)
  }

  @Test("Each key means what the board file says; one without a meaning does nothing")
  func meanings() async throws {
    hold([], showing: 1)
    try await bench.digits("       1")
    for (keys, meanings) in [
      ([1], [.view]), ([2], [.close]), ([3], [.snooze]), ([8], [.action("OPEN-GATE")]), ([4], []),
      ([1, 2], [.view, .close]),
    ] as [(Set<Int>, [BoardKey])] {
      hold(keys, showing: 2)
      try await bench.digits("       2")
      hold([], showing: 3)
      for meaning in meanings {
        let found = await pressed()
        #expect(found?.key == meaning)
        #expect(found?.length == .short)
      }
      try await bench.digits("       3")
    }
  }

  @Test("A key held for a second is a long press while it is still down")
  func longPress() async throws {
    hold([], showing: 1)
    try await bench.digits("       1")
    hold([3], showing: 2)
    try await bench.digits("       2")
    hold([3], for: .seconds(1), showing: 3)
    let found = await pressed()
    #expect(found?.key == .snooze)
    #expect(found?.length == .long)
    try await bench.digits("       3")
    hold([], showing: 4)
    try await bench.digits("       4")
  }

  @Test("A key that is down at the start, or while the chip comes back, does not count as pressed")
  func downAtTheStart() async throws {
    hold([1], showing: 1)
    try await bench.digits("       1")
    hold([], showing: 2)
    try await bench.digits("       2")
    hold([2], showing: 3)
    try await bench.digits("       3")
    bench.unplug()
    hold([2], showing: 4)
    await bench.lost(.display)
    bench.board.plugIn()
    bench.front.retry()
    await bench.back(.display)
    try await bench.digits("       4")
    hold([], showing: 5)
    try await bench.digits("       5")
  }

  @Test("A chip that does not answer is reported once, and drawing goes on")
  func unanswered() async throws {
    var chip = TM1638Model(places: Array(0..<8), lines: [.label("DIO"), .label("CLK"), .label("STB")])
    chip.answers = false
    let clock = SimulatedClock(uptime: .seconds(100))
    let bench = try FrontBench(
      Wiring.tm1638(keys: "{ 1: view }"), on: SimulatedBoard(models: [chip], clock: clock), clock: clock)
    #expect(
      await bench.next()
        == .unanswered(
          .display,
          reason:
            "display on chip 'simulated': the TM1638 does not answer: check its supply, that data (DIO) is on line DIO, "
            + "clock (CLK) on line CLK and strobe (STB) on line STB, and that each has a resistor to 3.3 V; drawing goes on"
        ))
    for badge in 1...3 {
      clock.wait(until: clock.now() + BoardLimits.keyInterval)
      bench.show(Int128(badge))
      try await bench.digits("       \(badge)")
    }
  }

  @Test("Keys without a meaning are not read: an idle front does not wake")
  func nothingToRead() async throws {
    let bench = try FrontBench(Wiring.tm1638(), clock: clock)
    bench.show(1)
    try await bench.digits("       1")
    let description = try described(Wiring.tm1638())
    let watch = KeyWatch(description.display)
    #expect(watch == nil)
    #expect(bench.front.rest.nextChange == nil)
  }
}
