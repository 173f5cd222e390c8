// The playback of sounds and its reports: rules A4 and A5, on outputs whose every step the test controls.

import DeviceTestSupport
import Foundation
import Synchronization
import SystemThreads
import Testing

@testable import Speaker

private let broken = SpeakerError(device: "PCM 'test'", cause: "No such device (ENODEV)", remedy: "plug it in")

@Suite(.timeLimit(.minutes(10)))
struct SpeakerTests {
  let folder: TemporaryFolder
  let bell: Sound
  let knock: Sound
  let log = Transcript()

  init() throws {
    folder = try TemporaryFolder()
    bell = try folder.sound("bell", noise(count: 2 * 100))
    knock = try folder.sound("knock", noise(count: 2 * 5000))
  }

  @Test("A sound is reported when it starts and when it ends, with the uptime")
  func plain() async throws {
    let speaker = try Speaker(output: NullSink(), report: log.record)
    let before = monotonicTime()
    speaker.play(bell, id: PlaybackID(1))
    #expect(await log.next(2) == ["started 1 bell", "finished 1"])
    let times = [before] + log.uptimes + [monotonicTime()]
    #expect(times.count == 4)
    #expect(times == times.sorted())
    speaker.shutdown()
  }

  @Test("A4: a sound that starts while another plays replaces it")
  func replaced() async throws {
    let output = SlowOutput()
    let speaker = try Speaker(output: output, report: log.record)
    speaker.play(knock, id: PlaybackID(1))
    #expect(await log.next(1) == ["started 1 knock"])
    speaker.play(bell, id: PlaybackID(2))
    #expect(await log.next(2) == ["replaced 1", "started 2 bell"])
    speaker.shutdown()
    #expect(await log.rest() == ["stopped 2"])
    #expect(output.state.withLock { $0.opened } == 2)
    #expect(output.state.withLock { $0.closed } == 2)
  }

  @Test("A4: a sound is stopped while it plays, and while its end plays")
  func stopped() async throws {
    let speaker = try Speaker(output: SlowOutput(), report: log.record)
    speaker.play(knock, id: PlaybackID(1))
    #expect(await log.next(1) == ["started 1 knock"])
    speaker.stop(PlaybackID(9))
    speaker.stop(PlaybackID(1))
    #expect(await log.next(1) == ["stopped 1"])
    // One frame is taken at once, and then drains for ever.
    speaker.play(try folder.sound("tick", [1, 2]), id: PlaybackID(2))
    #expect(await log.next(1) == ["started 2 tick"])
    speaker.stop(PlaybackID(2))
    #expect(await log.next(1) == ["stopped 2"])
    // A stop that came too late has no later effect.
    speaker.stop(PlaybackID(3))
    speaker.play(bell, id: PlaybackID(3))
    #expect(await log.next(1) == ["started 3 bell"])
    speaker.shutdown()
    #expect(await log.rest() == ["stopped 3"])
  }

  @Test("One sound waits: the newest of many plays, and each is reported as ended")
  func waiting() async throws {
    let gate = DispatchSemaphore(value: 0)
    let output = SlowOutput(gate: gate)
    let speaker = try Speaker(output: output, report: log.record)
    speaker.play(bell, id: PlaybackID(0))
    // Until the thread has taken the first sound, it too may be the waiting one.
    let last: UInt64 = 10_000
    for id in 1...last { speaker.play(bell, id: PlaybackID(id)) }
    let unheard = await log.next(Int(last) - 1)
    gate.signal()
    gate.signal()
    var lines = unheard
    while lines.last != "started \(last) bell" { lines += await log.next(1) }
    #expect(lines.count == Int(last) + 1)
    #expect(Set(lines.dropLast()) == Set((0..<last).map { "replaced \($0)" }))
    #expect(output.state.withLock { $0.opened } <= 2)
    speaker.shutdown()
    #expect(await log.rest() == ["stopped \(last)"])
  }

  @Test("A4: a sound that is stopped before it started never plays")
  func stoppedUnheard() async throws {
    let gate = DispatchSemaphore(value: 0)
    let output = SlowOutput(gate: gate)
    let speaker = try Speaker(output: output, report: log.record)
    speaker.play(bell, id: PlaybackID(1))
    speaker.play(knock, id: PlaybackID(2))
    speaker.stop(PlaybackID(2))
    gate.signal()
    // In this order, unless the thread was too late to take the first.
    #expect(await log.next(2).sorted() == ["replaced 1", "stopped 2"])
    speaker.shutdown()
    #expect(await log.rest() == [])
  }

  @Test(
    "A5: a device is lost once and back once; it is tried again after 1 s, then 2 s, not for each sound",
    arguments: [false, true])
  func lost(late: Bool) async throws {
    let output = SlowOutput()
    let now = Mutex(Duration.seconds(100))
    let speaker = try Speaker(output: output, now: { now.withLock { $0 } }, report: log.record)
    output.state.withLock { ($0.failure, $0.failsLate) = (broken, late) }
    speaker.play(knock, id: PlaybackID(1))
    let start = late ? ["started 1 knock"] : []
    #expect(
      await log.next(start.count + 2)
        == start + ["lost \(broken)", "failed 1 speaker: PCM 'test': No such device (ENODEV): plug it in"])
    output.state.withLock { $0.failsLate = false }
    let tries = [
      (milliseconds: 999, isLost: true, opened: 1), (1_000, false, 2), (2_999, true, 2), (3_000, false, 3),
      (6_999, true, 3),
    ]
    for (id, (milliseconds, isLost, opened)) in zip(UInt64(2)..., tries) {
      now.withLock { $0 = .seconds(100) + .milliseconds(milliseconds) }
      #expect(speaker.isLost == isLost)
      speaker.play(knock, id: PlaybackID(id))
      #expect(await log.next(1) == ["failed \(id) \(broken)"])
      #expect(output.state.withLock { $0.opened } == opened)
    }
    output.state.withLock { $0.failure = nil }
    now.withLock { $0 = .seconds(107) }
    speaker.play(knock, id: PlaybackID(9))
    #expect(await log.next(2) == ["back", "started 9 knock"])
    now.withLock { $0 = .seconds(101) }
    #expect(!speaker.isLost)
    speaker.shutdown()
    #expect(await log.rest() == ["stopped 9"])
    #expect(output.state.withLock { $0.opened } == 4)
  }

  @Test("A5: a check of the device, and a sound that a user asks for, do not wait for the pause")
  func unpaused() async throws {
    let output = SlowOutput()
    let speaker = try Speaker(output: output, report: log.record)
    output.state.withLock { $0.failure = broken }
    speaker.play(knock, id: PlaybackID(1))
    #expect(await log.next(2) == ["lost \(broken)", "failed 1 \(broken)"])
    speaker.play(knock, id: PlaybackID(3), skipsPause: true)
    #expect(await log.next(1) == ["failed 3 \(broken)"])
    #expect(output.state.withLock { $0.opened } == 2)
    output.state.withLock { $0.failure = nil }
    speaker.checkDevice()
    #expect(await log.next(1) == ["back"])
    speaker.play(knock, id: PlaybackID(2))
    #expect(await log.next(1) == ["started 2 knock"])
    speaker.shutdown()
    #expect(await log.rest() == ["stopped 2"])
  }

  @Test("A1: a file that is missing or not converted fails by its name, and the device is not lost")
  func badFiles() async throws {
    let speaker = try Speaker(output: NullSink(), report: log.record)
    let missing = folder.file("missing")
    speaker.play(Sound(name: "gone", path: missing), id: PlaybackID(1))
    #expect(
      await log.next(1) == [
        "failed 1 sound 'gone': '\(missing)' cannot be read: No such file or directory (ENOENT); install it again"
      ])
    let fifo = folder.file("fifo")
    #expect(mkfifo(fifo, 0o600) == 0)
    let short = folder.file("short")
    try Data(readBytes(bell.path).dropLast(4)).write(to: URL(fileURLWithPath: short))
    let empty = folder.file("empty")
    try Data().write(to: URL(fileURLWithPath: empty))
    for (id, path) in zip(UInt64(2)..., [fifo, short, empty, folder.path]) {
      speaker.play(Sound(name: "bad", path: path), id: PlaybackID(id))
      #expect(await log.next(1) == ["failed \(id) sound 'bad': '\(path)' is not a converted sound; install it again"])
    }
    speaker.play(bell, id: PlaybackID(9))
    #expect(await log.next(2) == ["started 9 bell", "finished 9"])
    speaker.shutdown()
  }

  @Test("After shutdown nothing plays; a second shutdown does nothing")
  func afterShutdown() async throws {
    let speaker = try Speaker(output: SlowOutput(), report: log.record)
    speaker.play(bell, id: PlaybackID(1))
    #expect(await log.next(1) == ["started 1 bell"])
    speaker.shutdown()
    speaker.shutdown()
    speaker.play(bell, id: PlaybackID(2))
    #expect(await log.rest() == ["stopped 1", "stopped 2"])
  }

  @Test("A released speaker stops, and its thread ends")
  func letGo() async throws {
    let output = SlowOutput()
    var speaker: Speaker? = try Speaker(output: output, report: log.record)
    speaker?.play(bell, id: PlaybackID(1))
    #expect(await log.next(1) == ["started 1 bell"])
    speaker = nil
    #expect(await log.next(1) == ["stopped 1"])
    #expect(output.state.withLock { $0.closed } == 1)
  }
}

@Suite(.timeLimit(.minutes(10)))
struct DoorbellTests {
  @Test("Any number of rings is cleared once")
  func rings() throws {
    let bell = try Doorbell()
    for _ in 0..<100_000 { bell.ring() }
    #expect(bell.wait() == .rung)
    bell.clear()
    #expect(bell.wait(milliseconds: 0) == .timedOut)
    bell.ring()
    #expect(bell.wait(milliseconds: 0) == .rung)
  }

  @Test("The bell goes before other descriptors, which keep their events")
  func others() throws {
    let bell = try Doorbell()
    let other = try Doorbell()
    var descriptors = [pollfd(fd: other.descriptor, events: Int16(POLLIN), revents: 0)]
    #expect(bell.wait(with: &descriptors, milliseconds: 0) == .timedOut)
    other.ring()
    #expect(bell.wait(with: &descriptors, milliseconds: -1) == .ready)
    #expect(descriptors.map(\.revents) == [Int16(POLLIN)])
    bell.ring()
    #expect(bell.wait(with: &descriptors, milliseconds: -1) == .rung)
  }
}
