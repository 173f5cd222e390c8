// The demo's screen: the phone with its message, the board with lamp, digits and sound, and the commands and events.

import DeskbellDaemon
import HandsetCore

struct DemoModel {
  var scene = 0
  var sceneCount = 0
  var title = ""
  var caption: [String] = []
  var lines: [DemoLine] = []
  /// The page of the newest output that is shown in place of phone and board; nil while these are shown.
  var page: Int?
  var keys = ""
  var panel: String?
  /// The link, after the user has asked for it.
  var notice: String?
  /// The output of sounds: `played by ALSA`, `no sound card: drawn only`.
  var soundOutput = ""
  var state: StateReport?
  var center: [NotificationReport] = []
  var apps: [AppReport] = []
  var conditions: [String] = []
  var playing: (waveform: WaveformReport, began: ContinuousClock.Instant, hasEnded: Bool)?
  /// The start of the lamp's current pattern, in real time: the handset's clock stands still between its steps.
  var lampBegan: ContinuousClock.Instant?

  func layout(columns: Int, rows: Int) -> DemoLayout {
    let isWide = DemoPicture.noticeTitle.count + 1 + (notice ?? "").count <= columns - 2
    return DemoLayout(columns: columns, rows: rows, noticeRows: notice == nil ? 0 : isWide ? 1 : 2)
  }

  func pages(_ layout: DemoLayout) -> [[DemoLine]] {
    DemoLines.pages(lines, width: layout.page.width - 2, height: layout.page.height)
  }
}

enum DemoPicture {
  static let noticeTitle = "The web panel, for one browser:"

  /// Draws the whole screen; in a terminal that is too small, the size that it needs.
  static func screen(_ model: DemoModel, columns: Int, rows: Int, at now: ContinuousClock.Instant) -> Canvas {
    guard DemoLayout.isLargeEnough(columns: columns, rows: rows) else { return tooSmall(columns: columns, rows: rows) }
    var canvas = Canvas(width: columns, height: rows)
    let layout = model.layout(columns: columns, rows: rows)
    let place = model.scene > 0 ? "\(model.scene) of \(model.sceneCount)" : ""
    canvas.put("Deskbell", row: 0, column: 1, .bold)
    canvas.put(model.title, row: 0, column: 11, maxWidth: columns - 13 - place.count, .bold)
    canvas.put(place, row: 0, column: columns - 1 - place.count, .dim)
    var keys = model.keys
    if let number = model.page {
      let pages = model.pages(layout)
      rule(on: &canvas, row: 1, column: 0, width: columns)
      put(pages[min(number, pages.count - 1)], on: &canvas, in: layout.page)
      keys = number + 1 < pages.count ? "space more   q quit" : "space back to the board   q quit"
    } else {
      drawBoxes(model, on: &canvas, layout, at: now)
      let caption = layout.caption
      for (number, line) in model.caption.prefix(DemoLayout.captionRows).enumerated() {
        canvas.put(line, row: caption.row + number, column: caption.column + 1, .yellow)
      }
      rule(on: &canvas, row: caption.row + caption.height - 1, column: caption.column, width: caption.width)
      put(
        DemoLines.newest(model.lines, width: layout.lines.width - 2, height: layout.lines.height), on: &canvas,
        in: layout.lines)
    }
    if let notice = model.notice {
      let isOneRow = layout.notice.height == 1
      canvas.put(noticeTitle, row: layout.notice.row, column: 1, .yellow)
      canvas.put(
        notice, row: layout.notice.row + (isOneRow ? 0 : 1), column: isOneRow ? noticeTitle.count + 2 : 1, .link(notice)
      )
    }
    canvas.put(keys, row: rows - 1, column: 1, maxWidth: columns - 20, .cyan)
    if let panel = model.panel {
      let words = "the web panel"
      canvas.put("p", row: rows - 1, column: columns - 3 - words.count, .cyan)
      canvas.put(words, row: rows - 1, column: columns - 1 - words.count, .link(panel))
    }
    return canvas
  }

  static func boxes(_ model: DemoModel, at now: ContinuousClock.Instant) -> Canvas {
    var layout = DemoLayout(columns: DemoLayout.leastColumns, rows: DemoLayout.leastRows)
    (layout.phone.row, layout.board.row) = (0, 0)
    var canvas = Canvas(width: layout.columns, height: layout.phone.height)
    drawBoxes(model, on: &canvas, layout, at: now)
    return canvas
  }

  private static func tooSmall(columns: Int, rows: Int) -> Canvas {
    var canvas = Canvas(width: columns, height: rows)
    let needed = "\(DemoLayout.leastColumns) × \(DemoLayout.leastRows)"
    let text =
      "The demo needs \(needed) characters. This terminal has \(columns) × \(rows): enlarge it, or press q to quit."
    for (number, line) in DemoLines.wrapped(text, width: max(1, columns)).enumerated() {
      canvas.put(String(line.drop { $0 == " " }), row: number, column: 0)
    }
    return canvas
  }

  private static func rule(on canvas: inout Canvas, row: Int, column: Int, width: Int) {
    canvas.put(String(repeating: "─", count: width), row: row, column: column, .dim)
  }

  private static func put(_ rows: [DemoLine], on canvas: inout Canvas, in area: DemoArea) {
    for (number, line) in rows.prefix(area.height).enumerated() {
      canvas.put(line.text, row: area.row + number, column: area.column + 1, line.kind.style)
    }
  }

  private static func drawBoxes(
    _ model: DemoModel, on canvas: inout Canvas, _ layout: DemoLayout, at now: ContinuousClock.Instant
  ) {
    canvas.frame("the phone", layout.phone)
    canvas.frame("the board", layout.board)
    if let state = model.state { drawPhone(model, state, on: &canvas, in: layout.phone.inner) }
    DemoBoard.draw(model, on: &canvas, in: layout.board.inner, at: now)
  }

  private static func drawPhone(_ model: DemoModel, _ state: StateReport, on canvas: inout Canvas, in area: DemoArea) {
    let (row, column, width) = (area.row, area.column, area.width)
    let minutes = state.secondOfDay / 60
    let clock = [minutes / 60, minutes % 60].map { "\($0)".aligned(to: 2, with: "0") }.joined(separator: ":")
    canvas.put(clock, row: row, column: column, .bold)
    var marks = model.conditions
    if state.quietHours { marks.append("quiet hours") }
    if !state.snoozes.isEmpty { marks.append("snoozed") }
    let line = marks.joined(separator: " · ")
    canvas.put(line, row: row, column: column + max(7, width - line.count), maxWidth: width - 7, .yellow)

    // A taller phone has room for a longer message, and for empty rows.
    let isTall = area.height >= 16
    let messageRows = isTall ? 3 : 1
    let message = DemoArea(row: row + (isTall ? 2 : 1), column: column, width: width, height: messageRows + 3)
    drawMessage(model, state.presentation, on: &canvas, in: message, isTall: isTall)

    let list = message.row + message.height + (isTall ? 2 : 1)
    let count = model.center.count
    canvas.put("Notification Center" + (count == 0 ? ": empty" : ""), row: list, column: column, .dim)
    let shown = min(count, area.row + area.height - 1 - list)
    for (number, notification) in model.center.prefix(shown).enumerated() {
      let text = [notification.title, notification.body].compactMap(\.self).joined(separator: " · ")
      let isSeen = notification.isSeen
      canvas.put(isSeen ? "○" : "●", row: list + 1 + number, column: column, isSeen ? .dim : .red)
      canvas.put(text, row: list + 1 + number, column: column + 2, maxWidth: width - 2, isSeen ? .dim : .plain)
    }
    if count > shown {
      let more = "and \(count - shown) more"
      canvas.put(more, row: list, column: column + width - more.count, .dim)
    }
  }

  /// - Parameter area: a frame for as many rows of text as fit; an alert's buttons are in one more.
  private static func drawMessage(
    _ model: DemoModel, _ shown: PresentationReport, on canvas: inout Canvas, in area: DemoArea, isTall: Bool
  ) {
    var area = area
    if let message = shown.alert ?? shown.banner {
      if shown.alert != nil { area.height += 1 }
      canvas.frame(message.appName, area, .plain)
      let inner = area.inner
      let words = [message.title, message.subtitle, message.body].compactMap(\.self)
      let rows = inner.height - (shown.alert == nil ? 0 : 1)
      let lines = isTall ? words.flatMap { DemoLines.wrapped($0, width: inner.width) } : words
      for (number, text) in lines.prefix(rows).enumerated() {
        canvas.put(
          String(text.drop { $0 == " " }), row: inner.row + number, column: inner.column, maxWidth: inner.width,
          number == 0 ? .bold : .plain)
      }
      guard shown.alert != nil else { return }
      var column = inner.column
      for (number, button) in message.buttons.enumerated() {
        canvas.put("[\(button)]", row: inner.row + rows, column: column, .cyan)
        column += button.count + 4
        if number == 0 && message.buttons.count > 1 { column = max(column, inner.column + inner.width / 2) }
      }
    } else if let open = model.apps.first(where: { $0.lifecycle == "foreground" }) {
      canvas.frame(open.name, area, .plain)
      canvas.put("is open.", row: area.inner.row, column: area.inner.column)
    } else if let waiting = model.apps.first(where: { $0.held != nil }), let held = waiting.held {
      canvas.put("Held for \(waiting.name):", row: area.row + 1, column: area.column, maxWidth: area.width, .yellow)
      canvas.put("update \(held.push.prefix(8))…", row: area.row + 2, column: area.column, .yellow)
    }
  }
}
