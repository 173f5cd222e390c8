// Sounds of other rates are resampled once, when their app is installed: this saves processor time while the bell
// rings, and also works with a PCM that has no rate converter.

import CSampleRate

/// The last step of every conversion: from fractions of full scale, on one or two channels, at any rate, to 16-bit
/// 44.1 kHz stereo. libsamplerate converts other rates.
final class StereoConverter {
  /// The converted samples, interleaved, left first.
  private var samples: [Int16] = []
  private let name: String
  private let channels: Int
  private let frames: Int
  /// The state of libsamplerate; nil if the source already has 44.1 kHz.
  private let resampler: OpaquePointer?
  private let ratio: Double
  private var resampled: [Float]

  /// - Parameter channels: 1 or 2.
  init(from rate: Int, channels: Int, frames: Int64, named name: String) throws(SoundFileError) {
    if rate == SoundFormat.framesPerSecond {
      resampler = nil
    } else {
      var code: Int32 = 0
      // Its signal-to-noise ratio of 121 dB exceeds that of 16 bits, at a third of the best converter's time.
      guard let state = src_new(Int32(SRC_SINC_MEDIUM_QUALITY), Int32(channels), &code) else {
        throw StereoConverter.error(name, code)
      }
      resampler = state
    }
    self.name = name
    self.channels = channels
    self.frames = Int((frames * Int64(SoundFormat.framesPerSecond) + Int64(rate / 2)) / Int64(rate))
    ratio = Double(SoundFormat.framesPerSecond) / Double(rate)
    resampled = [Float](repeating: 0, count: resampler == nil ? 0 : 4096 * channels)
    samples.reserveCapacity(self.frames * SoundFormat.channels)
  }

  deinit {
    if let resampler { src_delete(resampler) }
  }

  /// - Parameter source: interleaved, ±1 is full scale.
  func append(_ source: ArraySlice<Float>) throws(SoundFileError) {
    guard resampler != nil else {
      convert(source)
      return
    }
    var rest = source
    while !rest.isEmpty {
      let used = try step(rest, isLast: false).used
      rest = rest.dropFirst(used * channels)
    }
  }

  /// Returns all samples after the last frames of the source.
  func finish() throws(SoundFileError) -> [Int16] {
    guard resampler != nil else { return samples }
    while try step([], isLast: true).made > 0 {}
    let count = frames * SoundFormat.channels
    if samples.count > count { samples.removeLast(samples.count - count) }
    samples.append(contentsOf: repeatElement(0, count: count - samples.count))
    return samples
  }

  private func step(_ input: ArraySlice<Float>, isLast: Bool) throws(SoundFileError) -> (used: Int, made: Int) {
    var data = SRC_DATA()
    data.input_frames = input.count / channels
    data.output_frames = resampled.count / channels
    data.end_of_input = isLast ? 1 : 0
    data.src_ratio = ratio
    let code = input.withUnsafeBufferPointer { source in
      resampled.withUnsafeMutableBufferPointer { target in
        data.data_in = source.baseAddress
        data.data_out = target.baseAddress
        return src_process(resampler, &data)
      }
    }
    // An error, or a step without progress, must not block an installation for ever.
    guard code == 0, isLast || data.input_frames_used + data.output_frames_gen > 0 else {
      throw StereoConverter.error(name, code)
    }
    convert(resampled[..<(data.output_frames_gen * channels)])
    return (data.input_frames_used, data.output_frames_gen)
  }

  private func convert(_ source: ArraySlice<Float>) {
    for value in source {
      let sample = StereoConverter.sample(of: value)
      samples.append(sample)
      if channels == 1 { samples.append(sample) }
    }
  }

  /// Converts a sample, exactly for 16-bit samples, µ-law, A-law and IMA ADPCM: a float has 24 bits of precision.
  private static func sample(of value: Float) -> Int16 {
    // A float file may contain any value, also NaN.
    guard value == value else { return 0 }
    let scaled = (value * 32768).rounded()
    return scaled >= 32767 ? .max : scaled <= -32768 ? .min : Int16(scaled)
  }

  private static func error(_ name: String, _ code: Int32) -> SoundFileError {
    let why = src_strerror(code).map { String(cString: $0) } ?? "code \(code)"
    return SoundFileError(name, "cannot be resampled: \(why)", "convert it to 44100 Hz")
  }
}
