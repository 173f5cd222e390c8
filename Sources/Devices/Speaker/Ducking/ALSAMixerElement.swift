import CALSA
import Glibc

/// An element of a card's mixer, one column in alsamixer, or of the control that a `softvol` PCM adds to it.
public struct ALSAMixerElement: MixerElement {
  /// The card: `default`, `hw:0`, `hw:Headphones`.
  public let card: String
  /// The element, as `amixer -D CARD scontrols` lists it.
  public let element: String

  public init(card: String, element: String) {
    self.card = card
    self.element = element
  }

  public var name: String { "element '\(element)' of card '\(card)'" }

  public func open() throws(SpeakerError) -> any MixerControl { try ALSAMixerControl(self) }
}

private final class ALSAMixerControl: MixerControl {
  private let place: ALSAMixerElement
  private let mixer: OpaquePointer
  private let element: OpaquePointer
  private let channels: [Int]
  private let range: ClosedRange<Int>

  init(_ place: ALSAMixerElement) throws(SpeakerError) {
    ALSAError.silence()
    var opened: OpaquePointer?
    var control: OpaquePointer?
    var code = snd_mixer_open(&opened, 0)
    guard code >= 0, let mixer = opened else { throw ALSAError.error(place, code) }
    do throws(SpeakerError) {
      // Non-blocking, so that the mixer does not wait for further changes once all events are read.
      code = snd_hctl_open(&control, place.card, Int32(SND_CTL_NONBLOCK))
      guard code >= 0, let control else { throw ALSAError.error(place, code) }
      code = snd_mixer_attach_hctl(mixer, control)
      guard code >= 0 else {
        snd_hctl_close(control)
        throw ALSAError.error(place, code)
      }
      code = snd_mixer_selem_register(mixer, nil, nil)
      if code >= 0 { code = snd_mixer_load(mixer) }
      guard code >= 0 else { throw ALSAError.error(place, code) }
      element = try ALSAMixerControl.find(place, in: mixer)
      (channels, range) = try ALSAMixerControl.extent(of: element, place)
    } catch {
      snd_mixer_close(mixer)
      throw error
    }
    self.place = place
    self.mixer = mixer
  }

  deinit {
    snd_mixer_close(mixer)
  }

  func levels() throws(SpeakerError) -> [MixerLevel] {
    try check(snd_mixer_handle_events(mixer))
    var levels: [MixerLevel] = []
    for channel in channels {
      var steps = 0
      try check(snd_mixer_selem_get_playback_volume(element, ALSAMixerControl.id(channel), &steps))
      levels.append(MixerLevel(channel: channel, steps: steps))
    }
    return levels
  }

  func scaled(_ levels: [MixerLevel], to amplitude: Double) throws(SpeakerError) -> [MixerLevel] {
    levels.map { MixerLevel(channel: $0.channel, steps: scaled($0.steps, to: amplitude)) }
  }

  func set(_ levels: [MixerLevel]) throws(SpeakerError) {
    for level in levels {
      let steps = min(max(level.steps, range.lowerBound), range.upperBound)
      try check(snd_mixer_selem_set_playback_volume(element, ALSAMixerControl.id(level.channel), steps))
    }
  }

  /// Returns the steps for a part of the amplitude: by decibels if the card defines them, else linearly.
  private func scaled(_ steps: Int, to amplitude: Double) -> Int {
    var decibels = 0
    var found = 0
    if amplitude > 0, snd_mixer_selem_ask_playback_vol_dB(element, steps, &decibels) == 0,
      snd_mixer_selem_ask_playback_dB_vol(element, decibels + Int((2000 * log10(amplitude)).rounded()), 0, &found) == 0
    {
      return min(max(found, range.lowerBound), steps)
    }
    return range.lowerBound + Int((Double(steps - range.lowerBound) * amplitude).rounded())
  }

  private static func find(
    _ place: ALSAMixerElement, in mixer: OpaquePointer
  ) throws(SpeakerError) -> OpaquePointer {
    var id: OpaquePointer?
    guard snd_mixer_selem_id_malloc(&id) >= 0, let id else { throw ALSAError.error(place, -ENOMEM) }
    defer { snd_mixer_selem_id_free(id) }
    snd_mixer_selem_id_set_index(id, 0)
    snd_mixer_selem_id_set_name(id, place.element)
    guard let element = snd_mixer_find_selem(mixer, id) else {
      throw SpeakerError(
        device: place.name, cause: "there is none",
        remedy: "music is not lowered; 'amixer -D \(place.card) scontrols' lists the elements, and the control of a "
          + "softvol PCM is there once something has played through it")
    }
    return element
  }

  private static func extent(
    of element: OpaquePointer, _ place: ALSAMixerElement
  ) throws(SpeakerError) -> (channels: [Int], range: ClosedRange<Int>) {
    let channels = (0...Int(SND_MIXER_SCHN_LAST.rawValue)).filter {
      snd_mixer_selem_has_playback_channel(element, id($0)) != 0
    }
    var (lowest, highest) = (0, 0)
    guard snd_mixer_selem_has_playback_volume(element) != 0, !channels.isEmpty,
      snd_mixer_selem_get_playback_volume_range(element, &lowest, &highest) >= 0, lowest < highest
    else {
      throw SpeakerError(
        device: place.name, cause: "it has no playback volume",
        remedy: "music is not lowered; set 'speaker.duck.element' to one that has")
    }
    return (channels, lowest...highest)
  }

  private static func id(_ channel: Int) -> snd_mixer_selem_channel_id_t {
    snd_mixer_selem_channel_id_t(rawValue: numericCast(channel))
  }

  private func check(_ code: Int32) throws(SpeakerError) {
    guard code >= 0 else { throw ALSAError.error(place, code) }
  }
}

extension ALSAError {
  fileprivate static func error(_ place: ALSAMixerElement, _ code: Int32) -> SpeakerError {
    // The kernel lets nobody else move the control of a softvol PCM while the program is open that made it.
    let remedy =
      code == -EPERM
      ? "stop the program that plays the music, and start it again: it made this control, and holds it until it ends"
      : "'aplay -l' lists the cards for 'speaker.duck.card'"
    return SpeakerError(device: place.name, cause: cause(code), remedy: "music is not lowered; \(remedy)")
  }
}
