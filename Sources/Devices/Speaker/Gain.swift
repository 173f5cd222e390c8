/// A factor from 0 to 1 on the amplitude of samples: the same on every card, with or without a volume of its own.
public struct Volume: Hashable, Sendable {
  /// The factor in 65,536ths: whole numbers, so that the result is the same on every processor.
  let factor: Int32

  static let unit: Int32 = 65_536

  public static let full = Volume(1)

  /// - Parameter amplitude: values below 0 and NaN become 0, values above 1 become 1.
  public init(_ amplitude: Double) {
    factor = amplitude > 0 ? Int32((min(amplitude, 1) * Double(Volume.unit)).rounded()) : 0
  }

  public var isSilent: Bool { factor == 0 }

  /// Scales samples, rounded to the nearest, halves up; at full volume they stay unchanged.
  func apply(to samples: inout [Int16]) {
    guard factor != Volume.unit else { return }
    for index in samples.indices { samples[index] = Volume.scale(samples[index], by: factor) }
  }

  /// - Parameter factor: 0 to `unit`, so that the result is a sample.
  static func scale(_ sample: Int16, by factor: Int32) -> Int16 {
    Int16(truncatingIfNeeded: (Int32(sample) * factor + unit / 2) >> 16)
  }
}

/// The fade at the end of a sound that is cut off.
enum Fade {
  /// The length, 10 ms: too short to be audible as a fade, long enough to avoid a click.
  static let frames = 441

  /// Fades interleaved stereo samples linearly from full volume to silence.
  static func out(_ samples: inout [Int16]) {
    let frames = samples.count / SoundFormat.channels
    for index in samples.indices {
      let left = frames - 1 - index / SoundFormat.channels
      samples[index] = Volume.scale(samples[index], by: Int32(left * Int(Volume.unit) / frames))
    }
  }

  /// Adds the rest of one sound to the beginning of another, clipped at full scale.
  static func mix(_ tail: ArraySlice<Int16>, into samples: inout [Int16]) {
    for (index, sample) in zip(samples.indices, tail) {
      samples[index] = Int16(clamping: Int32(samples[index]) + Int32(sample))
    }
  }
}
