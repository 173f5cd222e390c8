import Board

/// A display driver whose chip has a model. The lines of a driver without one work and show nothing.
protocol ModelledDisplay: DisplayDriver {
  /// Returns the model, wired to these lines.
  func model(on lines: [LineName]) -> any ChipModel
}

/// A model of a device that is soldered to simulated lines. It decodes them as the real device would and knows the
/// visible state. Bits of levels are its own lines; bit 0 is the first.
public protocol ChipModel: Sendable {
  /// The board's lines that the device is wired to.
  var lines: [LineName] { get }

  /// The visible state of the device.
  var face: Face { get }

  var violations: [Violation] { get }

  /// The lines that the device itself pulls low.
  var pulledLow: UInt32 { get }

  /// Begins a request for the lines, with these first levels.
  mutating func request(levels: UInt32, at time: Duration)

  /// Handles a change of at least one line.
  mutating func change(levels: UInt32, at time: Duration)

  /// Handles a read of one of the lines.
  mutating func sample(line: Int, at time: Duration)
}

/// The visible state of a device.
public enum Face: Hashable, Sendable {
  case lamp(isLit: Bool)
  case motor(runs: Bool)
  /// The segments of each digit, leftmost first, as in `SegmentText.digits`.
  case digits([UInt8])
}

extension ChipModel {
  public var pulledLow: UInt32 { 0 }
  public mutating func sample(line: Int, at time: Duration) {}
}
