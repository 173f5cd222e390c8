// A driver is done when its chip model draws it: every badge of four digits goes through every display, and the picture
// that the model decodes from the wire is compared.

import Foundation
import Testing

@testable import Board
@testable import BoardSimulator
@testable import HandsetCore

@Suite("B5: the badge as drawn by the chip")
struct BadgePictureTests {
  /// All displays in all their wirings, four digits each.
  static let wirings: [(name: String, board: String)] = [
    ("tm1637", Fixture.tm1637(points: true)),
    ("multiplexed, common cathode", Fixture.multiplexed(points: true, active: "high", digitsActive: "low")),
    (
      "multiplexed, common cathode, transistors",
      Fixture.multiplexed(points: true, active: "high", digitsActive: "high")
    ),
    ("multiplexed, common anode", Fixture.multiplexed(points: true, active: "low", digitsActive: "high")),
    ("multiplexed, common anode, transistors", Fixture.multiplexed(points: true, active: "low", digitsActive: "low")),
    ("max7219", Fixture.max7219()),
    ("max7219 from the left", Fixture.max7219(first: "leftmost")),
    ("74hc595-static, common cathode", Fixture.static74HC595(active: "high", first: "leftmost")),
    ("74hc595-static, common anode", Fixture.static74HC595(active: "low", first: "rightmost")),
    ("74hc595-multiplexed, common anode", Fixture.multiplexed74HC595()),
    (
      "74hc595-multiplexed, common cathode",
      Fixture.multiplexed74HC595(
        segmentsActive: "high", digitsActive: "low", firstRegister: "segments", first: "leftmost")
    ),
  ]

  @Test("Every badge from 0 to 9,999, and the overflow", arguments: wirings)
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

  /// Returns the boards with displays of that many digits.
  private func boards(width: Int, points: Bool) -> [String] {
    let tm1637 = BoardLimits.tm1637Digits.contains(width) ? [Fixture.tm1637(digits: width, points: points)] : []
    return tm1637 + [
      Fixture.multiplexed(digits: width, points: points),
      Fixture.max7219(digits: width, points: points),
      Fixture.static74HC595(digits: width, points: points),
      Fixture.multiplexed74HC595(digits: width, points: points),
    ]
  }

  /// Returns the text as in `Tests/Devices/BoardTests/Pictures/`: a heading for each badge, then three rows. UPDATE_PICTURES=1
  /// writes it to the files; check every digit before committing them.
  private func album(points: Bool) throws -> String {
    var album = ""
    for width in 1...8 {
      let benches = try boards(width: width, points: points).map { try DisplayBench($0) }
      let largest = try #require(Int128(String(repeating: "9", count: width)))
      let counting = try #require(Int128(String("12345678".prefix(width))))
      let others = try #require(Int128(String("90876543".suffix(width))))
      for badge in [0, 7, counting, others, largest, largest + 1] {
        let pictures = Set(try benches.map { drawing(of: try $0.segments(of: badge)) })
        #expect(pictures.count == 1, "the displays of \(width) digits do not agree on \(badge)")
        let blinks = SegmentText(badge: badge, width: width, hasDecimalPoints: points).blinks
        album += "\(badge) on \(width)\(blinks ? ", blinking" : "")\n"
        for row in pictures.first ?? [] { album += "  [\(row)]\n" }
      }
      for bench in benches { #expect(bench.rules == []) }
    }
    return album
  }

  @Test("Widths of 1 to 8 digits on every display, as pictures", arguments: ["points", "no-points"])
  func pictures(name: String) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Pictures/\(name).txt")
    let album = try album(points: name == "points")
    if ProcessInfo.processInfo.environment["UPDATE_PICTURES"] == "1" {
      try album.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == album)
  }

  @Test func tm1637DrawsSixDigitsInReadingOrder() throws {
    let bench = try DisplayBench(Fixture.tm1637(digits: 6))
    for badge in Array(stride(from: 0, to: 1_000_000, by: 997)) + [123_456, 999_999] {
      #expect(try bench.picture(of: Int128(badge)) == flushRight(badge, width: 6))
    }
    #expect(bench.rules == [])
  }
}
