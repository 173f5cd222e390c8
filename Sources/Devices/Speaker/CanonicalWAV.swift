// Converted sounds and recordings have the same file format: 44 bytes of header, then samples. Nothing else is played,
// so checking a file is comparing its header.

import Glibc
import SystemThreads

/// The format of a WAV file of 16-bit 44.1 kHz stereo samples with nothing before or after them.
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
struct PlayableFile: ~Copyable {
  let frames: Int
  private let file: SystemFile
  private let name: String

  init(_ sound: Sound) throws(SoundFileError) {
    let file = try PlayableFile.open(sound)
    var header = [UInt8](repeating: 0, count: CanonicalWAV.headerBytes)
    let dataBytes = (file.byteCount ?? 0) - header.count
    guard dataBytes >= 0, try PlayableFile.read(file, into: &header, at: 0, sound.name) == header.count,
      header == CanonicalWAV.header(dataBytes: dataBytes)
    else {
      throw SoundFileError(
        sound.name, "'\(sound.path)' is not a converted sound", PlayableFile.remedy)
    }
    // An incomplete frame at the end is ignored.
    frames = dataBytes / SoundFormat.bytesPerFrame
    self.file = file
    name = sound.name
  }

  /// Reads samples, fewer at the end.
  /// - Returns: interleaved samples, left first; none at the end.
  func samples(at frame: Int, count: Int) throws(SoundFileError) -> [Int16] {
    let wanted = min(count, frames - frame)
    guard wanted > 0 else { return [] }
    var samples = [Int16](repeating: 0, count: wanted * SoundFormat.channels)
    let offset = CanonicalWAV.headerBytes + frame * SoundFormat.bytesPerFrame
    let bytes = try PlayableFile.read(file, into: &samples, at: offset, name)
    samples.removeLast(samples.count - bytes / SoundFormat.bytesPerFrame * SoundFormat.channels)
    return samples
  }

  private static func open(_ sound: Sound) throws(SoundFileError) -> SystemFile {
    do throws(SystemError) {
      // A FIFO of that name must not block the speaker: with O_NONBLOCK it opens, and is then refused.
      return try SystemFile(path: sound.path, flags: O_RDONLY | O_NONBLOCK)
    } catch {
      throw SoundFileError(sound.name, "'\(sound.path)' cannot be read: \(error)", remedy)
    }
  }

  private static func read<Number: FixedWidthInteger & BitwiseCopyable>(
    _ file: borrowing SystemFile, into buffer: inout [Number], at offset: Int, _ name: String
  ) throws(SoundFileError) -> Int {
    do throws(SystemError) {
      return try file.read(into: &buffer, at: offset)
    } catch {
      throw SoundFileError(name, "cannot be read: \(error)", remedy)
    }
  }

  private static let remedy = "install it again"
}
