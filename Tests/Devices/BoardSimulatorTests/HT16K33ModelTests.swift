// Each rule of the model is broken once, by a program that a careless driver might have produced.

import Testing

@testable import Board
@testable import BoardSimulator

@Suite struct HT16K33ModelTests {
  private typealias Wire = TwoWireBench<HT16K33Chips>

  private func wire(_ driver: HT16K33 = HT16K33(addresses: [0x70, 0x72])) -> Wire {
    Wire(TwoWireModel(HT16K33Chips(driver), lines: [.label("SCL"), .label("SDA")]))
  }

  private let memory: [UInt8] = [0x06, 0, 0x5B, 0, 0, 0, 0x4F, 0, 0x66, 0, 0, 0, 0, 0, 0, 0]

  @Test func goodDriverBreaksNothing() {
    var wire = wire()
    for address: UInt8 in [0xE0, 0xE4] {
      for bytes: [UInt8] in [[0x21], [0x00] + memory, [0xE9], [0x81]] {
        let isTaken = wire.transfer([address] + bytes)
        #expect(isTaken)
      }
    }
    #expect(wire.model.face == .digits([0x06, 0x5B, 0x4F, 0x66, 0x06, 0x5B, 0x4F, 0x66]))
    #expect(wire.model.brightness == 9)
    wire.transfer([0xE4, 0x80])
    #expect(wire.model.face == .digits([0x06, 0x5B, 0x4F, 0x66, 0, 0, 0, 0]))
    wire.transfer([0xE0, 0x20])
    #expect(wire.model.brightness == nil)
    #expect(wire.rules == [])
  }

  @Test("Only the chip of an address acknowledges it, and only to be written")
  func addresses() {
    for byte: UInt8 in 0...255 {
      var wire = wire()
      wire.start()
      let isTaken = wire.send(byte)
      #expect(isTaken == (byte == 0xE0 || byte == 0xE4))
    }
  }

  @Test("Only alphanumeric backpacks have a bar of two halves and a point in the second byte")
  func alphanumeric() {
    var wire = wire(HT16K33(addresses: [0x70], backpack: .fourteenSegments))
    wire.transfer([0xE0, 0x21])
    wire.transfer([0xE0, 0x00, 0xC6, 0x40] + [UInt8](repeating: 0, count: 14))
    for command: UInt8 in [0xE0, 0x81] { wire.transfer([0xE0, command]) }
    #expect(wire.model.face == .digits([0xC6, 0, 0, 0]))
    #expect(wire.rules == [])
    for word in [[0x40, 0], [0x80, 0], [0, 0x01], [0, 0x80]] as [[UInt8]] {
      wire.transfer([0xE0, 0x00] + word)
      #expect(wire.rules.last == .unexpectedByte)
    }
    #expect(wire.rules.count == 4)
  }

  @Test(
    "Commands that no driver should send, and light before it is set up",
    arguments: [
      ([0xE0], [.incompleteByte]), ([0xE0, 0x22], [.unknownCommand]), ([0xE0, 0x88], [.unknownCommand]),
      ([0xE0, 0x83], [.unknownCommand]), ([0xE0, 0xA1], [.unknownCommand]),
      ([0xE0, 0xD9], [.unknownCommand]), ([0xE0, 0x21, 0x81], [.unexpectedByte]),
      ([0xE0, 0x0F, 1, 2], [.overlongWrite]), ([0xE0, 0x81], [.registerNotSet, .unexpectedByte]),
    ] as [([UInt8], [Violation.Rule])])
  func bytesThatTheChipDoesNotKnow(bytes: [UInt8], rules: [Violation.Rule]) {
    var wire = wire()
    wire.transfer([0xE0, 0x21])
    wire.transfer(bytes)
    #expect(wire.rules == rules)
  }

  @Test("In standby, as after power-up, the chip takes nothing but the command that ends it")
  func standby() {
    var wire = wire()
    for bytes: [UInt8] in [[0x00] + memory, [0xE9], [0x81]] { wire.transfer([0xE0] + bytes) }
    #expect(wire.rules == [.inStandby, .inStandby, .inStandby])
    for bytes: [UInt8] in [[0x21], [0xE9], [0x81]] { wire.transfer([0xE0] + bytes) }
    #expect(wire.model.face == .digits([0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]))
    #expect(wire.rules == [.inStandby, .inStandby, .inStandby, .unexpectedByte])
  }

  @Test("The answer is there from 3.45 µs after the eighth clock until the ninth, if the driver releases data")
  func answer() {
    for (wait, broken) in [(3_449, [.acknowledgeNotSampled]), (3_450, [])] as [(Int, [Violation.Rule])] {
      var wire = wire()
      wire.start()
      for bit in 0..<8 { wire.bit(0xE0 << bit & 0x80 != 0) }
      wire.model.sample(line: 1, at: wire.now + .nanoseconds(wait))
      wire.set(data: true)
      wire.set(clock: true)
      #expect(wire.rules == broken)
    }
    var held = wire()
    held.start()
    for bit in 0..<8 { held.bit(0xE0 << bit & 0x80 != 0) }
    held.model.sample(line: 1, at: held.now + .microseconds(4))
    held.set(clock: true)
    held.model.sample(line: 1, at: held.now)
    #expect(held.rules == [.dataHeldLow])
  }

  private func rules(_ steps: (inout Wire) -> Void) -> [Violation.Rule] {
    var wire = wire()
    wire.start()
    steps(&wire)
    return wire.rules
  }

  @Test("Each time of I²C's standard mode, shorter than it permits")
  func times() {
    #expect(rules { $0.send(0xE0, samples: false) } == [.acknowledgeNotSampled])
    for (pace, broken) in [
      (5_000, []), (4_999, [.clockTooFast]), (4_700, [.clockTooFast]), (4_699, [.pulseTooShort, .clockTooFast]),
    ] as [(Int, [Violation.Rule])] {
      #expect(
        rules { wire in
          wire.set(clock: true)
          wire.set(clock: false)
          wire.pace = .nanoseconds(pace)
          wire.set(clock: true)
        } == broken)
    }
    #expect(
      rules { wire in
        wire.set(clock: true)
        wire.pace = .nanoseconds(3_999)
        wire.set(clock: false)
      } == [.pulseTooShort])
    #expect(
      rules { wire in
        wire.set()
        wire.pace = .nanoseconds(249)
        wire.set(data: true)
        wire.set(clock: true)
      } == [.dataNotSettled])
    #expect(
      rules { wire in
        wire.send(0xE0)
        wire.stop()
        wire.pace = .nanoseconds(4_699)
        wire.set(data: false)
      }.contains(.pulseTooShort))
  }
}
