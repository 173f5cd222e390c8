// The JSON Web Token by which a provider shows who it is. Only what APNs takes is read: ES256, `kid`, `iss`, `iat`.

import Crypto
import FoundationEssentials
import HandsetCore

/// A provider token, taken apart. Nothing in it is to be believed before `isSigned(by:)`.
struct ProviderToken {
  let keyID: String
  let teamID: String
  let issuedAt: WallTime
  /// Header and claims as they were signed, with the dot between them.
  private let signedBytes: [UInt8]
  private let signature: P256.Signing.ECDSASignature

  private struct Header: Decodable {
    var alg: String?
    var kid: String?
    /// Extensions that must be understood [RFC 7515, 4.1.11]; none is.
    var crit: [String]?
  }

  private struct Claims: Decodable {
    var iss: String?
    /// A NumericDate [RFC 7519, 2]: seconds since 1970, perhaps with a fraction.
    var iat: Double?
  }

  /// - Throws: `InvalidProviderToken` where it has not the form of one.
  init(_ token: some Collection<UInt8>, limits: GatewayLimits) throws(APNsRefusal) {
    guard token.count <= limits.providerTokenBytes else {
      throw .invalid("the token is longer than \(limits.providerTokenBytes) bytes")
    }
    let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else {
      throw .invalid("the token has \(parts.count) parts; a JSON Web Token has 3, separated by dots")
    }
    let header: Header = try ProviderToken.decode(parts[0], "header")
    let claims: Claims = try ProviderToken.decode(parts[1], "claims")
    guard header.alg == "ES256" else {
      throw .invalid("alg is \(quoted(header.alg)); APNs takes ES256 only")
    }
    guard header.crit == nil else { throw .invalid("crit names extensions that are not known") }
    guard let keyID = header.kid, Provider.isIdentifier(keyID) else {
      throw .invalid("kid is \(quoted(header.kid)); it is the key's id of 10 letters and digits")
    }
    guard let teamID = claims.iss, Provider.isIdentifier(teamID) else {
      throw .invalid("iss is \(quoted(claims.iss)); it is the team's id of 10 letters and digits")
    }
    guard let issuedAt = claims.iat, issuedAt >= 0, issuedAt < 253_402_300_800 else {
      throw .invalid("iat is missing, or no number of seconds since 1970")
    }
    guard let raw = base64URLDecoded(parts[2]),
      let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw)
    else {
      throw .invalid("the signature is not the 64 bytes of ES256 in base64url")
    }
    self.keyID = keyID
    self.teamID = teamID
    self.issuedAt = WallTime(microseconds: Int64(issuedAt * 1_000_000))
    self.signature = signature
    self.signedBytes = Array(token.prefix(parts[0].count + 1 + parts[1].count))
  }

  /// What follows `bearer` in `authorization`.
  ///
  /// - Throws: `MissingProviderToken` where nothing does.
  static func bearer(_ authorization: String?) throws(APNsRefusal) -> Substring.UTF8View {
    guard let authorization else {
      throw APNsRefusal(.missingProviderToken, "no authorization header; expected: bearer and a provider token")
    }
    let scheme = authorization.prefix { $0 != " " }
    let token = authorization.dropFirst(scheme.count).drop { $0 == " " }
    guard scheme.lowercased() == "bearer", !token.isEmpty else {
      throw APNsRefusal(
        .missingProviderToken, "the authorization header holds no provider token; expected: bearer and a provider token"
      )
    }
    return token.utf8
  }

  func isSigned(by key: ProviderKey) -> Bool {
    key.key.isValidSignature(signature, for: signedBytes)
  }

  /// Whether a token of that time is good now: not older than `tokenAge`, not further ahead than `tokenLead`.
  static func checkAge(
    issuedAt: WallTime, now: WallTime, clockIsSynchronised: Bool, limits: GatewayLimits
  ) throws(APNsRefusal) {
    let (age, overflow) = now.microseconds.subtractingReportingOverflow(issuedAt.microseconds)
    let seconds = overflow ? Int64.max : age / 1_000_000
    if overflow || age > limits.tokenAge.inMicroseconds {
      let allowed = limits.tokenAge.inMicroseconds / 1_000_000
      throw APNsRefusal(
        .expiredProviderToken,
        "iat is \(grouped(seconds)) s old; at most \(grouped(allowed)) s are allowed")
    }
    if -age > limits.tokenLead.inMicroseconds && clockIsSynchronised {
      let allowed = limits.tokenLead.inMicroseconds / 1_000_000
      throw .invalid("iat is \(grouped(-seconds)) s ahead; at most \(grouped(allowed)) s are allowed")
    }
  }

  private static func decode<Part: Decodable>(
    _ part: some Collection<UInt8>, _ name: String
  ) throws(APNsRefusal) -> Part {
    guard let json = base64URLDecoded(part) else { throw .invalid("the token's \(name) is not base64url") }
    do {
      return try JSONDecoder().decode(Part.self, from: json)
    } catch {
      throw .invalid("the token's \(name) is not the JSON object that was expected")
    }
  }
}

extension APNsRefusal {
  fileprivate static func invalid(_ detail: String) -> APNsRefusal { APNsRefusal(.invalidProviderToken, detail) }
}

/// Base64 with `-` and `_` and without padding [RFC 7515, 2].
private func base64URLDecoded(_ text: some Collection<UInt8>) -> Data? {
  var base64 = Data(capacity: text.count + 3)
  for byte in text {
    switch byte {
    case UInt8(ascii: "-"): base64.append(UInt8(ascii: "+"))
    case UInt8(ascii: "_"): base64.append(UInt8(ascii: "/"))
    case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
    default: base64.append(byte)
    }
  }
  while base64.count % 4 != 0 { base64.append(UInt8(ascii: "=")) }
  return Data(base64Encoded: base64)
}

/// 3700 as `3,700`.
func grouped(_ number: Int64) -> String {
  var digits = String(number.magnitude)
  var groups: [String] = []
  while digits.count > 3 {
    groups.insert(String(digits.suffix(3)), at: 0)
    digits.removeLast(3)
  }
  groups.insert(digits, at: 0)
  return (number < 0 ? "-" : "") + groups.joined(separator: ",")
}
