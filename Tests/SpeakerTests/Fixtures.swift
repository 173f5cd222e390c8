// Shared by the tests of this module: folders that vanish, sound files made by libsndfile itself, an ALSA configuration
// that plays into files, and transcripts of what a speaker reports.

import CSndFile
import Foundation
import Synchronization
import Testing

@testable import Speaker

/// A folder that goes when its test does.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/deskbell-speaker-XXXXXX".utf8CString)
    path = try #require(mkdtemp(&template).map { String(cString: $0) })
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  var files: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }

  /// Whole, as it lies on the disk.
  func bytes(_ name: String) throws -> [UInt8] { try readBytes(file(name)) }
}

func readBytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

/// The samples of a WAV file whose header has 44 bytes.
func samples(ofWAV bytes: [UInt8]) -> [Int16] {
  stride(from: 44, to: bytes.count - 1, by: 2).map { Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8) }
}

/// All 16-bit samples are possible, the extremes come first; the same every time.
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

/// A sound file as libsndfile writes it.
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

  /// As libsndfile itself reads 16-bit samples.
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

/// What a speaker reported, without the times.
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

  /// Waits until there are as many more lines.
  func next(_ count: Int) async -> [String] {
    var found: [String] = []
    var iterator = lines.makeAsyncIterator()
    while found.count < count, let line = await iterator.next() { found.append(line) }
    return found
  }

  /// What is left once nothing can come any more: the speaker is shut down.
  func rest() async -> [String] {
    feed.finish()
    return await next(.max)
  }

  /// Of the reports so far, in their order.
  var uptimes: [Duration] { times.withLock { $0 } }
}

extension TemporaryFolder {
  /// A converted sound of these samples.
  func sound(_ name: String, _ samples: [Int16]) throws -> Sound {
    let source = try SourceFile(Int(SF_FORMAT_WAV), Int(SF_FORMAT_PCM_16)).bytes(samples)
    try SoundFile(decoding: source, named: name, by: .inThisProcess).write(to: file("\(name).sound"))
    return Sound(name: name, path: file("\(name).sound"))
  }
}

/// The folder that holds `Sources`, `Tests` and `Sounds`.
let packageFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent().path
