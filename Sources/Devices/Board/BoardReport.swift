import HandsetCore
import StrictYAML

public enum BoardDevice: String, Hashable, Sendable {
  case lamp, motor, buzzer, display
  case viewButton = "view button"
  case closeButton = "close button"
  case dimButton = "dim button"
  case silentSwitch = "ring/silent switch"
  case lightSensor = "light sensor"
}

/// The meaning of a button or of a display's key.
public enum BoardKey: Hashable, Sendable {
  /// The buttons of an alert.
  case view, close
  /// A short press snoozes all apps, a long one ends every snooze.
  case snooze
  /// Dims the board, or undoes that. The board does it itself.
  case dim
  /// An action of the alert on top, by its identifier.
  case action(String)

  /// Reads `view`, `close`, `snooze`, `dim`, or the identifier of an action.
  init(_ node: YAMLNode) throws(Diagnostic) {
    switch try node.string(bytes: 1...Policy.actionNameLimit) {
    case "view": self = .view
    case "close": self = .close
    case "snooze": self = .snooze
    case "dim": self = .dim
    case let action: self = .action(action)
    }
  }
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
  case buzzer(sounds: Bool, at: Duration)
  case pressed(BoardKey, PressLength, at: Duration)
  /// The ring/silent switch was moved, or was read for the first time.
  case silentSwitch(Bool, at: Duration)
  /// The light sensor says that it has become dark or bright, or was read for the first time.
  case darkness(Bool, at: Duration)
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

  /// The digits of a presentation at that time on the uptime clock: a Live Activity's, else the badge.
  public init(_ presentation: Presentation, on display: BoardDescription.Display, at now: Duration) {
    let (width, hasPoints) = (display.driver.digits, display.hasDecimalPoints)
    switch presentation.activity {
    case nil: self.init(badge: presentation.badge, width: width, hasDecimalPoints: hasPoints)
    case .text(let text): self.init(text: text, width: width, hasDecimalPoints: hasPoints)
    case .countdown(let end): self.init(countdown: end - now, width: width, hasDecimalPoints: hasPoints)
    }
  }

  /// The text as characters: one for each digit, followed by a point if the digit has one.
  public var characters: String {
    var result = ""
    for segments in digits {
      let glyph = segments & ~SegmentText.decimalPoint
      result += glyph == 0 ? " " : SegmentText.glyphs.firstIndex(of: glyph).map { "\($0)" } ?? letter(glyph)
      if segments & SegmentText.decimalPoint != 0 { result += "." }
    }
    return result
  }

  private func letter(_ glyph: UInt8) -> String {
    let known = SegmentText.letters.filter { $0.value == glyph }.map(\.key).min()
    return known.map { String(UnicodeScalar($0)) } ?? "?"
  }
}
