/// The last step of every conversion: from fractions of full scale, on one or two channels, to 16-bit stereo.
struct StereoSamples {
  /// The samples, interleaved, left first.
  private(set) var samples: [Int16] = []
  private let sourceChannels: Int

  /// - Parameter channels: the channels of the source, 1 or 2.
  init(channels: Int, capacityFrames: Int) {
    sourceChannels = channels
    samples.reserveCapacity(capacityFrames * SoundFormat.channels)
  }

  /// - Parameter source: interleaved, ±1 is full scale.
  mutating func append(_ source: ArraySlice<Float>) {
    for value in source {
      let sample = StereoSamples.sample(of: value)
      samples.append(sample)
      if sourceChannels == 1 { samples.append(sample) }
    }
  }

  /// Truncates the samples, or pads them with silence.
  mutating func resize(toFrames frames: Int) {
    let count = frames * SoundFormat.channels
    if samples.count > count { samples.removeLast(samples.count - count) }
    samples.append(contentsOf: repeatElement(0, count: count - samples.count))
  }

  /// Converts a sample, exactly for 16-bit samples, µ-law, A-law and IMA ADPCM: a float has 24 bits of precision.
  private static func sample(of value: Float) -> Int16 {
    // A float file may contain any value, also NaN.
    guard value == value else { return 0 }
    let scaled = (value * 32768).rounded()
    return scaled >= 32767 ? .max : scaled <= -32768 ? .min : Int16(scaled)
  }
}
