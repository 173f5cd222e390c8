// A driver is done when its chip model draws it: every badge of four digits goes through every display, and the picture
// that the model decodes from the wire is compared.

import Foundation
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

  /// Returns the text as in `Pictures.txt`: a heading for each badge, then three rows.
  private func album() throws -> String {
    var album = ""
    func add(_ badge: Int128, _ benches: [DisplayBench]) throws {
      let pictures = Set(try benches.map { drawing(of: try $0.segments(of: badge)) })
      let display = try #require(benches.first).display
      let text = SegmentText(badge: badge, on: display)
      album += "\(badge) on \(display.driver.digits)\(text.blinks ? ", blinking" : "")\n"
      #expect(pictures.count == 1, "the displays of \(display.driver.digits) digits do not agree on \(badge)")
      for row in pictures.first ?? [] { album += "  [\(row)]\n" }
      for bench in benches { #expect(bench.rules == []) }
    }
    for width in 1...8 {
      let withPoints = try Wiring.boards(width: width, points: true).map { try DisplayBench($0) }
      let without = try Wiring.boards(width: width, points: false).map { try DisplayBench($0) }
      let largest = try #require(Int128(String(repeating: "9", count: width)))
      let counting = try #require(Int128(String("12345678".prefix(width))))
      let others = try #require(Int128(String("90876543".suffix(width))))
      for badge in [0, 7, counting, others, largest] { try add(badge, withPoints + without) }
      for benches in [withPoints, without] { try add(largest + 1, benches) }
    }
    return album
  }

  @Test("Widths of 1 to 8 digits on every display, as pictures; UPDATE_PICTURES=1 writes them: check every digit then")
  func pictures() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Pictures.txt")
    let album = try album()
    if ProcessInfo.processInfo.environment["UPDATE_PICTURES"] == "1" {
      try album.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == album)
  }

  @Test func tm1637DrawsSixDigitsInReadingOrder() throws {
    let bench = try DisplayBench(Wiring.tm1637(digits: 6))
    for badge in Array(stride(from: 0, to: 1_000_000, by: 997)) + [123_456, 999_999] {
      #expect(try bench.picture(of: Int128(badge)) == flushRight(badge, width: 6))
    }
    #expect(bench.rules == [])
  }
}
