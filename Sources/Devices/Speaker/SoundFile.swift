// Apps have sounds in many formats; the speaker plays one. Each sound is decoded and converted once, when its app is
// installed (rule A2), so that playing is copying, and a bad file is refused while the user can read the reason.

import HeldFolders
import SystemThreads

/// A sound of an app, decoded and converted to 16-bit 44.1 kHz stereo.
public struct SoundFile: Sendable {
  /// The file's name in its bundle.
  public let name: String
  /// The original format: `WAV, IMA ADPCM, 22050 Hz, 1 channel`.
  public let sourceFormat: String
  /// The samples, interleaved, left first.
  public let samples: [Int16]

  public var frames: Int { samples.count / SoundFormat.channels }
  public var duration: Duration {
    let rate = SoundFormat.framesPerSecond
    return .seconds(frames / rate) + .nanoseconds(Int64(frames % rate) * 1_000_000_000 / Int64(rate))
  }

  public enum Limits {
    /// The largest file in bytes: 30 s of 24-bit 96 kHz stereo, and a cover picture.
    public static let sourceBytes = 20 * 1024 * 1024
    /// A sound of this length or more is refused (rule A1).
    public static let seconds = 30
    public static let channels = 2
    public static let sourceRates = 4_000...192_000
  }

  /// Decodes a WAV, AIFF or CAF file of Linear PCM, IMA ADPCM, µ-law or A-law samples (rule A2). Samples that already
  /// are 16-bit 44.1 kHz stereo come out unchanged; other rates are resampled, mono is put on both channels.
  /// - Parameter ffmpeg: decodes IMA ADPCM in CAF, the only form that libsndfile does not; nil if it is not installed.
  public init(
    decoding bytes: [UInt8], named name: String, by decoder: SoundDecoder = .child, with ffmpeg: FFmpeg? = .installed
  ) throws(SoundFileError) {
    guard bytes.count <= Limits.sourceBytes else {
      throw SoundFileError(
        name, "has \(bytes.count) bytes", "make it smaller than \(Limits.sourceBytes) bytes")
    }
    // A file that is no sound is refused without a decoder.
    let (isIMA, completed) = try bytes.span.bytes.withUnsafeBytes {
      (memory) throws(SoundFileError) -> (Bool, [UInt8]?) in
      let container = try SoundContainer(of: memory, named: name)
      return (container.isCoreAudioIMA(memory), container.completed(memory))
    }
    guard isIMA else {
      self = try decoder.decode(completed ?? bytes, named: name)
      return
    }
    guard let ffmpeg else {
      throw SoundFileError(
        name, format: "CAF, IMA ADPCM", "IMA ADPCM in CAF cannot be decoded without ffmpeg",
        "install ffmpeg, or convert it with afconvert -f WAVE -d LEI16 to WAV")
    }
    let wave = try ffmpeg.wave(ofCoreAudioIMA: bytes, named: name)
    self = try decoder.decode(wave, named: name, form: "CAF, IMA ADPCM")
  }

  init(name: String, sourceFormat: String, samples: [Int16]) {
    (self.name, self.sourceFormat, self.samples) = (name, sourceFormat, samples)
  }

  /// Decodes the file in this process.
  /// - Parameter form: the original container and encoding, if the file was converted before.
  init(reading bytes: [UInt8], named name: String, form: String?) throws(SoundFileError) {
    self = try bytes.span.bytes.withUnsafeBytes { (memory) throws(SoundFileError) -> SoundFile in
      let container = try SoundContainer(of: memory, named: name)
      let source = MemoryReader(memory)
      return try withExtendedLifetime(source) { () throws(SoundFileError) in
        let file = try SndFile(reading: source, container: container, named: name, format: form)
        try file.checkLimits()
        return SoundFile(name: name, sourceFormat: file.format, samples: try file.samples())
      }
    }
  }

  /// Writes the sound as a WAV file that `Sound` can name: whole or not at all, readable by its owner only.
  /// - Parameter path: in an existing folder. A file of that name is replaced.
  public func write(to path: String) throws(SoundFileError) {
    var bytes = CanonicalWAV.header(dataBytes: samples.count * SoundFormat.bytesPerSample)
    samples.withUnsafeBytes { bytes.append(contentsOf: $0) }
    do throws(HeldFolder.Fault) {
      try HeldFolder.replace(path, with: bytes, mode: 0o600)
    } catch {
      throw SoundFileError(
        name, "cannot be written to '\(path)': \(SystemError(code: error.code))",
        "free space there, or let the daemon write to it")
    }
  }
}

/// The reason why a sound file was refused, or could not be played, for the user who wrote or bought it.
public struct SoundFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file's name in its bundle.
  public let sound: String
  /// The detected format, if known: `CAF, IMA ADPCM`.
  public let format: String?
  /// The problem, as the rest of a sentence about the sound: `lasts 31.0 s`.
  public let problem: String
  public let remedy: String

  init(_ sound: String, format: String? = nil, _ problem: String, _ remedy: String) {
    self.sound = sound
    self.format = format
    self.problem = problem
    self.remedy = remedy
  }

  static func undecodable(_ sound: String, format: String? = nil, _ why: String) -> SoundFileError {
    SoundFileError(sound, format: format, "cannot be decoded: \(why)", convertRemedy)
  }

  static let convertRemedy = "convert it to WAV with 16-bit Linear PCM"

  /// `sound 'letter.caf' (CAF, IMA ADPCM): cannot be decoded; convert it to WAV or AIFF`
  public var description: String {
    "sound '\(sound)'\(format.map { " (\($0))" } ?? ""): \(problem); \(remedy)"
  }
}
