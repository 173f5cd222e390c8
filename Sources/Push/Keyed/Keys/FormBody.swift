import HTTP

/// The fields of a form as HTML and curl send it: url-encoded, or multipart [RFC 7578]. Files in it are left out.
struct FormBody {
  private(set) var fields: [(name: String, value: String)] = []
  private let body: [UInt8]
  private var isMultipart = false

  /// The maximum number of parts or fields of a form; the rest is left out.
  static let fieldLimit = 64

  /// The maximum bytes of a part's header fields; a part with more is left out.
  static let partHeadBytes = 1_024

  /// Reads a form; nil if the content type is not one of a form, or the body does not match it.
  init?(_ body: [UInt8], contentType: String?) {
    guard let contentType else { return nil }
    self.body = body
    let parts = contentType.split(separator: ";").map(\.trimmingSpaces)
    switch parts.first?.lowercased() {
    case "application/x-www-form-urlencoded":
      guard let fields = RequestTarget.fields(body[...], limit: FormBody.fieldLimit, keepsPercent: true)
      else { return nil }
      self.fields = fields
    case "multipart/form-data":
      guard let boundary = FormBody.parameter("boundary", parts.dropFirst()), !boundary.isEmpty else { return nil }
      guard readParts(body, Array("\r\n--\(boundary)".utf8)) else { return nil }
      isMultipart = true
    default: return nil
    }
  }

  /// The form as text for a person. A url-encoded form is shown as it was sent, unless all of it is escaped, as by
  /// curl's `--data-urlencode`; a multipart form has one line for each field.
  var text: String {
    if isMultipart { return FormBody.lines(fields) }
    // Every byte that a form has to escape is escaped, and there is such a byte.
    let isEscaped =
      body.contains(UInt8(ascii: "%")) && fields.count == 1
      && RequestTarget.encodedSegment(fields[0].name).utf8.elementsEqual(body)
    return isEscaped ? fields[0].name : String(decoding: body, as: UTF8.self)
  }

  static func lines(_ fields: [(name: String, value: String)]) -> String {
    fields.map { "\($0.name)=\($0.value)" }.joined(separator: "\n")
  }

  /// Returns a parameter of a header field, such as `boundary=…`, in quotes or not.
  private static func parameter(_ name: String, _ parts: ArraySlice<String>) -> String? {
    for part in parts {
      guard let equals = part.firstIndex(of: "="), part[..<equals].lowercased() == name else { continue }
      let value = part[part.index(after: equals)...]
      return value.count >= 2 && value.first == "\"" && value.last == "\""
        ? String(value.dropFirst().dropLast()) : String(value)
    }
    return nil
  }

  /// - Parameter delimiter: includes the line end before it, which only the first may lack.
  private mutating func readParts(_ body: [UInt8], _ delimiter: [UInt8]) -> Bool {
    let isFirst = body.starts(with: delimiter[2...])
    guard let start = isFirst ? delimiter.count - 2 : body[...].range(of: delimiter)?.upperBound else { return false }
    var rest = body[start...]
    for _ in 0..<FormBody.fieldLimit where !rest.starts(with: "--".utf8) {
      guard rest.starts(with: "\r\n".utf8), let end = rest.range(of: delimiter) else { return false }
      read(part: rest[(rest.startIndex + 2)..<max(end.lowerBound, rest.startIndex + 2)])
      rest = rest[end.upperBound...]
    }
    return true
  }

  /// Adds a part to the fields if it is text and not a file.
  private mutating func read(part: ArraySlice<UInt8>) {
    guard let end = part.prefix(FormBody.partHeadBytes + 4).range(of: Array("\r\n\r\n".utf8)),
      let value = String(validating: part[end.upperBound...], as: UTF8.self)
    else { return }
    for line in String(decoding: part[..<end.lowerBound], as: UTF8.self).split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: ";").map(\.trimmingSpaces)
      guard parts.first?.lowercased() == "content-disposition: form-data",
        let name = FormBody.parameter("name", parts.dropFirst()),
        FormBody.parameter("filename", parts.dropFirst()) == nil
      else { continue }
      fields.append((name, value))
      return
    }
  }
}

extension ArraySlice<UInt8> {
  /// Returns the first occurrence. The time is linear if the first of `bytes` occurs only once in it, as the line end
  /// does in a delimiter: a partial match contains no other beginning of a match.
  fileprivate func range(of bytes: [UInt8]) -> Range<Int>? {
    guard let first = bytes.first else { return nil }
    var start = startIndex
    while let place = self[start...].firstIndex(of: first), endIndex - place >= bytes.count {
      if self[place..<(place + bytes.count)].elementsEqual(bytes) { return place..<(place + bytes.count) }
      start = place + 1
    }
    return nil
  }
}
