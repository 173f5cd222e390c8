extension MessageText {
  /// Returns the text to show, from the app's own strings, up to its limit [APNs, `loc-key` and `loc-args`]. A key
  /// without a string is shown itself, as on a phone.
  public func resolved(from strings: [String: String]) -> String {
    switch self {
    case .literal(let literal): return literal.prefix(bytes: Policy.resolvedTextLimit)
    case .localized(let key, let arguments):
      var resolved = BoundedText(limit: Policy.resolvedTextLimit)
      fill(strings[key] ?? key, with: arguments, into: &resolved)
      return resolved.text
    }
  }

  /// Replaces `%@` by the next argument, `%2$@` by the second, `%%` by a per cent sign. A place without an argument is
  /// left empty. Any other `%` is kept.
  private func fill(_ format: String, with arguments: [String], into result: inout BoundedText) {
    var next = 0
    var rest = format[...]
    while !result.isFull, let percent = rest.firstIndex(of: "%") {
      result.append(rest[..<percent])
      rest = rest[rest.index(after: percent)...]
      if rest.first == "%" {
        result.append("%")
        rest.removeFirst()
      } else if rest.first == "@" {
        if next < arguments.count { result.append(arguments[next][...]) }
        next += 1
        rest.removeFirst()
      } else {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        let tail = rest[digits.endIndex...]
        if let position = Int(digits), position > 0, tail.hasPrefix("$@") {
          if position <= arguments.count { result.append(arguments[position - 1][...]) }
          rest = tail.dropFirst(2)
        } else {
          result.append("%")
        }
      }
    }
    result.append(rest)
  }
}

extension ActionTitle {
  /// Returns the title of the action button, from the app's own strings; nil if there is none (rule N4).
  /// - Parameter standard: the app's own title.
  func resolved(from strings: [String: String], standard: String?) -> String? {
    switch self {
    case .standard: standard ?? "View"
    case .localized(let key): (strings[key] ?? key).prefix(bytes: Policy.resolvedTextLimit)
    case .none: nil
    }
  }
}

extension String {
  /// Returns the beginning of the text with at most `limit` bytes of UTF-8, cut between characters.
  package func prefix(bytes limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var cut = BoundedText(limit: limit)
    cut.append(self[...])
    return cut.text
  }
}

/// A text that is cut at its limit, between characters as a reader sees them. Text beyond the limit is never assembled:
/// a short format and an argument can produce a megabyte.
struct BoundedText {
  /// The limit in bytes of UTF-8.
  let limit: Int
  /// Up to one Unicode scalar longer than the limit, which shows whether a character continues there.
  private var kept = ""

  init(limit: Int) {
    self.limit = limit
  }

  var isFull: Bool { kept.utf8.count > limit }

  mutating func append(_ piece: Substring) {
    guard !isFull else { return }
    let left = limit + BoundedText.longestScalar - kept.utf8.count
    guard piece.utf8.count > left else {
      kept += piece
      return
    }
    kept += piece[..<BoundedText.scalarEnd(in: piece, bytes: left)]
  }

  var text: String {
    guard isFull else { return kept }
    var end = kept.endIndex
    repeat { kept.formIndex(before: &end) } while kept.utf8.distance(from: kept.startIndex, to: end) > limit
    // A letter with thousands of combining marks is cut between marks.
    if end == kept.startIndex { end = BoundedText.scalarEnd(in: kept[...], bytes: limit) }
    return String(kept[..<end])
  }

  private static let longestScalar = 4

  /// Returns the last place between two Unicode scalars that is at most `bytes` from the start.
  private static func scalarEnd(in text: Substring, bytes: Int) -> String.Index {
    var end = text.utf8.index(text.startIndex, offsetBy: bytes)
    while end < text.endIndex, text.utf8[end] & 0xC0 == 0x80 { text.utf8.formIndex(before: &end) }
    return end
  }
}
