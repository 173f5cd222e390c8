// The sound card. It is opened for each sound and closed after it: other programs can use it in between, a card that
// was removed and plugged in again works at once, and a silent handset never wakes for audio.

import CALSA
import Glibc
import SystemThreads

/// The output to a PCM of ALSA, as 16-bit 44.1 kHz stereo; `plug` converts to the card's own format.
public struct ALSASink: SpeakerOutput {
  public let pcm: String

  /// - Parameter pcm: any name that `aplay -D` accepts: `default`, `plughw:CARD=Headphones`, ….
  public init(pcm: String = "default") {
    self.pcm = pcm
  }

  public func check() throws(SpeakerError) {
    try ALSAStream(pcm: pcm).close()
  }

  public func open(sound: String) throws(SpeakerError) -> any SpeakerStream {
    try ALSAStream(pcm: pcm)
  }
}

/// The setup of the PCM. The values are requests: a card takes the nearest that it supports.
private enum Setup {
  /// The period, 23 ms: the first sound starts once one period is written.
  static let periodFrames: snd_pcm_uframes_t = 1024
  /// The buffer, 186 ms: the time that a busy board may take to write the next period.
  static let bufferFrames: snd_pcm_uframes_t = 8192
  /// The time without a write after which a card counts as broken. Real time, as drivers count it.
  static let stallMilliseconds: Int32 = 5_000
  /// The interval between checks of a PCM that plays the rest of a sound, which takes a buffer's time.
  static let drainMilliseconds: Int32 = 10
}

private final class ALSAStream: SpeakerStream {
  private let name: String
  private let pcm: OpaquePointer
  private var periodFrames: snd_pcm_uframes_t = 0
  private var isOpen = true
  private var frames = 0
  /// The frames of silence after the sound that are not written yet; nil before the sound has ended.
  private var silentFrames: Int?
  /// The frames of silence that were written and not taken back.
  private var silenceWritten = 0
  /// True if only silence is left to play and nothing more can be written.
  private var isDraining = false
  private var drainedMilliseconds: Int32 = 0

  init(pcm name: String) throws(SpeakerError) {
    ALSAError.silence()
    self.name = name
    var opened: OpaquePointer?
    let code = snd_pcm_open(&opened, name, SND_PCM_STREAM_PLAYBACK, Int32(SND_PCM_NONBLOCK))
    guard code >= 0, let opened else { throw ALSAError.error(pcm: name, code: code) }
    pcm = opened
    try set()
  }

  deinit {
    close()
  }

  func write(_ bytes: UnsafeRawBufferPointer, until bell: Doorbell) throws(SpeakerError) -> Int {
    let taken = try push(bytes, until: bell)
    if taken > 0 { (silentFrames, silenceWritten, drainedMilliseconds) = (nil, 0, 0) }
    return taken
  }

  private func push(_ bytes: UnsafeRawBufferPointer, until bell: Doorbell) throws(SpeakerError) -> Int {
    let count = snd_pcm_uframes_t(bytes.count / SoundFormat.bytesPerFrame)
    var recovered = false
    while true {
      let taken = snd_pcm_writei(pcm, bytes.baseAddress, count)
      if taken > 0 {
        frames += taken
        return taken * SoundFormat.bytesPerFrame
      }
      switch Int32(truncatingIfNeeded: -taken) {
      case 0, EAGAIN:
        guard try waitForRoom(bell) else { return 0 }
      case EPIPE where !recovered, ESTRPIPE where !recovered, EINTR where !recovered:
        // The board was too busy, or was suspended: part of the sound is late, and the rest continues.
        recovered = true
        try check(snd_pcm_prepare(pcm))
      case let code:
        throw ALSAError.error(pcm: name, code: -code)
      }
    }
  }

  func drain(until bell: Doorbell) throws(SpeakerError) -> Bool {
    // A card continues until the interrupt that stops it is served, and would play old content of its buffer. So
    // silence follows the sound up to a period's end, and for one period more.
    let period = Int(periodFrames)
    var silence = silentFrames ?? (period - frames % period) % period + period
    let zeros = [UInt8](repeating: 0, count: period * SoundFormat.bytesPerFrame)
    while silence > 0 {
      let wanted = min(silence, period) * SoundFormat.bytesPerFrame
      let taken = try zeros.span.bytes.withUnsafeBytes { memory throws(SpeakerError) in
        try push(UnsafeRawBufferPointer(rebasing: memory[..<wanted]), until: bell)
      }
      silence -= taken / SoundFormat.bytesPerFrame
      silenceWritten += taken / SoundFormat.bytesPerFrame
      silentFrames = silence
      if taken == 0 { return false }
    }
    // A running card accepts frames, so a sound that is cut off in its last moments can still fade.
    while queuedFrames > silenceWritten {
      guard try waitAWhile(bell) else { return false }
    }
    isDraining = true
    while true {
      let code = snd_pcm_drain(pcm)
      // After an underrun this late, everything was played.
      if code >= 0 || code == -EPIPE { return true }
      guard code == -EAGAIN else { throw ALSAError.error(pcm: name, code: code) }
      // The kernel returns this also after everything was played: the state decides.
      if snd_pcm_state(pcm) != SND_PCM_STATE_DRAINING { return true }
      guard try waitAWhile(bell) else { return false }
    }
  }

  /// - Returns: false because the bell rang.
  private func waitAWhile(_ bell: Doorbell) throws(SpeakerError) -> Bool {
    guard drainedMilliseconds < Setup.stallMilliseconds else { throw ALSAError.stalled(pcm: name) }
    if bell.wait(milliseconds: Setup.drainMilliseconds) == .rung { return false }
    drainedMilliseconds += Setup.drainMilliseconds
    return true
  }

  /// Frames written and not played yet; 0 after an underrun.
  private var queuedFrames: Int {
    var delay: snd_pcm_sframes_t = 0
    return snd_pcm_delay(pcm, &delay) == 0 ? max(0, Int(delay)) : 0
  }

  var playsOn: Bool { true }

  func takeBack(for reason: TakeBackReason) -> Int? {
    guard isOpen, !isDraining else { return nil }
    let period = Int(periodFrames)
    // Frames that are about to be played stay: cards fetch them some time before.
    var wanted = Int(snd_pcm_rewindable(pcm)) - period
    if reason == .silence { wanted = min(wanted, silenceWritten) }
    let taken = wanted > 0 ? max(0, Int(snd_pcm_rewind(pcm, snd_pcm_uframes_t(wanted)))) : 0
    // Some PCMs cannot return frames; a replacing sound then starts on a new stream, at once.
    if reason != .end && queuedFrames > 2 * period { return nil }
    let sound = max(0, taken - silenceWritten)
    silenceWritten = max(0, silenceWritten - taken)
    silentFrames = nil
    frames -= taken
    return sound
  }

  func close() {
    guard isOpen else { return }
    isOpen = false
    snd_pcm_drop(pcm)
    snd_pcm_close(pcm)
  }

  /// - Returns: false because the bell rang.
  private func waitForRoom(_ bell: Doorbell) throws(SpeakerError) -> Bool {
    let count = snd_pcm_poll_descriptors_count(pcm)
    var descriptors = [pollfd](repeating: pollfd(), count: max(0, Int(count)))
    try check(snd_pcm_poll_descriptors(pcm, &descriptors, UInt32(descriptors.count)))
    switch bell.wait(with: &descriptors, milliseconds: Setup.stallMilliseconds) {
    case .rung: return false
    case .timedOut: throw ALSAError.stalled(pcm: name)
    case .ready:
      // Plugins wake for reasons of their own, which this call handles; the next write shows if there is room.
      var events: UInt16 = 0
      try check(snd_pcm_poll_descriptors_revents(pcm, &descriptors, UInt32(descriptors.count), &events))
      return true
    }
  }

  private func set() throws(SpeakerError) {
    var hardware: OpaquePointer?
    var software: OpaquePointer?
    defer {
      snd_pcm_hw_params_free(hardware)
      snd_pcm_sw_params_free(software)
    }
    try check(snd_pcm_hw_params_malloc(&hardware))
    try check(snd_pcm_hw_params_any(pcm, hardware))
    try check(snd_pcm_hw_params_set_rate_resample(pcm, hardware, 1))
    try checkFormat(snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED))
    try checkFormat(snd_pcm_hw_params_set_format(pcm, hardware, SND_PCM_FORMAT_S16_LE))
    try checkFormat(snd_pcm_hw_params_set_channels(pcm, hardware, UInt32(SoundFormat.channels)))
    try checkFormat(snd_pcm_hw_params_set_rate(pcm, hardware, UInt32(SoundFormat.framesPerSecond), 0))
    var bufferFrames = Setup.bufferFrames
    periodFrames = Setup.periodFrames
    try check(snd_pcm_hw_params_set_buffer_size_near(pcm, hardware, &bufferFrames))
    try check(snd_pcm_hw_params_set_period_size_near(pcm, hardware, &periodFrames, nil))
    try check(snd_pcm_hw_params(pcm, hardware))
    try check(snd_pcm_hw_params_get_buffer_size(hardware, &bufferFrames))
    try check(snd_pcm_hw_params_get_period_size(hardware, &periodFrames, nil))
    periodFrames = max(1, periodFrames)

    try check(snd_pcm_sw_params_malloc(&software))
    try check(snd_pcm_sw_params_current(pcm, software))
    try check(snd_pcm_sw_params_set_start_threshold(pcm, software, min(periodFrames, bufferFrames)))
    try check(snd_pcm_sw_params_set_avail_min(pcm, software, min(periodFrames, bufferFrames)))
    try check(snd_pcm_sw_params(pcm, software))
  }

  private func check(_ code: Int32) throws(SpeakerError) {
    guard code >= 0 else { throw ALSAError.error(pcm: name, code: code) }
  }

  private func checkFormat(_ code: Int32) throws(SpeakerError) {
    guard code >= 0 else { throw ALSAError.formatRefused(pcm: name, code: code) }
  }
}

/// The meaning of alsa-lib's error numbers for a user whose bell does not ring.
enum ALSAError {
  /// Keeps alsa-lib from printing to standard error; once for the whole process.
  private static let isSilent: Bool = calsa_silence_errors() == 0

  static func silence() { _ = isSilent }

  /// - Parameter code: a return value of alsa-lib, negative.
  static func error(pcm: String, code: Int32) -> SpeakerError {
    SpeakerError(device: "PCM '\(pcm)'", cause: cause(code), remedy: remedy(pcm, -code))
  }

  static func formatRefused(pcm: String, code: Int32) -> SpeakerError {
    // Inside of `plug:` a comma would end the name, so it is quoted.
    let converting = pcm.hasPrefix("hw:") ? "plug\(pcm)" : "plug:'\(pcm)'"
    return SpeakerError(
      device: "PCM '\(pcm)'", cause: cause(code),
      remedy: "it does not take 16-bit 44.1 kHz stereo; set 'speaker.pcm' to \"\(converting)\" or \"default\"")
  }

  static func stalled(pcm: String) -> SpeakerError {
    SpeakerError(device: "PCM '\(pcm)'", cause: cause(-EIO), remedy: "it takes no samples; check the card")
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
