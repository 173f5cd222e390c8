// Header fields with encoded words [RFC 2047], in which mail and many programs write text that is not ASCII.

import FoundationEssentials
import Glibc
import HTTP

/// Decodes the encoded words of a header field, in any character set that iconv reads. Other text stays as it is. White
/// space between two encoded words is dropped; words that share a character set may share a character.
public func decodedWords(_ text: String) -> String {
  guard text.utf8.contains(UInt8(ascii: "?")) else { return text }
  let bytes = Array(text.utf8)
  var conversion = CharacterConversion()
  var result: [UInt8] = []
  /// Consecutive words of one character set that are not converted yet.
  var words: [EncodedWord] = []
  var (place, copied) = (0, 0)

  /// Converts the words together or, if that fails, one by one: a word malformed in its character set stays as it was.
  func convertWords() {
    guard let first = words.first else { return }
    if let text = conversion.utf8(words.flatMap(\.content), from: first.charset) {
      result += text
    } else {
      var end = first.range.lowerBound
      for word in words {
        let text = conversion.utf8(word.content, from: word.charset)
        if text == nil { result += bytes[end..<word.range.lowerBound] }
        result += text ?? Array(bytes[word.range])
        end = word.range.upperBound
      }
    }
    words = []
  }

  while place < bytes.count {
    guard bytes[place] == UInt8(ascii: "="), let word = EncodedWord(bytes, at: place) else {
      place += 1
      continue
    }
    let before = bytes[copied..<place]
    let followsWord = !words.isEmpty && before.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    if !followsWord || words.last?.charset != word.charset { convertWords() }
    if !followsWord { result += before }
    words.append(word)
    (place, copied) = (word.range.upperBound, word.range.upperBound)
  }
  convertWords()
  return String(decoding: result + bytes[copied...], as: UTF8.self)
}

/// An encoded word: `=?charset?encoding?content?=`.
private struct EncodedWord {
  /// The character set in lower case, without a language [RFC 2231, 5].
  let charset: String
  let content: [UInt8]
  let range: Range<Int>

  private static let charsetLimit = 40

  /// The maximum bytes of a content. RFC 2047 allows 75 for a word; longer ones are read, too.
  private static let contentLimit = 2_048

  /// - Parameter start: the place of an equals sign.
  init?(_ bytes: [UInt8], at start: Int) {
    let question = UInt8(ascii: "?")
    guard start + 1 < bytes.count, bytes[start + 1] == question else { return nil }
    let name = bytes[(start + 2)...].prefix(EncodedWord.charsetLimit + 1).prefix { $0 != question }
    let place = name.endIndex
    guard !name.isEmpty, name.count <= EncodedWord.charsetLimit, place + 2 < bytes.count, bytes[place + 2] == question,
      name.allSatisfy({ CharacterConversion.isOfName($0) || $0 == UInt8(ascii: "*") })
    else { return nil }
    charset = String(decoding: name.prefix { $0 != UInt8(ascii: "*") }, as: UTF8.self).lowercased()
    let rest = bytes[(place + 3)...].prefix(EncodedWord.contentLimit + 1)
    let encoded = rest.prefix { $0 != question }
    guard encoded.endIndex + 1 < bytes.count, bytes[encoded.endIndex] == question,
      bytes[encoded.endIndex + 1] == UInt8(ascii: "=")
    else { return nil }
    range = start..<(encoded.endIndex + 2)
    let decoded: [UInt8]? =
      switch bytes[place + 1] | 0x20 {
      case UInt8(ascii: "b"): EncodedWord.base64(encoded)
      case UInt8(ascii: "q"): EncodedWord.quoted(encoded)
      default: nil
      }
    guard let decoded else { return nil }
    content = decoded
  }

  private static func base64(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    let text = text.filter { $0 != UInt8(ascii: "=") }
    let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
    return Data(base64Encoded: Data(text + padding)).map { Array($0) }
  }

  private static func quoted(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "_"): bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "="):
        let digits = rest.prefix(2)
        rest = rest.dropFirst(2)
        guard digits.count == 2, !digits.contains(UInt8(ascii: "+")), !digits.contains(UInt8(ascii: "-")),
          let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return nil }
        bytes.append(value)
      default: bytes.append(byte)
      }
    }
    return bytes
  }
}

/// A converter of texts to UTF-8, by the C library's iconv.
public struct CharacterConversion {
  /// The number of iconv's converters opened for one text. It is limited because each may load a file.
  private var opened = 0
  private static let openLimit = 8

  public init() {}

  static func isOfName(_ byte: UInt8) -> Bool {
    byte.isASCIILetterOrDigit || "-_.:".utf8.contains(byte)
  }

  /// - Parameter charset: the name in lower case. iconv would read a name with a `/` as options or as a file.
  /// - Returns: nil if the bytes are malformed in the character set, or iconv has none with that name.
  public mutating func utf8(_ bytes: [UInt8], from charset: String) -> [UInt8]? {
    if ["utf-8", "utf8", "us-ascii"].contains(charset) {
      return String(validating: bytes, as: UTF8.self) == nil ? nil : bytes
    }
    guard opened < CharacterConversion.openLimit, charset.utf8.allSatisfy(CharacterConversion.isOfName) else {
      return nil
    }
    opened += 1
    let converter = iconv_open("UTF-8", charset)
    guard converter != iconv_t(bitPattern: -1) else { return nil }
    defer { iconv_close(converter) }
    var input = bytes.map { CChar(bitPattern: $0) }
    // In no character set does one byte become more than 8 bytes of UTF-8.
    var output = [CChar](repeating: 0, count: 8 * bytes.count + 16)
    let isWhole = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output -> Int? in
        var (from, left) = (input.baseAddress, input.count)
        var (to, room) = (output.baseAddress, output.count)
        guard iconv(converter, &from, &left, &to, &room) != -1, left == 0, iconv(converter, nil, nil, &to, &room) != -1
        else { return nil }
        return output.count - room
      }
    }
    guard let count = isWhole else { return nil }
    let text = output[..<count].map { UInt8(bitPattern: $0) }
    return String(validating: text, as: UTF8.self) == nil ? nil : text
  }
}
