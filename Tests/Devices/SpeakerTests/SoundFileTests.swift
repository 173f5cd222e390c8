// Each format of rule A2 is converted to the only format that is played.

import CSndFile
import Foundation
import Testing

@testable import Speaker

private let wav = Int(SF_FORMAT_WAV)
private let aiff = Int(SF_FORMAT_AIFF)
private let caf = Int(SF_FORMAT_CAF)

@Suite(.timeLimit(.minutes(10)))
struct SoundFileTests {
  struct Form: Sendable, CustomTestStringConvertible {
    var container: Int
    var encoding: Int
    var name: String
    var testDescription: String { name }
  }

  static let containers = [(wav, "WAV"), (aiff, "AIFF"), (caf, "CAF")]

  static func forms(_ encodings: [(Int, String)]) -> [Form] {
    containers.flatMap { container, name in
      encodings.map { Form(container: container, encoding: $0.0, name: "\(name), \($0.1)") }
    }
  }

  @Test(
    "A2: whole-number PCM of 16 bits and more comes out bit for bit",
    arguments: forms([
      (Int(SF_FORMAT_PCM_16), "16-bit PCM"), (Int(SF_FORMAT_PCM_24), "24-bit PCM"),
      (Int(SF_FORMAT_PCM_32), "32-bit PCM"),
    ]))
  func wholeNumbers(form: Form) throws {
    let source = noise(count: 2 * 4999)
    let sound = try decoded(SourceFile(form.container, form.encoding).bytes(source))
    #expect(sound.samples == source)
    #expect(sound.frames == 4999)
    #expect(sound.sourceFormat == "\(form.name), 44100 Hz, 2 channels")
  }

  @Test(
    "A2: floating-point PCM comes out bit for bit",
    arguments: forms([(Int(SF_FORMAT_FLOAT), "32-bit float PCM"), (Int(SF_FORMAT_DOUBLE), "64-bit float PCM")]))
  func floatingPoint(form: Form) throws {
    let source = noise(count: 2 * 4999)
    let sound = try decoded(SourceFile(form.container, form.encoding).bytes(source.map { Float($0) / 32768 }))
    #expect(sound.samples == source)
    #expect(sound.sourceFormat == "\(form.name), 44100 Hz, 2 channels")
  }

  @Test(
    "A2: forms that lose something come out as libsndfile's own 16-bit samples",
    arguments: forms([(Int(SF_FORMAT_ULAW), "µ-law"), (Int(SF_FORMAT_ALAW), "A-law")])
      + [
        Form(container: wav, encoding: Int(SF_FORMAT_PCM_U8), name: "WAV, 8-bit PCM"),
        Form(container: aiff, encoding: Int(SF_FORMAT_PCM_S8), name: "AIFF, 8-bit PCM"),
        Form(container: caf, encoding: Int(SF_FORMAT_PCM_S8), name: "CAF, 8-bit PCM"),
        Form(container: wav, encoding: Int(SF_FORMAT_IMA_ADPCM), name: "WAV, IMA ADPCM"),
        Form(container: aiff, encoding: Int(SF_FORMAT_IMA_ADPCM), name: "AIFF, IMA ADPCM"),
      ])
  func lossy(form: Form) throws {
    let source = sine(440, rate: 44_100, frames: 4096, channels: 2).map { Int16($0 * 32767) }
    let bytes = try SourceFile(form.container, form.encoding).bytes(source)
    let sound = try decoded(bytes)
    #expect(sound.samples == (try SourceFile.decoded(bytes)))
    #expect(sound.sourceFormat == "\(form.name), 44100 Hz, 2 channels")
    // The tone is preserved: the difference is 26 dB below it or less.
    let difference = zip(sound.samples, source).map { pow(Double($0) - Double($1), 2) }.reduce(0, +)
    let power = source.map { pow(Double($0), 2) }.reduce(0, +)
    #expect(sound.samples.count >= source.count)
    #expect(difference < power / 400)
  }

  @Test("A2: mono is put on both channels, unchanged")
  func mono() throws {
    let source = noise(count: 5001)
    let bytes = try SourceFile(wav, Int(SF_FORMAT_PCM_16), channels: 1).bytes(source)
    let sound = try decoded(bytes)
    #expect(sound.samples == source.flatMap { [$0, $0] })
    #expect(sound.sourceFormat == "WAV, 16-bit PCM, 44100 Hz, 1 channel")
  }

  @Test(
    "A2: resampled sounds have the exact length",
    arguments: [
      (48_000, 48_000, 44_100), (48_000, 1, 1), (22_050, 12_345, 24_690), (8_000, 8_001, 44_106),
      (96_000, 10_007, 4_597),
      (4_000, 4_000, 44_100), (192_000, 192_000, 44_100), (44_101, 44_101, 44_100),
    ])
  func resampledLength(rate: Int, frames: Int, expected: Int) throws {
    let bytes = try SourceFile(wav, Int(SF_FORMAT_PCM_16), rate: rate, channels: 1)
      .bytes(noise(count: frames))
    #expect(try decoded(bytes).frames == expected)
  }

  @Test("A2: a resampled tone is the same tone at the same time", arguments: [48_000, 22_050, 96_000])
  func resampledTone(rate: Int) throws {
    let bytes = try SourceFile(caf, Int(SF_FORMAT_FLOAT), rate: rate, channels: 2)
      .bytes(sine(1000, rate: rate, frames: rate / 2, channels: 2))
    let sound = try decoded(bytes)
    let expected = sine(1000, rate: 44_100, frames: 22_050)
    #expect(sound.frames == expected.count)
    #expect(sound.duration == .milliseconds(500))
    // The filter assumes silence before the first and after the last sample; in between it is exact to 2 in 32768.
    for n in 300..<(expected.count - 300) {
      #expect(abs(Int(sound.samples[2 * n]) - Int((expected[n] * 32768).rounded())) <= 2)
      #expect(sound.samples[2 * n] == sound.samples[2 * n + 1])
    }
  }

  @Test("Samples beyond full scale are clipped, and NaN is silence")
  func beyondFullScale() throws {
    let source: [Float] = [1.5, -1.5, .infinity, -.infinity, .nan, 0.5, 1, -1]
    let bytes = try SourceFile(wav, Int(SF_FORMAT_FLOAT)).bytes(source)
    let sound = try decoded(bytes)
    #expect(sound.samples == [.max, .min, .max, .min, 0, 16384, .max, .min])
  }

  @Test("A written sound is a WAV file of nothing but the samples, its owner's alone, and replaces an older one")
  func writing() throws {
    let folder = try TemporaryFolder()
    let source = noise(count: 2 * 1001)
    _ = try folder.sound("a", noise(count: 8, seed: 2))
    let sound = try folder.sound("a", source)
    #expect(try folder.files == ["a.sound"])
    let bytes = try readBytes(sound.path)
    #expect(bytes.count == 44 + 4 * 1001)
    #expect(samples(ofWAV: bytes) == source)
    // libsndfile accepts the header.
    #expect(try SourceFile.decoded(bytes) == source)
    #expect(try decoded(bytes).samples == source)
    var status = stat()
    #expect(stat(sound.path, &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o600)
  }

  @Test("A folder that is missing is named, with what to do")
  func writingNowhere() throws {
    let folder = try TemporaryFolder()
    let sound = try decoded(SourceFile(wav, Int(SF_FORMAT_PCM_16)).bytes(noise(count: 2)))
    let path = folder.file("none/a.sound")
    let error = #expect(throws: SoundFileError.self) { try sound.write(to: path) }
    #expect(
      error?.description
        == "sound 'a.wav': cannot be written to '\(path)': No such file or directory (ENOENT); free space there, or let the daemon write to it"
    )
  }
}
