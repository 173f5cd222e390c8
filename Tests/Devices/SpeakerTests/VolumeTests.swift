// The amplitude of samples: an app's volume (S1), and a critical sound's (N9).

import Testing

@testable import Speaker

@Suite(.timeLimit(.minutes(10)))
struct VolumeTests {
  @Test("S1, N9: a volume is a factor on each sample, rounded to the nearest, halves up")
  func factors() {
    let source: [Int16] = [.min, -32_767, -3, -2, -1, 0, 1, 2, 3, 100, 32_767, .max]
    func at(_ amplitude: Double) -> [Int16] {
      var samples = source
      Volume(amplitude).apply(to: &samples)
      return samples
    }
    #expect(at(1) == source)
    #expect(at(0.5) == [-16_384, -16_383, -1, -1, 0, 0, 1, 1, 2, 50, 16_384, 16_384])
    #expect(at(0.25) == [-8_192, -8_192, -1, 0, 0, 0, 0, 1, 1, 25, 8_192, 8_192])
    #expect(at(0) == Array(repeating: 0, count: source.count))
  }

  @Test(
    "Amplitudes outside of 0 to 1 become the nearest volume",
    arguments: [(-1.0, 0.0), (1.5, 1), (.nan, 0), (.infinity, 1)])
  func nearest(amplitude: Double, expected: Double) {
    #expect(Volume(amplitude) == Volume(expected))
  }

  @Test("A fade begins just below the sound and ends at silence, on both channels alike")
  func fade() {
    var samples = [Int16](repeating: 4_410, count: 2 * Fade.frames)
    Fade.out(&samples)
    let expected = (0..<Fade.frames).map { Int16(4_410 - 10 * ($0 + 1)) }
    for (frame, sample) in expected.enumerated() {
      #expect(abs(samples[2 * frame] - sample) <= 1)
      #expect(samples[2 * frame] == samples[2 * frame + 1])
    }
    #expect(samples.suffix(2) == [0, 0])
    var nothing: [Int16] = []
    Fade.out(&nothing)
    #expect(nothing == [])
  }

  @Test("Mixed samples are clipped at full scale; samples after the tail are unchanged")
  func mixing() {
    var samples: [Int16] = [1, .max, .min, 7, 8]
    Fade.mix([2, 5, -5, -7][...], into: &samples)
    #expect(samples == [3, .max, .min, 0, 8])
  }
}
