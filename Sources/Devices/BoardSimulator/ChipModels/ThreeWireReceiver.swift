/// The receiving end of data (line 0), clock (1) and latch (2) in a MAX7219, a 74HC595 and a TM1638. It records every edge
/// that came too soon.
struct ThreeWireReceiver: Sendable {
  /// The chip's requirements, from its data sheet.
  struct Timing: Sendable {
    var shortestClockHigh: Duration
    var shortestClockLow: Duration
    /// The time from one rise of the clock to the next.
    var shortestCycle: Duration
    /// The time from a change of data to the rise of the clock.
    var dataSetUp: Duration
    /// The time from the rise of the clock to a change of data.
    var dataHold: Duration
    /// The time from the fall of the latch to the first rise of the clock.
    var latchSetUp: Duration
    /// The time from the last rise of the clock to the rise of the latch.
    var latchHold: Duration
    var shortestLatchHigh: Duration
    /// The time from the rise of the latch to the next rise of the clock.
    var latchRecovery: Duration
  }

  let timing: Timing

  private var levels: UInt32 = ThreeWireReceiver.latch
  /// The bits since the latch fell, in the order of their arrival.
  private(set) var bits: [Bool] = []
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

  /// Begins with the initial levels of the lines. Earlier edges do not count.
  mutating func begin(levels: UInt32) {
    self = ThreeWireReceiver(timing: timing)
    self.levels = levels
  }

  /// - Returns: if the latch rises, the bits that were shifted in, in the order of their arrival; else nil.
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
  /// Returns the bits as a number, the most significant bit first.
  func number() -> UInt16 { reduce(0) { $0 << 1 | ($1 ? 1 : 0) } }
}
