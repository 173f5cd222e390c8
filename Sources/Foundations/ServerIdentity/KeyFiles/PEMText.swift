// PEM as openssl reads it [RFC 7468], and as it arrives after copying: text around it, indented lines, all on one line
// with `\n` as two characters, CRLF, a byte order mark. swift-asn1 accepts only lines of exactly 64 characters, and
// BoringSSL gives no reason.

import FoundationEssentials
import HandsetCore
import SwiftASN1

/// One document of a PEM file.
struct PEMBlock {
  /// The text between `-----BEGIN ` and `-----`.
  let label: String
  /// A whole DER element, or the reason why there is none.
  let body: Result<[UInt8], KeyFileError.Fault>

  var pem: String? { (try? body.get()).map { PEMDocument(type: label, derBytes: $0).pemString + "\n" } }

  static func blocks(in bytes: [UInt8]) -> [PEMBlock] {
    var blocks: [PEMBlock] = []
    var open: (label: String, start: Int)?
    var index = 0
    func cutOff(_ label: String) { blocks.append(PEMBlock(label: label, body: .failure(.cutOff(label)))) }
    while let mark = Mark(in: bytes, from: index) {
      index = mark.range.upperBound
      if mark.isBegin {
        if let open { cutOff(open.label) }
        open = (mark.label, index)
      } else if let begun = open {
        open = nil
        let body =
          mark.label == begun.label
          ? element(of: bytes[begun.start..<mark.range.lowerBound], label: begun.label)
          : .failure(.otherEnd(begun.label, end: mark.label))
        blocks.append(PEMBlock(label: begun.label, body: body))
      }
    }
    if let open { cutOff(open.label) }
    return blocks
  }

  /// A line `-----BEGIN …-----` or `-----END …-----`.
  private struct Mark {
    let isBegin: Bool
    let label: String
    let range: Range<Int>

    init?(in bytes: [UInt8], from start: Int) {
      var index = start
      while let dash = bytes[index...].firstIndex(of: UInt8(ascii: "-")) {
        let rest = bytes[dash...]
        let isBegin = rest.starts(with: "-----BEGIN ".utf8)
        guard isBegin || rest.starts(with: "-----END ".utf8) else {
          index = dash + 1
          continue
        }
        let from = dash + (isBegin ? 11 : 9)
        let name = bytes[from...].prefix { $0 != UInt8(ascii: "-") && $0 != 0x0A && $0 != 0x0D }
        index = name.endIndex
        guard bytes[index...].starts(with: "-----".utf8) else { continue }
        self.isBegin = isBegin
        // Error messages quote it.
        label = String(decoding: name, as: UTF8.self).onOneLine(limit: 40)
        range = dash..<index + 5
        return
      }
      return nil
    }
  }

  /// Reads the text between the marks: headers, and base64 with any white space in it.
  private static func element(of text: ArraySlice<UInt8>, label: String) -> Result<[UInt8], KeyFileError.Fault> {
    let lines = text.split { $0 == 0x0A || $0 == 0x0D }
    // `Proc-Type: 4,ENCRYPTED` [RFC 1421, 4.6.1.1].
    let headers = lines.filter { $0.contains(UInt8(ascii: ":")) }
    if headers.contains(where: { String(decoding: $0, as: UTF8.self).contains("ENCRYPTED") }) {
      return .failure(.encrypted)
    }
    let content = lines.filter { !$0.contains(UInt8(ascii: ":")) }.joined(separator: [0x0A])
    guard let bytes = decodedBase64(content) else { return .failure(.notBase64(label)) }
    guard let length = DERContent.length(of: bytes) else {
      return .failure(bytes.count < 2 ? .cutOff(label) : .damaged(label))
    }
    // Bytes after the element are ignored, as openssl does: TRUSTED CERTIFICATE has its trust settings there.
    return length <= bytes.count ? .success(Array(bytes.prefix(length))) : .failure(.cutOff(label))
  }
}

/// Decodes base64, also with white space, quotation marks and `\n` as two characters in it; nil if something else is.
func decodedBase64(_ text: some Sequence<UInt8>) -> [UInt8]? {
  var digits: [UInt8] = []
  var isEscape = false
  for byte in text {
    let isEscaped = exchange(&isEscape, with: byte == UInt8(ascii: "\\"))
    if isEscaped, [UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t")].contains(byte) { continue }
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
      digits.append(byte)
    // White space, also a non-breaking blank (C2 A0) and a byte order mark (EF BB BF) as UTF-8.
    case 0x00...0x20, UInt8(ascii: "="), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), 0xA0, 0xC2, 0xEF,
      0xBB, 0xBF:
      continue
    default: return nil
    }
  }
  // A single last digit is less than a byte.
  if digits.count % 4 == 1 { digits.removeLast() }
  digits += repeatElement(UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
  return Data(base64Encoded: Data(digits)).map { Array($0) }
}
