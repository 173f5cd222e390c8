// A driver is done when its chip model draws it: every badge of four digits goes through every display, and the picture
// that the model decodes from the wire is compared.

import Testing

@testable import Board
@testable import BoardSimulator
@testable import HandsetCore

@Suite("B5: the badge as drawn by the chip")
struct BadgePictureTests {
  @Test("Every badge from 0 to 9,999, and the overflow", arguments: Wiring.all)
  func everyBadge(name: String, board: String) throws {
    let bench = try DisplayBench(board)
    for badge in 0...9_999 {
      let picture = try bench.picture(of: Int128(badge))
      guard picture == flushRight(badge, width: 4) else {
        Issue.record("\(name) shows '\(picture)' for \(badge)")
        return
      }
    }
    #expect(try bench.picture(of: 10_000) == "9.9.9.9.")
    #expect(try bench.picture(of: .max) == "9.9.9.9.")
    #expect(try bench.picture(of: 0) == "    ")
    #expect(bench.rules == [])
  }

  @Test("Widths of 1 to 8 digits on every display, with and without points", arguments: 1...8, [true, false])
  func widths(width: Int, points: Bool) throws {
    let largest = try #require(Int(String(repeating: "9", count: width)))
    let counting = try #require(Int(String("12345678".prefix(width))))
    let others = try #require(Int(String("90876543".suffix(width))))
    for board in Wiring.boards(width: width, points: points) {
      let bench = try DisplayBench(board)
      for badge in [0, 7, counting, others, largest] {
        #expect(try bench.picture(of: Int128(badge)) == flushRight(badge, width: width))
      }
      #expect(try bench.picture(of: Int128(largest) + 1) == String(repeating: points ? "9." : "9", count: width))
      #expect(SegmentText(badge: Int128(largest) + 1, on: bench.display).blinks == !points)
      #expect(bench.rules == [])
    }
  }

  @Test("The digits as they look, on every display")
  func shapes() throws {
    let pictures: [(badge: Int128, rows: [String])] = [
      (
        12_345_678,
        [
          "     _   _       _   _   _   _  ",
          "  |  _|  _| |_| |_  |_    | |_| ",
          "  | |_   _|   |  _| |_|   | |_| ",
        ]
      ),
      (
        90_876_543,
        [
          " _   _   _   _   _   _       _  ",
          "|_| | | |_|   | |_  |_  |_|  _| ",
          " _| |_| |_|   | |_|  _|   |  _| ",
        ]
      ),
      (
        100_000_000,
        [
          " _   _   _   _   _   _   _   _  ",
          "|_| |_| |_| |_| |_| |_| |_| |_| ",
          " _|. _|. _|. _|. _|. _|. _|. _|.",
        ]
      ),
    ]
    for board in Wiring.boards(width: 8, points: true) {
      let bench = try DisplayBench(board)
      for (badge, rows) in pictures { #expect(drawing(of: try bench.segments(of: badge)) == rows) }
    }
  }

  @Test("Every badge on alphanumeric backpacks, and on a row of eight")
  func ht16k33Rows() throws {
    let alphanumeric = try DisplayBench(Wiring.ht16k33(segments: 14))
    for badge in 0...9_999 { #expect(try alphanumeric.picture(of: Int128(badge)) == flushRight(badge, width: 4)) }
    #expect(alphanumeric.rules == [])
    for digits in stride(from: 12, through: 32, by: 4) {
      let row = try DisplayBench(Wiring.ht16k33(digits: digits))
      #expect(try row.picture(of: 1_234_567_890).hasSuffix("  1234567890"))
      #expect(try row.picture(of: .max) == String(repeating: "9", count: digits))
      #expect(try row.picture(of: 0) == String(repeating: " ", count: digits))
      #expect(row.rules == [])
    }
  }

  @Test func tm1637DrawsSixDigitsInReadingOrder() throws {
    let bench = try DisplayBench(Wiring.tm1637(digits: 6))
    for badge in Array(stride(from: 0, to: 1_000_000, by: 997)) + [123_456, 999_999] {
      #expect(try bench.picture(of: Int128(badge)) == flushRight(badge, width: 6))
    }
    #expect(bench.rules == [])
  }
}
