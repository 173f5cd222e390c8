// A mail as programs pass it to sendmail. A MIME library (GMime) would bring GLib and GPGME to every board for a
// subject and a text; all other parts are ignored here.

import FoundationEssentials
import HTTP
import PushPort

/// The part of a mail that a notification can show [RFC 5322, RFC 2045 to 2047].
struct MailMessage: Equatable {
  enum Limits {
    /// The bytes that are read from a mail.
    static let bytes = 1 << 20
    static let depth = 8
    static let parts = 64
  }

  var subject: String?
  /// The name in `From`, else the address there.
  var sender: String?
  var text: String
  /// The priority: 1 is urgent, 5 is not; nil without such a field.
  var priority: Int?

  init(_ mail: [UInt8]) {
    var parts = Limits.parts
    let part = MailPart(mail[...])
    func field(_ name: String) -> String? {
      part[name].map { decodedWords($0).split(whereSeparator: \.isWhitespace).joined(separator: " ") }
        .flatMap { $0.isEmpty ? nil : $0 }
    }
    subject = field("subject")
    sender = part["from"].flatMap(MailMessage.name)
    text = part.text(depth: Limits.depth, parts: &parts)?.text ?? ""
    priority =
      ["x-priority", "importance", "priority", "x-msmail-priority"].lazy.compactMap(field)
      .compactMap(MailMessage.priority).first
  }

  private static func name(_ field: String) -> String? {
    let name = field.prefix { $0 != "<" }.filter { $0 != "\"" }
    let words = decodedWords(name).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    if !words.isEmpty { return words }
    let address = field.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" }
    return address.isEmpty ? nil : String(address)
  }

  private static func priority(_ field: String) -> Int? {
    switch field.lowercased().prefix(while: { $0 != " " && $0 != "(" }) {
    case "1", "2", "high", "urgent": 1
    case "3", "normal": 3
    case "4", "5", "low", "non-urgent": 5
    default: nil
    }
  }
}

private struct MailPart {
  private var fields: [(name: String, value: String)] = []
  private var body: ArraySlice<UInt8>

  subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

  /// Parses a part, whose header ends at an empty line, or before the first line that is not a field.
  init(_ part: ArraySlice<UInt8>) {
    body = part
    // The line that mailbox files put before a mail.
    if body.starts(with: "From ".utf8) { body = body.drop { $0 != UInt8(ascii: "\n") }.dropFirst() }
    while !body.isEmpty {
      let line = body.prefix { $0 != UInt8(ascii: "\n") }
      let text = String(fieldBytes: line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
      let rest = body[line.endIndex...].dropFirst()
      if text.isEmpty {
        body = rest
        return
      }
      if text.first == " " || text.first == "\t", !fields.isEmpty {
        fields[fields.count - 1].value += text
      } else {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
          !text[..<colon].isEmpty, text[..<colon].utf8.allSatisfy({ (33...126).contains($0) })
        else { return }
        fields.append((text[..<colon].lowercased(), String(text[text.index(after: colon)...])))
      }
      body = rest
    }
  }

  /// Returns its first text, a plain one before HTML; nil if there is none.
  func text(depth: Int, parts: inout Int) -> (text: String, isPlain: Bool)? {
    parts -= 1
    guard depth > 0, parts >= 0 else { return nil }
    let (type, parameters) = contentType
    if type.hasPrefix("multipart/"), let boundary = parameters["boundary"] {
      var html: (text: String, isPlain: Bool)?
      for part in bodies(boundary) {
        guard let found = MailPart(part).text(depth: depth - 1, parts: &parts) else { continue }
        if found.isPlain { return found }
        html = html ?? found
      }
      return html
    }
    guard type.hasPrefix("text/"), self["content-disposition"]?.trimmed().lowercased().hasPrefix("attachment") != true
    else { return nil }
    let bytes = decoded
    var conversion = CharacterConversion()
    let charset = parameters["charset"]?.lowercased() ?? "utf-8"
    let converted = conversion.utf8(Array(bytes), from: charset).map { String(decoding: $0, as: UTF8.self) }
    let text = (converted ?? String(fieldBytes: bytes)).replacing("\r\n", with: "\n")
    return type == "text/html" ? (MailPart.withoutTags(text), false) : (text, true)
  }

  private var contentType: (type: String, parameters: [String: String]) {
    let parts = (self["content-type"] ?? "text/plain").split(separator: ";")
    var parameters: [String: String] = [:]
    for part in parts.dropFirst() {
      guard let equals = part.firstIndex(of: "=") else { continue }
      let value = String(part[part.index(after: equals)...]).trimmed()
      parameters[String(part[..<equals]).trimmed().lowercased()] = value.filter { $0 != "\"" }
    }
    let type = String(parts.first ?? "").trimmed().lowercased()
    return (type.contains("/") ? type : "text/plain", parameters)
  }

  /// Returns the parts between the delimiters, which are lines.
  private func bodies(_ boundary: String) -> [ArraySlice<UInt8>] {
    let delimiter = Array("--\(boundary)".utf8)
    var bodies: [ArraySlice<UInt8>] = []
    var start: Int?
    var rest = body
    while !rest.isEmpty {
      let line = rest.prefix { $0 != UInt8(ascii: "\n") }
      let next = rest[line.endIndex...].dropFirst()
      if line.starts(with: delimiter) {
        if let start { bodies.append(body[start..<line.startIndex]) }
        start = next.startIndex
        if bodies.count == MailMessage.Limits.parts || line.dropFirst(delimiter.count).starts(with: "--".utf8) {
          return bodies
        }
      }
      rest = next
    }
    if let start { bodies.append(body[start...]) }
    return bodies
  }

  private var decoded: ArraySlice<UInt8> {
    switch self["content-transfer-encoding"]?.trimmed().lowercased() {
    case "base64":
      Data(base64Encoded: Data(body), options: .ignoreUnknownCharacters).map { Array($0)[...] } ?? body
    case "quoted-printable": MailPart.unquoted(body)[...]
    default: body
    }
  }

  private static func unquoted(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "=") else {
        bytes.append(byte)
        continue
      }
      // A soft line break, which may have blanks before the line's end.
      let blanks = rest.prefix { [0x20, 0x09, 0x0D].contains($0) }
      if blanks.endIndex == rest.endIndex || rest[blanks.endIndex] == UInt8(ascii: "\n") {
        rest = rest[blanks.endIndex...].dropFirst()
      } else if let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), rest.count >= 2 {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }

  private static func withoutTags(_ html: String) -> String {
    var text = ""
    var isTag = false
    for character in html {
      switch character {
      case "<": isTag = true
      case ">" where isTag: isTag = false
      default: if !isTag { text.append(character) }
      }
    }
    for (entity, character) in [("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")] {
      text = text.replacing(entity, with: character)
    }
    return text
  }
}
