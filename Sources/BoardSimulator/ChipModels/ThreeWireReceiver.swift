// The shift register's end of data, clock and latch, as a MAX7219 and a 74HC595 have it: which bits were shifted in when
// the latch rose, and every edge that came too soon.

/// Decodes the three lines. Line 0 is data, 1 the clock, 2 the latch.
struct ThreeWireReceiver: Sendable {
  /// What the chip asks for, from its data sheet.
  struct Timing: Sendable {
    var shortestClockHigh: Duration
    var shortestClockLow: Duration
    /// From one rise of the clock to the next.
    var shortestCycle: Duration
    /// Data before the rise of the clock.
    var dataSetUp: Duration
    /// Data after the rise of the clock.
    var dataHold: Duration
    /// The fall of the latch before the first rise of the clock.
    var latchSetUp: Duration
    /// The last rise of the clock before the rise of the latch.
    var latchHold: Duration
    var shortestLatchHigh: Duration
    /// The rise of the latch before the next rise of the clock.
    var latchRecovery: Duration
  }

  let timing: Timing

  private var levels: UInt32 = ThreeWireReceiver.latch
  /// In the order of their arrival, since the latch fell.
  private var bits: [Bool] = []
  private var dataChanged: Duration?
  private var clockRose: Duration?
  private var clockFell: Duration?
  private var latchRose: Duration?
  private var latchFell: Duration?

  private static let data: UInt32 = 0b001
  private static let clock: UInt32 = 0b010
  private static let latch: UInt32 = 0b100

  init(timing: Timing) {
    self.timing = timing
  }

  /// The initial levels of the lines. Earlier edges do not count.
  mutating func begin(levels: UInt32) {
    self = ThreeWireReceiver(timing: timing)
    self.levels = levels
  }

  /// - Returns: the bits that were shifted in, in the order of their arrival, where the latch rises; else nil.
  mutating func change(levels newLevels: UInt32, at time: Duration, _ log: inout [Violation]) -> [Bool]? {
    let changed = levels ^ newLevels
    let hadLatch = levels & ThreeWireReceiver.latch != 0
    levels = newLevels
    func has(_ line: UInt32) -> Bool { newLevels & line != 0 }
    if changed & ThreeWireReceiver.clock != 0, changed & ThreeWireReceiver.latch != 0 {
      log.record(.clockAndLatchChangedTogether, at: time)
    }
    if changed & ThreeWireReceiver.data != 0 {
      if isSooner(than: timing.dataHold, since: clockRose, at: time) { log.record(.dataNotHeld, at: time) }
      dataChanged = time
    }
    if changed & ThreeWireReceiver.clock != 0 {
      if has(ThreeWireReceiver.clock) {
        clockRises(changesData: changed & ThreeWireReceiver.data != 0, latch: hadLatch, at: time, &log)
        bits.append(has(ThreeWireReceiver.data))
      } else {
        if isSooner(than: timing.shortestClockHigh, since: clockRose, at: time) { log.record(.pulseTooShort, at: time) }
        clockFell = time
      }
    }
    guard changed & ThreeWireReceiver.latch != 0 else { return nil }
    guard has(ThreeWireReceiver.latch) else {
      if isSooner(than: timing.shortestLatchHigh, since: latchRose, at: time) { log.record(.pulseTooShort, at: time) }
      latchFell = time
      bits = []
      return nil
    }
    if isSooner(than: timing.latchHold, since: clockRose, at: time) { log.record(.latchNotSettled, at: time) }
    latchRose = time
    return bits
  }

  private mutating func clockRises(changesData: Bool, latch: Bool, at time: Duration, _ log: inout [Violation]) {
    if latch { log.record(.clockOutsideTransfer, at: time) }
    if changesData || isSooner(than: timing.dataSetUp, since: dataChanged, at: time) {
      log.record(.dataNotSettled, at: time)
    }
    if isSooner(than: timing.shortestClockLow, since: clockFell, at: time) { log.record(.pulseTooShort, at: time) }
    if isSooner(than: timing.shortestCycle, since: clockRose, at: time) { log.record(.clockTooFast, at: time) }
    if isSooner(than: timing.latchSetUp, since: latchFell, at: time)
      || isSooner(than: timing.latchRecovery, since: latchRose, at: time)
    {
      log.record(.latchNotSettled, at: time)
    }
    clockRose = time
  }

  private func isSooner(than limit: Duration, since edge: Duration?, at time: Duration) -> Bool {
    edge.map { time - $0 < limit } ?? false
  }
}

extension Sequence<Bool> {
  /// The first is the most significant bit.
  func number() -> UInt16 { reduce(0) { $0 << 1 | ($1 ? 1 : 0) } }
}
