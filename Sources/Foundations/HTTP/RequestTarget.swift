/// A request target in origin form, `/apps/com.example%20a?limit=3`, split and then decoded: `%2F` inside a segment
/// never becomes a separator.
public struct RequestTarget: Sendable {
  /// The target as sent, not decoded; without the authority of an absolute form.
  public let originForm: String
  /// The path as sent, without the query, not decoded.
  public let path: String
  /// The decoded segments of the path. `/` has none; `/a/` has two, the second empty.
  public let segments: [String]
  /// The decoded fields of the query, in order, with repeated names.
  public let query: [(name: String, value: String)]

  /// Nil if the text is neither in origin form nor in absolute form (whose authority is dropped), if a percent escape
  /// is malformed, or if a segment is not UTF-8, or is `.` or `..`, also escaped: clients and proxies remove those,
  /// each in its own way [RFC 3986, 6.2.2.3].
  public init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    for scheme in ["http://", "https://"] where rest.starts(with: scheme.utf8) {
      rest = rest.dropFirst(scheme.utf8.count).drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
      if rest.first != UInt8(ascii: "/") { rest = [UInt8(ascii: "/")] + rest }
    }
    guard rest.first == UInt8(ascii: "/") else { return nil }
    originForm = String(decoding: rest, as: UTF8.self)
    let path = rest.prefix { $0 != UInt8(ascii: "?") }
    self.path = String(decoding: path, as: UTF8.self)

    var segments: [String] = []
    if path.count > 1 {
      for segment in path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
        guard let bytes = percentDecoded(segment), let decoded = String(validating: bytes, as: UTF8.self),
          decoded != ".", decoded != ".."
        else { return nil }
        segments.append(decoded)
      }
    }
    self.segments = segments
    guard let query = RequestTarget.fields(rest[path.endIndex...].dropFirst()) else { return nil }
    self.query = query
  }

  /// Reads the names and values of a query, or of a form that is written as one; nil if an escape is malformed. Text
  /// that is not UTF-8 is read as Windows-1252.
  /// - Parameters:
  ///   - limit: the number of fields to read.
  ///   - keepsPercent: a `%` without two digits stands for itself, as in a browser's forms [URL Standard, 1.3].
  public static func fields(
    _ text: ArraySlice<UInt8>, limit: Int = .max, keepsPercent: Bool = false
  ) -> [(name: String, value: String)]? {
    var fields: [(name: String, value: String)] = []
    var rest = text
    while !rest.isEmpty, fields.count < limit {
      let item = rest.prefix { $0 != UInt8(ascii: "&") }
      rest = rest[item.endIndex...].dropFirst()
      guard !item.isEmpty else { continue }
      let name = item.prefix { $0 != UInt8(ascii: "=") }
      guard let decoded = percentDecoded(name, isOfForm: true, keepsPercent: keepsPercent),
        let value = percentDecoded(
          item[name.endIndex...].dropFirst(), isOfForm: true, keepsPercent: keepsPercent)
      else { return nil }
      fields.append((String(fieldBytes: decoded), String(fieldBytes: value)))
    }
    return fields
  }

  public func queryValue(_ name: String) -> String? {
    query.value(of: name)
  }

  /// Encodes `text` as one segment of a path: all characters except RFC 3986's unreserved ones are escaped.
  public static func encodedSegment(_ text: String) -> String {
    text.utf8.map { byte -> String in
      byte.isASCIILetterOrDigit || "-._~".utf8.contains(byte)
        ? String(Unicode.Scalar(byte)) : (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}

extension Collection<(name: String, value: String)> {
  /// Returns the first value of `name`. Compares bytes: comparing characters is slow if they have many combining marks.
  public func value(of name: String) -> String? { first { $0.name.utf8.elementsEqual(name.utf8) }?.value }
}

/// - Parameter isOfForm: if true, a plus sign is a space.
private func percentDecoded(
  _ text: ArraySlice<UInt8>, isOfForm: Bool = false, keepsPercent: Bool = false
) -> ArraySlice<UInt8>? {
  guard text.contains(where: { $0 == UInt8(ascii: "%") || isOfForm && $0 == UInt8(ascii: "+") }) else { return text }
  var bytes: [UInt8] = []
  bytes.reserveCapacity(text.count)
  var rest = text
  while let byte = rest.popFirst() {
    switch byte {
    case UInt8(ascii: "%"):
      let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
      if digits.count == 2 {
        bytes.append(UInt8(digits[0] << 4 | digits[1]))
        rest = rest.dropFirst(2)
      } else {
        guard keepsPercent else { return nil }
        bytes.append(byte)
      }
    case UInt8(ascii: "+") where isOfForm: bytes.append(UInt8(ascii: " "))
    default: bytes.append(byte)
    }
  }
  return bytes[...]
}

extension String {
  /// Decodes the bytes of a header field or of a request's target: as UTF-8, or if they are not UTF-8, as Windows-1252,
  /// which includes Latin-1. Programs send texts in their own encoding.
  public init(fieldBytes bytes: some Collection<UInt8>) {
    if let text = String(validating: bytes, as: UTF8.self) {
      self = text
    } else {
      self.init(String.UnicodeScalarView(bytes.map(windows1252)))
    }
  }
}

private func windows1252(_ byte: UInt8) -> Unicode.Scalar {
  guard (0x80...0x9F).contains(byte) else { return Unicode.Scalar(byte) }
  let scalars = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars
  return scalars[scalars.index(scalars.startIndex, offsetBy: Int(byte) - 0x80)]
}
