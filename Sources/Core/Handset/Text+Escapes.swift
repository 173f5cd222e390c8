// Foreign text in logs and events: a client's text must not forge a line or turn the direction of later text.

extension StringProtocol {
  /// The text on one line: control characters, ends of lines, and characters that set the direction of text are written
  /// as Swift writes them, `\r`, `\u{202E}`.
  public var onOneLine: String { escaping(\.needsEscape) { $0.escaped(asASCII: true) } }

  /// The lines of a text to print: the same characters are escaped, except ends of lines (`\n`) and tabs.
  package var printable: String { escaping(\.isUnprintable) { $0.escaped(asASCII: true) } }

  /// A JSON text to print: the same characters are escaped as JSON does it, so that its value stays the same.
  package var printableJSON: String {
    escaping(\.isUnprintable) { scalar in
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }
  }

  private func escaping(_ mustBe: (Unicode.Scalar) -> Bool, _ escape: (Unicode.Scalar) -> String) -> String {
    guard unicodeScalars.contains(where: mustBe) else { return String(self) }
    var text = ""
    for scalar in unicodeScalars {
      if mustBe(scalar) { text += escape(scalar) } else { text.unicodeScalars.append(scalar) }
    }
    return text
  }

  /// Returns the text on one line, cut to at most `limit` bytes; `…` follows if it was cut.
  package func onOneLine(limit: Int) -> String {
    var line = ""
    for character in self {
      let written = String(character).onOneLine
      guard line.utf8.count + written.utf8.count <= limit else { return line + "…" }
      line += written
    }
    return line
  }
}

extension Unicode.Scalar {
  fileprivate var isUnprintable: Bool { self != "\n" && self != "\t" && needsEscape }

  fileprivate var needsEscape: Bool {
    switch value {
    case 0x20..<0x7F: false
    default:
      switch properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: true
      default: properties.isBidiControl
      }
    }
  }
}
