// A device that is missing, busy or removed affects no other, is reported once, and is drawn when it is back.

import DeviceTestSupport
import FoundationEssentials
import Testing

@testable import Board
@testable import BoardSimulator
@testable import HandsetCore

@Suite(.timeLimit(.minutes(10))) struct DeviceLossTests {
  @Test("A real chip that is not there: said once for each device, and the front lives")
  func missingRealChip() async throws {
    let description = try Fixture.description(
      Fixture.tm1637().replacing("chip: simulated", with: "chip: no-such-chip-here"))
    let log = ReportLog()
    let front = try Front(description: description, bank: GPIOLines(), report: log.send)
    var reports = log.reports.makeAsyncIterator()
    for device in [BoardDevice.lamp, .display] {
      guard case .lost(device, let reason) = await reports.next() else {
        Issue.record("\(device) is not lost")
        return
      }
      let chips = try FileManager.default.contentsOfDirectory(atPath: "/dev").filter { $0.hasPrefix("gpiochip") }
      if chips.isEmpty {
        #expect(
          reason == "there is no GPIO chip 'no-such-chip-here'; this machine shows no GPIO chips: connect it, load its "
            + "driver, or run with the simulated board")
      } else {
        #expect(reason.contains("GPIO chip 'no-such-chip-here'"))
      }
    }
    front.show(Presentation(badge: 3, lamp: .blink))
    front.retry()
    front.stop()
    // There were no further reports.
  }

  @Test("Lines that no chip has are named")
  func linesOfNoChip() throws {
    let chips = try FileManager.default.contentsOfDirectory(atPath: "/dev").filter { $0.hasPrefix("gpiochip") }
    let reason =
      chips.isEmpty
      ? "there is no GPIO chip with lines 'NO_1', 'NO_2'; this machine shows no GPIO chips: connect it, load its driver, "
        + "or run with the simulated board"
      : "no GPIO chip has lines 'NO_1', 'NO_2': `gpioinfo` lists the lines of each; name them so in the board file"
    #expect(throws: LineFault(chips.isEmpty ? .chipMissing : .lineMissing, reason)) {
      try GPIOLines().open(
        LineRequest(chip: BoardDescription.anyChip, lines: [.label("NO_1"), .label("NO_2")], initialLevels: 0))
    }
  }

  @Test func lostWhileDrawnIsSaidOnceAndDrawnWhenBack() async throws {
    let description = try Fixture.description(Fixture.tm1637())
    let board = SimulatedBoard(description: description)
    let log = ReportLog()
    let front = try Front(description: description, bank: board, report: log.send)
    var reports = log.reports.makeAsyncIterator()
    front.show(Presentation(badge: 5))
    guard case .digits(text: "   5", _, _) = await reports.next() else {
      Issue.record("no digits")
      return
    }
    board.unplug(LineFault(.chipMissing, "chip pulled out"))
    front.show(Presentation(badge: 6, lamp: .steady))
    #expect(await reports.next() == .lost(.lamp, reason: "chip pulled out"))
    #expect(await reports.next() == .lost(.display, reason: "chip pulled out"))
    front.show(Presentation(badge: 7, lamp: .steady))
    board.plugIn()
    front.retry()
    #expect(await reports.next() == .back(.lamp))
    guard case .lamp(lit: true, pattern: "steady", _) = await reports.next() else {
      Issue.record("no lamp")
      return
    }
    #expect(await reports.next() == .back(.display))
    guard case .digits(text: "   7", _, _) = await reports.next() else {
      Issue.record("no digits after the return")
      return
    }
    #expect(board.picture == BoardPicture(lampIsLit: true, segments: [0, 0, 0, 0x07]))
    front.stop()
  }

  @Test(
    "A chip that went and came while nothing was drawn is opened anew without a word",
    arguments: [
      Fixture.tm1637(), Fixture.multiplexed(),
    ])
  func staleLinesAreOpenedAnew(text: String) async throws {
    let description = try Fixture.description(text)
    let board = SimulatedBoard(description: description)
    let log = ReportLog()
    let front = try Front(description: description, bank: board, report: log.send)
    var reports = log.reports.makeAsyncIterator()
    front.show(Presentation(badge: 5))
    guard case .digits(text: "   5", _, _) = await reports.next() else {
      Issue.record("no digits")
      return
    }
    board.unplug()
    board.plugIn()
    front.show(Presentation(badge: 6))
    guard case .digits(text: "   6", _, _) = await reports.next() else {
      Issue.record("no digits after the return")
      return
    }
    front.stop()
  }

  @Test("A scanned display that is lost under way, and comes back")
  func scannedDisplayComesBack() async throws {
    let description = try Fixture.description(Fixture.multiplexed())
    let board = SimulatedBoard(description: description)
    let log = ReportLog()
    let front = try Front(description: description, bank: board, report: log.send)
    var reports = log.reports.makeAsyncIterator()
    front.show(Presentation(badge: 5))
    _ = await reports.next()
    board.unplug(LineFault(.chipMissing, "chip pulled out"))
    #expect(await reports.next() == .lost(.display, reason: "chip pulled out"))
    front.show(Presentation(badge: 8))
    board.plugIn()
    front.retry()
    #expect(await reports.next() == .back(.display))
    guard case .digits(text: "   8", _, _) = await reports.next() else {
      Issue.record("no digits after the return")
      return
    }
    front.stop()
  }

  @Test("A busy line costs its device alone")
  func busyLineCostsItsDeviceAlone() async throws {
    let description = try Fixture.description(Fixture.tm1637())
    let board = SimulatedBoard(description: description)
    let other = try board.open(LineRequest(chip: "simulated", lines: [.label("DIO")], initialLevels: 1))
    let log = ReportLog()
    let front = try Front(description: description, bank: board, report: log.send)
    var reports = log.reports.makeAsyncIterator()
    #expect(await reports.next() == .lost(.display, reason: "simulated line DIO is used already"))
    front.show(Presentation(badge: 1, lamp: .steady))
    guard case .lamp(lit: true, pattern: "steady", _) = await reports.next() else {
      Issue.record("no lamp")
      return
    }
    front.stop()
    _ = other
  }

  @Test("A busy line gives no sign when it is free: the next presentation asks")
  func busyLineIsAskedForAgain() async throws {
    let description = try Fixture.description(Fixture.lampOnly)
    let board = SimulatedBoard(description: description)
    var other: (any LineGroup)? = try board.open(
      LineRequest(chip: "simulated", lines: [.label("LAMP")], initialLevels: 0))
    #expect(other != nil)
    let log = ReportLog()
    let front = try Front(description: description, bank: board, report: log.send)
    var reports = log.reports.makeAsyncIterator()
    #expect(await reports.next() == .lost(.lamp, reason: "simulated line LAMP is used already"))
    other = nil
    front.show(Presentation(badge: 0, lamp: .steady))
    #expect(await reports.next() == .back(.lamp))
    guard case .lamp(lit: true, pattern: "steady", _) = await reports.next() else {
      Issue.record("no lamp")
      return
    }
    front.stop()
  }

  @Test("A chip that goes and comes while nothing is drawn: noticed at once, and drawn again without being asked")
  func standsStillThroughLossAndReturn() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("deskbell-board-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let chip = folder.appendingPathComponent("gpiochip0").path
    _ = FileManager.default.createFile(atPath: chip, contents: nil)
    let description = try Fixture.description(Fixture.tm1637())
    let board = SimulatedBoard(description: description)
    let log = ReportLog()
    let front = try Front(
      description: description, bank: ArrivalBank(board: board, arrivalDirectory: folder.path), report: log.send)
    var reports = log.reports.makeAsyncIterator()
    front.show(Presentation(badge: 7, lamp: .steady))
    guard case .lamp(lit: true, _, _) = await reports.next(), case .digits(text: "   7", _, _) = await reports.next()
    else {
      Issue.record("nothing was drawn")
      return
    }
    board.unplug(LineFault(.chipMissing, "chip pulled out"))
    try FileManager.default.removeItem(atPath: chip)
    #expect(await reports.next() == .lost(.lamp, reason: "chip pulled out"))
    #expect(await reports.next() == .lost(.display, reason: "chip pulled out"))
    board.plugIn()
    _ = FileManager.default.createFile(atPath: chip, contents: nil)
    #expect(await reports.next() == .back(.lamp))
    #expect(await reports.next() == .back(.display))
    #expect(board.picture == BoardPicture(lampIsLit: true, segments: [0, 0, 0, 0x07]))
    front.stop()
  }

  @Test("A line that another program uses is asked for again by itself, and costs nothing else")
  func busyLineIsTriedAgain() async throws {
    let description = try Fixture.description(Fixture.everything)
    let clock = SimulatedClock(uptime: .seconds(100))
    let board = SimulatedBoard(description: description, clock: clock)
    var other: (any LineGroup)? = try board.open(
      LineRequest(chip: "simulated", lines: [.label("MOTOR")], initialLevels: 0))
    #expect(other != nil)
    let log = ReportLog()
    let front = try Front(description: description, bank: board, clock: clock, report: log.send)
    var reports = log.reports.makeAsyncIterator()
    #expect(await reports.next() == .lost(.motor, reason: "simulated line MOTOR is used already"))
    #expect(await reports.next() == .silentSwitch(false, at: .seconds(100)))
    other = nil
    front.vibrate(.pulse)
    clock.wait(until: .seconds(101))
    front.wake()
    #expect(await reports.next() == .back(.motor))
    front.stop()
  }

  @Test("Retries: 1 s, then twice as long each time, never more than 60; a chip that is missing is waited for")
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

  @Test("A chip that appears in the watched folder is used at once, without polling")
  func chipArrives() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("deskbell-board-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let description = try Fixture.description(Fixture.lampOnly)
    let board = SimulatedBoard(description: description)
    board.unplug(LineFault(.chipMissing, "chip pulled out"))
    let log = ReportLog()
    let front = try Front(
      description: description, bank: ArrivalBank(board: board, arrivalDirectory: folder.path), report: log.send)
    var reports = log.reports.makeAsyncIterator()
    #expect(await reports.next() == .lost(.lamp, reason: "chip pulled out"))
    board.plugIn()
    _ = FileManager.default.createFile(atPath: folder.appendingPathComponent("tty0").path, contents: nil)
    _ = FileManager.default.createFile(atPath: folder.appendingPathComponent("gpiochip3").path, contents: nil)
    #expect(await reports.next() == .back(.lamp))
    front.stop()
  }
}

private struct ArrivalBank: LineBank {
  let board: SimulatedBoard
  let arrivalDirectory: String?

  func open(_ request: LineRequest) throws(LineFault) -> any LineGroup { try board.open(request) }
  func open(_ request: InputRequest) throws(LineFault) -> any InputLine { try board.open(request) }
}
