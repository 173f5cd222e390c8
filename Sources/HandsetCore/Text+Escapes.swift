// Foreign text in logs and events: what a client sends must not forge a line, nor turn the direction of what follows.

extension StringProtocol {
  /// On one line: control characters, ends of lines, and characters that set the direction of text are written as Swift
  /// would write them, `\r`, `\u{202E}`.
  public var onOneLine: String {
    guard unicodeScalars.contains(where: \.needsEscape) else { return String(self) }
    var line = ""
    for scalar in unicodeScalars {
      if scalar.needsEscape { line += scalar.escaped(asASCII: true) } else { line.unicodeScalars.append(scalar) }
    }
    return line
  }
}

extension Unicode.Scalar {
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
