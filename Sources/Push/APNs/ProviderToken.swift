import Crypto
import FoundationEssentials
import HandsetCore

/// A parsed provider token: the JSON Web Token with which a provider authenticates. Nothing in it can be trusted before
/// `isSigned(by:)`. Only the names that APNs uses are read. Apple's service accepts more forms of them than its
/// documentation describes, and client libraries depend on that.
struct ProviderToken {
  let name: ProviderDirectory.KeyName
  let issuedAt: WallTime
  /// Differences from Apple's documentation that Apple's service accepts.
  let faults: [PayloadFault]
  /// Header and claims as they were signed, with the dot between them.
  private let signedBytes: [UInt8]
  private let signature: P256.Signing.ECDSASignature
  private let hash: Hash

  /// The digest that is signed. Both use a key of the curve P-256.
  private enum Hash: String {
    case sha256 = "ES256"
    case sha512 = "ES512"
  }

  /// The names in the header and in the claims, both read in either, so that a misplaced one is reported.
  private enum Key: String, CaseIterable {
    case alg, kid, iss
    /// A NumericDate [RFC 7519, 2]: seconds since 1970, perhaps with a fraction.
    case iat
    /// Extensions that must be understood [RFC 7515, 4.1.11]; none is supported.
    case crit
  }

  private static let names = JSONNames<Key>()

  /// - Throws: `InvalidProviderToken` if the token is malformed.
  init(_ token: some Collection<UInt8>, limits: PortLimits) throws(APNsRefusal) {
    guard token.count <= limits.providerTokenBytes else {
      throw .invalid("the token is longer than \(limits.providerTokenBytes) bytes")
    }
    if let slip = TokenSlip.of(token) { throw .invalid(slip) }
    let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else {
      throw .invalid("the token has \(parts.count) parts; a JSON Web Token has 3, separated by dots")
    }
    let header = try ProviderToken.read(parts[0], "header", limits) { object in
      let members = object.members(ProviderToken.names).known
      return (
        alg: members[.alg]?.string, kid: members[.kid]?.string, iss: members[.iss]?.string,
        hasTime: members[.iat] != nil,
        hasExtensions: members[.crit].map { !$0.isNull } ?? false
      )
    }
    let claims = try ProviderToken.read(parts[1], "claims", limits) { object in
      let members = object.members(ProviderToken.names).known
      return (
        iss: members[.iss]?.string, kid: members[.kid]?.string, iat: members[.iat].flatMap(IssuedAt.init),
        time: members[.iat].map(\.quote)
      )
    }
    guard let hash = header.alg.flatMap(Hash.init(rawValue:)) else {
      throw .invalid("alg is \(quoted(header.alg)); APNs takes ES256")
    }
    guard !header.hasExtensions else { throw .invalid("crit names extensions that are not known") }
    guard let keyID = header.kid, Provider.isIdentifier(keyID) else {
      throw .invalid(
        header.kid == nil && claims.kid != nil
          ? "kid is in the claims, and belongs in the token's header"
          : "kid is \(quoted(header.kid)); it is the key's id of 10 letters and digits")
    }
    guard let teamID = claims.iss, Provider.isIdentifier(teamID) else {
      throw .invalid(
        claims.iss == nil && header.iss != nil
          ? "iss is in the header, and belongs in the token's claims"
          : "iss is \(quoted(claims.iss)); it is the team's id of 10 letters and digits")
    }
    guard let issuedAt = claims.iat?.seconds, issuedAt >= 0, issuedAt < IssuedAt.limit else {
      if claims.time == nil && header.hasTime {
        throw .invalid("iat is in the header, and belongs in the token's claims")
      }
      throw .invalid(IssuedAt.fault(of: claims.iat?.seconds, claims.time))
    }
    guard !parts[2].isEmpty else { throw .invalid("the token has no signature behind its second dot") }
    guard let bytes = base64URLDecoded(parts[2]), let signature = Signature(bytes) else {
      let isHex = parts[2].count == 128 && String(decoding: parts[2], as: UTF8.self).allSatisfy(\.isHexDigit)
      throw .invalid(
        "the signature is neither the 64 bytes of ES256 nor DER, in base64url"
          + (isHex ? "; it is in hexadecimal digits" : TokenSlip.padding(parts[2])))
    }
    name = ProviderDirectory.KeyName(teamID: teamID, keyID: keyID)
    self.issuedAt = WallTime(microseconds: Int64(issuedAt * 1_000_000))
    self.signature = signature.value
    self.hash = hash
    faults = [
      hash == .sha256 ? nil : "alg is \(hash.rawValue); Apple's documentation asks for ES256",
      claims.iat?.fault,
      signature.fault,
    ].compactMap { $0.map { PayloadFault(path: "authorization", problem: $0) } }
    self.signedBytes = Array(token.prefix(parts[0].count + 1 + parts[1].count))
  }

  /// Returns the token behind `bearer` in `authorization`.
  ///
  /// - Throws: `MissingProviderToken` if there is none.
  static func bearer(_ authorization: String?) throws(APNsRefusal) -> Substring.UTF8View {
    guard let authorization else {
      throw APNsRefusal(.missingProviderToken, "no authorization header; expected: bearer and a provider token")
    }
    let scheme = authorization.utf8.prefix { $0 != UInt8(ascii: " ") }
    let token = authorization.utf8[scheme.endIndex...].drop { $0 == UInt8(ascii: " ") }
    guard Substring(scheme).lowercased() == "bearer", !token.isEmpty else {
      throw APNsRefusal(
        .missingProviderToken,
        "the authorization header holds no provider token\(TokenSlip.scheme(scheme)); expected: bearer and a provider token"
      )
    }
    return token
  }

  func isSigned(by key: ProviderKey) -> Bool {
    switch hash {
    case .sha256: key.key.isValidSignature(signature, for: SHA256.hash(data: signedBytes))
    case .sha512: key.key.isValidSignature(signature, for: SHA512.hash(data: signedBytes))
    }
  }

  /// Checks that a token of that time is valid now: not older than `tokenAge`, not further ahead than `tokenLead`.
  ///
  /// - Parameter clockIsSynchronised: a system call, made only if the answer matters.
  static func checkAge(
    issuedAt: WallTime, now: WallTime, clockIsSynchronised: () -> Bool, limits: PortLimits
  ) throws(APNsRefusal) {
    let (age, overflow) = now.microseconds.subtractingReportingOverflow(issuedAt.microseconds)
    let seconds = overflow ? Int64.max : age / 1_000_000
    if overflow || age > limits.tokenAge.inMicroseconds {
      let allowed = limits.tokenAge.inMicroseconds / 1_000_000
      throw APNsRefusal(
        .expiredProviderToken,
        "iat is \(grouped(seconds)) s old; at most \(grouped(allowed)) s are allowed")
    }
    if age < -limits.tokenLead.inMicroseconds && clockIsSynchronised() {
      let allowed = limits.tokenLead.inMicroseconds / 1_000_000
      throw .invalid("iat is \(grouped(-seconds)) s ahead; at most \(grouped(allowed)) s are allowed")
    }
  }

  private static func read<Result>(
    _ part: some Collection<UInt8>, _ name: String, _ limits: PortLimits, _ body: (JSONObject) -> Result
  ) throws(APNsRefusal) -> Result {
    guard let json = base64URLDecoded(part) else {
      throw .invalid("the token's \(name) is not base64url\(TokenSlip.padding(part))")
    }
    do throws(MalformedJSON) {
      return try JSONObject.read(Array(json), depth: limits.payloadDepth, body)
    } catch {
      throw .invalid("the token's \(name) is not the JSON object that was expected")
    }
  }
}

/// `iat` in one of the forms that libraries send.
private struct IssuedAt {
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
private struct Signature {
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
private enum TokenSlip {
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

/// Decodes base64 with `-` and `_` and without padding [RFC 7515, 2].
func base64URLDecoded(_ text: some Collection<UInt8>) -> Data? {
  guard !text.contains(where: { "+/=".utf8.contains($0) }) else { return nil }
  let base64 = text.map { byte in
    byte == UInt8(ascii: "-") ? UInt8(ascii: "+") : byte == UInt8(ascii: "_") ? UInt8(ascii: "/") : byte
  }
  let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - base64.count % 4) % 4)
  return Data(base64Encoded: Data(base64 + padding))
}

/// Formats 3700 as `3,700`.
func grouped(_ number: Int64) -> String {
  var digits = String(number.magnitude)
  for place in stride(from: digits.count - 3, to: 0, by: -3) {
    digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
  }
  return (number < 0 ? "-" : "") + digits
}
