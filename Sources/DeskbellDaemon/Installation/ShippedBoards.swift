// The boards that come along, for somebody who has to choose one.

import Board
import FoundationEssentials

/// A board file that comes along.
public struct ShippedBoard: Encodable, Hashable, Sendable {
  /// By which `--board` knows it: `raspberry-pi-4-multiplexed`.
  public var name: String
  /// Of the board itself; several files may be for one: they differ in their display.
  public var board: String
  /// What it shows the badge on: `tm1637`; nil without a display.
  public var display: String?

  /// All of them, by name; none where they cannot be found. A file that is wrong is left out: `deskbell check` says why.
  public static func all() -> [ShippedBoard] {
    guard let folder = SharedFiles.folder("board-configs") else { return [] }
    return SharedFiles.files(in: folder).filter { $0.hasSuffix(".yaml") }.sorted().compactMap { file in
      guard let description = try? BoardDescription(contentsOf: "\(folder)/\(file)") else { return nil }
      return ShippedBoard(
        name: String(file.dropLast(".yaml".count)), board: description.board,
        display: description.display.map { Swift.type(of: $0.driver).type })
    }
  }

  /// What the firmware says this machine is: `Raspberry Pi 4 Model B Rev 1.4`. Nil where there is no device tree.
  public static var machine: String? {
    guard let data = FileManager.default.contents(atPath: "/proc/device-tree/model") else { return nil }
    return String(decoding: data.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Whether a board file is for that machine: its board's name is what the machine's begins with.
  public func isFor(_ machine: String) -> Bool { machine.hasPrefix(board) }
}

/// A folder or file that comes with the program, such as `examples/mailroom`; nil where there is none.
public func shippedFolder(_ name: String) -> String? { SharedFiles.folder(name) }
