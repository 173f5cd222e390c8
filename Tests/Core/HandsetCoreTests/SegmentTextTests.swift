// The badge as a reader sees it (B5), and each glyph as the segments draw it.

import Testing

@testable import HandsetCore

@Suite struct SegmentTextTests {
  @Test(
    arguments: [
      (0, 4, true, "\"    \""), (1, 4, true, "\"   1\""), (9, 4, true, "\"   9\""), (10, 4, true, "\"  10\""),
      (1203, 4, true, "\"1203\""), (9999, 4, true, "\"9999\""), (9999, 4, false, "\"9999\""),
      (10_000, 4, true, "\"9.9.9.9.\""), (10_000, 4, false, "\"9999\" blinking"), (10_000, 5, true, "\"10000\""),
      (Int128.max, 8, true, "\"9.9.9.9.9.9.9.9.\""), (0, 1, false, "\" \""), (9, 1, false, "\"9\""),
      (10, 1, false, "\"9\" blinking"), (10, 1, true, "\"9.\""), (-1, 4, true, "\"    \""),
    ] as [(Int128, Int, Bool, String)])
  func aBadge(badge: Int128, width: Int, hasDecimalPoints: Bool, seen: String) {
    #expect(picture(SegmentText(badge: badge, width: width, hasDecimalPoints: hasDecimalPoints)) == seen)
  }

  @Test(arguments: 1...8)
  func theLargestThatFitsAndOneMore(width: Int) {
    let largest = Int128(String(repeating: "9", count: width))!
    let nines = String(repeating: "9", count: width)
    for hasPoints in [true, false] {
      #expect(picture(SegmentText(badge: largest, width: width, hasDecimalPoints: hasPoints)) == "\"\(nines)\"")
      #expect(!SegmentText(badge: largest, width: width, hasDecimalPoints: hasPoints).overflows)
      #expect(SegmentText(badge: largest + 1, width: width, hasDecimalPoints: hasPoints).overflows)
    }
    let pointed = String(repeating: "9.", count: width)
    #expect(picture(SegmentText(badge: largest + 1, width: width, hasDecimalPoints: true)) == "\"\(pointed)\"")
    #expect(picture(SegmentText(badge: largest + 1, width: width, hasDecimalPoints: false)) == "\"\(nines)\" blinking")
    #expect(SegmentText.dark(width: width).digits == [UInt8](repeating: 0, count: width))
  }

  /// The place of each segment: a on top, then clockwise b to f, g in the middle.
  @Test func theGlyphsAreDrawn() {
    let segments: [(row: Int, column: Int, mark: Character)] = [
      (0, 1, "_"), (1, 2, "|"), (2, 2, "|"), (2, 1, "_"), (2, 0, "|"), (1, 0, "|"), (1, 1, "_"),
    ]
    var rows = ["", "", ""]
    for glyph in SegmentText.glyphs {
      var cell = [[Character]](repeating: [" ", " ", " "], count: 3)
      for (bit, segment) in segments.enumerated() where glyph & 1 << UInt8(bit) != 0 {
        cell[segment.row][segment.column] = segment.mark
      }
      for row in 0..<3 { rows[row] += String(cell[row]) }
    }
    #expect(
      rows == [
        " _     _  _     _  _  _  _  _ ",
        "| |  | _| _||_||_ |_   ||_||_|",
        "|_|  ||_  _|  | _||_|  ||_| _|",
      ])
  }
}
