// A sound that is stopped or replaced ends without a click (rule A4), on a card whose every frame the test records.

import Foundation
import Synchronization
import SystemThreads
import Testing

@testable import Speaker

/// A card with a buffer of 8192 frames that plays only on request, and returns all frames but one period.
private final class BufferedCard: SpeakerOutput {
  static let bufferFrames = 8_192
  static let periodFrames = 1_024

  private let timelines = Mutex<[[Int16]]>([])
  private let closed = Mutex(0)
  let givesBack: Bool
  let full: AsyncStream<Void>
  private let becameFull: AsyncStream<Void>.Continuation

  init(givesBack: Bool = true) {
    self.givesBack = givesBack
    (full, becameFull) = AsyncStream.makeStream()
  }

  /// The samples of each stream.
  var streams: [[Int16]] { timelines.withLock { $0 } }
  var closings: Int { closed.withLock { $0 } }

  func check() throws(SpeakerError) {}

  func open(sound: String) throws(SpeakerError) -> any SpeakerStream {
    timelines.withLock { $0.append([]) }
    return Stream(card: self)
  }

  private final class Stream: SpeakerStream {
    private let card: BufferedCard
    private var played = 0

    init(card: BufferedCard) { self.card = card }

    private var written: Int { card.timelines.withLock { ($0.last?.count ?? 0) / 2 } }

    func write(_ frames: UnsafeRawBufferPointer, until bell: Doorbell) throws(SpeakerError) -> Int {
      let space = min(frames.count / 4, BufferedCard.bufferFrames - (written - played))
      guard space > 0 else {
        card.becameFull.yield()
        #expect(bell.wait() == .rung)
        return 0
      }
      let samples = frames.bindMemory(to: Int16.self).prefix(2 * space)
      card.timelines.withLock { $0[$0.count - 1] += samples }
      return 4 * space
    }

    func takeBack(for reason: TakeBackReason) -> Int? {
      let count = max(0, written - played - BufferedCard.periodFrames)
      if reason == .silence { return 0 }
      guard card.givesBack else {
        if reason == .replacement { return nil }
        // When there is space again, everything was played.
        played = written
        return 0
      }
      card.timelines.withLock { $0[$0.count - 1].removeLast(2 * count) }
      return count
    }

    var playsOn: Bool { true }
    func drain(until bell: Doorbell) throws(SpeakerError) -> Bool { true }
    func close() { card.closed.withLock { $0 += 1 } }
  }
}

@Suite(.timeLimit(.minutes(10)))
struct CuttingOffTests {
  private let folder: TemporaryFolder
  private let log = Transcript()
  private let long = noise(count: 2 * 20_000, seed: 3)
  private let short = noise(count: 2 * 2_000, seed: 4)

  init() throws { folder = try TemporaryFolder() }

  /// Returns the fade of `long` that begins at that frame.
  private func fade(from frame: Int, at volume: Volume = .full) -> [Int16] {
    var samples = Array(long[(2 * frame)..<(2 * (frame + Fade.frames))])
    volume.apply(to: &samples)
    Fade.out(&samples)
    return samples
  }

  /// Returns a speaker whose card is full of the long sound.
  private func playing(on card: BufferedCard, at volume: Volume = .full) async throws -> Speaker {
    let speaker = try Speaker(output: card, report: log.record)
    speaker.play(try folder.sound("long", long), at: volume, id: PlaybackID(1))
    #expect(await log.next(1) == ["started 1 long"])
    for await _ in card.full { break }
    return speaker
  }

  @Test("A4: a stopped sound fades at its position and at its own volume")
  func stopped() async throws {
    let card = BufferedCard()
    let half = Volume(0.5)
    let speaker = try await playing(on: card, at: half)
    speaker.stop(PlaybackID(1))
    #expect(await log.next(1) == ["stopped 1"])
    speaker.shutdown()
    var played = Array(long.prefix(2 * BufferedCard.periodFrames))
    half.apply(to: &played)
    #expect(card.streams == [played + fade(from: BufferedCard.periodFrames, at: half)])
    #expect(card.closings == 1)
  }

  @Test("A4: a card that returns no frames plays its buffer, then fades")
  func stoppedLate() async throws {
    let card = BufferedCard(givesBack: false)
    let speaker = try await playing(on: card)
    speaker.stop(PlaybackID(1))
    #expect(await log.next(1) == ["stopped 1"])
    speaker.shutdown()
    #expect(
      card.streams == [Array(long.prefix(2 * BufferedCard.bufferFrames)) + fade(from: BufferedCard.bufferFrames)])
  }

  /// Replaces the playing sound by another, and waits for its end.
  private func replace(_ speaker: Speaker, by name: String, _ samples: [Int16]) async throws {
    speaker.play(try folder.sound(name, samples), id: PlaybackID(2))
    #expect(await log.next(3) == ["replaced 1", "started 2 \(name)", "finished 2"])
    speaker.shutdown()
  }

  @Test("A4: a sound that replaces another begins a period later, over the end of that one, on the same stream")
  func replaced() async throws {
    let card = BufferedCard()
    try await replace(playing(on: card), by: "short", short)
    var mixed = short
    Fade.mix(fade(from: BufferedCard.periodFrames)[...], into: &mixed)
    #expect(card.streams == [Array(long.prefix(2 * BufferedCard.periodFrames)) + mixed])
    #expect(card.closings == 1)
  }

  @Test("A4: if frames cannot be taken back, the newer sound does not wait for them")
  func replacedAtOnce() async throws {
    let card = BufferedCard(givesBack: false)
    try await replace(playing(on: card), by: "short", short)
    #expect(card.streams == [Array(long.prefix(2 * BufferedCard.bufferFrames)), short])
    #expect(card.closings == 2)
  }

  @Test("A sound of a few frames does not cut the fade of the one before")
  func shorterThanAFade() async throws {
    let card = BufferedCard()
    try await replace(playing(on: card), by: "tick", [9, -9])
    var mixed = fade(from: BufferedCard.periodFrames)
    Fade.mix([9, -9][...], into: &mixed)
    #expect(card.streams == [Array(long.prefix(2 * BufferedCard.periodFrames)) + mixed])
  }
}
