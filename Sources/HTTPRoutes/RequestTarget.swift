// What stands between the method and the version of a request line: a path whose segments are compared after
// decoding (so that `%2F` inside a segment never becomes a separator), and a query.

/// A request target in origin form, `/apps/com.example%20a?limit=3`, taken apart and decoded.
public struct RequestTarget: Sendable {
  /// As sent, not decoded; without the authority of an absolute form.
  public let originForm: String
  /// As sent, without the query, not decoded.
  public let path: String
  /// Decoded. `/` has none; `/a/` has two, the second empty.
  public let segments: [String]
  /// Decoded, in order, a repeated name kept.
  public let query: [(name: String, value: String)]

  /// Nil where it is neither in origin form nor in absolute form (whose authority is dropped), where a percent escape is
  /// malformed or does not spell UTF-8, or where a segment is `.` or `..`, also escaped: clients and proxies take those
  /// away, each in its way [RFC 3986, 6.2.2.3].
  public init?(_ text: String) {
    var rest = Substring(text)
    for scheme in ["http://", "https://"] where rest.hasPrefix(scheme) {
      rest = rest.dropFirst(scheme.count)
      rest = rest.drop { $0 != "/" && $0 != "?" }
      if rest.first != "/" { rest = "/" + rest }
    }
    guard rest.first == "/" else { return nil }
    originForm = String(rest)
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(parts[0])

    var segments: [String] = []
    if path != "/" {
      for segment in parts[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
        guard let decoded = percentDecoded(segment, plusIsSpace: false), decoded != ".", decoded != ".." else {
          return nil
        }
        segments.append(decoded)
      }
    }
    self.segments = segments

    var query: [(name: String, value: String)] = []
    if parts.count == 2 {
      for item in parts[1].split(separator: "&") {
        let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = percentDecoded(sides[0], plusIsSpace: true),
          let value = percentDecoded(sides.count == 2 ? sides[1] : "", plusIsSpace: true)
        else { return nil }
        query.append((name, value))
      }
    }
    self.query = query
  }

  /// The first value of `name` in the query.
  public func queryValue(_ name: String) -> String? {
    query.first { $0.name == name }?.value
  }

  /// `text` as one segment of a path: everything but RFC 3986's unreserved characters is escaped.
  public static func encodedSegment(_ text: String) -> String {
    text.utf8.map { byte in
      let character = Character(Unicode.Scalar(byte))
      let isUnreserved =
        character.isASCII && (character.isLetter || character.isNumber) || "-._~".contains(character)
      return isUnreserved
        ? String(character) : (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}

private func percentDecoded(_ text: Substring, plusIsSpace: Bool) -> String? {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(text.utf8.count)
  var rest = text.utf8[...]
  func nextDigit() -> Int? { rest.popFirst().flatMap { Character(Unicode.Scalar($0)).hexDigitValue } }
  while let byte = rest.popFirst() {
    switch byte {
    case UInt8(ascii: "%"):
      guard let high = nextDigit(), let low = nextDigit() else { return nil }
      bytes.append(UInt8(high << 4 | low))
    case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
    default: bytes.append(byte)
    }
  }
  return String(validating: bytes, as: UTF8.self)
}
