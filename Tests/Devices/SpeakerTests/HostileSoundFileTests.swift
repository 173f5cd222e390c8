// Sound files come from any user who may install apps: they may be broken, enormous or malicious, and are refused by
// name.

import CSndFile
import Foundation
import Testing

@testable import Speaker

private let wav = Int(SF_FORMAT_WAV)
private let pcm16 = Int(SF_FORMAT_PCM_16)

@Suite(.timeLimit(.minutes(10)))
struct HostileSoundFileTests {
  @Test("Nothing, a text, no frames, and a container that libsndfile knows and rule A2 does not")
  func noSound() throws {
    #expect(refusal([])?.description == "sound 'a.wav': is empty; bring the file again")
    #expect(
      refusal(Array("Dear sound card, please ring.".utf8))?.description
        == "sound 'a.wav': is not a WAV, AIFF or CAF file; convert it to one of these")
    #expect(
      refusal(try SourceFile(wav, pcm16).bytes([Int16]()))?.description
        == "sound 'a.wav' (WAV, 16-bit PCM, 44100 Hz, 2 channels): holds no samples; use a file with sound")
    #expect(
      refusal(try SourceFile(Int(SF_FORMAT_FLAC), pcm16).bytes(noise(count: 200)))?.problem
        == "is not a WAV, AIFF or CAF file")
  }

  @Test(
    "No file cut short is accepted, wherever it is cut; at the end of a WAV file 64 bytes may be missing",
    arguments: [(wav, 65), (Int(SF_FORMAT_AIFF), 1), (Int(SF_FORMAT_CAF), 1)])
  func truncated(container: Int, missing: Int) throws {
    let whole = try SourceFile(container, pcm16).bytes(noise(count: 2 * 20))
    #expect(try decoded(whole).frames == 20)
    for count in 0...whole.count - missing {
      #expect(throws: SoundFileError.self, "\(count) of \(whole.count) bytes") {
        try SoundFile(decoding: Array(whole[..<count]), named: "cut", by: .inThisProcess)
      }
    }
    let error = refusal(whole.dropLast(missing))
    #expect(error?.problem == "is cut short: it has \(whole.count - missing) bytes and announces more")
  }

  @Test(
    "A size of the samples that is 0, unknown (as written to a pipe) or too large is read to the end of the file",
    arguments: [0, 1, 2, 8, 36, 44, 64, 100_000, 0x7FFF_FFFF, 0xFFFF_FFFF] as [UInt32])
  func wrongSize(excess: UInt32) throws {
    let source = noise(count: 2 * 20)
    let whole = try SourceFile(wav, pcm16).bytes(source)
    let isExact = excess == 0 || excess > 0x7FFF_0000
    let size = isExact ? excess : 80 + excess
    let written = (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
    for riff in [nil, [0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]?] {
      var bytes = whole
      bytes.replaceSubrange(40..<44, with: written)
      if let riff { bytes.replaceSubrange(4..<8, with: riff) }
      guard riff == nil || isExact || excess <= 64 else { continue }
      #expect(try decoded(bytes).samples == source)
      // The file has a chunk after the samples.
      let chunk = Array("LIST".utf8) + [4, 0, 0, 0] + Array("INFO".utf8)
      if isExact {
        let sound = try decoded(bytes + chunk)
        #expect(sound.samples.count == source.count + 6)
        #expect(Array(sound.samples.prefix(source.count)) == source)
      }
    }
  }

  @Test("A chunk after the samples is left out if the size is right, or too large by less than the chunk")
  func trailingChunk() throws {
    let source = noise(count: 2 * 20)
    let chunk = Array("LIST".utf8) + [4, 0, 0, 0] + Array("INFO".utf8)
    for excess in [0, 2, 4, 8] {
      var bytes = try SourceFile(wav, pcm16).bytes(source) + chunk
      bytes[40] = UInt8(80 + excess)
      let sound = try decoded(bytes)
      #expect(Array(sound.samples.prefix(source.count)) == source)
    }
  }

  @Test("A1: 30 s is too long, a frame less is not")
  func length() throws {
    let file = SourceFile(wav, Int(SF_FORMAT_PCM_U8), channels: 1)
    let limit = SoundFile.Limits.seconds * 44_100
    let longest = try file.bytes([Int16](repeating: 0, count: limit - 1))
    #expect(try decoded(longest).frames == limit - 1)
    #expect(refusal(try file.bytes([Int16](repeating: 0, count: limit)))?.problem == "lasts 30.0 s")
    let error = refusal(try file.bytes([Int16](repeating: 0, count: 31 * 44_100)), "march.wav")
    #expect(
      error?.description
        == "sound 'march.wav' (WAV, 8-bit PCM, 44100 Hz, 1 channel): lasts 31.0 s; cut it to less than 30 s")
  }

  @Test("More than two channels", arguments: [3, 9])
  func channels(count: Int) throws {
    let error = refusal(try SourceFile(wav, pcm16, channels: count).bytes(noise(count: 18)), "organ.wav")
    #expect(
      error?.description
        == "sound 'organ.wav' (WAV, 16-bit PCM, 44100 Hz, \(count) channels): has \(count) channels; mix it down to two"
    )
  }

  @Test("Rates just outside of the permitted range", arguments: [3_999, 192_001])
  func rates(rate: Int) throws {
    let error = refusal(try SourceFile(wav, pcm16, rate: rate).bytes(noise(count: 40)))
    #expect(error?.problem == "has \(rate) frames a second")
    #expect(error?.remedy == "resample it to 44100 Hz (4000 to 192000 can be read)")
  }

  @Test("A file of one byte more than the limit")
  func size() {
    let limit = SoundFile.Limits.sourceBytes
    #expect(refusal([UInt8](repeating: 0, count: limit + 1))?.problem == "has \(limit + 1) bytes")
    // A file of exactly the limit is read.
    #expect(refusal([UInt8](repeating: 0, count: limit))?.problem == "is not a WAV, AIFF or CAF file")
  }

  @Test("Encodings that libsndfile knows, and rule A2 does not")
  func otherEncodings() throws {
    for file in [
      SourceFile(wav, Int(SF_FORMAT_GSM610), channels: 1), SourceFile(wav, Int(SF_FORMAT_MS_ADPCM)),
      SourceFile(Int(SF_FORMAT_CAF), Int(SF_FORMAT_ALAC_16)),
    ] {
      let error = refusal(try file.bytes(noise(count: 4096)))
      #expect(error?.problem == "its samples are not Linear PCM, IMA ADPCM, µ-law or A-law")
    }
  }

  @Test(
    "Files with bytes changed at random are decoded within the limits, or refused",
    arguments: [
      SourceFile(wav, pcm16), SourceFile(wav, Int(SF_FORMAT_IMA_ADPCM)), SourceFile(wav, Int(SF_FORMAT_FLOAT)),
      SourceFile(Int(SF_FORMAT_AIFF), Int(SF_FORMAT_IMA_ADPCM)), SourceFile(Int(SF_FORMAT_AIFF), Int(SF_FORMAT_ULAW)),
      SourceFile(Int(SF_FORMAT_CAF), Int(SF_FORMAT_ALAW)),
    ])
  func mutated(file: SourceFile) throws {
    let whole = try file.bytes(noise(count: 2 * 200))
    var state: UInt64 = 7
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    var harmless = 0
    for _ in 0..<400 {
      var bytes = whole
      for _ in 0...next(4) { bytes[next(min(bytes.count, 120))] = UInt8(next(256)) }
      do throws(SoundFileError) {
        let sound = try decoded(bytes)
        #expect(sound.frames > 0 && sound.frames <= SoundFile.Limits.seconds * 44_100)
        harmless += 1
      } catch {
        #expect(!error.problem.isEmpty && !error.remedy.isEmpty)
      }
    }
    // Some mutations are harmless, so the loop did not only test the first four bytes.
    #expect(harmless > 0)
  }
}
