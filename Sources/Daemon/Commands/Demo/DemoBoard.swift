// The demo's board: a lamp, seven-segment digits and the wave of a sound, as large as their area allows.

import DeskbellDaemon

enum DemoBoard {
  /// The size of a digit: its horizontal segments are `across` characters, its vertical ones `down`.
  private struct Scale {
    var across: Int
    var down: Int
    var gap: Int
    var lampRows: Int
    var lampColumns: Int
    var isFramed: Bool

    var digitColumns: Int { across + 2 }
    var digitRows: Int { 2 * down + 3 }
    var displayColumns: Int { digits * digitColumns + (digits - 1) * gap + (isFramed ? 4 : 0) }
    var rows: Int { digitRows + (isFramed ? 2 : 0) }
    var columns: Int { lampColumns + gap + displayColumns }
  }

  private static let digits = 4
  private static let scales = [
    Scale(across: 7, down: 3, gap: 2, lampRows: 7, lampColumns: 9, isFramed: true),
    Scale(across: 5, down: 2, gap: 2, lampRows: 7, lampColumns: 9, isFramed: true),
    Scale(across: 3, down: 1, gap: 2, lampRows: 5, lampColumns: 5, isFramed: true),
    Scale(across: 3, down: 1, gap: 1, lampRows: 5, lampColumns: 5, isFramed: false),
  ]
  /// The space for the sound beside or below the display.
  private static let soundColumns = 28
  private static let soundRows = 4
  private static let gap = 3

  static func draw(_ model: DemoModel, on canvas: inout Canvas, in area: DemoArea, at now: ContinuousClock.Instant) {
    guard let shown = model.state?.presentation else { return }
    let isWide = area.width >= scales[1].columns + gap + soundColumns
    let free =
      isWide
      ? (columns: area.width - gap - soundColumns, rows: area.height - 1)
      : (columns: area.width, rows: area.height - 1 - soundRows)
    guard let scale = scales.first(where: { $0.columns <= free.columns && $0.rows <= free.rows }) else { return }

    let isLit = shown.lamp.map { self.isLit($0, since: model.lampBegan ?? now, at: now) } ?? false
    let lamp = shown.lamp == nil ? Canvas.Style.dim : .amber
    let picture = lampPicture(isLit: isLit, isLarge: scale.lampRows > 5)
    for (number, line) in picture.enumerated() {
      canvas.put(line, row: area.row + (scale.rows - scale.lampRows) / 2 + number, column: area.column, lamp)
    }
    canvas.put(
      shown.lamp.map { "lamp \($0.pattern)" } ?? "lamp dark", row: area.row + scale.rows, column: area.column, lamp)

    let column = area.column + scale.lampColumns + scale.gap
    if scale.isFramed {
      canvas.frame(
        "", DemoArea(row: area.row, column: column, width: scale.displayColumns, height: scale.rows))
    }
    let inset = scale.isFramed ? 1 : 0
    for (number, segments) in (shown.segments ?? []).prefix(digits).enumerated() {
      drawDigit(
        segments, scale, on: &canvas, row: area.row + inset,
        column: column + 2 * inset + number * (scale.digitColumns + scale.gap))
    }
    let badge = shown.badge == 0 ? "digits dark" : "badge \(shown.badge)"
    canvas.put(
      badge, row: area.row + scale.rows, column: column + scale.displayColumns - badge.count,
      shown.badge == 0 ? .dim : .plain)

    let rows = scale.rows + 1
    let sound =
      isWide
      ? area.dropping(columns: scale.columns + gap) : area.dropping(rows: rows + min(1, area.height - rows - soundRows))
    drawSound(model, on: &canvas, in: sound, at: now)
  }

  // MARK: The lamp

  static func isLit(
    _ lamp: PresentationReport.Lamp, since began: ContinuousClock.Instant, at now: ContinuousClock.Instant
  ) -> Bool {
    let whole = lamp.steps.reduce(0) { $0 + $1.milliseconds }
    guard whole > 0 else { return lamp.steps.first?.lit ?? true }
    var place = Int64((now - began) / .milliseconds(1)) % whole
    for step in lamp.steps {
      if place < step.milliseconds { return step.lit && step.brightness >= 30 }
      place -= step.milliseconds
    }
    return false
  }

  /// Draws a disc with rays, or an outline, which also differ without colours.
  static func lampPicture(isLit: Bool, isLarge: Bool) -> [String] {
    switch (isLit, isLarge) {
    case (true, true):
      ["╲   │   ╱", "  ▄███▄", " ███████", "─███████─", " ███████", "  ▀███▀", "╱   │   ╲"]
    case (false, true):
      ["", " ╭─────╮", " │     │", " │     │", " │     │", " ╰─────╯", ""]
    case (true, false):
      ["╲ │ ╱", "▄███▄", "█████", "▀███▀", "╱ │ ╲"]
    case (false, false):
      ["", "╭───╮", "│   │", "╰───╯", ""]
    }
  }

  // MARK: The digits

  private static func drawDigit(_ segments: Int, _ scale: Scale, on canvas: inout Canvas, row: Int, column: Int) {
    func put(_ bit: Int, _ lit: String, _ dark: String, row: Int, column: Int) {
      let isLit = segments >> bit & 1 == 1
      canvas.put(isLit ? lit : dark, row: row, column: column, isLit ? .red : .unlit)
    }
    // The bits are those of `PresentationReport.segments`.
    for (bit, place, lit) in [(0, 0, "▄"), (6, scale.down + 1, "▀"), (3, 2 * scale.down + 2, "▀")] {
      for across in 1...scale.across { put(bit, lit, "─", row: row + place, column: column + across) }
    }
    for down in 1...scale.down {
      put(5, "█", "│", row: row + down, column: column)
      put(1, "█", "│", row: row + down, column: column + scale.across + 1)
      put(4, "█", "│", row: row + scale.down + 1 + down, column: column)
      put(2, "█", "│", row: row + scale.down + 1 + down, column: column + scale.across + 1)
    }
  }

  // MARK: The sound

  private static func drawSound(
    _ model: DemoModel, on canvas: inout Canvas, in area: DemoArea, at now: ContinuousClock.Instant
  ) {
    let waveRows = min(6, area.height - 2)
    canvas.put(model.soundOutput, row: area.row + 1 + waveRows, column: area.column, maxWidth: area.width, .dim)
    guard let playing = model.playing else {
      return canvas.put("nothing plays", row: area.row, column: area.column, .dim)
    }
    let length = playing.waveform.milliseconds
    let elapsed = Int64((now - playing.began) / .milliseconds(1))
    let isPlaying = !playing.hasEnded && elapsed < length
    let name = "♪ \(playing.waveform.sound)  \(length / 1_000).\(length / 100 % 10) s"
    canvas.put(name, row: area.row, column: area.column, maxWidth: area.width, isPlaying ? .bold : .dim)
    let played = isPlaying ? Int(elapsed * Int64(area.width) / max(1, length)) : area.width
    for (number, bars) in wave(playing.waveform.peaks, columns: area.width, rows: waveRows).enumerated() {
      for (place, bar) in bars.enumerated() {
        canvas.put(
          String(bar), row: area.row + 1 + number, column: area.column + place,
          isPlaying && place <= played ? .green : .dim)
      }
    }
  }

  /// Draws bars in rows, each with eight heights.
  static func wave(_ peaks: [Int], columns: Int, rows: Int) -> [String] {
    let bars: [Character] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    guard !peaks.isEmpty else { return [] }
    let heights = (0..<columns).map { column in
      let first = column * peaks.count / columns
      let last = max(first + 1, (column + 1) * peaks.count / columns)
      return max(1, min(8 * rows, ((peaks[first..<last].max() ?? 0) * 8 * rows + 50) / 100))
    }
    return (0..<rows).map { row in
      let below = 8 * (rows - 1 - row)
      return String(heights.map { bars[max(0, min(8, $0 - below))] })
    }
  }
}
