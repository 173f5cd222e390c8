import CSndFile

/// Bytes that libsndfile reads as a file: sounds arrive over a socket. They must outlive this object.
final class MemoryReader {
  private let memory: UnsafeRawBufferPointer
  private var position = 0

  init(_ memory: UnsafeRawBufferPointer) {
    self.memory = memory
  }

  /// The callbacks for libsndfile, with this object as the user data.
  static var callbacks: SF_VIRTUAL_IO {
    SF_VIRTUAL_IO(
      get_filelen: { MemoryReader.of($0).map { sf_count_t($0.memory.count) } ?? 0 },
      seek: { offset, whence, context in MemoryReader.of(context)?.seek(offset, whence) ?? -1 },
      read: { buffer, count, context in MemoryReader.of(context)?.read(into: buffer, count) ?? 0 },
      write: { _, _, _ in 0 },
      tell: { MemoryReader.of($0).map { sf_count_t($0.position) } ?? 0 })
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> MemoryReader? {
    context.map { Unmanaged<MemoryReader>.fromOpaque($0).takeUnretainedValue() }
  }

  private func seek(_ offset: sf_count_t, _ whence: Int32) -> sf_count_t {
    let base: sf_count_t
    switch whence {
    case SEEK_SET: base = 0
    case SEEK_CUR: base = sf_count_t(position)
    case SEEK_END: base = sf_count_t(memory.count)
    default: return -1
    }
    let (target, overflow) = base.addingReportingOverflow(offset)
    guard !overflow, target >= 0, target <= sf_count_t(memory.count) else { return -1 }
    position = Int(target)
    return target
  }

  private func read(into buffer: UnsafeMutableRawPointer?, _ count: sf_count_t) -> sf_count_t {
    guard let buffer, let source = memory.baseAddress, count > 0 else { return 0 }
    let taken = min(Int(count), memory.count - position)
    buffer.copyMemory(from: source + position, byteCount: taken)
    position += taken
    return sf_count_t(taken)
  }
}

struct SndFile: ~Copyable {
  private let handle: OpaquePointer
  private let name: String
  private let rate: Int
  private let channels: Int
  private let announcedFrames: Int64
  /// The format: `WAV, IMA ADPCM, 22050 Hz, 1 channel`
  let format: String

  /// - Parameters:
  ///   - source: must live longer than this file.
  ///   - form: the original container and encoding, if they differ from those read here.
  init(
    reading source: MemoryReader, container: SoundContainer, named name: String, format form: String? = nil
  ) throws(SoundFileError) {
    var callbacks = MemoryReader.callbacks
    var info = SF_INFO()
    guard
      let handle = sf_open_virtual(
        &callbacks, Int32(SFM_READ), &info, Unmanaged.passUnretained(source).toOpaque())
    else {
      let why = String(cString: sf_strerror(nil))
      throw .undecodable(name, format: container.rawValue, why.hasSuffix(".") ? String(why.dropLast()) : why)
    }
    let subtype = Int(info.format) & Int(SF_FORMAT_SUBMASK)
    guard let encoding = SndFile.encodings[subtype] else {
      sf_close(handle)
      throw SoundFileError(
        name, format: container.rawValue,
        "its samples are not Linear PCM, IMA ADPCM, µ-law or A-law", SoundFileError.convertRemedy)
    }
    self.handle = handle
    self.name = name
    rate = Int(info.samplerate)
    channels = Int(info.channels)
    announcedFrames = info.frames
    format =
      (form ?? "\(container.rawValue), \(encoding)") + ", \(rate) Hz, \(channels) channel\(channels == 1 ? "" : "s")"
  }

  deinit {
    sf_close(handle)
  }

  /// Checks the limits against the header; the frames are counted again while decoding.
  func checkLimits() throws(SoundFileError) {
    guard channels <= SoundFile.Limits.channels else {
      throw error("has \(channels) channels", "mix it down to two")
    }
    guard SoundFile.Limits.sourceRates.contains(rate) else {
      let rates = SoundFile.Limits.sourceRates
      throw error(
        "has \(rate) frames a second",
        "resample it to 44100 Hz (\(rates.lowerBound) to \(rates.upperBound) can be read)")
    }
    guard announcedFrames > 0 else {
      throw error("holds no samples", "use a file with sound")
    }
    try checkLength(announcedFrames)
  }

  /// Returns all samples, as 16-bit 44.1 kHz stereo.
  func samples() throws(SoundFileError) -> [Int16] {
    let blockFrames = 4096
    var block = [Float](repeating: 0, count: blockFrames * channels)
    let converter = try StereoConverter(from: rate, channels: channels, frames: announcedFrames, named: name)
    var frames: Int64 = 0
    while true {
      let count = sf_readf_float(handle, &block, sf_count_t(blockFrames))
      guard count > 0 else { break }
      frames += count
      try checkLength(frames)
      try converter.append(block[..<(Int(count) * channels)])
    }
    guard sf_error(handle) == 0, frames == announcedFrames else {
      throw error(
        "only \(frames) of \(announcedFrames) frames can be decoded", SoundFileError.convertRemedy)
    }
    return try converter.finish()
  }

  private func checkLength(_ frames: Int64) throws(SoundFileError) {
    guard frames < Int64(SoundFile.Limits.seconds * rate) else {
      let tenths = frames / Int64(rate) * 10 + frames % Int64(rate) * 10 / Int64(rate)
      throw error(
        "lasts \(tenths / 10).\(tenths % 10) s", "cut it to less than \(SoundFile.Limits.seconds) s")
    }
  }

  private func error(_ problem: String, _ remedy: String) -> SoundFileError {
    SoundFileError(name, format: format, problem, remedy)
  }

  /// The encodings of rule A2, by libsndfile's subtypes.
  private static let encodings: [Int: String] = [
    Int(SF_FORMAT_PCM_S8): "8-bit PCM", Int(SF_FORMAT_PCM_U8): "8-bit PCM", Int(SF_FORMAT_PCM_16): "16-bit PCM",
    Int(SF_FORMAT_PCM_24): "24-bit PCM", Int(SF_FORMAT_PCM_32): "32-bit PCM", Int(SF_FORMAT_FLOAT): "32-bit float PCM",
    Int(SF_FORMAT_DOUBLE): "64-bit float PCM", Int(SF_FORMAT_IMA_ADPCM): "IMA ADPCM", Int(SF_FORMAT_ULAW): "µ-law",
    Int(SF_FORMAT_ALAW): "A-law",
  ]
}
