// The MAX7219, seen from its inputs. Source: Maxim Integrated, MAX7219/MAX7221 data sheet 19-4452, Rev. 4; if that is
// ambiguous, the model takes the strict reading.

import Board

/// A MAX7219 with its digits. Line 0 is data (DIN), 1 the clock (CLK), 2 select (LOAD).
public struct MAX7219Model: ChipModel {
  public let lines: [LineName]

  /// [Timing characteristics, over the whole range of supply and temperature] tCH, tCL, tCP, tDS, tDH, tCSS, tCSH, tCSW
  /// and tLDCK. tCSS is the MAX7221's: modules carry either.
  static let timing = ThreeWireReceiver.Timing(
    shortestClockHigh: .nanoseconds(50), shortestClockLow: .nanoseconds(50), shortestCycle: .nanoseconds(100),
    dataSetUp: .nanoseconds(25), dataHold: .zero, latchSetUp: .nanoseconds(25), latchHold: .zero,
    shortestLatchHigh: .nanoseconds(50), latchRecovery: .nanoseconds(50))

  private let driver: MAX7219
  private var wire = ThreeWireReceiver(timing: MAX7219Model.timing)
  public private(set) var violations: [Violation] = []

  // The chip's registers. The real chip resets them at power-up [Initial power-up]; here they begin unknown, so that a
  // register that was never written shows. A chip that lost one bit to interference is in the same state.
  private var registers: [UInt8: UInt8] = [:]
  private var isOn = false
  public private(set) var face: Face

  public init(_ driver: MAX7219, lines: [LineName]) {
    self.lines = lines
    self.driver = driver
    face = .digits([UInt8](repeating: 0, count: driver.digits))
  }

  public var brightness: Int? { isOn ? registers[0x0A].map { Int($0 & 0x0F) } : nil }

  public mutating func request(levels: UInt32, at time: Duration) {
    wire.begin(levels: levels)
  }

  public mutating func change(levels: UInt32, at time: Duration) {
    guard let bits = wire.change(levels: levels, at: time, &violations) else { return }
    // A packet has sixteen bits. The chip takes the last ones, whatever came before. [Serial-addressing modes]
    guard bits.count == 16 else {
      violations.record(.wrongBitCount, at: time)
      return
    }
    let packet = bits.number()
    take(UInt8(packet & 0xFF), into: UInt8(packet >> 8), at: time)
  }

  /// Writes a register. [Table 2, register address map; bits 15 to 12 are without meaning and here 0]
  private mutating func take(_ value: UInt8, into address: UInt8, at time: Duration) {
    switch address {
    case 0x00: break
    case 0x01...0x0B: registers[address] = value
    case 0x0C, 0x0F:
      // [Tables 3 and 10] Only bit 0 has a meaning.
      if value > 1 { violations.record(.unknownCommand, at: time) }
      if address == 0x0C { isOn = value & 1 == 1 } else { registers[address] = value & 1 }
    default:
      violations.record(.unknownCommand, at: time)
      return
    }
    if isOn { requireWhatShows(at: time) }
    face = .digits(segments)
  }

  private mutating func requireWhatShows(at time: Duration) {
    let shown = (1...driver.digits).map { UInt8($0) }
    if (shown + [0x09, 0x0A, 0x0B, 0x0F]).contains(where: { registers[$0] == nil }) {
      violations.record(.registerNotSet, at: time)
    }
    if registers[0x09] ?? 0 != 0 { violations.record(.decoderOn, at: time) }
    if let limit = registers[0x0B], limit != driver.digits - 1 { violations.record(.wrongScanLimit, at: time) }
  }

  /// The segments of the digits, leftmost first.
  private var segments: [UInt8] {
    let shown = (0..<driver.digits).map { place -> UInt8 in
      // The display test overrides all else, shutdown included. [Display-test register]
      if registers[0x0F] == 1 { return 0xFF }
      guard isOn, place <= Int(registers[0x0B] ?? 7) else { return 0 }
      return MAX7219Model.segments(of: registers[UInt8(place + 1)] ?? 0xFF)
    }
    return driver.firstDigit == .leftmost ? shown : shown.reversed()
  }

  /// Returns the segments of a register: D7 is the point, D6 to D0 are a to g. [Table 6, no-decode mode]
  private static func segments(of register: UInt8) -> UInt8 {
    var segments = register & 0x80
    for (segment, bit) in [6, 5, 4, 3, 2, 1, 0].enumerated() where register >> bit & 1 == 1 { segments |= 1 << segment }
    return segments
  }
}

extension MAX7219: ModelledDisplay {
  func model(on lines: [LineName]) -> any ChipModel { MAX7219Model(self, lines: lines) }
}
