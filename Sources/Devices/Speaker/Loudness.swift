import CEBUR128
import Glibc

/// The measurements of a sound in the format in which it is played, before its installation.
public struct Loudness: Hashable, Sendable {
  /// The level of the largest sample, in dB relative to full scale, 0 or less; nil for silence.
  public let peakDecibels: Double?
  /// The integrated loudness in LUFS (ITU-R BS.1770); nil for silence and for sounds shorter than its block of 0.4 s.
  public let integratedLUFS: Double?
  /// The number of samples in runs of `clippingRow` or more at full scale, where the wave was cut off.
  public let clippedSamples: Int

  /// The shortest run that counts as clipping; a single sample at full scale is only a peak.
  public static let clippingRow = 3

  /// - Parameter samples: interleaved, left first, 44.1 kHz.
  public init(of samples: [Int16]) {
    let peak = samples.reduce(0) { max($0, Int($1.magnitude)) }
    peakDecibels = peak > 0 ? 20 * log10(Double(peak) / 32_768) : nil
    clippedSamples = Loudness.clipped(samples)
    integratedLUFS = Loudness.integrated(samples)
  }

  private static func clipped(_ samples: [Int16]) -> Int {
    var count = 0
    for channel in 0..<SoundFormat.channels {
      var row: (edge: Int16, length: Int) = (0, 0)
      for index in stride(from: channel, to: samples.count, by: SoundFormat.channels) {
        let sample = samples[index]
        let isEdge = sample == .max || sample == .min
        row = isEdge ? (sample, row.edge == sample ? row.length + 1 : 1) : (0, 0)
        if row.length == clippingRow { count += clippingRow } else if row.length > clippingRow { count += 1 }
      }
    }
    return count
  }

  private static func integrated(_ samples: [Int16]) -> Double? {
    var state = ebur128_init(
      UInt32(SoundFormat.channels), UInt(SoundFormat.framesPerSecond), Int32(EBUR128_MODE_I.rawValue))
    // Out of memory: the measurement is omitted.
    guard state != nil else { return nil }
    defer { ebur128_destroy(&state) }
    var loudness = 0.0
    guard ebur128_add_frames_short(state, samples, samples.count / SoundFormat.channels) == 0,
      ebur128_loudness_global(state, &loudness) == 0, loudness.isFinite
    else { return nil }
    return loudness
  }
}
