import CEBUR128
import Foundation
import Testing

@testable import Speaker

@Suite(.timeLimit(.minutes(10)))
struct ShippedSoundTests {
  static let folder = "\(packageFolder)/Sounds"
  static let names = ["bell", "chime", "glass", "harp", "knock", "marimba", "ping", "pulse", "radar", "wood"]

  private func alert(_ name: String) throws -> (file: SoundFile, bytes: [UInt8]) {
    let bytes = try readBytes("\(Self.folder)/\(name).wav")
    return (try SoundFile(decoding: bytes, named: name, by: .inThisProcess), bytes)
  }

  @Test("Every alert is in the list, and the list is in the folder, in less than 2 MB")
  func list() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder).filter { $0.hasSuffix(".wav") }
    #expect(files.sorted() == Self.names.map { "\($0).wav" })
    #expect(try files.map { try readBytes("\(Self.folder)/\($0)").count }.reduce(0, +) < 2_000_000)
  }

  @Test("A2: an alert is played as it is, and is well made", arguments: names)
  func wellMade(name: String) async throws {
    let (file, bytes) = try alert(name)
    #expect(file.sourceFormat == "WAV, 16-bit PCM, 44100 Hz, 2 channels")
    #expect(bytes.count == CanonicalWAV.headerBytes + 4 * file.frames)
    #expect(Array(bytes.prefix(44)) == CanonicalWAV.header(dataBytes: 4 * file.frames))
    #expect(file.duration >= .milliseconds(200) && file.duration < .seconds(2))
    // -3 dB of full scale: the last step that is not above it.
    let magnitudes = file.samples.map(\.magnitude)
    #expect(magnitudes.max() == 23_197)
    // A clipped peak is flat.
    let run = magnitudes.indices.dropFirst(4).contains { n in
      magnitudes[n] == 23_197 && magnitudes[n - 2] == 23_197 && magnitudes[n - 4] == 23_197
    }
    #expect(!run)
    // No click: both ends are silent, and the last 10 ms nearly so.
    #expect(Array(file.samples.prefix(2)) == [0, 0])
    #expect(Array(file.samples.suffix(2)) == [0, 0])
    #expect(magnitudes.suffix(2 * 441).allSatisfy { $0 < 16 })
    #expect(magnitudes.prefix(2 * 4).allSatisfy { $0 < 1000 })
  }

  @Test("Alerts differ from one another, and are all equally loud")
  func loudness() throws {
    let files = try Self.names.map { try alert($0).file }
    #expect(Set(files.map(\.samples)).count == Self.names.count)
    let levels = files.map { loudest(of: $0.samples) }
    let (least, most) = (levels.min() ?? 0, levels.max() ?? 0)
    #expect(least > -12.7 && most < -11.3, "\(zip(Self.names, levels).map { "\($0) \($1)" })")
  }

  @Test("A2: the example app's sounds come in other forms, and convert")
  func mailroom() throws {
    for (name, form, frames) in [
      ("letter.wav", "WAV, 16-bit PCM, 22050 Hz, 1 channel", 30_868),
      ("stamp.aiff", "AIFF, µ-law, 22050 Hz, 1 channel", 22_050),
      ("parcel.caf", "CAF, A-law, 44100 Hz, 1 channel", 39_690),
    ] {
      let bytes = try readBytes("\(packageFolder)/examples/mailroom/sounds/\(name)")
      let file = try SoundFile(decoding: bytes, named: name, by: .inThisProcess)
      #expect(file.sourceFormat == form)
      #expect(file.frames == frames)
      // The generator's encoders are right: decoded sounds peak at -3 dB, within a step of the encoding.
      let peak = file.samples.map(\.magnitude).max() ?? 0
      #expect((22_000...24_500).contains(peak), "\(name) peaks at \(peak)")
    }
  }
}

/// Returns the loudness of the loudest 400 ms in LUFS (ITU-R BS.1770), measured every 10 ms.
private func loudest(of samples: [Int16]) -> Double {
  var state = ebur128_init(2, 44_100, Int32(EBUR128_MODE_M.rawValue))
  defer { ebur128_destroy(&state) }
  var most = -Double.infinity
  for start in stride(from: 0, to: samples.count, by: 2 * 441) {
    let step = Array(samples[start..<min(start + 2 * 441, samples.count)])
    var momentary = 0.0
    guard ebur128_add_frames_short(state, step, step.count / 2) == 0,
      ebur128_loudness_momentary(state, &momentary) == 0
    else { return -.infinity }
    most = max(most, momentary)
  }
  return most
}
