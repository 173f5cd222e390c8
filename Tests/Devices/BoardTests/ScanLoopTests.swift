// The scan loop to the nanosecond: the effects of a delayed thread on frames.

import CScanLoop
import DeviceTestSupport
import Testing

@testable import Board
@testable import BoardSimulator

@Suite(.timeLimit(.minutes(10))) struct ScanLoopTests {
  /// Two digits on lines 1 and 2, one segment on line 0; a turn of 1 ms.
  private static let frame = LineProgram([
    .set(mask: 0b110, levels: 0), .wait(nanoseconds: 20_000), .set(mask: 0b001, levels: 0b001),
    .set(mask: 0b110, levels: 0b010), .wait(nanoseconds: 980_000),
    .set(mask: 0b110, levels: 0), .wait(nanoseconds: 20_000), .set(mask: 0b001, levels: 0),
    .set(mask: 0b110, levels: 0b100), .wait(nanoseconds: 980_000),
  ])

  /// Runs sets that take 5 µs, and those in `held` longer.
  private func run(sets: Int, held: [Int: Int] = [:]) async throws -> (times: [Int64], run: ScanRun) {
    let run = try await ScanRun(
      ScanLoopTests.frame, digits: 2, clock: SimulatedClock(uptime: .seconds(10)), sets: sets,
      delay: { .microseconds(5 + (held[$0] ?? 0)) })
    return (run.sets.map { ($0.at - .seconds(10)).inMicroseconds }, run)
  }

  @Test("The time that sets take does not add up: turns begin on time, frame after frame")
  func framesFollowEvenly() async throws {
    let (times, run) = try await run(sets: 6 * 50)
    let expected = (0..<100).flatMap { turn in [0, 25, 30].map { Int64(turn * 1_000 + $0) } }
    #expect(times == expected)
    #expect(run.sets.prefix(6).map(\.levels) == [0, 0b001, 0b011, 0b001, 0, 0b100])
    #expect(
      run.report == ScanReport(frames: 50, lateFrames: 0, isRealTime: true, priorityFault: run.report.priorityFault))
    #expect(run.news.shown?.number == 1)
    #expect(run.news.shown?.at == .seconds(10) + .microseconds(1_035))
    #expect(run.news.fault?.number == 1)
    #expect(run.news.fault?.fault == RecordedGroup.fault)
  }

  @Test("After a delay of 300 µs the blank and the next turn are whole, and the frame counts as late")
  func lateTurnDoesNotShortenTheNext() async throws {
    // The blank of the second frame's second turn.
    let (times, run) = try await run(sets: 6 * 4, held: [9: 300])
    #expect(
      Array(times[6..<18]) == [2_000, 2_025, 2_030, 3_000, 3_325, 3_330, 4_300, 4_325, 4_330, 5_300, 5_325, 5_330])
    #expect(run.report.frames == 4)
    #expect(run.report.lateFrames == 1)
  }

  @Test("A delay of less than a tenth of a turn is made up at once, and not counted")
  func smallLatenessIsMadeUpFor() async throws {
    let (times, run) = try await run(sets: 6 * 4, held: [9: 90])
    #expect(Array(times[9..<15]) == [3_000, 3_115, 3_120, 4_000, 4_025, 4_030])
    #expect(run.report.lateFrames == 0)
  }

  @Test("One microsecond past a tenth of a turn counts", arguments: [(100, 0), (101, 1)])
  func theLimitOfLateness(microseconds: Int, lateFrames: Int) async throws {
    let (_, run) = try await run(sets: 6 * 4, held: [9: microseconds])
    #expect(run.report.lateFrames == lateFrames)
  }

  @Test("Sets that take longer than a turn lengthen frames; no digit is left out")
  func slowLines() async throws {
    let run = try await ScanRun(
      ScanLoopTests.frame, digits: 2, clock: SimulatedClock(), sets: 6 * 10, delay: { _ in .milliseconds(2) })
    let lit = zip(run.sets, run.sets.dropFirst()).filter { $0.0.levels & 0b110 != 0 }.map { $0.1.at - $0.0.at }
    // The set itself, and three quarters of the turn. (The last turn has no end.)
    #expect(lit == Array(repeating: .microseconds(2_000 + 735), count: 19))
    #expect(run.report.frames == 10)
  }

  @Test("The longest frames of all drivers fit the loop's buffers")
  func framesFit() throws {
    let digits = BoardLimits.multiplexedDigits.upperBound
    let longest: [any DisplayDriver] = [
      Multiplexed(
        segmentLines: 8, digits: digits, segmentsActiveHigh: true, digitsActiveHigh: true, framesPerSecond: 100),
      Multiplexed74HC595(
        digits: digits, segmentsActiveHigh: true, digitsActiveHigh: true, firstRegister: .digits,
        firstDigit: .leftmost, framesPerSecond: 100),
    ]
    for driver in longest {
      for segments in [[], Array(repeating: UInt8(0x55), count: digits), Array(repeating: 0xFF, count: digits)] {
        #expect(driver.program(showing: segments, brightness: 7).scanSteps.count <= Int(SCANLOOP_MAX_STEPS))
      }
    }
  }

  @Test("One step more than fits, none at all, and a frame that never waits are refused")
  func ordersOutOfBounds() throws {
    var loop: OpaquePointer?
    #expect(scanloop_start(nil, false, { _ in }, nil, &loop) == 0)
    defer { scanloop_free(loop) }
    func play(_ count: Int, wait: UInt32, repeats: Bool) -> Int32 {
      let steps = Array(repeating: scanloop_step(mask: 0, levels: 0, wait_nanoseconds: wait), count: count)
      return steps.withUnsafeBufferPointer { steps in
        var order = scanloop_order(
          steps: steps.baseAddress, count: steps.count,
          lines: scanloop_lines(set: { _, _ in 0 }, context: nil), idle_levels: 0, late_nanoseconds: 1,
          repeats: repeats, number: 1)
        return scanloop_play(loop, &order)
      }
    }
    #expect(play(Int(SCANLOOP_MAX_STEPS) + 1, wait: 1, repeats: false) == -7)  // E2BIG
    #expect(play(0, wait: 1, repeats: false) == -22)  // EINVAL
    #expect(play(3, wait: 0, repeats: true) == -22)
    #expect(play(Int(SCANLOOP_MAX_STEPS), wait: 1, repeats: false) == 0)
  }
}
