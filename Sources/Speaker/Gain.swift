// How loud a sound is played, and how it ends without a click: arithmetic on samples, the same on every card, whether
// the card has a volume of its own or not.

/// A factor from 0 to 1 on the amplitude of samples.
public struct Volume: Hashable, Sendable {
  /// In 65,536ths: whole numbers, so that what is played is the same on every processor.
  let factor: Int32

  static let unit: Int32 = 65_536

  public static let full = Volume(1)

  /// - Parameter amplitude: what is below 0, or no number, is 0, what is above 1 is 1.
  public init(_ amplitude: Double) {
    factor = amplitude > 0 ? Int32((min(amplitude, 1) * Double(Volume.unit)).rounded()) : 0
  }

  public var isSilent: Bool { factor == 0 }

  /// Rounded to the nearest, halves up; at full volume the samples stay what they are.
  func apply(to samples: inout [Int16]) {
    guard factor != Volume.unit else { return }
    for index in samples.indices { samples[index] = Volume.scale(samples[index], by: factor) }
  }

  /// - Parameter factor: 0 to `unit`, so that the result is a sample.
  static func scale(_ sample: Int16, by factor: Int32) -> Int16 {
    Int16(truncatingIfNeeded: (Int32(sample) * factor + unit / 2) >> 16)
  }
}

/// The last moment of a sound that is cut off.
enum Fade {
  /// 10 ms: too short to be audible as a fade, too long for a click.
  static let frames = 441

  /// From full volume to none, in a straight line; interleaved stereo.
  static func out(_ samples: inout [Int16]) {
    let frames = samples.count / SoundFormat.channels
    for index in samples.indices {
      let left = frames - 1 - index / SoundFormat.channels
      samples[index] = Volume.scale(samples[index], by: Int32(left * Int(Volume.unit) / frames))
    }
  }

  /// Adds what is left of one sound to the beginning of another. Beyond full scale it stays there.
  static func mix(_ tail: ArraySlice<Int16>, into samples: inout [Int16]) {
    for (index, sample) in zip(samples.indices, tail) {
      samples[index] = Int16(clamping: Int32(samples[index]) + Int32(sample))
    }
  }
}
