// Buttons and the switch: bounced, held, lost, with more edges than the kernel keeps. Times are those of the edges.

import DeviceTestSupport
import Synchronization
import Testing

@testable import Board
@testable import BoardSimulator
@testable import HandsetCore

@Suite("D2: buttons and the ring/silent switch", .timeLimit(.minutes(10)))
struct ContactTests {
  private let clock = SimulatedClock(uptime: .seconds(100))
  private let bench: FrontBench

  init() throws { bench = try FrontBench(FrontBench.everything, clock: clock) }

  /// Closes and opens the contact at these microseconds after 100 s, and moves the clock to `end`.
  private func toggle(_ line: String, _ microseconds: [Int], from level: Bool, until end: Int) {
    let levels = microseconds.enumerated().map { (level: $0.isMultiple(of: 2) != level, time: at($1)) }
    bench.board.drive(.label(line), through: levels)
    wake(at: end)
  }

  private func wake(at microseconds: Int) {
    clock.wait(until: at(microseconds))
    bench.front.wake()
  }

  /// Unplugs the chip after lamp and motor, which is drawn last, have been set, so that only contacts notice it.
  private func unplug() async {
    bench.front.vibrate(.pulse)
    #expect(await bench.next() == .motor(runs: true, at: clock.now()))
    bench.front.vibrate(nil)
    #expect(await bench.next() == .motor(runs: false, at: clock.now()))
    bench.unplug()
    await bench.lost(.viewButton, .closeButton, .silentSwitch)
  }

  /// Plugs the chip in again.
  private func plugIn() async {
    bench.board.plugIn()
    bench.front.retry()
    await bench.back(.viewButton, .closeButton, .silentSwitch)
  }

  private func at(_ microseconds: Int) -> Duration { .seconds(100) + .microseconds(microseconds) }

  @Test("A press that bounces for 6 ms, and a release that does, act once")
  func bounces() async throws {
    #expect(await bench.next() == .silentSwitch(false, at: .seconds(100)))
    toggle("CLOSE", [0, 700, 1_500, 1_600, 3_000, 5_000, 6_000], from: true, until: 16_000)
    toggle("CLOSE", [80_000, 81_000, 82_500, 83_000, 86_000], from: false, until: 96_000)
    #expect(await bench.next() == .pressed(.close, .short, at: at(86_000)))
    toggle("VIEW", [200_000, 200_500, 201_000], from: true, until: 211_000)
    toggle("VIEW", [300_000], from: false, until: 400_000)
    #expect(await bench.next() == .pressed(.view, .short, at: at(300_000)))
    toggle("VIEW", [500_000, 600_000], from: true, until: 700_000)
    #expect(await bench.next() == .pressed(.view, .short, at: at(600_000)))
  }

  @Test("A release between the look at the edges and at the level ends a press, and does not undo it")
  func releasedMeanwhile() {
    var reports: [BoardReport] = []
    let line = ScriptedLine(
      edges: [[LineEdge(isActive: true, time: at(0))], [], [LineEdge(isActive: false, time: at(16_100))], [], []],
      levels: [false, false, false])
    let request = InputRequest(chip: "gpiochip0", line: .label("GPIO5"), activeLow: true, bias: .pullUp)
    var watch = ContactWatch(
      .closeButton, .button(.close), request, ScriptedBank(line: line), uptime: { $0 }, { reports.append($0) })
    watch.retry(at: at(0), .now)
    for time in [0, 16_000, 30_000] { watch.look(at: at(time)) }
    #expect(reports == [.pressed(.close, .short, at: at(16_100))])
  }

  @Test("A level counts after 10 ms, not a nanosecond before")
  func tooShort() {
    var debouncer = Debouncer(isActive: false)
    var levels = [debouncer.take(LineEdge(isActive: true, time: .seconds(1)))]
    #expect(debouncer.deadline == .seconds(1) + .milliseconds(10))
    levels.append(debouncer.take(LineEdge(isActive: false, time: .seconds(1) + .nanoseconds(9_999_999))))
    levels.append(debouncer.rest(until: .seconds(2), reading: false))
    levels.append(debouncer.take(LineEdge(isActive: true, time: .seconds(3))))
    #expect(levels == [nil, nil, nil, nil])
    // An edge that is read late shows that the previous level lasted.
    let end = Duration.seconds(3) + .milliseconds(10)
    levels = [debouncer.take(LineEdge(isActive: false, time: end)), debouncer.rest(until: .seconds(4), reading: false)]
    #expect(levels == [.init(isActive: true, since: .seconds(3)), .init(isActive: false, since: end)])
    #expect(debouncer.deadline == nil)
  }

  @Test(
    "A button held for a second is a long press while it is still down; a microsecond less is a short one",
    arguments: AlertButton.allCases)
  func longPress(_ button: AlertButton) async throws {
    _ = await bench.next()
    let line = button.rawValue.uppercased()
    let key: BoardKey = button == .view ? .view : .close
    toggle(line, [0], from: true, until: 10_000)
    toggle(line, [], from: false, until: 1_000_000)
    #expect(await bench.next() == .pressed(key, .long, at: at(1_000_000)))
    toggle(line, [1_500_000], from: false, until: 1_600_000)
    toggle(line, [2_000_000, 2_999_999], from: true, until: 4_000_000)
    #expect(await bench.next() == .pressed(key, .short, at: at(2_999_999)))
    toggle(line, [5_000_000, 6_000_000], from: true, until: 7_000_000)
    #expect(await bench.next() == .pressed(key, .long, at: at(6_000_000)))
  }

  @Test("After more edges than the kernel keeps, the contact's level is read")
  func overflow() async throws {
    _ = await bench.next()
    // 19 edges 10 µs apart, down at last; the kernel's 16 end with up.
    toggle("VIEW", (0..<19).map { $0 * 10 }, from: true, until: 20_000)
    // The motor starts after the contact was read.
    bench.front.vibrate(.pulse)
    #expect(await bench.next() == .motor(runs: true, at: at(20_000)))
    toggle("VIEW", [], from: true, until: 30_000)
    toggle("VIEW", [90_000], from: false, until: 100_000)
    #expect(await bench.next() == .pressed(.view, .short, at: at(90_000)))
  }

  @Test("S5: the switch is reported at the start, when it moves, and when its chip comes back after it was moved")
  func silentSwitch() async throws {
    #expect(await bench.next() == .silentSwitch(false, at: .seconds(100)))
    toggle("SILENT", [0, 400, 900], from: true, until: 20_000)
    #expect(await bench.next() == .silentSwitch(true, at: at(900)))
    await unplug()
    toggle("SILENT", [100_000], from: false, until: 200_000)
    await plugIn()
    #expect(await bench.next() == .silentSwitch(false, at: at(200_000)))
  }

  @Test("A button that is down when its line is opened does not count as pressed")
  func heldAtTheStart() async throws {
    _ = await bench.next()
    await unplug()
    bench.board.drive(.label("CLOSE"), to: false)
    await plugIn()
    wake(at: 100_000_000)
    toggle("CLOSE", [100_100_000], from: false, until: 100_200_000)
    toggle("VIEW", [100_300_000, 100_350_000], from: true, until: 100_400_000)
    #expect(await bench.next() == .pressed(.view, .short, at: at(100_350_000)))
  }

  @Test("D3: the motor plays its pattern once, at its own times, and stops on request")
  func motor() async throws {
    _ = await bench.next()
    bench.front.vibrate(.double)
    for (milliseconds, runs) in [(0, true), (200, false), (350, true), (550, false)] {
      wake(at: milliseconds * 1_000)
      #expect(await bench.next() == .motor(runs: runs, at: at(milliseconds * 1_000)))
      #expect(bench.board.picture.motorRuns == runs)
    }
    bench.front.vibrate(.triple)
    #expect(await bench.next() == .motor(runs: true, at: at(550_000)))
    bench.front.vibrate(nil)
    #expect(await bench.next() == .motor(runs: false, at: at(550_000)))
    bench.front.vibrate(.pulse)
    #expect(await bench.next() == .motor(runs: true, at: at(550_000)))
    bench.front.stop()
    #expect(bench.board.picture.motorRuns == false)
  }

  @Test("D3: a pulse that begins late ends late: it is never shorter than its pattern says")
  func lateMotor() async throws {
    _ = await bench.next()
    bench.front.vibrate(.double)
    for (milliseconds, runs) in [(0, true), (200, false), (360, true)] {
      wake(at: milliseconds * 1_000)
      #expect(await bench.next() == .motor(runs: runs, at: at(milliseconds * 1_000)))
    }
    // The lamp's second report comes from a turn of the loop after one in which the motor could have stopped.
    clock.wait(until: at(550_000))
    for lamp in [LampPattern.steady, nil] {
      bench.front.show(Presentation(badge: 0, lamp: lamp))
      #expect(await bench.next() == .lamp(lit: lamp != nil, pattern: lamp?.name, at: at(550_000)))
    }
    wake(at: 560_000)
    #expect(await bench.next() == .motor(runs: false, at: at(560_000)))
  }
}

/// A line whose edges and levels are given for each call.
private final class ScriptedLine: InputLine {
  private let script: Mutex<(edges: [[LineEdge]], levels: [Bool])>
  let descriptor: Int32 = -1

  init(edges: [[LineEdge]], levels: [Bool]) {
    script = Mutex((edges, levels))
  }

  func isActive() -> Bool { script.withLock { $0.levels.removeFirst() } }
  func takeEdges() -> [LineEdge] { script.withLock { $0.edges.removeFirst() } }
}

private struct ScriptedBank: LineBank {
  let line: ScriptedLine
  let arrivalDirectory: String? = nil

  func open(_ request: LineRequest) throws(LineFault) -> any LineGroup { fatalError("it has no outputs") }
  func open(_ request: InputRequest) -> any InputLine { line }
}
