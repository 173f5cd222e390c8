import Board

/// A device that one line switches: a light-emitting diode and its resistor, or a vibration motor and its transistor.
struct OnOffModel: ChipModel {
  let lines: [LineName]
  let activeHigh: Bool
  /// Returns the visible state while the device is on or off.
  let faceIfOn: @Sendable (Bool) -> Face
  private var isOn = false

  init(_ line: LineName, activeHigh: Bool, face: @escaping @Sendable (Bool) -> Face) {
    (lines, self.activeHigh, faceIfOn) = ([line], activeHigh, face)
  }

  var face: Face { faceIfOn(isOn) }
  var violations: [Violation] { [] }

  mutating func request(levels: UInt32, at time: Duration) { change(levels: levels, at: time) }

  mutating func change(levels: UInt32, at time: Duration) { isOn = (levels & 1 == 1) == activeHigh }
}
