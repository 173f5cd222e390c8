// A lamp on one line. As pure as the displays: a level in, a program out.

/// A light-emitting diode on one line.
public struct LampDriver: Hashable, Sendable {
  /// Whether it lights when the line is high.
  public var activeHigh: Bool

  public init(activeHigh: Bool) {
    self.activeHigh = activeHigh
  }

  public var idleLevels: UInt32 { activeHigh ? 0 : 1 }

  public func program(lit: Bool) -> LineProgram {
    LineProgram([.set(mask: 1, levels: lit == activeHigh ? 1 : 0)])
  }
}
