import Glibc

/// Formats rows with two spaces between columns as wide as their widest cell; no spaces at the end of a line.
public func table(_ rows: [[String]]) -> String {
  let columns = rows.map(\.count).max() ?? 0
  let widths = (0..<columns).map { column in
    rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
  }
  return rows.map { row in
    var line = ""
    for (cell, width) in zip(row, widths) {
      line += cell + String(repeating: " ", count: width - cell.count + 2)
    }
    return line.trimmingEnd()
  }.joined(separator: "\n")
}

/// Formats rows below their heading; nil if there are none.
public func table(_ heading: [String], _ rows: [[String]]) -> String? {
  rows.isEmpty ? nil : table([heading] + rows)
}

/// Returns `1 push`, `2 pushes`.
/// - Parameter plural: nil for the noun with an s.
public func counted(_ count: Int, _ noun: String, plural: String? = nil) -> String {
  "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}

/// Makes one line of any text: no control character reaches the terminal, and none that changes the direction of the
/// following text.
public func oneLine(_ text: String) -> String {
  var line = ""
  for scalar in text.unicodeScalars {
    switch scalar.properties.generalCategory {
    case .lineSeparator, .paragraphSeparator: line.append(" ")
    case .control: if "\n\r\t\u{B}\u{C}\u{85}".unicodeScalars.contains(scalar) { line.append(" ") }
    default: if !scalar.properties.isBidiControl { line.unicodeScalars.append(scalar) }
    }
  }
  return line
}

extension String {
  public func trimmingEnd() -> String {
    var text = Substring(self)
    while text.last == " " { text.removeLast() }
    return String(text)
  }

  public func trimmed() -> String { String(drop { $0.isWhitespace }).trimmingEnd() }

  /// Appends spaces up to that many characters.
  public func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

  /// Puts spaces, or another character, before it up to that many characters.
  public func aligned(to width: Int, with filling: Character = " ") -> String {
    String(repeating: filling, count: max(0, width - count)) + self
  }

  /// The path of a folder as shown in messages, to which names can be appended.
  public var withoutTrailingSlash: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }
}

/// Formats a number of thousandths, 0 or more, with 1 to 3 decimals. Further ones are cut.
public func decimal(_ thousandths: Int64, places: Int) -> String {
  "\(thousandths / 1_000)." + "\(thousandths % 1_000)".aligned(to: 3, with: "0").prefix(places)
}

/// A format of wall times for the user.
public struct ClockFace: Sendable {
  /// True for UTC, which tests use; otherwise the local time.
  let isUTC: Bool

  public static let local = ClockFace(isUTC: false)

  /// Returns `2026-11-21 08:06:27`.
  /// - Parameter microseconds: the time since 1970-01-01T00:00:00Z.
  public func dateAndTime(_ microseconds: Int64) -> String { format(microseconds, "%Y-%m-%d %H:%M:%S") }

  /// Returns `08:06:27.123`.
  public func time(_ microseconds: Int64) -> String {
    let milliseconds = "\((microseconds % 1_000_000 + 1_000_000) % 1_000_000 / 1_000)"
    return format(microseconds, "%H:%M:%S") + "." + milliseconds.aligned(to: 3, with: "0")
  }

  private func format(_ microseconds: Int64, _ pattern: String) -> String {
    var seconds = time_t((microseconds - (microseconds % 1_000_000 + 1_000_000) % 1_000_000) / 1_000_000)
    var parts = tm()
    if isUTC { gmtime_r(&seconds, &parts) } else { localtime_r(&seconds, &parts) }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      let count = strftime(start, buffer.count, pattern, &parts)
      return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }
}

/// Returns `4 d 2 h`, `3 h 12 min`, `12 min`, `8 s`.
public func roughly(microseconds: Int64) -> String {
  let seconds = microseconds / 1_000_000
  let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400)
  return switch seconds {
  case ..<60: "\(seconds) s"
  case ..<3600: "\(minutes) min"
  case ..<86_400: "\(hours) h \(minutes % 60) min"
  default: "\(days) d \(hours % 24) h"
  }
}
