// The places of everything on the demo's screen, for each size of a terminal.

/// A rectangle of the screen, in characters.
struct DemoArea: Equatable {
  var row: Int
  var column: Int
  var width: Int
  var height: Int

  /// The part inside a frame: a row above and below, a frame and a space at each side.
  var inner: DemoArea { DemoArea(row: row + 1, column: column + 2, width: width - 4, height: height - 2) }

  /// Returns the part below and at the right of these.
  func dropping(rows: Int = 0, columns: Int = 0) -> DemoArea {
    DemoArea(row: row + rows, column: column + columns, width: width - columns, height: height - rows)
  }
}

/// Phone, board and lines, between the title in the first row and the keys in the last. Phone and board stand side by
/// side above the lines, or, in a wide terminal, the phone stands at the left of both.
struct DemoLayout: Equatable {
  static let leastColumns = 80
  static let leastRows = 24
  /// The width from which a tall phone leaves 80 columns beside it.
  private static let wideColumns = 126
  private static let gap = 2
  static let captionRows = 2

  var columns: Int
  var rows: Int
  var phone: DemoArea
  var board: DemoArea
  var caption: DemoArea
  var lines: DemoArea
  var notice: DemoArea

  static func isLargeEnough(columns: Int, rows: Int) -> Bool { columns >= leastColumns && rows >= leastRows }

  /// - Parameter columns, rows: at least `leastColumns` and `leastRows`.
  init(columns: Int, rows: Int, noticeRows: Int = 0) {
    (self.columns, self.rows) = (columns, rows)
    let end = rows - 1 - noticeRows
    notice = DemoArea(row: end, column: 0, width: columns, height: noticeRows)
    let below: DemoArea
    if columns >= DemoLayout.wideColumns {
      let width = min(56, 44 + (columns - DemoLayout.wideColumns) / 8)
      phone = DemoArea(row: 1, column: 0, width: width, height: end - 1)
      let column = width + DemoLayout.gap
      board = DemoArea(row: 1, column: column, width: columns - column, height: rows < 36 ? 12 : 14)
      below = DemoArea(row: 1 + board.height, column: column, width: board.width, height: end - 1 - board.height)
    } else {
      let height = min(22, 12 + (rows - DemoLayout.leastRows) / 2)
      let width = 33 + (columns - DemoLayout.leastColumns) / 2
      phone = DemoArea(row: 1, column: 0, width: columns - DemoLayout.gap - width, height: height)
      board = DemoArea(row: 1, column: columns - width, width: width, height: height)
      below = DemoArea(row: 1 + height, column: 0, width: columns, height: end - 1 - height)
    }
    caption = DemoArea(row: below.row, column: below.column, width: below.width, height: DemoLayout.captionRows + 1)
    lines = below.dropping(rows: caption.height)
  }

  /// The area for long texts, which take the place of all others.
  var page: DemoArea { DemoArea(row: 2, column: 0, width: columns, height: notice.row - 2) }
}
