// The only form of rule A2 that libsndfile does not read: IMA ADPCM in CAF. With ffmpeg it is a sound like others;
// without it, the refusal includes the remedy.

import CSndFile
import Foundation
import Testing

@testable import Speaker

@Suite(.timeLimit(.minutes(10)))
struct CoreAudioIMATests {
  /// Returns the samples of an AIFF file by libsndfile as CAF: Core Audio's packets are the same in both containers.
  private func file(_ aiff: [UInt8], rate: Double, channels: Int) throws -> [UInt8] {
    func big(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
    let place = try #require(Data(aiff).range(of: Data("SSND".utf8))).upperBound
    let size = aiff[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
    let packets = aiff[(place + 12)..<(place + 4 + size)]
    #expect(packets.count % (34 * channels) == 0)
    var bytes = Array("caff".utf8) + big(UInt16(1)) + big(UInt16(0))
    bytes += Array("desc".utf8) + big(Int64(32)) + big(rate.bitPattern) + Array("ima4".utf8)
    bytes += big(UInt32(0)) + big(UInt32(34 * channels)) + big(UInt32(64)) + big(UInt32(channels)) + big(UInt32(0))
    return bytes + Array("data".utf8) + big(Int64(packets.count + 4)) + big(UInt32(0)) + packets
  }

  private func tone(rate: Int, channels: Int, frames: Int = 6_400) throws -> (caf: [UInt8], aiff: [UInt8]) {
    let source = sine(440, rate: rate, frames: frames, channels: channels).map { Int16($0 * 32_767) }
    let aiff = try SourceFile(Int(SF_FORMAT_AIFF), Int(SF_FORMAT_IMA_ADPCM), rate: rate, channels: channels)
      .bytes(source)
    return (try file(aiff, rate: Double(rate), channels: channels), aiff)
  }

  @Test("A2: without ffmpeg IMA ADPCM in CAF is refused with what to do")
  func refused() throws {
    let caf = try tone(rate: 44_100, channels: 2).caf
    #expect(
      refusal(caf, "letter.caf", with: nil)?.description
        == "sound 'letter.caf' (CAF, IMA ADPCM): IMA ADPCM in CAF cannot be decoded without ffmpeg; install ffmpeg, or convert it with afconvert -f WAVE -d LEI16 to WAV"
    )
  }

  @Test("One that is cut short is refused before any decoder sees it")
  func truncated() throws {
    let caf = try tone(rate: 44_100, channels: 1).caf
    let error = refusal(caf.dropLast(1), with: FFmpeg(path: "/nowhere/ffmpeg"))
    #expect(error?.problem.hasPrefix("is cut short") == true)
  }

  @Test("An ffmpeg that cannot be started, or makes nothing of the file, is named")
  func brokenFFmpeg() throws {
    let caf = try tone(rate: 44_100, channels: 1).caf
    #expect(
      refusal(caf, with: FFmpeg(path: "/nowhere/ffmpeg"))?.problem
        == "cannot be decoded: /nowhere/ffmpeg cannot be started: No such file or directory (ENOENT)")
    let silent = refusal(caf, with: FFmpeg(path: "/bin/true"))
    #expect(silent?.problem == "cannot be decoded: ffmpeg decoded nothing")
    #expect(silent?.remedy == "convert it to WAV with 16-bit Linear PCM")
  }

  @Test("Endless output of ffmpeg is refused at one byte more than the limit")
  func endlessFFmpeg() throws {
    let folder = try TemporaryFolder()
    let script = folder.file("ffmpeg")
    try Data("#!/bin/sh\nexec cat /dev/zero\n".utf8).write(to: URL(fileURLWithPath: script))
    #expect(chmod(script, 0o700) == 0)
    let caf = try tone(rate: 44_100, channels: 1).caf
    let problem = refusal(caf, with: FFmpeg(path: script))?.problem
    #expect(problem == "cannot be decoded: it decodes to more than 12582912 bytes")
  }

  @Test(
    "A2: with ffmpeg it is the sound that libsndfile makes of the same packets in AIFF",
    .enabled(if: FFmpeg.installed != nil, "ffmpeg is not installed"),
    arguments: [(44_100, 2), (44_100, 1), (22_050, 1)])
  func sameAsInAIFF(rate: Int, channels: Int) throws {
    let (caf, aiff) = try tone(rate: rate, channels: channels)
    let (sound, other) = (try decoded(caf), try decoded(aiff))
    #expect(sound.sourceFormat == "CAF, IMA ADPCM, \(rate) Hz, \(channels) channel\(channels == 1 ? "" : "s")")
    #expect(sound.frames == other.frames)
    #expect(sound.frames == 6_400 * 44_100 / rate)
    // A block's header has 9 of the 16 bits of its initial value; ffmpeg keeps the others, libsndfile does not.
    let difference = zip(sound.samples, other.samples).map { abs(Int($0) - Int($1)) }.max() ?? .max
    #expect(difference <= 256, "\(difference)")
  }

  @Test("A1: 30 s of it are too long", .enabled(if: FFmpeg.installed != nil, "ffmpeg is not installed"))
  func tooLong() throws {
    let caf = try tone(rate: 8_000, channels: 1, frames: 30 * 8_000).caf
    let error = refusal(caf)
    #expect(error?.problem == "lasts 30.0 s")
    #expect(error?.format == "CAF, IMA ADPCM, 8000 Hz, 1 channel")
  }
}
