/// The identifier of one playback, chosen by the caller.
public struct PlaybackID: Hashable, Sendable, CustomStringConvertible {
  public var rawValue: UInt64

  public init(_ rawValue: UInt64) {
    self.rawValue = rawValue
  }

  public var description: String { String(rawValue) }
}

/// An event of the speaker. Each playback has one `ended`, and before it one `started` unless no frame was played.
public enum SpeakerReport: Hashable, Sendable {
  /// The output has taken the first frames.
  /// - Parameter uptime: the time of CLOCK_MONOTONIC.
  case started(PlaybackID, sound: String, uptime: Duration)
  case ended(PlaybackID, Ending, uptime: Duration)
  /// The device plays nothing (rule A5). Reported once; a sound tries it again after a pause,
  /// `Speaker.Limits.firstRetryPause` at first.
  case deviceLost(message: String)
  case deviceBack
  /// The music's level cannot be lowered or restored (rule A3). Reported once.
  case duckingLost(message: String)
  case duckingBack

  public enum Ending: Hashable, Sendable {
    case finished
    /// Ended by a newer sound (rule A4).
    case replaced
    case stopped
    case failed(message: String)
  }
}
