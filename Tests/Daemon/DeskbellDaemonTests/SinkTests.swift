// The reports of devices as events: one when a lamp begins and one when it ends, however long it blinks.

import Board
import Clocks
import DeviceTestSupport
import FoundationEssentials
import HandsetStore
import Speaker
import Synchronization
import Testing

@testable import DeskbellDaemon
@testable import HandsetCore
@testable import Host

@Suite struct SinkTests {
  private let devices = DeviceTable()
  private let queue = InputQueue()

  private var reporter: DeviceReporter {
    DeviceReporter(queue: queue, handset: .first, devices: devices, clock: SystemClock(), logger: .silent)
  }

  @Test("A lost device is in the table with its problem until it is back")
  func devicesComeAndGo() {
    let (board, playbacks) = (BoardReports(reporter), Playbacks(reporter, screen: nil))
    board.handle(.lost(.display, reason: "GPIO chip 'x' is missing"))
    playbacks.handle(.deviceLost(message: "speaker: PCM 'y'"))
    #expect(devices.all.map(\.problem) == ["display: GPIO chip 'x' is missing", "speaker: PCM 'y'"])
    #expect(devices.all.map(\.works) == [false, false])
    board.handle(.back(.display))
    playbacks.handle(.deviceBack)
    #expect(devices.all.map(\.name) == ["display", "speaker"])
    #expect(devices.all.map(\.works) == [true, true])
  }

  @Test("A3: music that cannot be dimmed is a device of its own in the table")
  func duckingComesAndGoes() {
    let playbacks = Playbacks(reporter, screen: nil)
    playbacks.handle(.duckingLost(message: "speaker: element 'Music'"))
    #expect(devices.all.map(\.name) == ["music volume"])
    #expect(devices.all.map(\.problem) == ["speaker: element 'Music'"])
    playbacks.handle(.duckingBack)
    #expect(devices.all.map(\.works) == [true])
  }

  @Test("A sound that a person plays is answered when it has begun, or with why it has not; it is no push's")
  func playsForItself() async throws {
    let folder = try Folder()
    let playbacks = Playbacks(reporter, screen: nil)
    let speaker = try Speaker(output: NullSink()) { playbacks.handle($0) }
    defer { speaker.shutdown() }
    let sink = SpeakerSink(
      handset: .first, speaker: speaker, library: SoundLibrary(state: "/nowhere", systemSound: "/nowhere/bell.wav"),
      playbacks: playbacks)
    let gone = Sound(name: "gone", path: "\(folder.path)/gone.wav")
    #expect(
      await sink.play(gone, at: .full)
        == "sound 'gone': '\(gone.path)' cannot be read: No such file or directory (ENOENT); install it again")
    let path = "\(folder.path)/bell.wav"
    let shipped = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sounds/bell.wav").path
    try SoundFile(decoding: readSound(path: shipped), named: "bell", by: .inThisProcess).write(to: path)
    #expect(await sink.play(Sound(name: "bell", path: path), at: .full) == nil)
  }

  @Test("A device that was lost before anybody named it stays lost")
  func lostBeforeNamed() {
    BoardReports(reporter).handle(.lost(.lamp, reason: "GPIO chip 'x' is missing"))
    devices.add("lamp")
    devices.add("display")
    #expect(devices.all.map(\.name) == ["lamp", "display"])
    #expect(devices.all.map(\.works) == [false, true])
  }

  /// Returns the events of a host whose only inputs are those from `report`.
  private func events(_ report: () -> Void) async throws -> (Set<Condition>, [String]) {
    let folder = try Folder()
    let host = try TestHost(store: HandsetStore(directory: folder.state), queue: queue)
    report()
    await host.expectAccepted(.wake)
    let result = try await host.read { handset, store, number, _ in
      (handset.record.conditions, try store.events(of: number, after: 0, limit: 10).map(\.line))
    }
    await host.stop()
    return result
  }

  @Test("The lamp's events are its first edge lit and its first dark, not each blink")
  func lampEdges() async throws {
    let reports = BoardReports(reporter)
    let (_, lines) = try await events {
      let lamp = Presentation.Lamp(pattern: .blink, since: .seconds(1))
      reports.shows(lamp)
      reports.handle(.lamp(lit: true, pattern: "blink", at: .milliseconds(1_000)))
      reports.handle(.lamp(lit: false, pattern: "blink", at: .milliseconds(1_500)))
      reports.handle(.lamp(lit: true, pattern: "blink", at: .milliseconds(2_000)))
      reports.shows(lamp)
      reports.handle(.lamp(lit: false, pattern: "blink", at: .milliseconds(2_500)))
      reports.shows(nil)
      reports.handle(.lamp(lit: false, pattern: nil, at: .milliseconds(2_600)))
    }
    #expect(lines.count == 2)
    #expect(lines.first?.contains(#""lit":true"#) == true && lines.first?.contains(":1000000") == true)
    #expect(lines.last?.contains(#""lit":false"#) == true && lines.last?.contains(":2600000") == true)
  }

  @Test("D2, S5: what fingers do are inputs")
  func contacts() async throws {
    let reports = BoardReports(reporter)
    let (conditions, lines) = try await events {
      reports.handle(.silentSwitch(true, at: .seconds(1)))
      reports.handle(.pressed(.close, .long, at: .seconds(2)))
      // Nothing to view: refused without an event.
      reports.handle(.pressed(.view, .short, at: .seconds(3)))
    }
    #expect(conditions == [.silent])
    #expect(lines.count == 2)
    #expect(lines.first?.contains(#""event":"condition""#) == true)
    #expect(lines.last?.contains(#""button":"close""#) == true && lines.last?.contains(#""press":"long""#) == true)
  }

  @Test("D3: the motor stops with the sound of its push, and with all sounds")
  func motor() async throws {
    let folder = try Folder()
    let path = folder.path + "/board.yaml"
    try "board: Test\nchip: simulated\nmotor: { line: MOTOR }\n".write(
      toFile: path, atomically: true, encoding: .utf8)
    let (stream, continuation) = AsyncStream<Bool>.makeStream()
    let board = try BoardSetup(path, clock: SystemClock()) { report in
      if case .motor(let runs, _) = report { continuation.yield(runs) }
    }
    #expect(board.description?.devices == [.motor])
    let sink = BoardSink(handset: .first, board: board, reports: BoardReports(reporter))
    func perform(_ effects: Effect...) { sink.publish(CommittedBatch(.dark, effects: effects)) }
    var motor = stream.makeAsyncIterator()
    let (first, second) = (PushID(high: 1, low: 1), PushID(high: 1, low: 2))
    // The moment is the same, however long this test takes.
    let start = SystemClock().now().uptime
    #expect(sink.vibration(at: start) == nil)
    perform(.vibrate(.triple, push: first))
    let end = SystemClock().now().uptime
    #expect(await motor.next() == true)
    #expect(sink.vibration(at: start)?.pattern == .triple)
    #expect(sink.vibration(at: start)?.elapsed == .zero)
    #expect(sink.vibration(at: start + .milliseconds(2_199))?.pattern == .triple)
    #expect(sink.vibration(at: end + .milliseconds(2_200)) == nil)
    perform(.stopSound(push: first))
    #expect(await motor.next() == false)
    #expect(sink.vibration(at: start) == nil)
    perform(.vibrate(.triple, push: second))
    #expect(await motor.next() == true)
    // The end of another push's sound does not stop the motor.
    perform(.stopSound(push: first))
    #expect(sink.vibration(at: start)?.pattern == .triple)
    // A critical push keeps vibrating, as its sound plays on (N9); any other is silenced.
    perform(.silence(.allButCritical))
    #expect(await motor.next() == false)
    perform(.vibrate(.triple, push: second, isCritical: true))
    #expect(await motor.next() == true)
    perform(.silence(.allButCritical))
    #expect(sink.vibration(at: start)?.pattern == .triple)
    perform(.silence(.all))
    #expect(await motor.next() == false)
    #expect(sink.vibration(at: start) == nil)
    // Other handsets' pushes move nothing here.
    var turn = Turn(now: TimeRig.start)
    turn.effects = [.vibrate(.triple, push: first)]
    sink.publish(CommittedBatch(turns: [HandsetTurn(handset: HandsetID(2), turn: turn)], presentations: [:]))
    #expect(sink.vibration(at: start) == nil)
    board.front?.stop()
    board.screen?.end()
  }

  @Test("A4: the buzzer sounds where a sound plays, and stops with it")
  func buzzer() async throws {
    let folder = try Folder()
    let path = folder.path + "/board.yaml"
    try "board: Test\nchip: simulated\nbuzzer: { line: BUZZER }\n".write(
      toFile: path, atomically: true, encoding: .utf8)
    let (stream, continuation) = AsyncStream<Bool>.makeStream()
    let board = try BoardSetup(path, clock: SystemClock()) { report in
      if case .buzzer(let sounds, _) = report { continuation.yield(sounds) }
    }
    #expect(board.description?.devices == [.buzzer])
    let sink = BoardSink(handset: .first, board: board, reports: BoardReports(reporter))
    func perform(_ effects: Effect...) { sink.publish(CommittedBatch(.dark, effects: effects)) }
    var buzzer = stream.makeAsyncIterator()
    let (first, second) = (PushID(high: 1, low: 1), PushID(high: 1, low: 2))
    perform(.play(SoundChoice(source: .system, push: first)))
    // On, off, on: a critical one has three beeps.
    for sounds in [true, false, true, false] { #expect(await buzzer.next() == sounds) }
    // Without a volume, and where only the motor runs, it is still.
    perform(.play(SoundChoice(source: .system, push: first, volume: 0)), .vibrate(.triple, push: first))
    perform(.play(SoundChoice(source: .system, push: second, isCritical: true)))
    #expect(await buzzer.next() == true)
    // A critical sound goes on for all but these.
    perform(.stopSound(push: first))
    perform(.silence(.allButCritical))
    perform(.silence(.all))
    #expect(await buzzer.next() == false)
    board.front?.stop()
    board.screen?.end()
  }

  @Test("D3: without a motor nothing vibrates, whatever is asked")
  func noMotor() throws {
    let sink = BoardSink(
      handset: .first, board: try BoardSetup(nil, clock: SystemClock()) { _ in }, reports: BoardReports(reporter))
    sink.publish(CommittedBatch(.dark, effects: [.vibrate(.pulse, push: PushID(high: 1, low: 1))]))
    #expect(sink.vibration(at: SystemClock().now().uptime) == nil)
  }
}

@Suite struct DeviceTableTests {
  @Test func onlyChangesAreShown() {
    let shown = Mutex<[String]>([])
    let devices = DeviceTable { status in shown.withLock { $0.append(status()) } }
    devices.add("lamp")
    devices.set("display", problem: "gone")
    #expect(shown.withLock(\.self) == [])
    devices.show("ready")
    devices.set("lamp", problem: nil)
    #expect(shown.withLock(\.self) == ["ready; does not work: display (gone)"])
    devices.set("lamp", problem: "lost")
    devices.set("lamp", problem: "lost")
    #expect(shown.withLock(\.self).dropFirst() == ["ready; does not work: lamp (lost), display (gone)"])
    devices.set("lamp", problem: nil)
    devices.set("display", problem: nil)
    devices.set("speaker", problem: nil)
    #expect(
      shown.withLock(\.self).dropFirst(2) == ["ready; does not work: display (gone)", "ready", "ready"])
  }
}
