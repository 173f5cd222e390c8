// The JSON readers in use report that a text is malformed, but not the place or the expected token. So a refused text
// is read again, by the grammar alone, to find the place for its author. Accepted texts are never read here.

/// The first place where a text is not JSON [RFC 8259], and the token expected there. Lines and columns count from 1,
/// in characters.
public struct JSONFault: Error, Hashable, CustomStringConvertible {
  public let line: Int
  public let column: Int
  /// The problem as text: `expected ':', found '='`.
  public let problem: String

  public var description: String { "line \(line), column \(column): \(problem)" }

  /// Finds the fault in linear time. Nil if there is none; UTF-8 is not checked.
  public init?(in bytes: [UInt8]) {
    var scan = JSONScan(bytes: bytes)
    guard let problem = scan.firstProblem() else { return nil }
    let before = bytes[..<scan.at]
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    line = before.count { $0 == UInt8(ascii: "\n") } + 1
    // All bytes of a UTF-8 character except the first begin with the bits 10.
    column = before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
    self.problem = problem
  }
}

private struct JSONScan {
  private enum Expected {
    case value, valueOrEnd, name, nameOrEnd, colon, separator, nothing
  }

  let bytes: [UInt8]
  /// The index of the next byte; at the end the index of the fault, if there is one.
  var at = 0
  /// The closing brackets of the open ones, in any number: recursion would limit it.
  var closings: [UInt8] = []

  private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

  mutating func firstProblem() -> String? {
    var expected = Expected.value
    while true {
      while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { at += 1 }
      guard let byte = next else { return expected == .nothing ? nil : mismatch(expected) }
      switch (expected, byte) {
      case (.valueOrEnd, UInt8(ascii: "]")), (.nameOrEnd, UInt8(ascii: "}")):
        at += 1
        closings.removeLast()
        expected = afterValue
      case (.separator, UInt8(ascii: ",")):
        at += 1
        expected = closings.last == UInt8(ascii: "}") ? .name : .value
      case (.separator, closings.last):
        at += 1
        closings.removeLast()
        expected = afterValue
      case (.colon, UInt8(ascii: ":")):
        at += 1
        expected = .value
      case (.name, UInt8(ascii: "\"")), (.nameOrEnd, UInt8(ascii: "\"")):
        if let problem = string() { return problem }
        expected = .colon
      case (.value, _), (.valueOrEnd, _):
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
          at += 1
          // The closing bracket is two behind the opening one.
          closings.append(byte + 2)
          expected = byte == UInt8(ascii: "{") ? .nameOrEnd : .valueOrEnd
        case UInt8(ascii: "\""):
          if let problem = string() { return problem }
          expected = afterValue
        default:
          guard literal() || number() else { return mismatch(expected) }
          expected = afterValue
        }
      default: return mismatch(expected)
      }
    }
  }

  private var afterValue: Expected { closings.isEmpty ? .nothing : .separator }

  private func mismatch(_ expected: Expected) -> String {
    let closing = closings.last.map { "'\(Character(Unicode.Scalar($0)))'" } ?? ""
    let words =
      switch expected {
      case .value: "a value"
      case .valueOrEnd: "a value or \(closing)"
      case .name: "a name in double quotes"
      case .nameOrEnd: "a name in double quotes or \(closing)"
      case .colon: "':'"
      case .separator: "',' or \(closing)"
      case .nothing: "the end"
      }
    return "expected \(words), \(found)"
  }

  private var found: String {
    guard next != nil else { return "but the text ends" }
    let scalar = String(decoding: bytes[at...].prefix(4), as: UTF8.self).unicodeScalars.first ?? " "
    let isShown =
      scalar.value > 0x20 && scalar.value != 0x7F && scalar.value != 0xFEFF && !(0x80..<0xA0 ~= scalar.value)
    let place = scalar == "\u{FEFF}" ? "a byte order mark" : "U+" + String(scalar.value, radix: 16, uppercase: true)
    return "found \(isShown ? "'\(Character(scalar))'" : place)"
  }

  /// Reads a string; returns nil if it is valid, else the problem.
  private mutating func string() -> String? {
    let start = at
    at += 1
    var isHighSurrogate = false
    while let byte = next {
      if isHighSurrogate, byte != UInt8(ascii: "\\") { break }
      switch byte {
      case UInt8(ascii: "\""):
        at += 1
        return nil
      case ..<0x20: return "expected an escape such as \\n in a string, \(found)"
      case UInt8(ascii: "\\"):
        let escape = at
        at += 1
        guard let letter = next, "\"\\/bfnrtu".utf8.contains(letter) else {
          return "expected one of \"\\/bfnrtu after the backslash, \(found)"
        }
        at += 1
        let unit = letter == UInt8(ascii: "u") ? unicodeEscape() : 0
        guard let unit else { return "expected four hexadecimal digits after \\u, \(found)" }
        let isLow = 0xDC00..<0xE000 ~= unit
        guard isLow == isHighSurrogate else {
          at = escape
          return "expected a pair of \\u escapes for a character above U+FFFF, found one of it"
        }
        isHighSurrogate = 0xD800..<0xDC00 ~= unit
      default: at += 1
      }
    }
    if isHighSurrogate, next != nil { return "expected the second \\u escape of a pair, \(found)" }
    at = start
    return "expected a quotation mark at the string's end, but the text ends"
  }

  private mutating func unicodeEscape() -> UInt32? {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else { return nil }
      unit = unit << 4 | UInt32(digit)
      at += 1
    }
    return unit
  }

  private mutating func literal() -> Bool {
    for word in ["true", "false", "null"] where bytes[at...].starts(with: word.utf8) {
      at += word.utf8.count
      return true
    }
    return false
  }

  /// Reads a number as far as it is valid; does not move if there is none.
  private mutating func number() -> Bool {
    let start = at
    if next == UInt8(ascii: "-") { at += 1 }
    let digits = at
    skipDigits()
    guard at > digits else {
      at = start
      return false
    }
    // A zero is followed by no other digit.
    if bytes[digits] == UInt8(ascii: "0") { at = digits + 1 }
    if next == UInt8(ascii: "."), at + 1 < bytes.count, isDigit(bytes[at + 1]) {
      at += 1
      skipDigits()
    }
    if let byte = next, byte | 0x20 == UInt8(ascii: "e") {
      let exponent = at
      at += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { at += 1 }
      let start = at
      skipDigits()
      if at == start { at = exponent }
    }
    return true
  }

  private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private mutating func skipDigits() {
    while let byte = next, isDigit(byte) { at += 1 }
  }
}
