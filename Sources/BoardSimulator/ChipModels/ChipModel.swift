import Board

/// What is soldered to simulated lines: it decodes them as the real device would, and knows what a person would see. Bits of levels are its own lines, the first is bit 0.
public protocol ChipModel: Sendable {
  /// The board's lines that it is wired to.
  var lines: [LineName] { get }

  /// What a person sees.
  var face: Face { get }

  var violations: [Violation] { get }

  /// Lines that it pulls low itself.
  var pulledLow: UInt32 { get }

  /// Somebody took the lines, with these first levels.
  mutating func request(levels: UInt32, at time: Duration)

  /// At least one line changed.
  mutating func change(levels: UInt32, at time: Duration)

  /// Somebody read one of its lines.
  mutating func sample(line: Int, at time: Duration)
}

/// What a device shows.
public enum Face: Hashable, Sendable {
  case lamp(isLit: Bool)
  case motor(runs: Bool)
  /// Segments of each digit, leftmost first, as in `SegmentText.digits`.
  case digits([UInt8])
}

extension ChipModel {
  public var pulledLow: UInt32 { 0 }
  public mutating func sample(line: Int, at time: Duration) {}
}
