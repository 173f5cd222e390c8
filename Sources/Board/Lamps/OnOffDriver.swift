// A lamp or a motor on one line. As pure as the displays: a level in, a program out.

/// What is on or off by the level of one line: a light-emitting diode, the transistor of a motor.
public struct OnOffDriver: Hashable, Sendable {
  /// Whether it is on while the line is high.
  public var activeHigh: Bool

  public var idleLevels: UInt32 { activeHigh ? 0 : 1 }

  public func program(on: Bool) -> LineProgram {
    LineProgram([.set(mask: 1, levels: on == activeHigh ? 1 : 0)])
  }
}
