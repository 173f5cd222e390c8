import Board
import FoundationEssentials
import StrictYAML

public struct ShippedBoard: Encodable, Hashable, Sendable {
  /// The name for `--board`: `raspberry-pi-4`.
  public var name: String
  public var board: String
  /// The beginnings of the firmware's names for its machines.
  public var models: [String]
  /// The beginnings of the names of other machines, which `models` would take too.
  public var otherModels: [String] = []
  /// The name of its display unless another is named; nil without one.
  public var display: String?

  /// Returns all board files, sorted by name. A malformed file is left out: `deskbell check` shows its errors.
  public static func all() -> [ShippedBoard] {
    let parts = parts
    return files("").sorted { $0.key < $1.key }.compactMap { name, path in
      guard let document = try? BoardDocument(contentsOf: path, parts: parts),
        let description = try? document.description()
      else { return nil }
      let file = try? YAMLDocument.parse(contentsOf: path)
      let display = file?.root["display"]?.text
      return ShippedBoard(
        name: name, board: description.board, models: description.models, otherModels: description.otherModels,
        display: display)
    }
  }

  /// The firmware's name for this machine: `Raspberry Pi 4 Model B Rev 1.4`. Nil without a device tree.
  public static var machine: String? {
    guard let data = FileManager.default.contents(atPath: "/proc/device-tree/model") else { return nil }
    return String(decoding: data.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Returns the board with the longest model name that the machine's name begins with.
  public static func of(_ machine: String, among boards: [ShippedBoard]) -> ShippedBoard? {
    let fitting = boards.filter { !$0.otherModels.contains(where: machine.hasPrefix) }.compactMap { board in
      board.models.filter(machine.hasPrefix).map(\.utf8.count).max().map { (board: board, length: $0) }
    }
    return fitting.max { $0.length < $1.length }?.board
  }

  /// - Parameters:
  ///   - board: its path, or the name of a shipped one; with a shipped display's name appended, also that display.
  ///   - display: the path of a display file, or the name of a shipped one; nil for the board's own.
  /// - Throws: `InstallationError` with each line that is wrong.
  public static func description(
    of board: String, display: String? = nil
  ) throws(InstallationError) -> BoardDescription {
    do {
      return try document(of: board, display: display).description()
    } catch {
      throw InstallationError("\(error)")
    }
  }

  /// Returns the same as `description`, with the contents of the files.
  public static func document(of board: String, display: String? = nil) throws -> BoardDocument {
    let parts = parts
    let (path, own) = try path(of: board, displays: parts.displays)
    let display = try (display ?? own).map { try ShippedDisplay.path(of: $0, among: parts.displays) }
    return try BoardDocument(contentsOf: path, display: display, parts: parts)
  }

  /// Returns the contents of a board file as they are written, without header and display.
  static func file(_ board: String) throws -> YAMLNode {
    try YAMLDocument.parse(contentsOf: path(of: board, displays: parts.displays).path).root
  }

  private static func path(
    of board: String, displays: [String: String]
  ) throws(InstallationError) -> (path: String, display: String?) {
    if board.contains("/") || SharedFiles.isFile(board) { return (board, nil) }
    let boards = files("")
    if let path = boards[board] { return (path, nil) }
    // Names from before there were display files, such as raspberry-pi-4-max7219.
    for (name, path) in boards where board.hasPrefix("\(name)-") {
      let display = String(board.dropFirst(name.count + 1))
      if displays[display] != nil { return (path, display) }
    }
    let names = boards.keys.sorted()
    let pairs = names.flatMap { name in displays.keys.sorted().map { "\(name)-\($0)" } }
    let near = nearest(nameAlone(board), among: names) ?? nearest(nameAlone(board), among: pairs)
    let meant = near.map { ", did you mean '\($0)'?" } ?? "."
    throw InstallationError(
      "board '\(board)': no such file and no shipped board\(meant) "
        + "Shipped boards: \(names.joined(separator: ", ")); or give the path of a board file")
  }

  fileprivate static func nameAlone(_ text: String) -> String {
    [".yaml", ".yml"].first(where: text.hasSuffix).map { String(text.dropLast($0.count)) } ?? text
  }

  static var parts: BoardParts { BoardParts(headers: files("/headers"), displays: files("/displays")) }

  private static func files(_ subfolder: String) -> [String: String] {
    guard let folder = SharedFiles.folder("board-configs").map({ $0 + subfolder }) else { return [:] }
    let suffix = ".yaml"
    return Dictionary(
      uniqueKeysWithValues: SharedFiles.files(in: folder).filter { $0.hasSuffix(suffix) }
        .map { (String($0.dropLast(suffix.count)), "\(folder)/\($0)") })
  }
}

public struct ShippedDisplay: Encodable, Hashable, Sendable {
  /// The name for `--display`: `tm1637`.
  public var name: String
  /// The title for the user: `TM1637 module with 4 digits`.
  public var title: String

  /// Returns the displays that fit on a board, sorted by name.
  public static func all(on board: String) -> [ShippedDisplay] {
    ShippedBoard.parts.displays.keys.sorted().compactMap { name in
      guard let description = try? ShippedBoard.description(of: board, display: name) else { return nil }
      return ShippedDisplay(name: name, title: description.display?.name ?? name)
    }
  }

  /// Reads a display file without a board: on the simulated one, which has lines for each.
  public static func examine(_ path: String) throws {
    _ = try ShippedBoard.document(of: "simulated", display: path).description()
  }

  /// Returns the contents of a display file.
  static func file(_ display: String) throws -> YAMLNode {
    try YAMLDocument.parse(contentsOf: path(of: display, among: ShippedBoard.parts.displays)).root
  }

  fileprivate static func path(
    of display: String, among displays: [String: String]
  ) throws(InstallationError) -> String {
    if display == BoardDocument.noDisplay { return display }
    if display.contains("/") || SharedFiles.isFile(display) { return display }
    if let path = displays[display] { return path }
    let names = displays.keys.sorted() + [BoardDocument.noDisplay]
    let meant = nearest(ShippedBoard.nameAlone(display), among: names).map { ", did you mean '\($0)'?" } ?? "."
    throw InstallationError(
      "display '\(display)': no such file and no shipped display\(meant) "
        + "Shipped displays: \(names.joined(separator: ", ")); or give the path of a display file")
  }
}
