/// A sound in the form that is played: a WAV file of 16-bit 44.1 kHz stereo samples (rule A2), written by
/// `SoundFile.write(to:)` or shipped with the handset. A silent speaker uses no memory for samples.
public struct Sound: Hashable, Sendable {
  /// The name in reports and recordings.
  public var name: String
  public var path: String

  public init(name: String, path: String) {
    self.name = name
    self.path = path
  }
}

/// The only format in which sounds are played (rule A2).
public enum SoundFormat {
  public static let framesPerSecond = 44_100
  public static let channels = 2
  public static let bytesPerSample = 2
  /// One sample for each channel.
  public static let bytesPerFrame = channels * bytesPerSample
}
