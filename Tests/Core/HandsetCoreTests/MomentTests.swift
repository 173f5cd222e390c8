// Times at the ends of the range: providers may name any second as an expiration.

import Testing

@testable import HandsetCore

@Suite struct MomentTests {
  @Test(
    arguments: [
      (0, 0), (1, 1_000_000), (-1, -1_000_000), (9_223_372_036_854, 9_223_372_036_854_000_000),
      (9_223_372_036_855, Int64.max), (Int64.max, Int64.max), (-9_223_372_036_855, Int64.min), (Int64.min, Int64.min),
    ] as [(Int64, Int64)])
  func secondsSaturate(seconds: Int64, microseconds: Int64) {
    #expect(WallTime(seconds: seconds).microseconds == microseconds)
  }

  @Test(
    arguments: [
      (.zero, 0), (.microseconds(5), 5), (.nanoseconds(1_999), 1), (.nanoseconds(-1_999), -1),
      (.seconds(2) + .microseconds(3), 2_000_003), (.seconds(-2) - .microseconds(3), -2_000_003),
      (.seconds(Int64.max), Int64.max), (.seconds(Int64.min), Int64.min),
      (.seconds(Int64.max) + .seconds(1), Int64.max), (.seconds(Int64.min) - .seconds(1), Int64.min),
      (.seconds(9_223_372_036_854) + .microseconds(775_807), Int64.max),
      (.seconds(9_223_372_036_854) + .microseconds(775_808), Int64.max),
      (.seconds(-9_223_372_036_854) - .microseconds(775_809), Int64.min),
    ] as [(Duration, Int64)])
  func durationsSaturate(duration: Duration, microseconds: Int64) {
    #expect(duration.inMicroseconds == microseconds)
  }

  @Test func advancingSaturates() {
    let time = WallTime(seconds: 1_767_225_600)
    #expect(time.advanced(by: .seconds(1)).microseconds == 1_767_225_601_000_000)
    #expect(time.advanced(by: .seconds(-1)).microseconds == 1_767_225_599_000_000)
    #expect(time.advanced(by: .seconds(Int64.max)).microseconds == .max)
    #expect(WallTime(microseconds: -2).advanced(by: .seconds(Int64.min)).microseconds == .min)
    #expect(time < time.advanced(by: .microseconds(1)))
  }

  @Test func aDeadlineIsOnEitherClockOrThereIsNone() {
    #expect(Deadline(uptime: nil, wall: nil) == nil)
    #expect(Deadline(uptime: .seconds(1), wall: nil)?.wall == nil)
    #expect(Deadline(uptime: nil, wall: WallTime(seconds: 1))?.uptime == nil)
  }
}
