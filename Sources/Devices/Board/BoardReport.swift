import HandsetCore

public enum BoardDevice: String, Hashable, Sendable {
  case lamp, motor, display
  case viewButton = "view button"
  case closeButton = "close button"
  case silentSwitch = "ring/silent switch"
}

/// A fact about the board, which other modules interpret. Times are on the uptime clock.
public enum BoardReport: Hashable, Sendable {
  /// The lamp's line was set, or its pattern changed.
  /// - pattern: the pattern's name; nil while no pattern is requested.
  case lamp(lit: Bool, pattern: String?, at: Duration)
  /// The display shows another text than before. The two halves of a blink are one text.
  /// - text: one character for each digit, followed by a point if the digit has one: `"  12"`, `"9.9.9.9."`.
  /// - overflows: true if the number is wider than the display.
  case digits(text: String, overflows: Bool, at: Duration)
  case motor(runs: Bool, at: Duration)
  case pressed(AlertButton, PressLength, at: Duration)
  /// The ring/silent switch was moved, or was read for the first time.
  case silentSwitch(Bool, at: Duration)
  /// The device cannot be used; reported once until it is back. `reason` includes the remedy.
  case lost(BoardDevice, reason: String)
  /// The device works again and shows the current presentation.
  case back(BoardDevice)
  /// The device is driven and does not answer; reported once until it does. Drawing continues.
  case unanswered(BoardDevice, reason: String)
}

extension SegmentText {
  public init(badge: Int128, on display: BoardDescription.Display) {
    self.init(badge: badge, width: display.driver.digits, hasDecimalPoints: display.hasDecimalPoints)
  }

  /// The text as characters: one for each digit, followed by a point if the digit has one.
  public var characters: String {
    var result = ""
    for segments in digits {
      let glyph = segments & ~SegmentText.decimalPoint
      result += glyph == 0 ? " " : SegmentText.glyphs.firstIndex(of: glyph).map { "\($0)" } ?? "?"
      if segments & SegmentText.decimalPoint != 0 { result += "." }
    }
    return result
  }
}
