// The meaning of alsa-lib's error numbers for a user whose bell does not ring.

import CALSA
import Glibc
import SystemThreads

enum ALSAError {
  /// Keeps alsa-lib from printing to standard error; once for the whole process.
  private static let isSilent: Bool = calsa_silence_errors() == 0

  static func silence() { _ = isSilent }

  /// - Parameter code: a return value of alsa-lib, negative.
  static func error(pcm: String, code: Int32) -> SpeakerError {
    SpeakerError(device: "PCM '\(pcm)'", cause: cause(code), remedy: remedy(pcm, -code))
  }

  static func formatRefused(pcm: String, code: Int32) -> SpeakerError {
    SpeakerError(
      device: "PCM '\(pcm)'", cause: cause(code),
      remedy: "it does not take 16-bit 44.1 kHz stereo; set 'speaker.pcm' to \"\(converting(pcm))\" or \"default\"")
  }

  static func stalled(pcm: String) -> SpeakerError {
    SpeakerError(device: "PCM '\(pcm)'", cause: cause(-EIO), remedy: "it takes no samples; check the card")
  }

  /// Returns the PCM that converts to this one. Inside of `plug:` a comma would end the name, so it is quoted.
  private static func converting(_ pcm: String) -> String {
    pcm.hasPrefix("hw:") ? "plug\(pcm)" : "plug:'\(pcm)'"
  }

  static func cause(_ code: Int32) -> String {
    let text = snd_strerror(code).map { String(cString: $0) } ?? "error"
    return "\(text) (\(SystemError.symbol(of: -code)))"
  }

  private static func remedy(_ pcm: String, _ code: Int32) -> String {
    switch code {
    case ENOENT where pcm == "default":
      "No sound card found. List cards with 'aplay -L', then start with --pcm NAME, or use --wav DIR."
    case ENOENT: "no PCM of that name ('aplay -L' lists them); set 'speaker.pcm' or use a WAV sink"
    case EBUSY: "another program has it; stop that one, or set 'speaker.pcm' to a PCM that mixes"
    case EACCES, EPERM: "the daemon may not open it; add its user to the group 'audio'"
    case ENODEV, ENXIO, ENOTTY, EBADFD, EIO: "the card is gone; plug it in again: the next sound tries it"
    default: "check 'speaker.pcm', or use a WAV sink"
    }
  }
}
