/// A badge as the segments that each digit of a seven-segment display shows, leftmost first (rule B5). Drivers get
/// segments, so this is the only table of glyphs.
public struct SegmentText: Hashable, Sendable {
  /// Bit 0 is segment a (top), then clockwise b, c, d, e, f; bit 6 is g (middle), bit 7 the decimal point.
  public var digits: [UInt8]
  /// True if the whole display blinks, one second a cycle, half of it dark.
  public var blinks = false
  /// True if the badge is wider than the display, which shows its largest number.
  public var overflows = false
}

extension SegmentText {
  /// Returns a text with all segments dark.
  /// - Parameter width: digits of the display, 1 or more.
  public static func dark(width: Int) -> SegmentText {
    SegmentText(digits: Array(repeating: 0, count: width))
  }

  /// Shows the badge flush right, without leading zeros. Zero is dark. A number wider than the display shows the
  /// largest that fits, with every decimal point lit, or blinking if the display has none.
  /// - Parameters:
  ///   - badge: 0 or more.
  ///   - width: digits of the display, 1 or more.
  ///   - hasDecimalPoints: true if each digit has a point that can be lit.
  public init(badge: Int128, width: Int, hasDecimalPoints: Bool) {
    self = .dark(width: width)
    var rest = badge
    for place in stride(from: width - 1, through: 0, by: -1) where rest > 0 {
      digits[place] = SegmentText.glyphs[Int(rest % 10)]
      rest /= 10
    }
    overflows = rest > 0
    guard overflows else { return }
    let point = hasDecimalPoints ? SegmentText.decimalPoint : 0
    digits = Array(repeating: SegmentText.glyphs[9] | point, count: width)
    blinks = !hasDecimalPoints
  }

  public static let decimalPoint: UInt8 = 0x80

  /// One cycle of a display that blinks; its first half is lit.
  public static let blinkPeriod: Duration = .seconds(1)

  /// Segments of the decimal digits 0 to 9.
  public static let glyphs: [UInt8] = [0x3F, 0x06, 0x5B, 0x4F, 0x66, 0x6D, 0x7D, 0x07, 0x7F, 0x6F]
}
