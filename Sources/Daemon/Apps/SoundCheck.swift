import Speaker
import SystemThreads

public struct SoundCheckReport: Encodable, Sendable {
  public var file: String
  /// The format: `CAF, 16-bit PCM, 22050 Hz, 1 channel`; nil if it is unknown.
  public var format: String?
  public var seconds: Double?
  /// The level of the largest sample, in dB of full scale, 0 or less; nil for silence.
  public var peakDecibels: Double?
  /// The loudness by ITU-R BS.1770, integrated; nil for silence, and for less than 0.4 s, the length of a measurement.
  public var loudnessLUFS: Double?
  /// Samples at full scale in runs: the wave is clipped there.
  public var clippedSamples: Int?
  public var plays: Plays
  /// The reason why the default sound would play in its place (rule A1), and the remedy; nil if it plays itself.
  public var problem: String?

  public enum Plays: String, Encodable, Sendable {
    case itself, `default`
  }
}

/// Reads a sound as the installation of an app would.
public func checkSound(path: String, decoder: SoundDecoder = .child) throws(DaemonError) -> SoundCheckReport {
  let bytes = try readSound(path: path)
  let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  do throws(SoundFileError) {
    let sound = try SoundFile(decoding: bytes, named: name, by: decoder)
    let loudness = Loudness(of: sound.samples)
    return SoundCheckReport(
      file: path, format: sound.sourceFormat, seconds: Double(sound.frames) / Double(SoundFormat.framesPerSecond),
      peakDecibels: loudness.peakDecibels, loudnessLUFS: loudness.integratedLUFS,
      clippedSamples: loudness.clippedSamples, plays: .itself)
  } catch {
    return SoundCheckReport(
      file: path, format: error.format, plays: .default, problem: "\(error.problem); \(error.remedy)")
  }
}

/// Returns the file's bytes, at most one more than a sound may have, which shows that there are too many.
public func readSound(path: String) throws(DaemonError) -> [UInt8] {
  do throws(SystemError) {
    return try readFile(path, atMost: SoundFile.Limits.sourceBytes)
  } catch {
    throw DaemonError("\(path) cannot be read: \(error.reason); check the path and its permissions")
  }
}
