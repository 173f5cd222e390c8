import Board

/// The simulated board as text: digits and a lamp in a terminal, one plain line for each change elsewhere (a log, a
/// pipe, CI). It takes every picture and every report, and returns text if something changed.
public struct TerminalPicture: Sendable {
  private let isTerminal: Bool
  private var picture: BoardPicture
  /// The name of the lamp's pattern; nil while the lamp is not asked to show anything.
  private var pattern: String?
  private var lastLine: String?

  /// - Parameter isTerminal: true to draw at the top of the screen in colour, with every edge of the lamp; else plain
  ///   lines.
  public init(picture: BoardPicture, isTerminal: Bool) {
    self.picture = picture
    self.isTerminal = isTerminal
  }

  /// - Returns: the text to print, with its line ends; nil for nothing.
  public mutating func text(for newPicture: BoardPicture) -> String? {
    picture = newPicture
    return isTerminal ? drawing() : line()
  }

  /// - Returns: the text to print, with its line ends; nil for nothing.
  public mutating func text(for report: BoardReport) -> String? {
    guard case .lamp(_, let newPattern, _) = report, newPattern != pattern else { return nil }
    pattern = newPattern
    return isTerminal ? drawing() : line()
  }

  /// Returns the first text to print: it clears a terminal's screen and reserves the top for the board, so that all
  /// other output scrolls below it.
  public func opening() -> String? {
    guard isTerminal else { return nil }
    return Escape.clearScreen + Escape.scrollBelow(rowCount) + Escape.move(toRow: rowCount + 1) + drawing()
  }

  /// Returns the last text to print: the whole screen scrolls again.
  public func closing() -> String? {
    isTerminal ? Escape.saveCursor + Escape.scrollAll + Escape.restoreCursor : nil
  }

  /// Returns `lamp ● blink   digits "  12"`; nil if it is the last line. The edges of a pattern do not change it.
  private mutating func line() -> String? {
    var parts: [String] = []
    if picture.lampIsLit != nil { parts.append(pattern.map { "lamp ● \($0)" } ?? "lamp ○") }
    if let runs = picture.motorRuns { parts.append(runs ? "motor ≋" : "motor ○") }
    if let sounds = picture.buzzerSounds { parts.append(sounds ? "buzzer ♪" : "buzzer ○") }
    if picture.segments != nil { parts.append("digits \"\(picture.digits)\"") }
    let line = parts.joined(separator: "   ")
    guard line != lastLine else { return nil }
    lastLine = line
    return line + "\n"
  }

  private func drawing() -> String {
    var rows = segmentRows(picture.segments ?? [])
    if let isLit = picture.lampIsLit {
      let bulb = isLit ? "\(picture.lights?.first.map(Escape.colour) ?? Escape.red)●\(Escape.plain)" : "○"
      rows[0] = "   " + rows[0]
      rows[1] = " \(bulb) " + rows[1]
      rows[2] = "   " + rows[2] + (pattern.map { "   lamp: \($0)" } ?? "")
    }
    if let runs = picture.motorRuns { rows[1] += runs ? "   motor: runs" : "" }
    if let sounds = picture.buzzerSounds { rows[0] += sounds ? "   buzzer: sounds" : "" }
    rows.append(String(repeating: "─", count: 40))
    let text = rows.enumerated().map { Escape.move(toRow: $0 + 1) + $1 + Escape.clearToEndOfLine }.joined()
    return Escape.saveCursor + text + Escape.restoreCursor
  }

  /// The rows of the drawing: three for the digits, and a line below.
  private var rowCount: Int { 4 }

  /// The escape sequences of a VT100 and its successors.
  private enum Escape {
    static let red = "\u{1B}[31m"
    static let plain = "\u{1B}[0m"
    /// A colour is drawn at its full brightness: a dimmed one could not be told from the background.
    static func colour(_ parts: [UInt8]) -> String {
      let most = max(parts.max() ?? 1, 1)
      return "\u{1B}[38;2;" + parts.map { "\(Int($0) * 255 / Int(most))" }.joined(separator: ";") + "m"
    }
    static let clearToEndOfLine = "\u{1B}[K"
    static let clearScreen = "\u{1B}[2J"
    static let saveCursor = "\u{1B}7"
    static let restoreCursor = "\u{1B}8"
    static let scrollAll = "\u{1B}[r"
    static func scrollBelow(_ row: Int) -> String { "\u{1B}[\(row + 1)r" }
    static func move(toRow row: Int) -> String { "\u{1B}[\(row);1H" }
  }

  private func segmentRows(_ digits: [UInt8]) -> [String] {
    let rows = BoardSimulator.drawing(of: digits)
    return digits.isEmpty ? rows : rows.map { "\(Escape.red)\($0)\(Escape.plain)" }
  }
}
