import Glibc
import SystemThreads

/// The format of converted sounds and recordings: a WAV file of 16-bit 44.1 kHz stereo samples with nothing before or
/// after them. Nothing else is played, so checking a file is comparing its header.
enum CanonicalWAV {
  static let headerBytes = 44

  static func header(dataBytes: Int) -> [UInt8] {
    let data = UInt32(clamping: dataBytes)
    let rate = UInt32(SoundFormat.framesPerSecond)
    let frame = UInt32(SoundFormat.bytesPerFrame)
    var header: [UInt8] = []
    header.reserveCapacity(headerBytes)
    header += Array("RIFF".utf8) + bytes(data &+ UInt32(headerBytes - 8)) + Array("WAVEfmt ".utf8) + bytes(UInt32(16))
    header += bytes(UInt16(1)) + bytes(UInt16(SoundFormat.channels)) + bytes(rate) + bytes(rate * frame)
    header += bytes(UInt16(frame)) + bytes(UInt16(SoundFormat.bytesPerSample * 8)) + Array("data".utf8) + bytes(data)
    return header
  }

  private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }
}

/// A converted sound, open for playback.
final class PlayableFile {
  private(set) var frames = 0
  private let descriptor: CInt
  private let name: String

  init(_ sound: Sound) throws(SoundFileError) {
    name = sound.name
    let size: Int
    do throws(SystemError) {
      (descriptor, size) = try openFile(sound.path)
    } catch {
      let problem = error.code == EINVAL ? "is not a converted sound" : "cannot be read: \(error)"
      throw SoundFileError(name, "'\(sound.path)' \(problem)", PlayableFile.remedy)
    }
    var header = [UInt8](repeating: 0, count: CanonicalWAV.headerBytes)
    let dataBytes = size - header.count
    guard dataBytes >= 0, try read(into: &header, at: 0) == header.count,
      header == CanonicalWAV.header(dataBytes: dataBytes)
    else {
      throw SoundFileError(name, "'\(sound.path)' is not a converted sound", PlayableFile.remedy)
    }
    // An incomplete frame at the end is ignored.
    frames = dataBytes / SoundFormat.bytesPerFrame
  }

  /// Runs also if the initialiser throws.
  deinit { close(descriptor) }

  /// Reads samples, fewer at the end.
  /// - Returns: interleaved samples, left first; none at the end.
  func samples(at frame: Int, count: Int) throws(SoundFileError) -> [Int16] {
    let wanted = min(count, frames - frame)
    guard wanted > 0 else { return [] }
    var samples = [Int16](repeating: 0, count: wanted * SoundFormat.channels)
    let offset = CanonicalWAV.headerBytes + frame * SoundFormat.bytesPerFrame
    let bytes = try read(into: &samples, at: offset)
    samples.removeLast(samples.count - bytes / SoundFormat.bytesPerFrame * SoundFormat.channels)
    return samples
  }

  /// - Parameter offset: in bytes.
  /// - Returns: the number of bytes read; fewer than fit only at the end of the file.
  private func read<Number: FixedWidthInteger & BitwiseCopyable>(
    into buffer: inout [Number], at offset: Int
  ) throws(SoundFileError) -> Int {
    var span = buffer.mutableSpan
    var bytes = span.mutableBytes
    return try bytes.withUnsafeMutableBytes { memory throws(SoundFileError) in
      var filled = 0
      while filled < memory.count {
        let count = pread(
          descriptor, memory.baseAddress.map { $0 + filled }, memory.count - filled, off_t(offset + filled))
        if count == 0 { break }
        guard count > 0 || errno == EINTR else {
          throw SoundFileError(name, "cannot be read: \(SystemError.last)", PlayableFile.remedy)
        }
        filled += max(0, count)
      }
      return filled
    }
  }

  private static let remedy = "install it again"
}
