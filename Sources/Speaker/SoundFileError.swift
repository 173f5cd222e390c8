// A sound that cannot be used is refused where its app is installed. The person there wrote or bought the file, and
// needs its name, what it is, what is wrong with it, and what to do.

/// Why a sound file was refused, or could not be played.
public struct SoundFileError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Reason: Hashable, Sendable {
    case empty
    case tooLarge
    /// Neither WAV, AIFF nor CAF.
    case unknownContainer
    /// Less than its own header announces.
    case truncated
    /// A form of samples that rule A2 does not list, or that no decoder here reads.
    case unsupportedEncoding
    case tooManyChannels
    case unsupportedRate
    /// 30 s or more (rule A1).
    case tooLong
    /// Not one frame.
    case silent
    case damaged
    case notWritten
    /// At play time: missing, unreadable, or no converted sound.
    case notReadable
  }

  /// The file's name in its bundle.
  public let sound: String
  /// What it was found to be, once that was known: `CAF, IMA ADPCM`.
  public let format: String?
  public let reason: Reason
  /// What is wrong, as the rest of a sentence about the sound: `lasts 31.0 s`.
  public let problem: String
  /// What to do about it.
  public let remedy: String

  init(_ sound: String, format: String? = nil, _ reason: Reason, _ problem: String, _ remedy: String) {
    self.sound = sound
    self.format = format
    self.reason = reason
    self.problem = problem
    self.remedy = remedy
  }

  /// `sound 'letter.caf' (CAF, IMA ADPCM): cannot be decoded; convert it to WAV or AIFF`
  public var description: String {
    "sound '\(sound)'\(format.map { " (\($0))" } ?? ""): \(problem); \(remedy)"
  }
}
