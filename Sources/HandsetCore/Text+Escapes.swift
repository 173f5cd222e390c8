// Foreign text in logs and events: what a client sends must not forge a line, nor turn the direction of what follows.

extension StringProtocol {
  /// On one line: control characters, ends of lines, and characters that set the direction of text are written as Swift
  /// would write them, `\r`, `\u{202E}`.
  public var onOneLine: String { escaping(\.needsEscape) { $0.escaped(asASCII: true) } }

  /// The lines of a text that is to be printed: the same characters are escaped, but for ends of lines (`\n`) and tabs.
  package var printable: String { escaping(\.isUnprintable) { $0.escaped(asASCII: true) } }

  /// The same of a text of JSON, as JSON escapes characters. Its value stays what it is.
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

  /// The same, cut so that it has at most so many bytes; where that is not all of it, `…` follows.
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
