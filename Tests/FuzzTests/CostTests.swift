// A request costs by its size: one that is made to cost much costs at most ten times a plain one of its form and size.

import FuzzTargets
import Glibc
import Testing

/// Measured in processor time of this thread; the shortest of several runs counts. The limit is twice the promise, because
/// the other tests have part of the caches; `make bench` measures the promise itself. What is quadratic costs far more.
@Suite(.serialized, .timeLimit(.minutes(10))) struct CostTests {
  private static let mostTimes = 20.0
  private static let runs = 5

  @Test func noRequestCostsMuchMoreThanAPlainOne() throws {
    for worst in WorstCase.all {
      let ratio = try Self.cost(worst.bytes, worst.target) / Self.cost(worst.plain, worst.target)
      #expect(ratio <= Self.mostTimes, "\(worst): \(Int(ratio)) times a plain one")
    }
  }

  /// In nanoseconds.
  private static func cost(_ bytes: [UInt8], _ target: FuzzTarget) throws -> Double {
    var shortest = UInt64.max
    for _ in 0..<runs {
      let started = processorTime()
      try target.run(bytes)
      shortest = min(shortest, processorTime() - started)
      // One that is far too slow needs no second run.
      if shortest > 1_000_000_000 { break }
    }
    return Double(max(shortest, 1))
  }

  private static func processorTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
