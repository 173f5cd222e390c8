// What devices report, as events: one when a lamp begins and one when it ends, however long it blinks.

import Board
import Clocks
import FoundationEssentials
import HandsetCore
import HandsetStore
import Logging
import NIOPosix
import Speaker
import Testing

@testable import DeskbellDaemon

@Suite struct OutputsTests {
  private let events = EventBell()
  private let devices = DeviceTable()

  private func outputs() -> Outputs {
    let clock = SystemClock()
    return Outputs(
      library: SoundLibrary(state: "/nowhere", systemSound: "/nowhere/bell.wav"), devices: devices,
      eventBell: events, waker: Waker(eventLoop: MultiThreadedEventLoopGroup.singleton.next(), clock: clock),
      clock: clock, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  @Test("A lost device is in the table with its problem until it is back")
  func devicesComeAndGo() {
    let outputs = outputs()
    outputs.heard(.lost(.display, reason: "GPIO chip 'x' is missing"))
    outputs.heard(SpeakerReport.deviceLost(message: "speaker: PCM 'y'"))
    #expect(devices.all.map(\.problem) == ["display: GPIO chip 'x' is missing", "speaker: PCM 'y'"])
    #expect(devices.all.map(\.works) == [false, false])
    outputs.heard(.back(.display))
    outputs.heard(SpeakerReport.deviceBack)
    #expect(devices.all.map(\.name) == ["display", "speaker"])
    #expect(devices.all.map(\.works) == [true, true])
  }

  @Test("A3: music that cannot be dimmed is a device of its own in the table")
  func duckingComesAndGoes() {
    let outputs = outputs()
    outputs.heard(SpeakerReport.duckingLost(message: "speaker: element 'Music'"))
    #expect(devices.all.map(\.name) == ["music volume"])
    #expect(devices.all.map(\.problem) == ["speaker: element 'Music'"])
    outputs.heard(SpeakerReport.duckingBack)
    #expect(devices.all.map(\.works) == [true])
  }

  @Test("Whoever plays a sound by itself is told when it has begun, or why it has not; it is no push's")
  func playsForItself() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "outputs-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let outputs = outputs()
    let gone = Sound(name: "gone", path: "\(folder)/gone.wav")
    #expect(await outputs.play(gone, at: .full) == "there is no speaker")
    let speaker = try Speaker(output: NullSink()) { [weak outputs] in outputs?.heard($0) }
    defer { speaker.shutdown() }
    outputs.connect(speaker: speaker)
    #expect(
      await outputs.play(gone, at: .full)
        == "sound 'gone': '\(gone.path)' cannot be read: No such file or directory (ENOENT); install it again")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let path = "\(folder)/bell.wav"
    let shipped = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sounds/bell.wav").path
    try SoundFile(decoding: readSound(path: shipped), named: "bell").write(to: path)
    #expect(await outputs.play(Sound(name: "bell", path: path), at: .full) == nil)
  }

  @Test("A device that was lost before anybody named it stays lost")
  func lostBeforeNamed() {
    outputs().heard(.lost(.lamp, reason: "GPIO chip 'x' is missing"))
    devices.add("lamp")
    devices.add("display")
    #expect(devices.all.map(\.name) == ["lamp", "display"])
    #expect(devices.all.map(\.works) == [false, true])
  }

  @Test("The lamp's events are its first edge lit and its first dark, not each blink")
  func lampEdges() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "outputs-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let rig = try HostRig(folder: folder, output: outputs())
    let outputs = rig.outputs
    let lit = Presentation(badge: 0, lamp: .init(pattern: .blink, since: .seconds(1)), banner: nil, alert: nil)
    outputs.show(lit)
    outputs.heard(.lamp(lit: true, pattern: "blink", at: .milliseconds(1_000)))
    outputs.heard(.lamp(lit: false, pattern: "blink", at: .milliseconds(1_500)))
    outputs.heard(.lamp(lit: true, pattern: "blink", at: .milliseconds(2_000)))
    outputs.show(lit)
    outputs.heard(.lamp(lit: false, pattern: "blink", at: .milliseconds(2_500)))
    outputs.show(.dark)
    outputs.heard(.lamp(lit: false, pattern: nil, at: .milliseconds(2_600)))
    guard case .stored(.accepted) = await rig.host.submit(.wake) else {
      Issue.record("the host takes nothing")
      return
    }
    let lines = try await rig.host.read { _, store, number, _ in
      try store.events(of: number, after: 0, limit: 10).map { $0.line }
    }
    #expect(lines.count == 2)
    #expect(lines.first?.contains(#""lit":true"#) == true && lines.first?.contains(":1000000") == true)
    #expect(lines.last?.contains(#""lit":false"#) == true && lines.last?.contains(":2600000") == true)
    await rig.executor.shutDown()
  }

  @Test("D2, S5: what fingers do are inputs")
  func contacts() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "outputs-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let rig = try HostRig(folder: folder, output: outputs())
    rig.outputs.heard(.silentSwitch(true, at: .seconds(1)))
    rig.outputs.heard(.pressed(.close, .long, at: .seconds(2)))
    // Nothing that it could view: refused without a word.
    rig.outputs.heard(.pressed(.view, .short, at: .seconds(3)))
    guard case .stored(.accepted) = await rig.host.submit(.wake) else {
      Issue.record("the host takes nothing")
      return
    }
    let (conditions, lines) = try await rig.host.read { handset, store, number, _ in
      (handset.record.conditions, try store.events(of: number, after: 0, limit: 10).map { $0.line })
    }
    #expect(conditions == [.silent])
    #expect(lines.count == 2)
    #expect(lines.first?.contains(#""event":"condition""#) == true)
    #expect(lines.last?.contains(#""button":"close""#) == true && lines.last?.contains(#""press":"long""#) == true)
    await rig.executor.shutDown()
  }

  @Test("D3: the motor stops with the sound of its push, and with all sounds")
  func motor() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "outputs-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let path = folder + "/board.yaml"
    try "board: Test\nchip: simulated\nmotor: { line: MOTOR }\n".write(
      toFile: path, atomically: true, encoding: .utf8)
    let (stream, continuation) = AsyncStream<Bool>.makeStream()
    let board = try BoardSetup(path, clock: SystemClock()) { report in
      if case .motor(let runs, _) = report { continuation.yield(runs) }
    }
    #expect(board.deviceNames == ["motor"])
    let outputs = outputs()
    outputs.connect(board)
    var motor = stream.makeAsyncIterator()
    let (first, second) = (PushID(high: 1, low: 1), PushID(high: 1, low: 2))
    // However long this test takes, it asks for this moment.
    let start = SystemClock().now().uptime
    #expect(outputs.vibration(at: start) == nil)
    outputs.perform(.vibrate(.triple, push: first))
    let end = SystemClock().now().uptime
    #expect(await motor.next() == true)
    #expect(outputs.vibration(at: start)?.pattern == .triple)
    #expect(outputs.vibration(at: start)?.elapsed == .zero)
    #expect(outputs.vibration(at: start + .milliseconds(2_199))?.pattern == .triple)
    #expect(outputs.vibration(at: end + .milliseconds(2_200)) == nil)
    outputs.perform(.stopSound(push: first))
    #expect(await motor.next() == false)
    #expect(outputs.vibration(at: start) == nil)
    outputs.perform(.vibrate(.triple, push: second))
    #expect(await motor.next() == true)
    // Of another push: nothing stops before the next.
    outputs.perform(.stopSound(push: first))
    #expect(outputs.vibration(at: start)?.pattern == .triple)
    outputs.perform(.silence(.all))
    #expect(await motor.next() == false)
    #expect(outputs.vibration(at: start) == nil)
    board.panel?.stop()
    board.screen?.end()
  }

  @Test("D3: without a motor nothing vibrates, whatever is asked")
  func noMotor() {
    let outputs = outputs()
    outputs.perform(.vibrate(.pulse, push: PushID(high: 1, low: 1)))
    #expect(outputs.vibration(at: SystemClock().now().uptime) == nil)
  }

  private struct HostRig {
    let host: Host
    let outputs: Outputs
    let executor = HostExecutor()

    init(folder: String, output: Outputs) throws {
      let store = try HandsetStore(directory: folder)
      outputs = output
      host = Host(
        handset: 1, contents: Handset.Contents(), store: store, executor: executor, clock: SystemClock(),
        output: output, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      output.connect(host: host, alarms: nil)
    }
  }
}
