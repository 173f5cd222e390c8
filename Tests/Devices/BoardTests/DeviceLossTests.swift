// A device that is missing, busy or removed affects no other, is reported once, and is drawn when it is back.

import DeviceTestSupport
import FoundationEssentials
import Testing

@testable import Board
@testable import BoardSimulator
@testable import HandsetCore

@Suite(.timeLimit(.minutes(10))) struct DeviceLossTests {
  private static let hasChips =
    (try? FileManager.default.contentsOfDirectory(atPath: "/dev"))?.contains { $0.hasPrefix("gpiochip") } ?? false

  @Test("A missing real chip is reported once for each device, and the front goes on")
  func missingRealChip() async throws {
    let bench = try FrontBench(
      Wiring.tm1637().replacing("chip: simulated", with: "chip: no-such-chip-here"), bank: GPIOLines())
    for device in [BoardDevice.lamp, .display] {
      guard case .lost(device, let reason) = await bench.next() else {
        Issue.record("\(device) is not lost")
        return
      }
      if DeviceLossTests.hasChips {
        #expect(reason.contains("GPIO chip 'no-such-chip-here'"))
      } else {
        #expect(
          reason == "there is no GPIO chip 'no-such-chip-here'; this machine shows no GPIO chips: connect it, load its "
            + "driver, or run with the simulated board")
      }
    }
    bench.show(3, lamp: .blink)
    bench.front.retry()
    bench.front.stop()
    // There were no further reports.
  }

  @Test("Lines that no chip has are named")
  func linesOfNoChip() throws {
    let hasChips = DeviceLossTests.hasChips
    let reason =
      hasChips
      ? "no GPIO chip has lines 'NO_1', 'NO_2': `gpioinfo` lists the lines of each; name them so in the board file"
      : "there is no GPIO chip with lines 'NO_1', 'NO_2'; this machine shows no GPIO chips: connect it, load its driver, "
        + "or run with the simulated board"
    #expect(throws: LineFault(hasChips ? .lineMissing : .chipMissing, reason)) {
      try GPIOLines().open(
        LineRequest(chip: BoardDescription.anyChip, lines: [.label("NO_1"), .label("NO_2")], initialLevels: 0))
    }
  }

  @Test(
    "Missing chips, labels of no chip, and files that are no chips",
    arguments: [
      "gpiochip9999", "/dev/gpiochip9999", "/nowhere/gpiochip0", "pinctrl-of-nobody", "pinctrl bcm2711", "gpiochip",
      String(repeating: "x", count: 4_096), "/dev/null", "/dev", "/proc/self/status",
    ])
  func noChip(name: String) throws {
    let fault = #expect(throws: LineFault.self) {
      try GPIOLines().open(LineRequest(chip: name, lines: [.offset(0)], initialLevels: 0))
    }
    #expect(fault?.kind == .chipMissing)
    #expect(fault?.description.hasPrefix("there is no GPIO chip '\(name)'; ") == true)
  }

  @Test func lostWhileDrawnIsSaidOnceAndDrawnWhenBack() async throws {
    let bench = try FrontBench(Wiring.tm1637())
    bench.show(5)
    try await bench.digits("   5")
    bench.unplug()
    bench.show(6, lamp: .steady)
    await bench.lost(.lamp, .display)
    bench.show(7, lamp: .steady)
    bench.board.plugIn()
    bench.front.retry()
    await bench.back(.lamp)
    try await bench.lamp(true, .steady)
    await bench.back(.display)
    try await bench.digits("   7")
    #expect(bench.board.picture == BoardPicture(lampIsLit: true, segments: [0, 0, 0, 0x07]))
  }

  @Test(
    "A chip that went and came while nothing was drawn is opened anew without a word",
    arguments: [Wiring.tm1637(), Wiring.multiplexed()])
  func staleLinesAreOpenedAnew(board: String) async throws {
    let bench = try FrontBench(board)
    bench.show(5)
    try await bench.digits("   5")
    bench.board.unplug()
    bench.board.plugIn()
    bench.show(6)
    try await bench.digits("   6")
  }

  @Test("A scanned display is lost while it is refreshed, and comes back")
  func scannedDisplayComesBack() async throws {
    let bench = try FrontBench(Wiring.multiplexed())
    bench.show(5)
    try await bench.digits("   5")
    bench.unplug()
    await bench.lost(.display)
    bench.show(8)
    bench.board.plugIn()
    bench.front.retry()
    await bench.back(.display)
    try await bench.digits("   8")
  }

  /// Returns a front without one of its lines, which another program holds.
  private func bench(
    _ text: String, without line: String, clock: any BoardClock = MonotonicClock()
  ) throws -> FrontBench {
    let board = SimulatedBoard(description: try described(text), clock: clock)
    let other = try board.open(LineRequest(chip: "simulated", lines: [.label(line)], initialLevels: 1))
    let bench = try FrontBench(text, on: board, clock: clock)
    bench.otherProgram = other
    return bench
  }

  @Test("A busy line affects its device only")
  func busyLineCostsItsDeviceAlone() async throws {
    let bench = try bench(Wiring.tm1637(), without: "DIO")
    #expect(await bench.next() == .lost(.display, reason: "simulated line DIO is used already"))
    bench.show(1, lamp: .steady)
    try await bench.lamp(true, .steady)
  }

  @Test("The next presentation tries a busy line again")
  func busyLineIsAskedForAgain() async throws {
    let bench = try bench(FrontBench.lampOnly, without: "LAMP")
    #expect(await bench.next() == .lost(.lamp, reason: "simulated line LAMP is used already"))
    bench.otherProgram = nil
    bench.show(0, lamp: .steady)
    await bench.back(.lamp)
    try await bench.lamp(true, .steady)
  }

  @Test("A line that another program uses is tried again by itself, and affects nothing else")
  func busyLineIsTriedAgain() async throws {
    let clock = SimulatedClock(uptime: .seconds(100))
    let bench = try bench(FrontBench.everything, without: "MOTOR", clock: clock)
    #expect(await bench.next() == .lost(.motor, reason: "simulated line MOTOR is used already"))
    #expect(await bench.next() == .silentSwitch(false, at: .seconds(100)))
    bench.otherProgram = nil
    bench.front.vibrate(.pulse)
    clock.wait(until: .seconds(101))
    bench.front.wake()
    await bench.back(.motor)
  }

  /// A folder for the device files of chips.
  private struct DeviceFolder {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("deskbell-board-\(UUID().uuidString)").path

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    func delete() { try? FileManager.default.removeItem(atPath: path) }

    func add(_ name: String) { _ = FileManager.default.createFile(atPath: "\(path)/\(name)", contents: nil) }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }

    /// Returns a bank of these lines, whose chips appear in the folder.
    func bank(_ board: SimulatedBoard) -> any LineBank { ArrivalBank(board: board, arrivalDirectory: path) }
  }

  @Test("A chip that goes and comes while nothing is drawn is noticed at once, and drawn again")
  func standsStillThroughLossAndReturn() async throws {
    let folder = try DeviceFolder()
    defer { folder.delete() }
    folder.add("gpiochip0")
    let board = SimulatedBoard(description: try described(Wiring.tm1637()))
    let bench = try FrontBench(Wiring.tm1637(), on: board, bank: folder.bank(board))
    bench.show(7, lamp: .steady)
    try await bench.lamp(true, .steady)
    try await bench.digits("   7")
    bench.unplug()
    try folder.remove("gpiochip0")
    await bench.lost(.lamp, .display)
    board.plugIn()
    folder.add("gpiochip0")
    await bench.back(.lamp, .display)
    #expect(board.picture == BoardPicture(lampIsLit: true, segments: [0, 0, 0, 0x07]))
  }

  @Test("A chip that appears in the watched folder is used at once, without polling")
  func chipArrives() async throws {
    let folder = try DeviceFolder()
    defer { folder.delete() }
    let board = SimulatedBoard(description: try described(FrontBench.lampOnly))
    board.unplug(LineFault(.chipMissing, "chip pulled out"))
    let bench = try FrontBench(FrontBench.lampOnly, on: board, bank: folder.bank(board))
    await bench.lost(.lamp)
    board.plugIn()
    folder.add("tty0")
    folder.add("gpiochip3")
    await bench.back(.lamp)
  }

  @Test("Retries come after 1 s, then twice as long each time, at most 60 s; a missing chip is not tried")
  func retriesBackOff() {
    var schedule = RetrySchedule()
    var now = Duration.seconds(1_000)
    for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
      schedule.lost(.busy, at: now)
      #expect(schedule.dueAt == now + .seconds(seconds))
      now += .seconds(seconds)
      let (early, inTime) = (schedule.isDue(at: now - .nanoseconds(1), .time), schedule.isDue(at: now, .time))
      #expect((early, inTime) == (false, true))
    }
    // A new presentation triggers an attempt at once, but not twice in a second.
    schedule.lost(.busy, at: now)
    let wanted = [999, 1_000].map { schedule.isDue(at: now + .milliseconds($0), .wanted) }
    #expect(wanted == [false, true])
    schedule.lost(.chipMissing, at: now)
    let missing = [DeviceRetry.time, .wanted, .now].map { schedule.isDue(at: now + .seconds(1_000), $0) }
    #expect(schedule.dueAt == nil)
    #expect(missing == [false, false, true])
    schedule.reset()
    schedule.lost(.failed, at: now)
    #expect(schedule.dueAt == now + .seconds(1))
    schedule.taken()
    #expect(schedule.dueAt == nil)
  }

  @Test("One line more than a group has")
  func tooManyLines() {
    let lines = (0...UInt32(BoardLimits.linesPerGroup)).map { LineName.offset($0) }
    #expect(throws: LineFault(.failed, "33 lines are more than 32")) {
      try GPIOLines().open(LineRequest(chip: "gpiochip0", lines: lines, initialLevels: 0))
    }
  }
}

private struct ArrivalBank: LineBank {
  let board: SimulatedBoard
  let arrivalDirectory: String?

  func open(_ request: LineRequest) throws(LineFault) -> any LineGroup { try board.open(request) }
  func open(_ request: InputRequest) throws(LineFault) -> any InputLine { try board.open(request) }
}
