// A wire at the pace of a correct driver, on which every mistake can be made, for the chips with data, clock and latch.

import Board
import BoardSimulator
import Testing

struct ThreeWireBench<Model: ChipModel> {
  var model: Model
  var now = Duration.seconds(1)
  var pace = Duration.nanoseconds(500)
  private var levels: UInt32 = 0b100

  init(_ model: Model) {
    self.model = model
    self.model.request(levels: levels, at: now)
  }

  var rules: [Violation.Rule] { model.violations.map(\.rule) }

  /// Changes lines after a time.
  mutating func set(data: Bool? = nil, clock: Bool? = nil, latch: Bool? = nil, after wait: Duration? = nil) {
    now += wait ?? pace
    for (place, level) in [data, clock, latch].enumerated() {
      guard let level else { continue }
      levels = level ? levels | 1 << UInt32(place) : levels & ~(1 << UInt32(place))
    }
    model.change(levels: levels, at: now)
  }

  mutating func bit(_ level: Bool) {
    set(data: level, clock: false)
    set(clock: true)
  }

  /// Transfers the lowest bits of a number, the most significant first, after zeros if it has fewer.
  mutating func transfer(_ number: UInt16, bits: Int) {
    set(latch: false)
    for place in (0..<bits).reversed() { bit(place < 16 && number >> UInt16(place) & 1 == 1) }
    set(data: false, clock: false)
    set(latch: true)
  }

  /// Breaks each rule of the three lines by a nanosecond, and then meets it exactly.
  /// - Parameters: the chip's requirements, in nanoseconds.
  static func expectEveryRule(
    of model: Model, bits: Int, clockHigh: Int, clockLow: Int, cycle: Int, dataSetUp: Int, dataHold: Int,
    latchSetUp: Int, latchHold: Int, latchHigh: Int, latchRecovery: Int
  ) {
    func rules(_ mistake: (inout ThreeWireBench) -> Void) -> [Violation.Rule] {
      var bench = ThreeWireBench(model)
      bench.set(latch: false)
      mistake(&bench)
      return bench.rules
    }
    func expect(
      _ rule: Violation.Rule, of limit: Int, _ mistake: (inout ThreeWireBench, Duration) -> Void,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      #expect(rules { mistake(&$0, .nanoseconds(limit)) } == [], sourceLocation: sourceLocation)
      guard limit > 0 else { return }
      #expect(rules { mistake(&$0, .nanoseconds(limit - 1)) } == [rule], sourceLocation: sourceLocation)
    }
    expect(.pulseTooShort, of: clockHigh) { bench, wait in
      bench.set(clock: true)
      bench.set(clock: false, after: wait)
    }
    expect(.pulseTooShort, of: clockLow) { bench, wait in
      bench.bit(false)
      bench.set(clock: false)
      bench.set(clock: true, after: wait)
    }
    func twoRises(_ nanoseconds: Int) -> [Violation.Rule] {
      rules { bench in
        bench.set(clock: true)
        bench.set(clock: false, after: .nanoseconds(clockHigh))
        bench.set(clock: true, after: .nanoseconds(nanoseconds - clockHigh))
      }
    }
    #expect(twoRises(cycle) == [])
    // If a cycle is no longer than its halves, it cannot be broken alone.
    #expect(twoRises(cycle - 1) == (cycle == clockHigh + clockLow ? [.pulseTooShort, .clockTooFast] : [.clockTooFast]))
    expect(.dataNotSettled, of: dataSetUp) { bench, wait in
      bench.set(data: true)
      bench.set(clock: true, after: wait)
    }
    expect(.dataNotHeld, of: dataHold) { bench, wait in
      bench.set(data: true)
      bench.set(clock: true)
      bench.set(data: false, after: wait)
    }
    expect(.latchNotSettled, of: latchSetUp) { bench, wait in bench.set(clock: true, after: wait) }
    expect(.latchNotSettled, of: latchHold) { bench, wait in
      for _ in 0..<bits { bench.bit(false) }
      bench.set(latch: true, after: wait)
      // The latched bits belong to another rule.
      bench.set(latch: false)
    }
    #expect(rules { $0.set(data: true, clock: true) } == [.dataNotSettled])
    #expect(rules { $0.set(clock: true, latch: true) }.contains(.clockAndLatchChangedTogether))
    expectRest(of: model, bits: bits, latchHigh: latchHigh, latchRecovery: latchRecovery)
  }

  /// Breaks each rule of the time between transfers.
  private static func expectRest(of model: Model, bits: Int, latchHigh: Int, latchRecovery: Int) {
    func resting(_ mistake: (inout ThreeWireBench) -> Void) -> [Violation.Rule] {
      var bench = ThreeWireBench(model)
      bench.transfer(0, bits: bits)
      mistake(&bench)
      return bench.rules
    }
    #expect(
      resting {
        $0.set(clock: true)
        $0.set(clock: false)
      } == [.clockOutsideTransfer])
    #expect(resting { $0.set(latch: false, after: .nanoseconds(latchHigh)) } == [])
    #expect(resting { $0.set(latch: false, after: .nanoseconds(latchHigh - 1)) } == [.pulseTooShort])
    #expect(
      resting { $0.set(clock: true, after: .nanoseconds(latchRecovery - 1)) }
        == [.clockOutsideTransfer, .latchNotSettled])
  }
}
