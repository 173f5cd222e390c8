// Each pattern to the microsecond, near its start and years after it (D1).

import Testing

@testable import HandsetCore

@Suite struct LampPatternTests {
  /// Lit and dark stretches in turn, in milliseconds, for one repetition, lit first.
  static let table: [(name: String, stretches: [Int])] = [
    ("blink", [500, 500]),
    ("double", [120, 120, 120, 1140]),
    ("heartbeat", [80, 160, 160, 800]),
    (
      "sos",
      [150, 150, 150, 150, 150, 450, 450, 150, 450, 150, 450, 450, 150, 150, 150, 150, 150, 1050]
    ),
  ]

  @Test(arguments: table.map(\.name))
  func edgesAreExact(name: String) throws {
    let pattern = try #require(LampPattern(named: name))
    let stretches = try #require(LampPatternTests.table.first { $0.name == name }?.stretches)
    let period = stretches.reduce(0, +)
    #expect(pattern.period == .milliseconds(period))
    // The first repetitions, one a day after the start and one a century after.
    for repetition in [0, 1, 2, 3, 86_400_000 / period, 3_155_760_000_000 / period] {
      var edge = Duration.milliseconds(repetition * period)
      for (place, stretch) in stretches.enumerated() {
        let lit = place % 2 == 0
        let next = edge + .milliseconds(stretch)
        #expect(pattern.isLit(after: edge) == lit)
        #expect(pattern.isLit(after: next - .microseconds(1)) == lit)
        #expect(pattern.isLit(after: next) == !lit)
        #expect(pattern.nextChange(after: edge) == next)
        #expect(pattern.nextChange(after: next - .nanoseconds(1)) == next)
        edge = next
      }
    }
  }

  @Test("Breath: flashes at 100 Hz that last longer and longer, then shorter and shorter, then a pause")
  func breathRisesAndFalls() throws {
    let breathe = LampPattern.breathe
    #expect(breathe.period == .milliseconds(1_490 + 20 + 1_490 + 1_000))
    // From flash to flash, as the panel does it.
    var lit: [Duration] = []
    var edge = Duration.zero
    while edge < breathe.period {
      #expect(breathe.isLit(after: edge))
      let off = try #require(breathe.nextChange(after: edge))
      #expect(!breathe.isLit(after: off))
      lit.append(off - edge)
      edge = try #require(breathe.nextChange(after: off))
    }
    #expect(edge == breathe.period)
    // The two flashes at the top join the light between them.
    #expect(lit.count == 298)
    #expect(lit.first == .microseconds(200) && lit.last == .microseconds(200))
    let top = try #require(lit.firstIndex(of: lit.max() ?? .zero))
    #expect(top == 149)
    #expect(lit[74] == .microseconds(10_000 * 75 * 75 / (150 * 150)))
    #expect(zip(lit[...148], lit[1...148]).allSatisfy { $0 <= $1 })
    #expect(zip(lit[150...], lit[151...]).allSatisfy { $0 >= $1 })
  }

  @Test func steadyNeverChanges() {
    for elapsed in [Duration.zero, .seconds(1), .milliseconds(999), .seconds(3_155_760_000)] {
      #expect(LampPattern.steady.isLit(after: elapsed))
      #expect(LampPattern.steady.nextChange(after: elapsed) == nil)
    }
  }

  @Test func beforeItsStartItStandsAtItsStart() {
    for pattern in LampPattern.all {
      #expect(pattern.isLit(after: .seconds(-1)) == pattern.isLit(after: .zero))
      #expect(pattern.nextChange(after: .seconds(-1)) == pattern.nextChange(after: .zero))
    }
  }

  @Test func stretchesOfTheSameLightAreOne() {
    let steps: [PatternStep] = [(true, 1), (true, 2), (false, 3), (true, 4)].map {
      .init(isOn: $0.0, duration: .seconds($0.1))
    }
    let pattern = LampPattern("test", steps)
    #expect(pattern.nextChange(after: .zero) == .seconds(3))
    #expect(pattern.nextChange(after: .seconds(3)) == .seconds(6))
    // The last and the first stretch are joined.
    #expect(pattern.nextChange(after: .seconds(6)) == .seconds(13))
  }

  @Test func namesFindTheirPatterns() {
    #expect(LampPattern.all.map(\.name) == ["steady", "blink", "double", "breathe", "heartbeat", "sos"])
    for pattern in LampPattern.all { #expect(LampPattern(named: pattern.name) == pattern) }
    #expect(LampPattern(named: "Blink") == nil)
    #expect(LampPattern(named: "") == nil)
  }

  @Test func levelsHaveTheirPatterns() {
    #expect(InterruptionLevel.allCases.map { LampPattern.standard(for: $0)?.name } == [nil, "blink", "double", "sos"])
  }
}
