// Music is lowered while a sound plays and returns to its level (rule A3), also after faults in between.

import DeviceTestSupport
import Foundation
import Synchronization
import Testing

@testable import Speaker

/// A mixer's element in memory, with a left and a right channel of 0 to 100 steps.
private final class MixerInMemory: MixerElement {
  struct State {
    var levels = [MixerLevel(channel: 0, steps: 100), MixerLevel(channel: 1, steps: 80)]
    /// The successive values of the left channel.
    var history: [Int] = []
    var failure: SpeakerError?
    /// The number of sets that work before a failure.
    var setsBeforeFailure = Int.max
    /// True for each set at which the record was on disk.
    var wasRecorded: [Bool] = []
    var opened = 0
  }

  let name = "element 'Music' of card 'memory'"
  let state = Mutex(State())
  let record: String
  private let sets: AsyncStream<[Int]>
  private let feed: AsyncStream<[Int]>.Continuation

  init(record: String) {
    self.record = record
    (sets, feed) = AsyncStream.makeStream()
  }

  func open() throws(SpeakerError) -> any MixerControl {
    if let failure = state.withLock({ $0.setsBeforeFailure <= 0 ? $0.failure : nil }) { throw failure }
    state.withLock { $0.opened += 1 }
    return Control(mixer: self)
  }

  var steps: [Int] { state.withLock { $0.levels.map(\.steps) } }
  var history: [Int] { state.withLock { $0.history } }

  /// Waits until the levels are set to these steps.
  func reached(_ steps: [Int]) async {
    for await set in sets where set == steps { return }
  }

  func move(to steps: Int) {
    state.withLock { $0.levels[0].steps = steps }
  }

  private final class Control: MixerControl {
    private let mixer: MixerInMemory

    init(mixer: MixerInMemory) { self.mixer = mixer }

    func levels() throws(SpeakerError) -> [MixerLevel] { mixer.state.withLock { $0.levels } }

    func scaled(_ levels: [MixerLevel], to amplitude: Double) throws(SpeakerError) -> [MixerLevel] {
      levels.map { MixerLevel(channel: $0.channel, steps: Int(Double($0.steps) * amplitude)) }
    }

    func set(_ levels: [MixerLevel]) throws(SpeakerError) {
      let isRecorded = FileManager.default.fileExists(atPath: mixer.record)
      let failure = mixer.state.withLock { state -> SpeakerError? in
        if state.setsBeforeFailure <= 0 { return state.failure }
        state.setsBeforeFailure -= 1
        state.levels = levels
        state.history.append(levels[0].steps)
        state.wasRecorded.append(isRecorded)
        return nil
      }
      if let failure { throw failure }
      mixer.feed.yield(levels.map(\.steps))
    }
  }
}

private let unplugged = SpeakerError(device: "element 'Music'", cause: "No such device (ENODEV)", remedy: "plug it in")

@Suite(.timeLimit(.minutes(10)))
struct DuckingTests {
  private let folder: TemporaryFolder
  private let mixer: MixerInMemory
  private let log = Transcript()

  init() throws {
    folder = try TemporaryFolder()
    mixer = MixerInMemory(record: folder.file("ducked.json"))
  }

  private var ducking: Ducking {
    var ducking = Ducking(element: mixer, amplitude: 0.2, record: mixer.record)
    ducking.stepMilliseconds = 0
    return ducking
  }

  private func ducker() throws -> Ducker { try Ducker(ducking, report: log.record) }

  /// Leaves the state of a daemon that was killed while music was lowered.
  private func leaveLowered(to steps: Int) throws {
    try DuckedLevels(element: mixer.name, levels: mixer.state.withLock { $0.levels }).write(to: mixer.record)
    mixer.state.withLock { $0.levels = $0.levels.map { MixerLevel(channel: $0.channel, steps: steps) } }
  }

  @Test("A3: down in twenty steps, up in forty, exactly to where it was; the record is there before the first step")
  func ramps() async throws {
    let ducker = try ducker()
    ducker.lower()
    await mixer.reached([20, 16])
    #expect(mixer.history == Array(stride(from: 96, through: 20, by: -4)))
    #expect(
      try JSONDecoder().decode(DuckedLevels.self, from: Data(folder.bytes("ducked.json"))).levels
        == [MixerLevel(channel: 0, steps: 100), MixerLevel(channel: 1, steps: 80)])
    var status = stat()
    #expect(stat(mixer.record, &status) == 0 && status.st_mode & 0o7777 == 0o600)
    ducker.restore()
    await mixer.reached([100, 80])
    #expect(mixer.history.dropFirst(20) == Array(stride(from: 22, through: 100, by: 2))[...])
    ducker.shutdown()
    #expect(mixer.state.withLock { $0.wasRecorded.allSatisfy { $0 } })
    #expect(try folder.files == [])
    #expect(await log.rest() == [])
  }

  @Test("A3: a sound that follows at once reverses the ramp")
  func again() async throws {
    let ducker = try ducker()
    for _ in 0..<3 {
      ducker.lower()
      await mixer.reached([20, 16])
      ducker.restore()
      await mixer.reached([22, 18])
    }
    ducker.lower()
    await mixer.reached([20, 16])
    ducker.shutdown()
    #expect(mixer.steps == [100, 80])
    #expect(try folder.files == [])
  }

  @Test("A3: a level that a killed daemon left lowered is restored at the next start, before any sound")
  func afterACrash() async throws {
    try leaveLowered(to: 20)
    let ducker = try ducker()
    await mixer.reached([100, 80])
    ducker.shutdown()
    #expect(mixer.steps == [100, 80])
    #expect(mixer.history == mixer.history.sorted())
    #expect(try folder.files == [])
  }

  @Test("A3: without a level to restore, a start opens nothing")
  func nothingOwed() throws {
    let ducker = try ducker()
    ducker.shutdown()
    #expect(mixer.state.withLock { $0.opened } == 0)
  }

  @Test("A3: a level that a user raised after the crash stays; an unreadable record is ignored")
  func afterACrashAndAHand() throws {
    try leaveLowered(to: 20)
    mixer.state.withLock { $0.levels = [MixerLevel(channel: 0, steps: 100), MixerLevel(channel: 1, steps: 90)] }
    try ducker().shutdown()
    #expect(mixer.steps == [100, 90])
    #expect(try folder.files == [])
    try Data("{".utf8).write(to: URL(fileURLWithPath: mixer.record))
    #expect(DuckedLevels.read(mixer.record) == nil)
    try Data(repeating: 0x20, count: DuckedLevels.byteLimit + 1).write(to: URL(fileURLWithPath: mixer.record))
    #expect(DuckedLevels.read(mixer.record) == nil)
    // A pipe would block the start for ever.
    try FileManager.default.removeItem(atPath: mixer.record)
    #expect(mkfifo(mixer.record, 0o600) == 0)
    #expect(DuckedLevels.read(mixer.record) == nil)
  }

  @Test("A3: a control that a user moves while music is lowered stays there")
  func byHand() async throws {
    let ducker = try ducker()
    ducker.lower()
    await mixer.reached([20, 16])
    mixer.move(to: 55)
    ducker.shutdown()
    #expect(mixer.steps == [55, 16])
    #expect(try folder.files == [])
  }

  @Test("A3, A5: a mixer that fails half way is reported once, and its level is restored when it works again")
  func failing() async throws {
    let ducker = try ducker()
    mixer.state.withLock { ($0.failure, $0.setsBeforeFailure) = (unplugged, 4) }
    ducker.lower()
    #expect(await log.next(1) == ["ducking lost \(unplugged)"])
    ducker.restore()
    ducker.lower()
    ducker.restore()
    #expect(mixer.history == [96, 92, 88, 84])
    #expect(try folder.files == ["ducked.json"])
    mixer.state.withLock { $0.setsBeforeFailure = .max }
    ducker.lower()
    await mixer.reached([20, 16])
    ducker.restore()
    #expect(await log.next(1) == ["ducking back"])
    ducker.shutdown()
    #expect(mixer.steps == [100, 80])
    #expect(try folder.files == [])
    #expect(await log.rest() == [])
  }

  @Test("A3: if the level cannot be stored, music is not lowered")
  func noDisk() async throws {
    var ducking = ducking
    ducking.record = folder.file("nowhere/ducked.json")
    let ducker = try Ducker(ducking, report: log.record)
    ducker.lower()
    #expect(
      await log.next(1) == [
        "ducking lost speaker: \(mixer.name): the level to restore cannot be written to '\(ducking.record)': "
          + "No such file or directory (ENOENT): music is not lowered; free space there, or let the daemon write to it"
      ])
    ducker.shutdown()
    #expect(mixer.history == [])
  }

  @Test("A3: a sound lowers the music while it plays, and restores it also when it fails half way")
  func soundFails() async throws {
    let output = SlowOutput()
    let speaker = try Speaker(output: output, ducking: ducking, report: log.record)
    speaker.play(try folder.sound("noise", noise(count: 200)), id: PlaybackID(1))
    #expect(await log.next(1) == ["started 1 noise"])
    await mixer.reached([20, 16])
    output.state.withLock { ($0.failure, $0.failsLate) = (unplugged, true) }
    // A stop of another sound wakes the thread, and its card is gone.
    speaker.stop(PlaybackID(9))
    #expect(await log.next(2) == ["lost \(unplugged)", "failed 1 \(unplugged)"])
    await mixer.reached([100, 80])
    speaker.shutdown()
    #expect(try folder.files == ["noise.sound"])
  }

  @Test("A sound at volume 0, or one that cannot be opened, lowers nothing")
  func notHeard() async throws {
    let speaker = try Speaker(output: NullSink(), ducking: ducking, report: log.record)
    speaker.play(try folder.sound("noise", noise(count: 200)), at: Volume(0), id: PlaybackID(1))
    #expect(await log.next(2) == ["started 1 noise", "finished 1"])
    speaker.play(Sound(name: "gone", path: folder.file("gone")), id: PlaybackID(2))
    _ = await log.next(1)
    speaker.shutdown()
    #expect(mixer.state.withLock { $0.opened } == 0)
  }

  @Test("A card that is not there is named, with what to do")
  func noCard() {
    let element = ALSAMixerElement(card: "hw:31", element: "Music")
    let error = #expect(throws: SpeakerError.self) { _ = try element.open() }
    #expect(error?.device == "element 'Music' of card 'hw:31'")
    #expect(error?.remedy == "music is not lowered; 'aplay -l' lists the cards for 'speaker.duck.card'")
  }
}
