// A request costs by its size: one that is made to cost much costs at most ten times a plain one of its form and size.

import FuzzTargets
import Glibc
import Testing

/// Measured in processor time of this thread, a plain request beside each hostile one, because what runs on the machine's
/// other half changes the speed of both. The shortest of several runs counts.
@Suite(.serialized, .timeLimit(.minutes(10))) struct CostTests {
  private static let mostTimes = 10.0
  private static let rounds = 12

  @Test func noRequestCostsMuchMoreThanAPlainOne() async throws {
    for worst in WorstCase.all {
      // The sockets of other tests need their turn.
      await Task.yield()
      var (plain, cost) = (Double.infinity, Double.infinity)
      for _ in 0..<Self.rounds where cost > Self.mostTimes * plain || plain == .infinity {
        plain = min(plain, try Self.cost(worst.plain, worst.target))
        cost = min(cost, try Self.cost(worst.bytes, worst.target))
      }
      #expect(cost <= Self.mostTimes * plain, "\(worst): \(Int(cost / plain)) times a plain one")
    }
  }

  /// In nanoseconds.
  private static func cost(_ bytes: [UInt8], _ target: FuzzTarget) throws -> Double {
    let started = processorTime()
    try target.run(bytes)
    return Double(processorTime() - started)
  }

  private static func processorTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
