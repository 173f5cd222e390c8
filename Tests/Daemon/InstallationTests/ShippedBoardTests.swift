import Board
import FoundationEssentials
import Testing

@testable import Installation

@Suite struct ShippedBoardTests {
  @Test func everyShippedFileIsFoundByItsName() throws {
    let folder = try #require(SharedFiles.folder("board-configs"))
    let files = SharedFiles.files(in: folder).filter { $0.hasSuffix(".yaml") }.map { $0.dropLast(5) }.sorted()
    let boards = ShippedBoard.all()
    #expect(boards.map(\.name) == files.map(String.init))
    for board in boards { #expect(try ShippedBoard.description(of: board.name).board == board.board) }
  }

  @Test(arguments: [
    ("Raspberry Pi 3 Model B Rev 1.2", "raspberry-pi-3"), ("Raspberry Pi 3 Model B Plus Rev 1.3", "raspberry-pi-3"),
    ("Raspberry Pi 3 Model A Plus Rev 1.0", "raspberry-pi-3"), ("Raspberry Pi 4 Model B Rev 1.4", "raspberry-pi-4"),
    ("Raspberry Pi 400 Rev 1.0", "raspberry-pi-400"), ("Raspberry Pi 5 Model B Rev 1.0", "raspberry-pi-5"),
    ("Raspberry Pi 500 Rev 1.0", "raspberry-pi-5"), ("Raspberry Pi Zero 2 W Rev 1.0", "raspberry-pi-zero-2-w"),
    ("Raspberry Pi Compute Module 4 Rev 1.0", "raspberry-pi-cm4-io"),
    ("Raspberry Pi Compute Module 5 Rev 1.0", "raspberry-pi-cm5-io"), ("Radxa ZERO 3W", "radxa-zero-3"),
    ("Raspberry Pi Compute Module 5 Lite Rev 1.0", "raspberry-pi-cm5-io"),
    ("Raspberry Pi 2 Model B Rev 1.2", "raspberry-pi-2"), ("Raspberry Pi Model B Plus Rev 1.2", "raspberry-pi-1"),
    ("Raspberry Pi Zero W Rev 1.1", "raspberry-pi-zero-w"), ("Raspberry Pi Zero Rev 1.3", "raspberry-pi-zero-w"),
    ("Libre Computer AML-S905X-CC", "le-potato"), ("TI AM335x BeagleBone Black", "beaglebone-black"),
    // Their headers, or the labels of their lines, are others.
    ("Raspberry Pi Model B Rev 2", nil), ("Raspberry Pi Compute Module 4S Rev 1.0", nil),
    ("Libre Computer AML-S905X-CC V2", nil), ("TI AM335x BeagleBone Black Wireless", nil),
  ])
  func aMachineIsFoundByItsModel(machine: String, board: String?) {
    #expect(ShippedBoard.of(machine, among: ShippedBoard.all())?.name == board)
  }

  @Test func aBoardTakesAnotherDisplayAndTheOldNamesOfPairsGoOn() throws {
    let digits = { (board: String, display: String?) in
      try ShippedBoard.description(of: board, display: display).display?.driver.digits
    }
    #expect(try digits("raspberry-pi-4", nil) == 4)
    #expect(try digits("raspberry-pi-4", "max7219") == 8)
    #expect(try digits("raspberry-pi-4", "none") == nil)
    #expect(try digits("raspberry-pi-400", "tm1637-6") == 6)
    #expect(try digits("raspberry-pi-5-controls", "max7219") == 8)
    for old in ["74hc595-multiplexed", "74hc595-static", "buttons", "multiplexed"] {
      #expect(try digits("raspberry-pi-4-\(old)", nil) == 4)
    }
    #expect(try digits("raspberry-pi-4-max7219", nil) == 8)
    #expect(try digits("raspberry-pi-4-max7219", "tm1637") == 4)
    #expect(ShippedDisplay.all(on: "raspberry-pi-zero-2-w") == ShippedDisplay.all(on: "simulated"))
    #expect(
      ShippedDisplay.all(on: "orange-pi-zero-3").map(\.name).contains("multiplexed") == false)
  }

  private static let displays = ShippedDisplay.all(on: "simulated").map(\.name).joined(separator: ", ")

  @Test(
    arguments: [
      ("raspberry-pi-4-max7291", nil, "did you mean 'raspberry-pi-4-max7219'?"),
      (
        "raspberry-pi-4", "tm1637x",
        "display 'tm1637x': no such file and no shipped display, did you mean 'tm1637'? Shipped displays: "
          + "\(displays), none; or give the path of a display file"
      ),
      (
        "simulatd", nil,
        "board 'simulatd': no such file and no shipped board, did you mean 'simulated'? Shipped boards: "
      ),
    ] as [(String, String?, String)])
  func aMistypedNameIsAnsweredWithTheNearest(board: String, display: String?, words: String) {
    let error = #expect(throws: InstallationError.self) {
      try ShippedBoard.description(of: board, display: display)
    }
    #expect(error?.description.contains(words) == true)
  }

  @Test func aStateDirectoryIsExamined() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "installation-\(UUID())").path
    #expect(
      Machine.state(in: folder)
        == Finding("state", .notable, "\(folder) does not exist yet", advice: "the daemon creates it at its start"))
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o750])
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(
      Machine.state(in: folder)
        == Finding(
          "state", .broken, "other users may read \(folder), which holds keys", advice: "chmod 700 \(folder)"))
  }
}
