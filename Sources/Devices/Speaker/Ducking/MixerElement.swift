// The part of a sound card's mixer that ducking needs: levels that can be read and set. The card's own units are kept,
// so that the restored level is exactly the previous one.

/// A volume control of a sound card, identified by its names in ALSA.
public protocol MixerElement: Sendable {
  /// The name in errors and in the record of levels to restore: `element 'Music' of card 'default'`.
  var name: String { get }

  /// Opens the control while music is lowered; it is closed in between.
  /// - Throws: `SpeakerError` if the card or the element is missing, or has no volume.
  func open() throws(SpeakerError) -> any MixerControl
}

/// The open control, used by one thread; closed when it is released.
public protocol MixerControl: AnyObject {
  func levels() throws(SpeakerError) -> [MixerLevel]

  /// Returns the levels at a fraction of the amplitude.
  /// - Parameter amplitude: 0 to 1.
  func scaled(_ levels: [MixerLevel], to amplitude: Double) throws(SpeakerError) -> [MixerLevel]

  func set(_ levels: [MixerLevel]) throws(SpeakerError)
}

public struct MixerLevel: Hashable, Sendable, Codable {
  /// The channel in ALSA's numbering: 0 is front left, or mono.
  public var channel: Int
  /// The level in the card's own steps.
  public var steps: Int
}
