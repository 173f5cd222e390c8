import Crypto
import FoundationEssentials

/// User and password of basic authentication, over TLS [RFC 7617]. It has no description, so it cannot get into a log.
struct BasicCredential {
  var user: String
  /// The password in UTF-8.
  var password: [UInt8]

  /// - Parameter fields: the values of all `Authorization` fields.
  /// - Throws: 401 unless there is exactly one and it is well formed.
  init(_ fields: [String]) throws(PublishingRefusal) {
    guard let field = fields.first, fields.count == 1 else {
      throw PublishingRefusal(
        401, "Unauthorized",
        fields.isEmpty ? "user and password are missing: basic authentication" : "there are two Authorization fields")
    }
    let scheme = field.prefix { $0 != " " }
    let encoded = field.dropFirst(scheme.count).drop { $0 == " " }
    guard scheme.lowercased() == "basic", let decoded = Data(base64Encoded: String(encoded)),
      let colon = decoded.firstIndex(of: UInt8(ascii: ":")),
      let user = String(validating: decoded[..<colon], as: UTF8.self)
    else {
      throw PublishingRefusal(
        401, "Unauthorized", "the Authorization field is no basic authentication: Basic, and user:password in base64")
    }
    self.user = user
    password = Array(decoded[(colon + 1)...])
  }

  /// Returns the digest that is remembered. It reveals nothing about the credential without the key.
  func digest(_ key: SymmetricKey) -> HMAC<SHA256>.MAC { HMAC<SHA256>.authenticationCode(for: bytes, using: key) }

  /// Compares the credential with a digest, in constant time.
  func matches(_ digest: HMAC<SHA256>.MAC, _ key: SymmetricKey) -> Bool {
    HMAC<SHA256>.isValidAuthenticationCode(digest, authenticating: bytes, using: key)
  }

  private var bytes: [UInt8] { Array(user.utf8) + [UInt8(ascii: ":")] + password }
}
