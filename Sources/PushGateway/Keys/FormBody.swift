// A form as HTML and curl send it: url-encoded, or multipart [RFC 7578]. Files in it are left out.

import HTTPRoutes

/// The fields of a form.
struct FormBody {
  private(set) var fields: [(name: String, value: String)] = []

  /// Parts and fields of one form; the rest is left out.
  static let fieldLimit = 64

  /// The first field of that name.
  subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

  /// Nil where the content type is none of a form, or the body is not what it says.
  init?(_ body: [UInt8], contentType: String?) {
    guard let contentType else { return nil }
    let parts = contentType.split(separator: ";").map(\.trimmingSpaces)
    switch parts.first?.lowercased() {
    case "application/x-www-form-urlencoded":
      guard let text = String(validating: body, as: UTF8.self), let target = RequestTarget("/?\(text)") else {
        return nil
      }
      fields = Array(target.query.prefix(FormBody.fieldLimit))
    case "multipart/form-data":
      guard let boundary = FormBody.parameter("boundary", parts.dropFirst()), !boundary.isEmpty else { return nil }
      guard readParts(body[...], Array("--\(boundary)".utf8)) else { return nil }
    default: return nil
    }
  }

  /// A parameter of a header field: `boundary=…`, in quotes or not.
  private static func parameter(_ name: String, _ parts: ArraySlice<String>) -> String? {
    for part in parts {
      guard let equals = part.firstIndex(of: "="), part[..<equals].lowercased() == name else { continue }
      let value = part[part.index(after: equals)...]
      return value.count >= 2 && value.first == "\"" && value.last == "\""
        ? String(value.dropFirst().dropLast()) : String(value)
    }
    return nil
  }

  private mutating func readParts(_ body: ArraySlice<UInt8>, _ delimiter: [UInt8]) -> Bool {
    guard var rest = body.after(delimiter) else { return false }
    let next = Array("\r\n".utf8) + delimiter
    while fields.count < FormBody.fieldLimit, !rest.starts(with: "--".utf8) {
      guard rest.starts(with: "\r\n".utf8), let end = rest.range(of: next) else { return false }
      read(part: rest[(rest.startIndex + 2)..<max(end.lowerBound, rest.startIndex + 2)])
      rest = rest[end.upperBound...]
    }
    return true
  }

  /// A part that is no file, and is text, is a field.
  private mutating func read(part: ArraySlice<UInt8>) {
    guard let end = part.range(of: Array("\r\n\r\n".utf8)),
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
  /// What follows the first occurrence; nil where there is none.
  fileprivate func after(_ bytes: [UInt8]) -> ArraySlice<UInt8>? { range(of: bytes).map { self[$0.upperBound...] } }

  /// The first occurrence.
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
