import Crypto
import FoundationEssentials
import HandsetCore

/// `iat` in one of the forms that libraries send.
struct IssuedAt {
  /// The Unix time of the year 10000.
  static let limit = 253_402_300_800.0

  /// The time; nil if the claim is no number.
  var seconds: Double?
  var fault: String?

  /// - Parameters:
  ///   - seconds: nil if it is no number.
  ///   - text: the value; nil if it is missing.
  static func fault(of seconds: Double?, _ text: String?) -> String {
    let expected = "expected the number of seconds since 1970"
    guard let text else { return "iat is missing from the claims; \(expected)" }
    guard let seconds else { return "iat is \(text); \(expected)" }
    // The value of 1973 in that unit.
    let units = [(1e17, "nanoseconds"), (1e14, "microseconds"), (limit, "milliseconds")]
    let unit = units.first { seconds >= $0.0 }.map { ", which is in \($0.1)" }
    return "iat is \(text)\(unit ?? ""); \(expected)"
  }

  init?(_ value: JSONElement) {
    if let text = value.string {
      seconds = Int64(text).map(Double.init)
      fault = "iat is a string; Apple's documentation asks for a number"
    } else if let number = value.double {
      seconds = number
      if number != number.rounded() { fault = "iat is \(value.quote); Apple's documentation asks for whole seconds" }
    } else {
      return nil
    }
  }
}

/// A signature in one of the forms that libraries send.
struct Signature {
  var value: P256.Signing.ECDSASignature
  var fault: String?

  init?(_ bytes: Data) {
    let asked = "Apple's documentation asks for ES256, whose signature is two numbers of 32 bytes"
    switch bytes.count {
    case 64:
      guard let value = try? P256.Signing.ECDSASignature(rawRepresentation: bytes) else { return nil }
      self.value = value
    case 132:
      // Two numbers of 66 bytes are P-521's format [RFC 7518, 3.4]; numbers of P-256 begin with zeros there.
      let halves = [bytes.prefix(66), bytes.suffix(66)]
      guard halves.allSatisfy({ $0.prefix(34).allSatisfy { $0 == 0 } }),
        let value = try? P256.Signing.ECDSASignature(rawRepresentation: halves.map { $0.suffix(32) }.reduce(Data(), +))
      else { return nil }
      self.value = value
      fault = "the signature is two numbers of 66 bytes; \(asked)"
    default:
      guard let value = try? P256.Signing.ECDSASignature(derRepresentation: bytes) else { return nil }
      self.value = value
      fault = "the signature is DER; \(asked)"
    }
  }
}

/// Mistakes of programs that put a token together, each with its description.
enum TokenSlip {
  /// Returns the mistake in a token; nil if there is none.
  static func of(_ token: some Collection<UInt8>) -> String? {
    let begin = String(decoding: token.prefix(40), as: UTF8.self)
    let word = begin.lowercased()
    if word.hasPrefix("bearer ") { return "the word bearer stands twice before the token" }
    if begin.hasPrefix("b'") || begin.hasPrefix("b\"") {
      return "the token is in the form b'…', as Python prints bytes; decode it to text first"
    }
    if begin.hasPrefix("\"") || begin.hasPrefix("'") { return "the token is in quotation marks" }
    if begin.contains("BEGIN ") { return "the token is a key; the key signs the token, and is not sent" }
    if begin.hasPrefix("{") { return "the token is JSON; its parts are to be written in base64url" }
    if ["undefined", "null", "none", "nil", "nan", "[object object]", "[object promise]"].contains(word) {
      return "the token is '\(begin)': the program has none, or does not wait for it"
    }
    return nil
  }

  /// Describes a part in another kind of base64.
  static func padding(_ part: some Collection<UInt8>) -> String {
    let isOther = part.contains { [UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "/")].contains($0) }
    return isOther ? ": it is base64 with '+', '/' or '=', in place of which base64url has '-', '_' and nothing" : ""
  }

  /// Describes another scheme than `bearer`.
  static func scheme(_ scheme: some Collection<UInt8>) -> String {
    switch String(decoding: scheme.prefix(16), as: UTF8.self).lowercased() {
    case let word where word.hasPrefix("eyj"): ", because the word bearer is missing before it"
    case "basic": ", but a user and a password"
    case let word where word.hasPrefix("bearer:") || word.hasPrefix("bearer="):
      ", because bearer is followed by a blank"
    case let word where word.hasPrefix("key="): ", but a key of Firebase"
    case "bearer": ", only the word bearer"
    default: ""
    }
  }
}
