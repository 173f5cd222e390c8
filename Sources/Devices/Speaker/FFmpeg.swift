// Many old alert sounds are Core Audio's IMA ADPCM, which libsndfile does not read in CAF. If ffmpeg is installed, it
// converts the file in a separate process, with an exact list of permitted inputs and a time limit.

import Glibc

public struct FFmpeg: Sendable {
  enum Limits {
    /// The longest run in real time; a sound of 30 s takes a tenth of a second.
    static let time = Duration.seconds(10)
    /// The largest output, 31 s of 96 kHz stereo, so that sounds longer than 30 s are still detected.
    static let outputBytes = 12 * 1024 * 1024
    static let outputSeconds = SoundFile.Limits.seconds + 1
  }

  let path: String

  /// The ffmpeg of `$PATH`, or else of the system; searched each time, because it may be installed at any time.
  public static var installed: FFmpeg? {
    let places = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
    for place in places.split(separator: ":") where place.hasPrefix("/") {
      let path = "\(place)/ffmpeg"
      if access(path, X_OK) == 0 { return FFmpeg(path: path) }
    }
    return nil
  }

  /// Decodes a CAF file to a WAV file of 16-bit samples.
  func wave(ofCoreAudioIMA source: [UInt8], named name: String) throws(SoundFileError) -> [UInt8] {
    // Only this container, this decoder and this pipe: a file that is really a playlist must not read others.
    let arguments = [
      "-nostdin", "-hide_banner", "-loglevel", "error", "-max_alloc", "\(64 * 1024 * 1024)",
      "-protocol_whitelist", "pipe", "-f", "caf", "-c:a", "adpcm_ima_qt", "-i", "pipe:0", "-map", "0:a:0",
      "-t", "\(Limits.outputSeconds)", "-map_metadata", "-1", "-bitexact", "-f", "wav", "-c:a", "pcm_s16le", "pipe:1",
    ]
    let program = DecoderProgram(
      name: "ffmpeg", path: path, sound: name, format: "CAF, IMA ADPCM", limit: Limits.time,
      outputBytes: Limits.outputBytes)
    let result = try program.run(arguments, reading: source)
    guard !result.output.isEmpty else {
      let words = result.complaint
      throw program.fault(words.isEmpty ? "ffmpeg decoded nothing" : "ffmpeg says: \(words)")
    }
    return result.output
  }
}
