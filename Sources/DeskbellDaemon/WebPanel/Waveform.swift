// A sound as a person sees it: so few points that a browser need not read its five megabytes.

import ControlAPI
import FoundationEssentials
import Speaker

extension WaveformReport {
  private static let headerBytes = 44
  private static let longestBytes =
    headerBytes + SoundFile.Limits.seconds * SoundFormat.framesPerSecond * SoundFormat.bytesPerFrame

  /// Nil where the file cannot be read or is longer than any sound that is played.
  /// - Parameter sound: 16-bit stereo behind a header of 44 bytes, as all are that the speaker plays.
  init?(of sound: Sound, points: Int) {
    guard let data = FileManager.default.contents(atPath: sound.path), data.count >= Self.headerBytes,
      data.count <= Self.longestBytes
    else { return nil }
    let samples = (data.count - Self.headerBytes) / SoundFormat.bytesPerSample
    let milliseconds = Int64(samples / SoundFormat.channels) * 1000 / Int64(SoundFormat.framesPerSecond)
    let peaks = data.withUnsafeBytes { bytes in
      (0..<min(points, samples)).map { point in
        let (first, end) = (samples * point / points, samples * (point + 1) / points)
        var loudest: UInt16 = 0
        for sample in first..<max(end, first) {
          let offset = Self.headerBytes + sample * SoundFormat.bytesPerSample
          let value = Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self))
          loudest = max(loudest, value.magnitude)
        }
        return Int(loudest) * 100 / 32_768
      }
    }
    self.init(sound: sound.name, milliseconds: milliseconds, peaks: peaks)
  }
}
