// A picture made of characters: drawn anew each time, and printed with colours for a terminal, or plain.

import CommandSupport

struct Canvas: Equatable {
  enum Style: Equatable {
    case plain, bold, dim, red, green, yellow, cyan
    case amber
    /// A segment that is off, drawn only with colours.
    case unlit
    case link(String)

    fileprivate var codes: String {
      switch self {
      case .plain: "0"
      case .bold: "0;1"
      case .dim: "0;2"
      // From the 256 colours, which are the same in all themes. Some themes show bright yellow as grey.
      case .red: "0;38;5;196"
      case .green: "0;32"
      case .yellow: "0;33"
      case .cyan: "0;36"
      case .amber: "0;38;5;214"
      case .unlit: "0;90"
      case .link: "0;4;36"
      }
    }
  }

  private struct Cell: Equatable {
    var character: Character
    var style: Style

    var plain: Character { style == .unlit ? " " : character }
  }

  let width: Int
  private var rows: [[Cell]]

  var height: Int { rows.count }

  init(width: Int, height: Int) {
    self.width = width
    rows = Array(repeating: Array(repeating: Cell(character: " ", style: .plain), count: width), count: height)
  }

  /// Writes a text. The part that does not fit is cut, with an ellipsis if it is longer than `maxWidth`.
  /// - Parameters:
  ///   - row: from 0; a row outside is ignored.
  ///   - maxWidth: the columns for it; nil for all up to the right edge.
  mutating func put(_ text: String, row: Int, column: Int, maxWidth: Int? = nil, _ style: Style = .plain) {
    guard rows.indices.contains(row), column < width else { return }
    let columns = max(0, min(maxWidth ?? width, width - column))
    var characters = Array(text)
    if characters.count > columns { characters = Array(characters.prefix(max(0, columns - 1))) + ["…"].prefix(columns) }
    for (place, character) in characters.enumerated() {
      rows[row][column + place] = Cell(character: character, style: style)
    }
  }

  mutating func frame(_ title: String, _ area: DemoArea, _ style: Style = .dim) {
    let line = String(repeating: "─", count: area.width - 2)
    put("┌" + line + "┐", row: area.row, column: area.column, style)
    for inner in area.row + 1..<area.row + area.height - 1 {
      put("│", row: inner, column: area.column, style)
      put("│", row: inner, column: area.column + area.width - 1, style)
    }
    put("└" + line + "┘", row: area.row + area.height - 1, column: area.column, style)
    if !title.isEmpty { put(" \(title) ", row: area.row, column: area.column + 2, maxWidth: area.width - 4, style) }
  }

  /// The text without styles or spaces at the ends of lines.
  var text: String {
    rows.map { String($0.map(\.plain)).trimmingEnd() }.joined(separator: "\n")
  }

  /// Returns the text that draws it on a terminal.
  /// - Parameter shown: the picture on the terminal, of which only changed rows are drawn again; nil clears it first.
  func drawing(over shown: Canvas?, isColoured: Bool) -> String {
    let shown = shown.flatMap { ($0.width, $0.height) == (width, height) ? $0 : nil }
    var text = shown == nil ? "\u{1B}[2J" : ""
    for (number, row) in rows.enumerated() where shown?.rows[number] != row {
      let end = row.lastIndex { $0 != Cell(character: " ", style: .plain) }.map { $0 + 1 } ?? 0
      text += "\u{1B}[\(number + 1);1H" + Canvas.drawing(of: row[..<end], isColoured: isColoured)
      // After the last column the cursor is still in it, so erasing would remove that character.
      if end < width { text += "\u{1B}[K" }
    }
    return text
  }

  private static func drawing(of row: ArraySlice<Cell>, isColoured: Bool) -> String {
    var (text, style) = ("", Style.plain)
    for cell in row {
      if cell.style != style {
        if case .link = style { text += hyperlink("") }
        if isColoured { text += "\u{1B}[\(cell.style.codes)m" }
        if case .link(let address) = cell.style { text += hyperlink(address) }
        style = cell.style
      }
      text.append(isColoured ? cell.character : cell.plain)
    }
    if case .link = style { text += hyperlink("") }
    return text + (isColoured ? "\u{1B}[0m" : "")
  }

  /// Returns a link in OSC 8, which other terminals ignore.
  private static func hyperlink(_ address: String) -> String { "\u{1B}]8;;\(address)\u{1B}\\" }
}
