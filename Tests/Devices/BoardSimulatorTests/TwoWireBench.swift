import Board
import Testing

@testable import BoardSimulator

/// A wire to a chip on clock and data, at the pace of a correct driver, on which every mistake can be made.
struct TwoWireBench<Chip: TwoWireChip> {
  var model: TwoWireModel<Chip>
  var now = Duration.zero
  var clock = true
  var data = true
  var pace = Duration.microseconds(5)

  init(_ model: TwoWireModel<Chip>) {
    self.model = model
    self.model.request(levels: 0b11, at: .zero)
  }

  mutating func set(clock newClock: Bool? = nil, data newData: Bool? = nil) {
    now += pace
    clock = newClock ?? clock
    data = newData ?? data
    model.change(levels: (clock ? 1 : 0) | (data ? 2 : 0), at: now)
  }

  mutating func start() {
    set(data: false)
    set(clock: false)
  }

  mutating func bit(_ level: Bool) {
    set(data: level)
    set(clock: true)
    set(clock: false)
  }

  /// - Returns: true if the chip acknowledged the byte.
  @discardableResult
  mutating func send(_ byte: UInt8, samples: Bool = true) -> Bool {
    for place in 0..<8 { bit(byte >> UInt8(Chip.isMostSignificantFirst ? 7 - place : place) & 1 == 1) }
    set(data: true)
    let isTaken = model.pulledLow == 0b10
    if samples { model.sample(line: 1, at: now) }
    set(clock: true)
    set(clock: false)
    return isTaken
  }

  mutating func stop() {
    set(data: false)
    set(clock: true)
    set(data: true)
  }

  /// - Returns: true if the chip acknowledged every byte.
  @discardableResult
  mutating func transfer(_ bytes: [UInt8]) -> Bool {
    start()
    let isTaken = bytes.map { send($0) }.allSatisfy(\.self)
    stop()
    return isTaken
  }

  var rules: [Violation.Rule] { model.violations.map(\.rule) }
}
