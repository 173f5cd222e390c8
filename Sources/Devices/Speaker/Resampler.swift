// Sounds of other rates are resampled once, when their app is installed: this saves processor time while the bell
// rings, and also works with a PCM that has no rate converter.

import CSampleRate

/// A converter from one rate to 44.1 kHz, by libsamplerate.
final class Resampler {
  private let state: OpaquePointer
  private let name: String
  private let channels: Int
  private let ratio: Double
  private var output: [Float]

  init(from rate: Int, channels: Int, of name: String) throws(SoundFileError) {
    var code: Int32 = 0
    // Its signal-to-noise ratio of 121 dB exceeds that of 16 bits, at a third of the best converter's time.
    guard let state = src_new(Int32(SRC_SINC_MEDIUM_QUALITY), Int32(channels), &code) else {
      throw Resampler.error(name, code)
    }
    self.state = state
    self.name = name
    self.channels = channels
    ratio = Double(SoundFormat.framesPerSecond) / Double(rate)
    output = [Float](repeating: 0, count: 4096 * channels)
  }

  deinit {
    src_delete(state)
  }

  func convert(_ input: ArraySlice<Float>, into samples: inout StereoSamples) throws(SoundFileError) {
    var rest = input
    while !rest.isEmpty {
      let used = try step(rest, isLast: false, into: &samples).used
      rest = rest.dropFirst(used * channels)
    }
  }

  /// Appends the frames that remain in the filter.
  func finish(into samples: inout StereoSamples) throws(SoundFileError) {
    while try step([], isLast: true, into: &samples).made > 0 {}
  }

  private func step(
    _ input: ArraySlice<Float>, isLast: Bool, into samples: inout StereoSamples
  ) throws(SoundFileError) -> (used: Int, made: Int) {
    var data = SRC_DATA()
    data.input_frames = input.count / channels
    data.output_frames = output.count / channels
    data.end_of_input = isLast ? 1 : 0
    data.src_ratio = ratio
    let code = input.withUnsafeBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        data.data_in = source.baseAddress
        data.data_out = target.baseAddress
        return src_process(state, &data)
      }
    }
    // An error, or a step without progress, must not block an installation for ever.
    guard code == 0, isLast || data.input_frames_used + data.output_frames_gen > 0 else {
      throw Resampler.error(name, code)
    }
    samples.append(output[..<(data.output_frames_gen * channels)])
    return (data.input_frames_used, data.output_frames_gen)
  }

  private static func error(_ name: String, _ code: Int32) -> SoundFileError {
    let why = src_strerror(code).map { String(cString: $0) } ?? "code \(code)"
    return SoundFileError(name, "cannot be resampled: \(why)", "convert it to 44100 Hz")
  }
}
