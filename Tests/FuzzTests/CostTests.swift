// A request costs by its size: one that is made to cost much costs at most twenty times a plain one of its form and size.

import FuzzTargets
import Glibc
import Testing

/// Measured in processor time of this thread; the shortest of several runs counts. Ten times is the aim; on a busy machine
/// nested arrays took 10 to 11 times and a query of 3,500 items 11, so the limit is 20. Quadratic inputs took 62 and more.
@Suite(.serialized, .timeLimit(.minutes(10))) struct CostTests {
  private static let mostTimes = 20.0
  private static let runs = 7

  @Test func noRequestCostsMuchMoreThanAPlainOne() throws {
    var plain: [[UInt8]: Double] = [:]
    for worst in WorstCase.all {
      let one = try plain[worst.plain] ?? Self.cost(worst.plain, worst.target, until: 0)
      plain[worst.plain] = one
      let most = Self.mostTimes * one
      let cost = try Self.cost(worst.bytes, worst.target, until: most)
      #expect(cost <= most, "\(worst): \(Int(cost / one)) times a plain one")
    }
  }

  /// In nanoseconds.
  /// - Parameter enough: no further run is needed once one was no longer.
  private static func cost(_ bytes: [UInt8], _ target: FuzzTarget, until enough: Double) throws -> Double {
    var shortest = Double.infinity
    for _ in 0..<runs where shortest > enough {
      let started = processorTime()
      try target.run(bytes)
      shortest = min(shortest, Double(processorTime() - started))
    }
    return shortest
  }

  private static func processorTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
