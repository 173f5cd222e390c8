import FoundationEssentials
import StrictYAML
import Testing

@testable import Board

extension BoardDescriptionTests {
  /// The boards whose headers have too few lines on one chip.
  private static let withoutBareDigits: Set = ["beaglebone-black", "orange-pi-zero-3"]
  /// The board whose buttons use the lines of all displays but those on clock and data.
  private static let withButtons = "raspberry-pi-4-buttons"

  /// The board whose lamp covers the header, and uses the lines of displays on clock and data.
  private static let withBlinkt = "raspberry-pi-4-blinkt"

  @Test("Every board in board-configs/ can be used, with its own display and without one")
  func shippedBoards() throws {
    let parts = try BoardDescriptionTests.parts()
    let boards = try BoardDescriptionTests.shipped()
    #expect(boards.count > 1)
    for (name, path) in boards {
      let board = try BoardDocument(contentsOf: path, parts: parts).description()
      #expect(board.lamp != nil && (board.display == nil) == (name == BoardDescriptionTests.withBlinkt), "\(name)")
      #expect(board.isSimulated == (name == "simulated"))
      let bare = try BoardDocument(contentsOf: path, display: BoardDocument.noDisplay, parts: parts).description()
      #expect(bare.lamp != nil && bare.display == nil, "\(name)")
    }
  }

  @Test("There is a shipped display for each driver, and one that is called as its type")
  func shippedDisplays() throws {
    let parts = try BoardDescriptionTests.parts()
    let simulated = try #require(BoardDescriptionTests.shipped()["simulated"])
    let types = try parts.displays.values.map { path in
      let display = try BoardDocument(contentsOf: simulated, display: path, parts: parts).description().display
      #expect(display?.name != nil, "\(path)")
      return display.map { type(of: $0.driver).type } ?? ""
    }
    #expect(Set(types) == Set(DriverCatalog.displays.map(\.type)))
    #expect(Set(types).isSubset(of: parts.displays.keys))
  }

  @Test("Each pair of a shipped board and a shipped display is drawn by the model of the display")
  func shippedPairsDraw() throws {
    let parts = try BoardDescriptionTests.parts()
    var refused: Set<String> = []
    let boards = try BoardDescriptionTests.shipped()
    for (board, path) in boards {
      for (name, display) in parts.displays {
        let pair = "\(board) with \(name)"
        let description: BoardDescription
        do {
          description = try BoardDocument(contentsOf: path, display: display, parts: parts).description()
        } catch {
          refused.insert(pair)
          continue
        }
        let bench = try DisplayBench(description)
        let width = bench.display.driver.digits
        for badge in [1, 12, 9_999, 0] {
          #expect(try bench.picture(of: Int128(badge)) == flushRight(badge, width: width), "\(pair)")
        }
        for brightness in [bench.display.brightness.day, bench.display.brightness.night] {
          #expect(try bench.picture(of: 34, brightness: brightness) == flushRight(34, width: width), "\(pair)")
        }
        #expect(bench.rules == [], "\(pair)")
      }
    }
    let multiplexed = parts.displays.keys.filter { $0.hasPrefix("multiplexed") }
    var expected: Set<String> = []
    // Further devices use lines of bare digits.
    let withMore = boards.keys.filter { name in ["-controls", "-lights", "-blinkt"].contains { name.hasSuffix($0) } }
    for board in BoardDescriptionTests.withoutBareDigits.union(withMore) {
      expected.formUnion(multiplexed.map { "\(board) with \($0)" })
    }
    for (display, path) in parts.displays {
      let board = try hasTwoLines(path) ? BoardDescriptionTests.withBlinkt : BoardDescriptionTests.withButtons
      expected.insert("\(board) with \(display)")
    }
    #expect(refused == expected)
  }

  @Test("The default wiring uses no pin of a header's buses")
  func busesStayFree() throws {
    let parts = try BoardDescriptionTests.parts()
    for (name, path) in try BoardDescriptionTests.shipped() {
      let root = try BoardDocument(contentsOf: path, parts: parts).root
      let header = try #require(try value(of: "header", in: root), "\(name)")
      let buses = try value(of: "buses", in: header).map(pins) ?? []
      let wired = try value(of: "wiring", in: header).map(pins) ?? []
      #expect(wired.count > 2 && Set(wired).isDisjoint(with: buses), "\(name)")
    }
  }

  /// Returns true for a display on clock and data.
  private func hasTwoLines(_ display: String) throws -> Bool {
    let type = try value(of: "type", in: YAMLDocument.parse(contentsOf: display).root)?.text
    return DriverCatalog.displays.first { $0.type == type }?.lineKeys.count == 2 && type != Multiplexed.type
  }

  private func value(of key: String, in node: YAMLNode) throws -> YAMLNode? {
    try node.entries().first { $0.key == key }?.value
  }

  /// Returns every scalar in a node.
  private func pins(in node: YAMLNode) throws -> [String] {
    switch node.content {
    case .scalar(let text, _): [text]
    case .sequence(let items): try items.flatMap { try pins(in: $0) }
    case .mapping(let entries): try entries.flatMap { try pins(in: $0.value) }
    }
  }
}

/// Board files of a user, with their own headers and displays.
@Suite struct BoardDocumentTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "boards-\(UUID())").path

  /// Returns the description of a board file, with a display file beside it.
  /// - Parameter display: the text of the file that replaces the board's own display, or `none`.
  private func described(_ board: String, display: String? = nil) throws -> BoardDescription {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for (name, text) in [("board", board), ("display", display ?? ""), ("mine", "type: tm1637\ndigits: 6\n")] {
      try text.write(toFile: "\(folder)/\(name).yaml", atomically: true, encoding: .utf8)
    }
    let path = display.map { $0 == "none" ? $0 : "\(folder)/display.yaml" }
    return try BoardDocument(
      contentsOf: "\(folder)/board.yaml", display: path, parts: BoardDescriptionTests.parts()
    ).description()
  }

  /// Returns the errors, without the folder's name.
  private func complaints(_ board: String, display: String? = nil) throws -> [String] {
    do {
      _ = try described(board, display: display)
      return []
    } catch {
      return (error as? StrictYAMLError)?.diagnostics.map { "\($0)".replacing("\(folder)/", with: "") } ?? ["\(error)"]
    }
  }

  private let pi = "board: Mine\nchip: c\nheader: raspberry-pi\nlamp: { line: GPIO17 }\n"

  @Test func aDisplayOnThePinOfAnotherDeviceNamesBoth() throws {
    let found = try complaints(
      pi + "motor: { line: GPIO23 }\n", display: "type: tm1637\ndigits: 4\ndata: GPIO17\n")
    #expect(found.count == 2)
    #expect(
      found.contains(
        "display.yaml:3:7: error: 'data' of the display: line 'GPIO17', pin 11, is used twice, first by the lamp at "
          + "board.yaml:4:15"), "\(found)")
    #expect(
      found.contains {
        $0.contains("headers/raspberry-pi.yaml:")
          && $0.hasSuffix(
            "'clock' of the display: line 'GPIO23', pin 16, is used twice, first by the motor at board.yaml:5:16")
      }, "\(found)")
  }

  @Test func aDisplayOnAPinOfABusNamesBoth() throws {
    let display = "type: tm1637\ndigits: 4\nclock: GPIO3\ndata: GPIO2\n"
    let rest = "take another line, or write 'buses-off: [I2C]' in the board file if it is switched off"
    #expect(
      try complaints(pi, display: display) == [
        "display.yaml:3:8: error: 'clock' of the display: line 'GPIO3', pin 5, belongs to the board's I2C: \(rest)",
        "display.yaml:4:7: error: 'data' of the display: line 'GPIO2', pin 3, belongs to the board's I2C: \(rest)",
      ])
    #expect(try complaints(pi + "buses-off: [I2C]\n", display: display) == [])
    #expect(
      try complaints(pi + "buses-off: [I2K]\n") == [
        "board.yaml:5:13: error: item 1 of 'buses-off' cannot be 'I2K', did you mean 'I2C'?"
      ])
  }

  @Test func aDisplayWithoutLinesNeedsAHeader() throws {
    let old = "board: Mine\nchip: c\nlamp: { line: 17 }\ndisplay: { type: tm1637, digits: 4, clock: 23, data: 24 }\n"
    #expect(try complaints(old) == [])
    #expect(try complaints(old, display: "none") == [])
    #expect(try complaints(old, display: "type: max7219\ndigits: 8\ndata: 5\nclock: 6\nselect: 13\n") == [])
    #expect(
      try complaints(old, display: "type: max7219\ndigits: 8\nclock: 6\nselect: 13\n") == [
        "display.yaml:1:7: error: Mine has no 'header': a display file of your own for it names the lines itself (data, "
          + "clock, select)"
      ])
    let narrow = pi.replacing("raspberry-pi", with: "{ name: H, supplies: {}, lines: { 1: L }, wiring: {} }")
    #expect(
      try complaints(narrow, display: "type: tm1637\ndigits: 4\n") == [
        "display.yaml:1:7: error: Mine has no wiring for a display of type 'tm1637': a display file of your own for it "
          + "names the lines itself (clock, data)"
      ])
  }

  @Test func namesThatAreWrongAreAnsweredWithTheNearest() throws {
    #expect(
      try complaints(pi + "display: tm1673\n") == [
        "board.yaml:5:10: error: 'display' is no shipped display, did you mean 'tm1637'?"
      ])
    #expect(
      try complaints(pi.replacing("raspberry-pi", with: "raspbery-pi")) == [
        "board.yaml:3:9: error: 'header' is no shipped header, did you mean 'raspberry-pi'?"
      ])
    #expect(
      try complaints(pi, display: "type: tn1637\ndigits: 4\n").first
        == "display.yaml:1:7: error: 'type' cannot be 'tn1637', did you mean 'tm1637'?")
    #expect(try complaints(pi + "display: none\n") == [])
  }

  @Test func fewerBareDigitsThanTheHeaderHasLinesFor() throws {
    let display = "type: multiplexed\ndigits: 5\nsegments-active: high\ndigits-active: low\n"
    let tooMany = "display.yaml:2:9: error: 'digits' must be an integer from 1 to 4, not 5"
    #expect(try complaints(pi, display: display) == [tooMany])
    let two = try described(pi, display: display.replacing("5", with: "2")).display
    #expect(two?.driver.digits == 2)
    #expect(two?.lines.suffix(2) == [.label("GPIO22"), .label("GPIO23")])
  }

  @Test func aBoardFileNamesADisplayFileBesideIt() throws {
    #expect(try described(pi + "display: ./mine.yaml\n").display?.driver.digits == 6)
  }
}
