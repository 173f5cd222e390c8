// The digits of a Live Activity: texts, and numbers of seconds that are left (rule LA9).

extension SegmentText {
  /// Shows a text flush right, cut at the width. A letter that seven segments cannot show is dark; a point or a colon
  /// lights the decimal point of the digit before it; on a display without points it is a dark digit, if there is room
  /// for all of them. A whole number that is too wide is shown
  /// like such a badge.
  public init(text: String, width: Int, hasDecimalPoints: Bool) {
    if let number = Int128(text), number > 0 {
      self.init(badge: number, width: width, hasDecimalPoints: hasDecimalPoints)
      return
    }
    var shown: [UInt8] = []
    let bytes = text.utf8.filter { $0 & 0xC0 != 0x80 }
    let takesPoints = hasDecimalPoints || bytes.count > width
    for byte in bytes {
      let isPoint = byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":")
      if isPoint, takesPoints, let last = shown.last, last & SegmentText.decimalPoint == 0 {
        if hasDecimalPoints { shown[shown.count - 1] |= SegmentText.decimalPoint }
      } else if shown.count == width {
        break
      } else {
        shown.append(SegmentText.glyph(of: byte))
      }
    }
    self = .dark(width: width)
    digits.replaceSubrange(width - shown.count..<width, with: shown)
  }

  /// Shows the time that is left: minutes and seconds as `4.59` if the display has points and three digits or more,
  /// else seconds; whole minutes if it is too narrow for them.
  /// - Parameter left: 0 or more; part of a second counts as a whole one.
  public init(countdown left: Duration, width: Int, hasDecimalPoints: Bool) {
    let seconds = SegmentText.wholeSeconds(left)
    let largest = (0..<width).reduce(Int64(1)) { product, _ in product * 10 } - 1
    if hasDecimalPoints, width >= 3 {
      let minutes = seconds / 60
      if minutes <= largest / 100 {
        let tail = seconds % 60
        self.init(
          text: "\(minutes).\(tail < 10 ? "0" : "")\(tail)", width: width, hasDecimalPoints: true)
        return
      }
    } else if seconds <= largest {
      self.init(text: "\(seconds)", width: width, hasDecimalPoints: hasDecimalPoints)
      return
    }
    self.init(badge: Int128(seconds / 60), width: width, hasDecimalPoints: hasDecimalPoints)
  }

  /// Returns the seconds that are left, those begun included.
  public static func wholeSeconds(_ left: Duration) -> Int64 {
    guard left > .zero else { return 0 }
    return left.components.seconds + (left.components.attoseconds > 0 ? 1 : 0)
  }

  /// Returns the segments of a character; 0 for one that cannot be shown.
  static func glyph(of byte: UInt8) -> UInt8 {
    if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { return glyphs[Int(byte - UInt8(ascii: "0"))] }
    let letter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 32 : byte
    return letters[letter] ?? 0
  }

  /// The segments of letters and signs, in capitals.
  public static let letters: [UInt8: UInt8] = [
    UInt8(ascii: "A"): 0x77, UInt8(ascii: "B"): 0x7C, UInt8(ascii: "C"): 0x39, UInt8(ascii: "D"): 0x5E,
    UInt8(ascii: "E"): 0x79, UInt8(ascii: "F"): 0x71, UInt8(ascii: "G"): 0x3D, UInt8(ascii: "H"): 0x76,
    UInt8(ascii: "I"): 0x30, UInt8(ascii: "J"): 0x1E, UInt8(ascii: "L"): 0x38, UInt8(ascii: "N"): 0x54,
    UInt8(ascii: "O"): 0x5C, UInt8(ascii: "P"): 0x73, UInt8(ascii: "R"): 0x50, UInt8(ascii: "S"): 0x6D,
    UInt8(ascii: "T"): 0x78, UInt8(ascii: "U"): 0x3E, UInt8(ascii: "Y"): 0x6E, UInt8(ascii: "-"): 0x40,
    UInt8(ascii: "_"): 0x08,
  ]
}
