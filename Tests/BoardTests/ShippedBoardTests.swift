// Every board file that is shipped can be used, and shows what it should.

import FoundationEssentials
import Testing

@testable import Board

extension BoardDescriptionTests {
  @Test("Every board in board-configs/ can be used")
  func shippedBoards() throws {
    let paths = try BoardDescriptionTests.shipped()
    #expect(paths.count == 17)
    for path in paths {
      let board = try BoardDescription(contentsOf: path)
      #expect(board.lamp != nil && board.display != nil, "\(path)")
      #expect(board.isSimulated == path.hasSuffix("/simulated.yaml"))
    }
  }

  @Test("There is a shipped board for each display")
  func shippedDisplays() throws {
    let types = try BoardDescriptionTests.shipped().map { path in
      try BoardDescription(contentsOf: path).display.map { type(of: $0.driver).type } ?? ""
    }
    #expect(Set(types) == Set(DriverCatalog.displays.map(\.type)))
  }

  @Test("What each shipped board shows, drawn by the model of its display")
  func shippedBoardsDraw() throws {
    for path in try BoardDescriptionTests.shipped() {
      let bench = try DisplayBench(try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8))
      let width = bench.display.driver.digits
      for badge in [1, 12, 9_999, 0] {
        #expect(try bench.picture(of: Int128(badge)) == flushRight(badge, width: width), "\(path)")
      }
      for brightness in [bench.display.brightness.day, bench.display.brightness.night] {
        #expect(try bench.picture(of: 34, brightness: brightness) == flushRight(34, width: width), "\(path)")
      }
      #expect(bench.rules == [], "\(path)")
    }
  }
}
