// An unusable sound is refused when its app is installed. The user, who wrote or bought the file, needs its name, its
// format, the problem and the remedy.

/// The reason why a sound file was refused, or could not be played.
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

  /// Returns the error for a sound that no decoder reads.
  static func undecodable(_ sound: String, format: String? = nil, _ why: String) -> SoundFileError {
    SoundFileError(sound, format: format, "cannot be decoded: \(why)", convertRemedy)
  }

  static let convertRemedy = "convert it to WAV with 16-bit Linear PCM"

  /// `sound 'letter.caf' (CAF, IMA ADPCM): cannot be decoded; convert it to WAV or AIFF`
  public var description: String {
    "sound '\(sound)'\(format.map { " (\($0))" } ?? ""): \(problem); \(remedy)"
  }
}
