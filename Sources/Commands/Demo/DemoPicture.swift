// What the demo shows of the appliance: the phone with its message at the left, the board with lamp, digits and sound at
// the right, below them what was done and what happened.

import BoardSimulator
import ControlAPI
import HandsetCore

/// Everything that is drawn.
struct DemoModel {
  /// A sound that was begun.
  struct Playing {
    var waveform: WaveformReport
    var began: ContinuousClock.Instant
    var hasEnded = false
  }

  enum LineKind {
    case command, output, event
  }

  struct Line {
    var kind: LineKind
    var text: String
  }

  var scene = 0
  var sceneCount = 0
  var title = ""
  var caption: [String] = []
  /// Whether the lines take the place of phone and board.
  var isReading = false
  var lines: [Line] = []
  /// What the keys do now.
  var keys = ""
  /// The web panel's link for one browser.
  var panel: String?
  /// How sounds are played: `played by ALSA`, `no sound card: drawn only`.
  var soundOutput = ""
  var state: StateReport?
  var center: [NotificationReport] = []
  var apps: [AppReport] = []
  var conditions: [String] = []
  var playing: Playing?
  /// When the lamp's present pattern was first seen, in real time: the handset's clock stands still between its steps.
  var lampBegan: ContinuousClock.Instant?
}

enum DemoPicture {
  static let width = 80
  static let leastHeight = 24
  private static let boxHeight = 13
  private static let phoneWidth = 45
  private static let boardWidth = 33

  /// The whole screen.
  static func screen(_ model: DemoModel, height: Int, at now: ContinuousClock.Instant) -> Canvas {
    var canvas = Canvas(width: width, height: height)
    canvas.put("Deskbell", row: 0, column: 1, .bold)
    canvas.put(model.title, row: 0, column: 11, maxWidth: 54, .bold)
    let place = model.scene > 0 ? "\(model.scene) of \(model.sceneCount)" : ""
    canvas.put(place, row: 0, column: width - 1 - place.count, .dim)
    let rule = String(repeating: "─", count: width)
    var first = 2
    if !model.isReading {
      drawBoxes(model, on: &canvas, row: 1, at: now)
      for (number, line) in model.caption.prefix(2).enumerated() {
        canvas.put(line, row: 1 + boxHeight + number, column: 1, .yellow)
      }
      first = 4 + boxHeight
    }
    canvas.put(rule, row: first - 1, column: 0, .dim)
    // A table is cut at the edge, and not broken.
    let lines =
      model.isReading
      ? model.lines
      : model.lines.flatMap { line in wrapped(line.text).map { DemoModel.Line(kind: line.kind, text: $0) } }
    for (number, line) in lines.suffix(height - 2 - first).enumerated() {
      let style: Canvas.Style =
        switch line.kind {
        case .command: .bold
        case .output: .plain
        case .event: .dim
        }
      canvas.put(line.text, row: first + number, column: 1, maxWidth: width - 2, style)
    }
    canvas.put(rule, row: height - 2, column: 0, .dim)
    canvas.put(model.keys, row: height - 1, column: 1, maxWidth: 56, .cyan)
    if let panel = model.panel {
      let words = "the web panel"
      canvas.put("p", row: height - 1, column: width - 3 - words.count, .cyan)
      canvas.put(words, row: height - 1, column: width - 1 - words.count, .link(panel))
    }
    return canvas
  }

  /// Phone and board alone.
  static func boxes(_ model: DemoModel, at now: ContinuousClock.Instant) -> Canvas {
    var canvas = Canvas(width: width, height: boxHeight)
    drawBoxes(model, on: &canvas, row: 0, at: now)
    return canvas
  }

  private static func drawBoxes(
    _ model: DemoModel, on canvas: inout Canvas, row: Int, at now: ContinuousClock.Instant
  ) {
    canvas.frame("the phone", row: row, column: 0, width: phoneWidth, height: boxHeight)
    canvas.frame("the board", row: row, column: phoneWidth + 2, width: boardWidth, height: boxHeight)
    guard let state = model.state else { return }
    drawPhone(model, state, on: &canvas, row: row + 1)
    drawBoard(model, state.presentation, on: &canvas, row: row + 1, column: phoneWidth + 4, at: now)
  }

  private static func drawPhone(_ model: DemoModel, _ state: StateReport, on canvas: inout Canvas, row: Int) {
    let inner = phoneWidth - 4
    let minutes = state.secondOfDay / 60
    canvas.put(twoDigits(minutes / 60) + ":" + twoDigits(minutes % 60), row: row, column: 2, .bold)
    var marks = model.conditions
    if state.quietHours { marks.append("quiet hours") }
    if !state.snoozes.isEmpty { marks.append("snoozed") }
    let line = marks.joined(separator: " · ")
    canvas.put(line, row: row, column: max(9, 2 + inner - line.count), maxWidth: inner - 7, .yellow)

    if let message = state.presentation.alert ?? state.presentation.banner {
      let isAlert = state.presentation.alert != nil
      canvas.frame(message.appName, row: row + 1, column: 2, width: inner, height: isAlert ? 5 : 4, .plain)
      let words = [message.title, message.subtitle, message.body].compactMap(\.self)
      for (number, text) in words.prefix(2).enumerated() {
        canvas.put(text, row: row + 2 + number, column: 4, maxWidth: inner - 4, number == 0 ? .bold : .plain)
      }
      if isAlert {
        var column = 4
        for (number, button) in message.buttons.enumerated() {
          canvas.put("[\(button)]", row: row + 4, column: column, maxWidth: inner - column, .cyan)
          column += button.count + 4
          if number == 0 && message.buttons.count > 1 { column = max(column, inner / 2 + 2) }
        }
      }
    } else if let open = model.apps.first(where: { $0.lifecycle == "foreground" }) {
      canvas.frame(open.name, row: row + 1, column: 2, width: inner, height: 4, .plain)
      canvas.put("is open.", row: row + 2, column: 4)
    } else if let waiting = model.apps.first(where: { $0.held != nil }), let held = waiting.held {
      canvas.put("Held for \(waiting.name):", row: row + 2, column: 2, maxWidth: inner, .yellow)
      canvas.put("update \(held.push.prefix(8))…", row: row + 3, column: 2, maxWidth: inner, .yellow)
    }
    let list = row + 6
    let count = model.center.count
    canvas.put("Notification Center" + (count == 0 ? ": empty" : ""), row: list, column: 2, .dim)
    for (number, notification) in model.center.prefix(4).enumerated() {
      let text = [notification.title, notification.body].compactMap(\.self).joined(separator: " · ")
      canvas.put(notification.isSeen ? "○" : "●", row: list + 1 + number, column: 2, notification.isSeen ? .dim : .red)
      canvas.put(text, row: list + 1 + number, column: 4, maxWidth: inner - 2, notification.isSeen ? .dim : .plain)
    }
    if count > 4 {
      let more = "and \(count - 4) more"
      canvas.put(more, row: list, column: 2 + inner - more.count, .dim)
    }
  }

  private static func drawBoard(
    _ model: DemoModel, _ shown: PresentationReport, on canvas: inout Canvas, row: Int, column: Int,
    at now: ContinuousClock.Instant
  ) {
    let inner = boardWidth - 4
    let isLit = shown.lamp.map { DemoPicture.isLit($0, since: model.lampBegan ?? now, at: now) } ?? false
    canvas.put(isLit ? "●" : "○", row: row + 2, column: column + 4, isLit ? .red : .dim)
    canvas.put(
      shown.lamp.map { "lamp \($0.pattern)" } ?? "lamp dark", row: row + 5, column: column,
      shown.lamp == nil ? .dim : .plain)
    canvas.frame("", row: row, column: column + 10, width: 19, height: 5)
    let segments = (shown.segments ?? []).map { UInt8(clamping: $0) }
    let (lit, all) = (BoardSimulator.drawing(of: segments), BoardSimulator.drawing(of: segments.map { _ in 0x7F }))
    for (number, (text, unlit)) in zip(lit, all).enumerated() {
      for (place, (mark, shadow)) in zip(text, unlit).enumerated() {
        canvas.put(
          String(mark == " " ? shadow : mark), row: row + 1 + number, column: column + 12 + place,
          mark == " " ? .unlit : .red)
      }
    }
    canvas.put(
      shown.badge == 0 ? "dark" : "badge \(shown.badge)", row: row + 5, column: column + 16,
      shown.badge == 0 ? .dim : .plain)

    guard let playing = model.playing else {
      canvas.put("nothing plays", row: row + 7, column: column, .dim)
      canvas.put(model.soundOutput, row: row + 10, column: column, maxWidth: inner, .dim)
      return
    }
    let length = playing.waveform.milliseconds
    let elapsed = Int64((now - playing.began) / .milliseconds(1))
    let isPlaying = !playing.hasEnded && elapsed < length
    let name = "♪ \(playing.waveform.sound)  \(length / 1_000).\(length / 100 % 10) s"
    canvas.put(name, row: row + 7, column: column, isPlaying ? .bold : .dim)
    let bars = wave(playing.waveform.peaks, columns: inner)
    let played = isPlaying ? Int(elapsed * Int64(inner) / max(1, length)) : inner
    for (place, bar) in bars.enumerated() {
      let style: Canvas.Style = !isPlaying ? .dim : place <= played ? .green : .dim
      canvas.put(String(bar.upper), row: row + 8, column: column + place, style)
      canvas.put(String(bar.lower), row: row + 9, column: column + place, style)
    }
    canvas.put(model.soundOutput, row: row + 10, column: column, maxWidth: inner, .dim)
  }

  /// Whether an eye sees the lamp lit then.
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

  /// Two rows of bars, each of eight heights.
  static func wave(_ peaks: [Int], columns: Int) -> [(upper: Character, lower: Character)] {
    let bars: [Character] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    guard !peaks.isEmpty else { return [] }
    return (0..<columns).map { column in
      let stretch = peaks[
        (column * peaks.count / columns)..<max(
          column * peaks.count / columns + 1, (column + 1) * peaks.count / columns)]
      let height = min(16, ((stretch.max() ?? 0) * 16 + 50) / 100)
      return (bars[max(0, height - 8)], bars[max(1, min(8, height))])
    }
  }

  /// The text in rows as wide as the screen allows, broken between words; what follows is indented.
  static func wrapped(_ text: String) -> [String] {
    let indent = String(text.prefix { $0 == " " })
    var (rows, row) = ([String](), indent)
    for word in text.dropFirst(indent.count).split(separator: " ", omittingEmptySubsequences: false) {
      let isFirst = row.allSatisfy { $0 == " " }
      if !isFirst, row.count + 1 + word.count > width - 2 {
        rows.append(row)
        row = indent + "    " + word
      } else {
        row += (isFirst ? "" : " ") + word
      }
    }
    return rows + [row]
  }

  private static func twoDigits(_ number: Int64) -> String { (number < 10 ? "0" : "") + "\(number)" }
}
