/// The container of a sound file (rule A2). libsndfile reads thirty containers, of which three are permitted, and
/// decodes part of a truncated file: an incomplete upload would be installed in part.
enum SoundContainer: String {
  case wav = "WAV"
  case aiff = "AIFF"
  case caf = "CAF"

  /// Recognises the container by its first bytes, and verifies that its samples are complete.
  init(of memory: UnsafeRawBufferPointer, named name: String) throws(SoundFileError) {
    guard !memory.isEmpty else {
      throw SoundFileError(name, "is empty", "bring the file again")
    }
    if memory.spells("RIFF", at: 0) && memory.spells("WAVE", at: 8) {
      self = .wav
    } else if memory.spells("FORM", at: 0) && (memory.spells("AIFF", at: 8) || memory.spells("AIFC", at: 8)) {
      self = .aiff
    } else if memory.spells("caff", at: 0) {
      self = .caf
    } else {
      throw SoundFileError(name, "is not a WAV, AIFF or CAF file", "convert it to one of these")
    }
    guard announcedBytes(in: memory) <= memory.count || self == .wav && isNearlyWhole(memory) else {
      throw SoundFileError(
        name, format: rawValue, "is cut short: it has \(memory.count) bytes and announces more",
        "bring the whole file")
    }
  }

  /// Returns true for Core Audio's own IMA encoding; libsndfile reads IMA in WAV and AIFF only.
  func isCoreAudioIMA(_ memory: UnsafeRawBufferPointer) -> Bool {
    self == .caf && memory.spells("desc", at: 8) && memory.spells("ima4", at: 28)
  }

  /// Returns a copy of a WAV file with correct sizes: the samples extend to the end of the file if their chunk
  /// announces none, or more than there are. Writers that were killed, or that count wrongly, leave such sizes; ffmpeg
  /// and sox read them so. Nil if the sizes are already correct.
  func completed(_ memory: UnsafeRawBufferPointer) -> [UInt8]? {
    guard self == .wav, let samples = waveSamples(in: memory) else { return nil }
    let rest = memory.count - samples.start
    guard rest > 0, samples.size.map({ $0 == 0 || $0 > rest }) ?? true else { return nil }
    var bytes = Array(memory)
    for (position, size) in [(4, memory.count - 8), (samples.start - 4, rest)] {
      for place in 0..<4 { bytes[position + place] = UInt8(truncatingIfNeeded: size >> (8 * place)) }
    }
    return bytes
  }

  /// Returns true if a WAV file announces more than it has although no audible part of it is missing.
  private func isNearlyWhole(_ memory: UnsafeRawBufferPointer) -> Bool {
    guard let samples = waveSamples(in: memory), let size = samples.size, memory.count > samples.start else {
      return false
    }
    // The size of the whole file is right, or the missing end is too short to be audible.
    let whole = Int(UInt32(littleEndian: memory.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
    return size - (memory.count - samples.start) <= SoundContainer.toleratedBytes || whole + 8 == memory.count
  }

  /// Returns the start of a WAV file's samples and their announced bytes; nil if there is no such chunk.
  private func waveSamples(in memory: UnsafeRawBufferPointer) -> (start: Int, size: Int?)? {
    var position = 12
    while position + 8 <= memory.count {
      let size = chunkSize(in: memory, at: position + 4)
      if memory.spells("data", at: position) { return (position + 8, size) }
      guard let size else { return nil }
      position += 8 + size + size & 1
    }
    return nil
  }

  /// Returns the end of the chunk with the samples, or of an incomplete chunk before it. Later chunks are ignored.
  private func announcedBytes(in memory: UnsafeRawBufferPointer) -> Int {
    let samples = self == .aiff ? "SSND" : "data"
    let header = self == .caf ? 12 : 8
    var position = self == .caf ? 8 : 12
    while position + header <= memory.count {
      let isSamples = memory.spells(samples, at: position)
      guard let size = chunkSize(in: memory, at: position + 4) else { return isSamples ? position : .max }
      let (end, overflow) = (position + header).addingReportingOverflow(size)
      if isSamples || overflow || end > memory.count { return overflow ? .max : end }
      position = end + (self == .caf ? 0 : size & 1)
    }
    return position + header
  }

  /// Returns the size of a chunk; nil if the writer did not know it because it wrote to a pipe.
  private func chunkSize(in memory: UnsafeRawBufferPointer, at position: Int) -> Int? {
    switch self {
    case .wav, .aiff:
      let bytes = memory.loadUnaligned(fromByteOffset: position, as: UInt32.self)
      let size = self == .wav ? UInt32(littleEndian: bytes) : UInt32(bigEndian: bytes)
      return size < SoundContainer.unknownSize ? Int(size) : nil
    case .caf:
      let size = Int64(bigEndian: memory.loadUnaligned(fromByteOffset: position, as: Int64.self))
      return size < 0 ? nil : Int(size)
    }
  }

  /// Bytes that may be missing at the end of a WAV file: less than 1 ms, and more than any header in the count.
  private static let toleratedBytes = 64

  /// Writers to a pipe announce 0xFFFFFFFF bytes, or just under 0x80000000; a real file is far smaller.
  private static let unknownSize: UInt32 = 0x7FFF_0000
}

extension UnsafeRawBufferPointer {
  fileprivate func spells(_ text: String, at position: Int) -> Bool {
    count >= position + text.utf8.count && self[position..<position + text.utf8.count].elementsEqual(text.utf8)
  }
}
