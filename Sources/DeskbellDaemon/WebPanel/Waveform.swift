// A sound as a person sees it: so few points that a browser need not read its five megabytes.

import FoundationEssentials
import Speaker

/// The outline of a sound that is installed or shipped.
struct Waveform {
  var milliseconds: Int64
  /// The loudest sample of each equal stretch, 0 to 100.
  var peaks: [Int]

  private static let headerBytes = 44
  private static let longestBytes =
    headerBytes + SoundFile.Limits.seconds * SoundFormat.framesPerSecond * SoundFormat.bytesPerFrame

  /// Nil where the file cannot be read or is longer than any sound that is played.
  /// - Parameter sound: 16-bit stereo behind a header of 44 bytes, as all are that the speaker plays.
  init?(of sound: Sound, points: Int) {
    guard let data = FileManager.default.contents(atPath: sound.path), data.count >= Waveform.headerBytes,
      data.count <= Waveform.longestBytes
    else { return nil }
    let samples = (data.count - Waveform.headerBytes) / SoundFormat.bytesPerSample
    milliseconds = Int64(samples / SoundFormat.channels) * 1000 / Int64(SoundFormat.framesPerSecond)
    peaks = data.withUnsafeBytes { bytes in
      (0..<min(points, samples)).map { point in
        let (first, end) = (samples * point / points, samples * (point + 1) / points)
        var loudest: UInt16 = 0
        for sample in first..<max(end, first) {
          let offset = Waveform.headerBytes + sample * SoundFormat.bytesPerSample
          let value = Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self))
          loudest = max(loudest, value.magnitude)
        }
        return Int(loudest) * 100 / 32_768
      }
    }
  }
}
