import Testing

@testable import Commands

struct DemoLinesTests {
  @Test func longLinesAreBrokenBetweenWords() {
    let word = String(repeating: "x", count: 40)
    #expect(DemoLines.wrapped("  \(word) \(word)", width: 78) == ["  \(word)", "      \(word)"])
    #expect(DemoLines.wrapped("R4    whose token", width: 78) == ["R4    whose token"])
    #expect(DemoLines.wrapped("", width: 78) == [""])
  }

  @Test func tablesContinueBelowTheirLastColumn() {
    #expect(
      DemoLines.wrapped("  N1  the system  the app is not in the foreground: it presents", width: 42) == [
        "  N1  the system  the app is not in the",
        "                  foreground: it presents",
      ])
  }

  @Test(arguments: [1, 2, 3, 10, 79])
  func nothingIsCut(width: Int) {
    let address = "http://127.0.0.1:45519/#token=ncatxdjIIXMXshsyJ0_EW8Q48iO_OoDtHHscxPwy1EE"
    let rows = DemoLines.wrapped("  open \(address)  now", width: width)
    #expect(rows.joined().filter { $0 != " " } == "open\(address)now")
    #expect(rows.allSatisfy { $0.count <= width })
  }

  private static func lines(_ commands: Int, outputs: Int) -> [DemoLine] {
    (1...commands).flatMap { command in
      [DemoLine(kind: .command, text: "$ \(command)")]
        + (0..<outputs).map { DemoLine(kind: .output, text: "  \(command).\($0)") }
    }
  }

  @Test func theNewestCommandStaysAboveItsEffects() {
    let lines = DemoLinesTests.lines(2, outputs: 5)
    func newest(_ height: Int) -> [String] { DemoLines.newest(lines, width: 20, height: height).map(\.text) }
    #expect(newest(4) == ["$ 2", "  2.2", "  2.3", "  2.4"])
    #expect(newest(6) == ["$ 2", "  2.0", "  2.1", "  2.2", "  2.3", "  2.4"])
    #expect(newest(8).prefix(3) == ["  1.3", "  1.4", "$ 2"])
    #expect(newest(20).count == 12)
    #expect(DemoLines.newest([], width: 20, height: 4).isEmpty)
  }

  @Test func aLongCommandLeavesRoomForEffects() {
    let lines = [
      DemoLine(kind: .command, text: "$ one two three four five six"), DemoLine(kind: .output, text: "  a"),
      DemoLine(kind: .event, text: "  b"),
    ]
    #expect(DemoLines.newest(lines, width: 10, height: 4).map(\.text) == ["$ one two", "    three", "  a", "  b"])
  }

  @Test func pagesEndWithParagraphs() {
    let lines = ["$ explain", "", "  1", "  2", "  3", "", "  4", "  5", "", "  6"].map {
      DemoLine(kind: $0.hasPrefix("$") ? .command : .output, text: $0)
    }
    func pages(_ height: Int) -> [[String]] {
      DemoLines.pages(lines, width: 20, height: height).map { $0.map(\.text) }
    }
    #expect(pages(10).count == 1)
    #expect(pages(8) == [["$ explain", "", "  1", "  2", "  3", "", "  4", "  5"], ["  6"]])
    #expect(pages(7) == [["$ explain", "", "  1", "  2", "  3"], ["  4", "  5", "", "  6"]])
    #expect(DemoLines.summary(lines).map(\.text) == ["$ explain", "  6"])
    #expect(pages(2).joined().filter { !$0.isEmpty }.count == 7)
  }
}
