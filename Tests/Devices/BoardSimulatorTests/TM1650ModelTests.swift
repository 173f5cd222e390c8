// Each rule of the model is broken once, by a program that a careless driver might have produced.

import Board
import Testing

@testable import BoardSimulator

@Suite struct TM1650ModelTests {
  private func wire() -> TwoWireBench<TM1650Chip> {
    TwoWireBench(TwoWireModel(TM1650Chip(places: [0, 1, 2, 3]), lines: [.label("SCL"), .label("SDA")]))
  }

  @Test func goodDriverBreaksNothing() {
    var wire = wire()
    for digit: UInt8 in 0..<4 { wire.transfer([0x68 + 2 * digit, digit + 1]) }
    #expect(wire.model.face == .digits([0, 0, 0, 0]))
    let isTaken = wire.transfer([0x48, 0x11])
    #expect(isTaken)
    #expect(wire.model.face == .digits([1, 2, 3, 4]))
    #expect(wire.model.brightness == 0)
    wire.transfer([0x48, 0x01])
    #expect(wire.model.brightness == 7)
    wire.transfer([0x48, 0x00])
    #expect(wire.model.face == .digits([0, 0, 0, 0]))
    #expect(wire.rules == [])
  }

  @Test("A byte with the least significant bit first is no address, and is not acknowledged")
  func otherBitFirst() {
    var wire = wire()
    wire.start()
    let isTaken = wire.send(0x16)
    #expect(!isTaken)
    #expect(wire.rules == [.unknownCommand])
  }

  @Test("Data for an address between two digits is not acknowledged", arguments: [0x69, 0x6B, 0x6D] as [UInt8])
  func otherAddresses(address: UInt8) {
    var wire = wire()
    wire.start()
    wire.send(address)
    let isTaken = wire.send(0)
    #expect(!isTaken)
  }

  @Test(
    arguments: [
      ([0x48], [.incompleteByte]), ([0x48, 0x02], [.unknownCommand]), ([0x68, 1, 2], [.overlongWrite]),
      ([0x48, 0x11], [.registerNotSet]), ([0x4F, 0], [.unknownCommand]), ([0x69, 0], [.unknownCommand]),
    ] as [([UInt8], [Violation.Rule])])
  func bytesThatTheChipDoesNotKnow(bytes: [UInt8], rules: [Violation.Rule]) {
    var wire = wire()
    wire.transfer(bytes)
    #expect(wire.rules == rules)
  }
}
