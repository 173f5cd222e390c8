// The shipped board files, found from this checkout, and what the error says about a name that is none of them.

import Board
import FoundationEssentials
import Testing

@testable import Installation

@Suite struct ShippedBoardTests {
  @Test func everyShippedFileIsFoundByItsName() throws {
    let folder = try #require(SharedFiles.folder("board-configs"))
    let files = SharedFiles.files(in: folder).filter { $0.hasSuffix(".yaml") }.sorted()
    let boards = ShippedBoard.all()
    #expect(boards.map { "\($0.name).yaml" } == files)
    for board in boards { #expect(try ShippedBoard.description(of: board.name).board == board.board) }
    let four = try #require(boards.first { $0.name == "raspberry-pi-4" })
    #expect(four.isFor("Raspberry Pi 4 Model B Rev 1.4"))
    #expect(!four.isFor("Raspberry Pi 3 Model B Rev 1.2"))
  }

  @Test func aMistypedNameIsAnsweredWithTheNearest() {
    let error = #expect(throws: InstallationError.self) { try ShippedBoard.description(of: "simulatd") }
    #expect(
      error?.description.hasPrefix(
        "board 'simulatd': no such file and no shipped board, did you mean 'simulated'? Shipped boards: ") == true)
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
