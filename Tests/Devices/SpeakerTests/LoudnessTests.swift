// The figures of `deskbell sound check` for signals whose values the standards define.

import Testing

@testable import Speaker

@Suite(.timeLimit(.minutes(10)))
struct LoudnessTests {
  private func tone(decibels: Double, seconds: Double, channels: Int = 2) -> [Int16] {
    var level = 1.0
    // 10^(x/20) without Foundation's pow: small whole numbers of decibels only.
    for _ in 0..<Int(-decibels) { level /= 1.122_018_454_301_963_3 }
    return sine(1_000, rate: 44_100, frames: Int(seconds * 44_100), channels: channels, level: level)
      .map { Int16(($0 * 32_767).rounded()) }
  }

  @Test("A 1 kHz tone of −23 dBFS on both channels is −23.0 LUFS (EBU Tech 3341, case 1), −33 is −33.0 (case 2)")
  func referenceTones() throws {
    for decibels in [-23.0, -33] {
      let loudness = Loudness(of: tone(decibels: decibels, seconds: 20))
      #expect(abs(try #require(loudness.integratedLUFS) - decibels) <= 0.1)
      #expect(abs(try #require(loudness.peakDecibels) - decibels) <= 0.01)
      #expect(loudness.clippedSamples == 0)
    }
  }

  @Test("Silence has no peak and no loudness; less than 0.4 s has no loudness")
  func nothingToMeasure() throws {
    let silence = Loudness(of: [Int16](repeating: 0, count: 2 * 44_100))
    #expect(silence.peakDecibels == nil && silence.integratedLUFS == nil)
    #expect(Loudness(of: tone(decibels: -6, seconds: 0.39)).integratedLUFS == nil)
    #expect(Loudness(of: tone(decibels: -6, seconds: 0.5)).integratedLUFS != nil)
    #expect(Loudness(of: []).peakDecibels == nil)
    #expect(Loudness(of: [.min, 0]).peakDecibels == 0)
  }

  @Test("Rows of three and more at full scale are clipping, on each channel by itself")
  func clipping() {
    func clipped(left: [Int16], right: [Int16]) -> Int {
      Loudness(of: zip(left, right).flatMap { [$0, $1] }).clippedSamples
    }
    let quiet = [Int16](repeating: 5, count: 9)
    let (top, bottom) = (Int16.max, Int16.min)
    #expect(clipped(left: [0, top, top, 0, top, bottom, top, 0, 0], right: quiet) == 0)
    #expect(clipped(left: [0, top, top, top, 0, 0, 0, 0, 0], right: quiet) == 3)
    #expect(clipped(left: quiet, right: [top, top, top, top, bottom, bottom, bottom, 0, top]) == 7)
    #expect(clipped(left: [0, top, 0, top, 0, top, 0, top, 0], right: [top, 0, top, 0, top, 0, top, 0, top]) == 0)
  }
}
