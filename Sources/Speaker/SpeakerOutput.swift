// Where sounds go. The speaker decides what plays and when it ends; an output only takes frames, and says what failed
// in words that name the device.

import SystemThreads

/// Something that sounds can be played on.
public protocol SpeakerOutput: Sendable {
  /// Whether a sound could be played now; opens what it needs and lets it go again.
  func check() throws(SpeakerError)

  /// Makes ready for one sound. Nothing is held between sounds: other programs may use the device.
  /// - Parameter sound: its name, for outputs that write it down.
  func open(sound: String) throws(SpeakerError) -> any SpeakerStream
}

/// One sound on its way out, used by one thread. Frames are 16-bit 44.1 kHz stereo. A stream that is let go of without
/// `drain` having returned true stops at once.
public protocol SpeakerStream: AnyObject {
  /// Takes the first of `frames`, waiting for room where it must.
  /// - Parameter frames: whole frames, at least one.
  /// - Returns: how many bytes were taken: at least one frame, or 0 because the bell rang.
  func write(_ frames: UnsafeRawBufferPointer, until bell: Doorbell) throws(SpeakerError) -> Int

  /// Lets what was written be heard to its end.
  /// - Returns: false because the bell rang first; call it again to go on.
  func drain(until bell: Doorbell) throws(SpeakerError) -> Bool

  /// Takes back frames that are not about to be heard, so that others can be written in their place: a sound that is
  /// cut off can then fade instead of clicking.
  func takeBack(for reason: TakeBackReason) -> TakenBack

  /// Whether another sound may follow on this stream.
  var playsOn: Bool { get }

  /// Stops at once, and lets go of the device.
  func close()
}

extension SpeakerStream {
  public func takeBack(for reason: TakeBackReason) -> TakenBack { .cutOff }
  public var playsOn: Bool { false }
}

/// Why frames are taken back.
public enum TakeBackReason: Sendable {
  /// The sound ends: some frames may still be heard.
  case end
  /// Another sound starts, and must not wait for those that are queued.
  case replacement
  /// Another sound starts while the silence after an earlier one is queued: only that is taken back.
  case silence
}

/// What a stream could take back.
public enum TakenBack: Hashable, Sendable {
  /// So many frames of the sound, not counting silence after it; what is written now is heard in their place.
  case frames(Int)
  /// Nothing, and what is written now would be heard too late or not at all: the stream is to be closed.
  case cutOff
}

/// A device that cannot play: what it is, what is wrong, what to do.
public struct SpeakerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// `PCM 'default'`
  public let device: String
  /// What the system says: `No such file or directory (ENOENT)`.
  public let cause: String
  /// What that means here, and what to do about it.
  public let remedy: String

  public init(device: String, cause: String, remedy: String) {
    self.device = device
    self.cause = cause
    self.remedy = remedy
  }

  /// `speaker: PCM 'default': No such file or directory (ENOENT): No sound card found. List cards with 'aplay -L', then start with --pcm NAME, or use --wav DIR.`
  public var description: String { "speaker: \(device): \(cause): \(remedy)" }
}
