import Board
import FoundationEssentials
import StrictYAML

/// A shipped board file.
public struct ShippedBoard: Encodable, Hashable, Sendable {
  /// The name for `--board`: `raspberry-pi-4-multiplexed`.
  public var name: String
  /// The name of the board itself. Several files may be for one board: they differ in their display.
  public var board: String
  /// The type of display: `tm1637`; nil without one.
  public var display: String?

  /// All board files, sorted by name. A malformed file is left out: `deskbell check` says why.
  public static func all() -> [ShippedBoard] {
    names.compactMap { name in
      guard let description = try? description(of: name) else { return nil }
      return ShippedBoard(
        name: name, board: description.board, display: description.display.map { Swift.type(of: $0.driver).type })
    }
  }

  /// The firmware's name for this machine: `Raspberry Pi 4 Model B Rev 1.4`. Nil without a device tree.
  public static var machine: String? {
    guard let data = FileManager.default.contents(atPath: "/proc/device-tree/model") else { return nil }
    return String(decoding: data.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Whether the file is for that machine, whose name begins with the board's.
  public func isFor(_ machine: String) -> Bool { machine.hasPrefix(board) }

  /// Reads a board file.
  /// - Parameter board: its path, or the name of a shipped one.
  /// - Throws: `InstallationError` with each line that is wrong.
  public static func description(of board: String) throws(InstallationError) -> BoardDescription {
    let path = try path(of: board)
    do {
      return try BoardDescription(contentsOf: path)
    } catch {
      throw InstallationError(error.description)
    }
  }

  private static func path(of board: String) throws(InstallationError) -> String {
    if board.contains("/") || SharedFiles.isFile(board) { return board }
    if let folder, SharedFiles.isFile("\(folder)/\(board).yaml") { return "\(folder)/\(board).yaml" }
    let name = board.hasSuffix(".yaml") ? String(board.dropLast(".yaml".count)) : board
    let meant = nearest(name, among: names).map { ", did you mean '\($0)'?" } ?? "."
    throw InstallationError(
      "board '\(board)': no such file and no shipped board\(meant) "
        + "Shipped boards: \(names.joined(separator: ", ")); or give the path of a board file")
  }

  private static var folder: String? { SharedFiles.folder("board-configs") }

  private static var names: [String] {
    folder.map { SharedFiles.files(in: $0) }?.filter { $0.hasSuffix(".yaml") }.sorted()
      .map { String($0.dropLast(".yaml".count)) } ?? []
  }
}
