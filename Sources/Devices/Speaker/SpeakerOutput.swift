import SystemThreads

/// An output for sounds. The speaker decides which sound plays and when it ends; an output only takes frames, and its
/// errors name the device.
public protocol SpeakerOutput: Sendable {
  /// Opens the device and closes it again.
  func check() throws(SpeakerError)

  /// Opens the device for one sound. It is closed between sounds, so that other programs may use it.
  /// - Parameter sound: its name, for outputs that record it.
  func open(sound: String) throws(SpeakerError) -> any SpeakerStream
}

/// The output of one sound, used by one thread. Frames are 16-bit 44.1 kHz stereo. A stream that is released before
/// `drain` returned true stops at once.
public protocol SpeakerStream: AnyObject {
  /// Takes the first of `frames`, waiting for space if necessary.
  /// - Parameter frames: whole frames, at least one.
  /// - Returns: the number of bytes taken: at least one frame, or 0 because the bell rang.
  func write(_ frames: UnsafeRawBufferPointer, until bell: Doorbell) throws(SpeakerError) -> Int

  /// Waits until the written frames were played.
  /// - Returns: false because the bell rang first; call it again to continue.
  func drain(until bell: Doorbell) throws(SpeakerError) -> Bool

  /// Takes back frames that are not played yet, so that others can replace them: a sound that is cut off can then fade
  /// instead of clicking.
  /// - Returns: the number of frames of the sound, without silence after it; the next frames are played in their place.
  ///   Nil if there are none, and further ones would be played too late or not at all: close the stream.
  func takeBack(for reason: TakeBackReason) -> Int?

  /// True if another sound may follow on this stream.
  var playsOn: Bool { get }

  /// Stops at once, and closes the device.
  func close()
}

extension SpeakerStream {
  public func takeBack(for reason: TakeBackReason) -> Int? { nil }
  public var playsOn: Bool { false }
}

/// The reason why frames are taken back.
public enum TakeBackReason: Sendable {
  /// The sound ends: some frames may still be played.
  case end
  /// Another sound starts, and must not wait for the queued frames.
  case replacement
  /// Another sound starts while the silence after an earlier one is queued: only the silence is taken back.
  case silence
}

/// A device that cannot play, with the cause and the remedy.
public struct SpeakerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The device: `PCM 'default'`
  public let device: String
  /// The system's error: `No such file or directory (ENOENT)`.
  public let cause: String
  /// The meaning of the error for the user, and the remedy.
  public let remedy: String

  /// The text: `speaker: PCM 'default': No such file or directory (ENOENT): No sound card found. List cards with …`
  public var description: String { "speaker: \(device): \(cause): \(remedy)" }
}
