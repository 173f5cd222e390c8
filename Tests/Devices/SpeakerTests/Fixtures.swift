// Shared by the tests of this module: temporary folders, sound files made by libsndfile itself, an ALSA configuration
// that plays to files, a slow output, and transcripts of a speaker's reports.

import CSndFile
import Foundation
import Synchronization
import SystemThreads
import TestSupport
import Testing

@testable import Speaker

typealias TemporaryFolder = TestSupport.TemporaryFolder

extension TemporaryFolder {
  func file(_ name: String) -> String { "\(path)/\(name)" }

  var files: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }

  func bytes(_ name: String) throws -> [UInt8] { try readBytes(file(name)) }
}

func readBytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

/// Returns the samples of a WAV file whose header has 44 bytes.
func samples(ofWAV bytes: [UInt8]) -> [Int16] {
  stride(from: 44, to: bytes.count - 1, by: 2).map { Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8) }
}

/// Returns noise with all 16-bit samples possible, the extremes first; the same every time.
func noise(count: Int, seed: UInt64 = 1) -> [Int16] {
  var state = seed
  let extremes: [Int16] = [.min, .max, -1, 1, .min, .max]
  return (0..<count).map { n in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return n < extremes.count ? extremes[n] : Int16(truncatingIfNeeded: state >> 40)
  }
}

func sine(_ hertz: Double, rate: Int, frames: Int, channels: Int = 1, level: Double = 0.5) -> [Float] {
  (0..<frames).flatMap { n in
    Array(repeating: Float(level * sin(2 * .pi * hertz * Double(n) / Double(rate))), count: channels)
  }
}

/// A sound file written by libsndfile.
struct SourceFile {
  var format: Int
  var rate = 44_100
  var channels = 2

  init(_ container: Int, _ encoding: Int, rate: Int = 44_100, channels: Int = 2) {
    format = container | encoding
    (self.rate, self.channels) = (rate, channels)
  }

  func bytes(_ samples: [Int16]) throws -> [UInt8] {
    try bytes { sf_writef_short($0, samples, sf_count_t(samples.count / channels)) }
  }

  func bytes(_ samples: [Float]) throws -> [UInt8] {
    try bytes { sf_writef_float($0, samples, sf_count_t(samples.count / channels)) }
  }

  private func bytes(write: (OpaquePointer) -> sf_count_t) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    var info = SF_INFO()
    info.format = Int32(format)
    info.samplerate = Int32(rate)
    info.channels = Int32(channels)
    let path = folder.file("sound")
    let file = try #require(sf_open(path, Int32(SFM_WRITE), &info), "\(String(cString: sf_strerror(nil)))")
    _ = write(file)
    sf_close(file)
    return try readBytes(path)
  }

  /// Returns the 16-bit samples as libsndfile itself reads them.
  static func decoded(_ bytes: [UInt8]) throws -> [Int16] {
    let folder = try TemporaryFolder()
    try Data(bytes).write(to: URL(fileURLWithPath: folder.file("sound")))
    var info = SF_INFO()
    let file = try #require(sf_open(folder.file("sound"), Int32(SFM_READ), &info))
    defer { sf_close(file) }
    var samples = [Int16](repeating: 0, count: Int(info.frames) * Int(info.channels))
    let frames = sf_readf_short(file, &samples, info.frames)
    #expect(frames == info.frames)
    return samples
  }
}

/// Returns a sound file, decoded in this process.
func decoded(_ bytes: [UInt8], with ffmpeg: FFmpeg? = .installed) throws(SoundFileError) -> SoundFile {
  try SoundFile(decoding: bytes, named: "a.wav", by: .inThisProcess, with: ffmpeg)
}

/// Returns the error with which a sound file is refused.
func refusal(
  _ bytes: [UInt8], _ name: String = "a.wav", by decoder: SoundDecoder = .inThisProcess,
  with ffmpeg: FFmpeg? = .installed, sourceLocation: SourceLocation = #_sourceLocation
) -> SoundFileError? {
  #expect(throws: SoundFileError.self, sourceLocation: sourceLocation) {
    try SoundFile(decoding: bytes, named: name, by: decoder, with: ffmpeg)
  }
}

/// An output that takes a sound's first frames and then no more, as a card does while it plays; fails on request.
final class SlowOutput: SpeakerOutput {
  struct State: Sendable {
    var failure: SpeakerError?
    /// True if the failure occurs after frames were taken, false if at opening.
    var failsLate = false
    var opened = 0
    var closed = 0
  }

  let state = Mutex(State())
  /// A gate that opening waits for.
  let gate: DispatchSemaphore?

  init(gate: DispatchSemaphore? = nil) {
    self.gate = gate
  }

  func check() throws(SpeakerError) {
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  func open(sound: String) throws(SpeakerError) -> any SpeakerStream {
    gate?.wait()
    let failure = state.withLock { state in
      state.opened += 1
      return state.failsLate ? nil : state.failure
    }
    if let failure { throw failure }
    return Stream(output: self)
  }

  private final class Stream: SpeakerStream {
    private let output: SlowOutput
    private var isOpen = true
    private var taken = 0

    init(output: SlowOutput) {
      self.output = output
    }

    func write(_ frames: UnsafeRawBufferPointer, until bell: Doorbell) throws(SpeakerError) -> Int {
      if taken == 0 {
        taken = 4
        return 4
      }
      if let failure = output.state.withLock({ $0.failure }) { throw failure }
      #expect(bell.wait() == .rung)
      return 0
    }

    func drain(until bell: Doorbell) throws(SpeakerError) -> Bool {
      #expect(bell.wait() == .rung)
      return false
    }

    func close() {
      if isOpen { output.state.withLock { $0.closed += 1 } }
      isOpen = false
    }
  }
}

/// The reports of a speaker, without the times.
final class Transcript: Sendable {
  private let lines: AsyncStream<String>
  private let feed: AsyncStream<String>.Continuation
  private let times = Mutex<[Duration]>([])

  init() {
    (lines, feed) = AsyncStream.makeStream(of: String.self)
  }

  var record: @Sendable (SpeakerReport) -> Void {
    { report in
      switch report {
      case .started(let id, let sound, let uptime):
        self.times.withLock { $0.append(uptime) }
        self.feed.yield("started \(id) \(sound)")
      case .ended(let id, .failed(let message), let uptime):
        self.times.withLock { $0.append(uptime) }
        self.feed.yield("failed \(id) \(message)")
      case .ended(let id, let ending, let uptime):
        self.times.withLock { $0.append(uptime) }
        self.feed.yield("\(ending) \(id)")
      case .deviceLost(let message): self.feed.yield("lost \(message)")
      case .deviceBack: self.feed.yield("back")
      case .duckingLost(let message): self.feed.yield("ducking lost \(message)")
      case .duckingBack: self.feed.yield("ducking back")
      }
    }
  }

  /// Waits for that many more lines.
  func next(_ count: Int) async -> [String] {
    var found: [String] = []
    var iterator = lines.makeAsyncIterator()
    while found.count < count, let line = await iterator.next() { found.append(line) }
    return found
  }

  /// Returns the remaining lines after the speaker was shut down.
  func rest() async -> [String] {
    feed.finish()
    return await next(.max)
  }

  /// The times of the reports so far, in their order.
  var uptimes: [Duration] { times.withLock { $0 } }
}

extension TemporaryFolder {
  /// Returns a converted sound with these samples.
  func sound(_ name: String, _ samples: [Int16]) throws -> Sound {
    let source = try SourceFile(Int(SF_FORMAT_WAV), Int(SF_FORMAT_PCM_16)).bytes(samples)
    try SoundFile(decoding: source, named: name, by: .inThisProcess).write(to: file("\(name).sound"))
    return Sound(name: name, path: file("\(name).sound"))
  }
}

/// The folder that contains `Sources`, `Tests` and `Sounds`.
let packageFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent().path
