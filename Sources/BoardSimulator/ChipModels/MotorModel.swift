// A vibration motor and its transistor.

import Board

/// A motor on one line.
public struct MotorModel: ChipModel {
  public let lines: [LineName]
  public private(set) var runs = false
  private let activeHigh: Bool

  public init(line: LineName, activeHigh: Bool) {
    self.lines = [line]
    self.activeHigh = activeHigh
  }

  public var face: Face { .motor(runs: runs) }
  public var violations: [Violation] { [] }

  public mutating func request(levels: UInt32, at time: Duration) { change(levels: levels, at: time) }

  public mutating func change(levels: UInt32, at time: Duration) {
    runs = (levels & 1 == 1) == activeHigh
  }
}
