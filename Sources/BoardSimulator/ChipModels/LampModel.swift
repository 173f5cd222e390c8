// A light-emitting diode and its resistor.

import Board

/// A lamp on one line.
public struct LampModel: ChipModel {
  public let lines: [LineName]
  public private(set) var isLit = false
  private let activeHigh: Bool

  public init(line: LineName, activeHigh: Bool) {
    self.lines = [line]
    self.activeHigh = activeHigh
  }

  public var face: Face { .lamp(isLit: isLit) }
  public var violations: [Violation] { [] }

  public mutating func request(levels: UInt32, at time: Duration) { change(levels: levels, at: time) }

  public mutating func change(levels: UInt32, at time: Duration) {
    isLit = (levels & 1 == 1) == activeHigh
  }
}
