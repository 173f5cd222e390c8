// The lamps of a board: diodes on lines, and a row of APA102. Source: Shiji Lighting, APA102 data sheet; if that is
// ambiguous, the model takes the strict reading.

import Board

/// A diode of three colours: line 0 is red, 1 green, 2 blue.
struct RGBLampModel: ChipModel {
  let lines: [LineName]
  let activeHigh: Bool
  private(set) var face = Face.lights([[0, 0, 0]])
  var violations: [Violation] { [] }

  init(lines: [LineName], activeHigh: Bool) {
    (self.lines, self.activeHigh) = (lines, activeHigh)
  }

  mutating func request(levels: UInt32, at time: Duration) { change(levels: levels, at: time) }

  mutating func change(levels: UInt32, at time: Duration) {
    face = .lights([(0..<3).map { (levels >> $0 & 1 == 1) == activeHigh ? 255 : 0 }])
  }
}

/// A row of lamps with an APA102 each. Line 0 is data, 1 the clock.
public struct APA102Model: ChipModel {
  public let lines: [LineName]
  /// The shortest pulse of the clock, and the time for which data must be settled before it rises.
  public static let shortestPulse: Duration = .nanoseconds(250)

  private let lamps: Int
  public private(set) var violations: [Violation] = []
  /// Random at power-up; here every lamp is white, so that one that was never written shows.
  public private(set) var face: Face

  private var levels: UInt32 = 0
  private var clockChanged: Duration?
  private var dataChanged: Duration?
  private var phase = Phase.start(zeros: 0)

  private enum Phase {
    case start(zeros: Int)
    /// The bits of the frames, of 32 each.
    case frames([Bool])
    /// The last frame is complete: the last lamp needs half a clock for each lamp, one of the kind SK9822 32 more.
    case end([[UInt8]], clocks: Int)
  }

  public init(lamps: Int, lines: [LineName]) {
    (self.lamps, self.lines) = (lamps, lines)
    face = .lights(Array(repeating: [255, 255, 255], count: lamps))
  }

  public mutating func request(levels: UInt32, at time: Duration) {
    self.levels = levels
    clockChanged = time
    dataChanged = time
    phase = .start(zeros: 0)
  }

  public mutating func change(levels newLevels: UInt32, at time: Duration) {
    let changed = levels ^ newLevels
    levels = newLevels
    let isHigh = levels & 0b10 != 0
    if changed & 0b01 != 0 {
      if isHigh { violations.record(changed & 0b10 != 0 ? .dataNotSettled : .dataNotHeld, at: time) }
      dataChanged = time
    }
    guard changed & 0b10 != 0 else { return }
    require(since: clockChanged, .pulseTooShort, at: time)
    clockChanged = time
    guard isHigh else { return }
    require(since: dataChanged, .dataNotSettled, at: time)
    take(levels & 0b01 != 0, at: time)
  }

  private mutating func require(since start: Duration?, _ rule: Violation.Rule, at time: Duration) {
    if let start, time - start < APA102Model.shortestPulse { violations.record(rule, at: time) }
  }

  private mutating func take(_ bit: Bool, at time: Duration) {
    switch phase {
    case .start(let zeros):
      if bit, zeros < 32 { violations.record(.wrongBitCount, at: time) }
      phase = bit ? (zeros < 32 ? .start(zeros: 0) : .frames([true])) : .start(zeros: zeros + 1)
    case .frames(var bits):
      bits.append(bit)
      guard bits.count == lamps * 32 else {
        phase = .frames(bits)
        return
      }
      phase = .end(colours(bits, at: time), clocks: 0)
    case .end(let colours, let clocks):
      if bit { violations.record(.unexpectedByte, at: time) }
      if clocks + 1 >= (lamps + 1) / 2 { face = .lights(colours) }
      phase = clocks + 1 >= (lamps + 1) / 2 + 32 ? .start(zeros: 0) : .end(colours, clocks: clocks + 1)
    }
  }

  /// Returns red, green and blue of each lamp. A frame is three ones, the brightness in 31 steps, blue, green, red.
  private mutating func colours(_ bits: [Bool], at time: Duration) -> [[UInt8]] {
    stride(from: 0, to: bits.count, by: 32).map { first in
      let bytes = (0..<4).map { bits[first + 8 * $0..<first + 8 * $0 + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) } }
      if bytes[0] < 0xE0 { violations.record(.unexpectedByte, at: time) }
      let step = Int(bytes[0] & 0x1F)
      return bytes[1...].reversed().map { UInt8(Int($0) * step / 31) }
    }
  }
}

extension BoardDescription.Lamp {
  /// Returns the model of the lamp, wired to its lines.
  func model() -> (any ChipModel)? {
    switch driver {
    case let lamp as DirectLamp where lamp.lineCount == 1:
      OnOffModel(lines[0], activeHigh: lamp.activeHigh) { .lamp(isLit: $0) }
    case let lamp as DirectLamp: RGBLampModel(lines: lines, activeHigh: lamp.activeHigh)
    case let row as APA102: APA102Model(lamps: row.lamps, lines: lines)
    default: nil
    }
  }
}
