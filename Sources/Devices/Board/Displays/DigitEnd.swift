// Modules count their digits from either end, and most do not document which.

/// One end of a display.
public enum DigitEnd: String, Hashable, Sendable, CaseIterable {
  case leftmost, rightmost

  /// Returns the segments of each digit in the order in which a chip counts them, its first digit being at this end.
  /// - Parameter segments: leftmost first; missing ones are dark.
  func counted(_ segments: [UInt8], digits: Int) -> [UInt8] {
    let whole = (0..<digits).map { $0 < segments.count ? segments[$0] : 0 }
    return self == .leftmost ? whole : whole.reversed()
  }
}
