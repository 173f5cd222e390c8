// Most syntax errors in users' files are values that YAML interprets otherwise: `*:2197` is an alias, `@home` and `%20`
// cannot begin a value, `[::]:2197` is a list followed by other text. The message shows the value in quotes.

/// The correct notation of a value in a line.
struct QuotingAdvice {
  /// The characters with another meaning at the beginning of a value.
  private static let indicators = "*&!%@`|>"
  private static let longest = 120

  /// The advice, `; if …: key: "value"`; empty if quotes would not help.
  let text: String

  /// - Parameters:
  ///   - line: the line of the error.
  ///   - column: the column of the error, in Unicode scalars from 0.
  init(line: some StringProtocol, column: Int) {
    let item = QuotingAdvice.item(of: Array(line.unicodeScalars), at: column)
    text = item.map { QuotingAdvice.text(key: $0.key, value: $0.value) } ?? ""
  }

  static func text(key: String?, value: String) -> String {
    let needsSingle = value.contains { $0 == "\"" || $0 == "\\" }
    let quoted = needsSingle ? "'\(value.replacing("'", with: "''"))'" : "\"\(value)\""
    return "; if it is text, put it in quotes: \(key.map { "\($0): " } ?? "")\(quoted)"
  }

  private static func item(of line: [Unicode.Scalar], at column: Int) -> (key: String?, value: String)? {
    var key: String?
    var value = line[...].trimmed
    while value.first == "-", value.dropFirst().first == " " { value = value.dropFirst().trimmed }
    if let split = value.keyAndValue { (key, value) = (String(split.key), split.value) }
    value = value.withoutComment
    guard value.count <= longest, let first = value.first, first != "\"", first != "'" else { return nil }
    if "[{".unicodeScalars.contains(first) {
      guard let end = value.closing else { return nil }
      // A text that begins with a bracket, such as `[::]:2197` or `{title} again`.
      guard end == value.endIndex - 1 else { return (key, String(value)) }
      return flowItem(of: value[value.startIndex + 1..<end], at: column)
    }
    guard indicators.unicodeScalars.contains(first) || value.keyAndValue != nil else { return nil }
    return (key, String(value))
  }

  /// Returns the item with the error in a list or mapping in brackets.
  private static func flowItem(of items: ArraySlice<Unicode.Scalar>, at column: Int) -> (key: String?, value: String)? {
    let parts = items.split(separator: ",", omittingEmptySubsequences: false)
    guard let part = parts.last(where: { $0.startIndex <= column }) else { return nil }
    let split = part.trimmed.keyAndValue
    let value = split?.value ?? part.trimmed
    guard let first = value.first, indicators.unicodeScalars.contains(first) || value.contains(":") else { return nil }
    return (split.map { String($0.key) }, String(value))
  }
}

extension String {
  fileprivate init(_ scalars: ArraySlice<Unicode.Scalar>) {
    self.init(String.UnicodeScalarView(scalars))
  }
}

extension ArraySlice<Unicode.Scalar> {
  private static var blanks: [Unicode.Scalar] { [" ", "\t", "\r"] }

  fileprivate var trimmed: Self {
    var slice = self
    while let first = slice.first, Self.blanks.contains(first) { slice.removeFirst() }
    while let last = slice.last, Self.blanks.contains(last) { slice.removeLast() }
    return slice
  }

  /// The parts before and after the first `: `; nil if there is none.
  fileprivate var keyAndValue: (key: Self, value: Self)? {
    guard let first, !"\"'[{".unicodeScalars.contains(first),
      let colon = indices.first(where: { index in
        self[index] == ":" && index + 1 < endIndex && Self.blanks.contains(self[index + 1])
      })
    else { return nil }
    return (self[..<colon].trimmed, self[(colon + 1)...].trimmed)
  }

  fileprivate var withoutComment: Self {
    let start = indices.first { self[$0] == "#" && $0 > startIndex && Self.blanks.contains(self[$0 - 1]) }
    return start.map { self[..<$0].trimmed } ?? self
  }

  /// The index of the bracket that closes the first one.
  fileprivate var closing: Int? {
    var depth = 0
    for index in indices {
      if "[{".unicodeScalars.contains(self[index]) { depth += 1 }
      if "]}".unicodeScalars.contains(self[index]) {
        depth -= 1
        if depth == 0 { return index }
      }
    }
    return nil
  }
}
