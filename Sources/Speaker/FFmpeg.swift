// Core Audio's IMA ADPCM is what many old alert sounds are, and libsndfile does not read it in CAF. Where ffmpeg is
// installed, it converts the file in a process of its own, with an exact list of what it may read and a time limit.

import Glibc

/// An ffmpeg that is installed.
public struct FFmpeg: Sendable {
  enum Limits {
    /// Real time; a sound of 30 s takes a tenth of a second.
    static let time = Duration.seconds(10)
    /// 31 s of 96 kHz stereo: what is longer than 30 s is still seen to be.
    static let outputBytes = 12 * 1024 * 1024
    static let outputSeconds = SoundFile.Limits.seconds + 1
  }

  let path: String

  /// The one that `$PATH` finds, or else the system's; looked for each time: it may be installed at any time.
  public static var installed: FFmpeg? {
    let places = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
    for place in places.split(separator: ":") where place.hasPrefix("/") {
      let path = "\(place)/ffmpeg"
      if access(path, X_OK) == 0 { return FFmpeg(path: path) }
    }
    return nil
  }

  /// Decodes a CAF file to a WAV file of 16-bit samples.
  func wave(ofCoreAudioIMA source: UnsafeRawBufferPointer, named name: String) throws(SoundFileError) -> [UInt8] {
    // Nothing but this container, this decoder and this pipe: a file that pretends to be a playlist reads nothing.
    let arguments = [
      "-nostdin", "-hide_banner", "-loglevel", "error", "-max_alloc", "\(64 * 1024 * 1024)",
      "-protocol_whitelist", "pipe", "-f", "caf", "-c:a", "adpcm_ima_qt", "-i", "pipe:0", "-map", "0:a:0",
      "-t", "\(Limits.outputSeconds)", "-map_metadata", "-1", "-bitexact", "-f", "wav", "-c:a", "pcm_s16le", "pipe:1",
    ]
    let program = DecoderProgram(name: "ffmpeg", path: path, limit: Limits.time, outputBytes: Limits.outputBytes)
    let result: DecoderProgram.Result
    do throws(DecoderProgram.Fault) {
      result = try program.run(arguments, reading: source)
    } catch {
      throw .undecodable(name, format: "CAF, IMA ADPCM", error.problem)
    }
    guard !result.output.isEmpty else {
      let words = result.complaint
      throw .undecodable(
        name, format: "CAF, IMA ADPCM", words.isEmpty ? "ffmpeg decoded nothing" : "ffmpeg says: \(words)")
    }
    return result.output
  }
}
