// What ducking needs of a sound card's mixer: levels that can be read and set. The card's own units are kept, so that what
// is restored is exactly what was there.

/// A volume control of a sound card, by its names in ALSA.
public protocol MixerElement: Sendable {
  /// As errors and the record of what to restore call it: `element 'Music' of card 'default'`.
  var name: String { get }

  /// Opens it for as long as music is lowered; nothing is held in between.
  /// - Throws: `SpeakerError` where the card or the element is missing, or has no volume.
  func open() throws(SpeakerError) -> any MixerControl
}

/// The open control, used by one thread; let go of by being released.
public protocol MixerControl: AnyObject {
  /// Those of now, of every channel.
  func levels() throws(SpeakerError) -> [MixerLevel]

  /// What those levels come to at a part of their amplitude.
  /// - Parameter amplitude: 0 to 1.
  func scaled(_ levels: [MixerLevel], to amplitude: Double) throws(SpeakerError) -> [MixerLevel]

  func set(_ levels: [MixerLevel]) throws(SpeakerError)
}

/// The level of one channel.
public struct MixerLevel: Hashable, Sendable, Codable {
  /// As ALSA numbers them: 0 is front left, or mono.
  public var channel: Int
  /// In the card's own steps.
  public var steps: Int
}
