// The waveform of a sound, with few points, so that a browser need not read five megabytes; and its audio for playing
// in the browser.

import FoundationEssentials
import Glibc
import Speaker

private let headerBytes = 44
private let longestBytes =
  headerBytes + SoundFile.Limits.seconds * SoundFormat.framesPerSecond * SoundFormat.bytesPerFrame

/// A sound's file, read in pieces while it is sent.
struct SoundAudio: Sendable {
  private static let pieceBytes = 64 * 1024

  private let path: String

  /// Finds the sound's file; nil if it is missing or longer than any sound that is played.
  init?(of sound: Sound) {
    var status = stat()
    guard stat(sound.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      (headerBytes...longestBytes).contains(Int(status.st_size))
    else { return nil }
    path = sound.path
  }

  /// - Throws: `CancellationError` if the file can no longer be read, which ends the connection.
  func write(_ send: @Sendable ([UInt8]) async throws -> Void) async throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw CancellationError() }
    defer { close(file) }
    var left = longestBytes
    while left > 0 {
      let piece = [UInt8](unsafeUninitializedCapacity: min(left, SoundAudio.pieceBytes)) { memory, count in
        count = max(read(file, memory.baseAddress, memory.count), 0)
      }
      guard !piece.isEmpty else { return }
      try await send(piece)
      left -= piece.count
    }
  }
}

extension WaveformReport {
  /// Measures a sound; nil if its file cannot be read or is longer than any sound that is played.
  /// - Parameter sound: 16-bit stereo behind a header of 44 bytes, as are all sounds that the speaker plays.
  init?(of sound: Sound, points: Int) {
    guard let data = FileManager.default.contents(atPath: sound.path), data.count >= headerBytes,
      data.count <= longestBytes
    else { return nil }
    let samples = (data.count - headerBytes) / SoundFormat.bytesPerSample
    let milliseconds = Int64(samples / SoundFormat.channels) * 1000 / Int64(SoundFormat.framesPerSecond)
    let peaks = data.withUnsafeBytes { bytes in
      (0..<min(points, samples)).map { point in
        let (first, end) = (samples * point / points, samples * (point + 1) / points)
        var loudest: UInt16 = 0
        for sample in first..<max(end, first) {
          let offset = headerBytes + sample * SoundFormat.bytesPerSample
          let value = Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self))
          loudest = max(loudest, value.magnitude)
        }
        return Int(loudest) * 100 / 32_768
      }
    }
    self.init(sound: sound.name, milliseconds: milliseconds, peaks: peaks)
  }
}
