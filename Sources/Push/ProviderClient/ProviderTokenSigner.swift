import Crypto
import FoundationEssentials
import HTTP
import Synchronization

/// A maker of bearer tokens with a team's key: JWTs signed with ES256 [APNs, RFC 7519, RFC 7518 3.4]. It makes a new
/// token only when the last has been used for 50 minutes: APNs refuses a token older than an hour, and a new one more
/// than once in 20 minutes.
public final class ProviderTokenSigner: Sendable {
  public static let lifetime: Duration = .seconds(50 * 60)
  /// Characters of a key ID and of a team ID.
  public static let identifierLength = 10

  private let key: P256.Signing.PrivateKey
  private let keyID: String
  private let teamID: String
  private let now: @Sendable () -> Int64
  private let last = Mutex<(token: String, issuedAt: Int64)?>(nil)

  /// - Parameters:
  ///   - pem: a P-256 private key, PKCS#8 as in Apple's `.p8` files, or SEC 1.
  ///   - now: seconds since 1970; the system's clock unless given.
  /// - Throws: `ProviderClientError.badKey`.
  public init(
    privateKeyPEM pem: String, keyID: String, teamID: String,
    now: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
  ) throws(ProviderClientError) {
    for (name, value) in [("key ID", keyID), ("team ID", teamID)] where value.count != Self.identifierLength {
      throw .badKey(
        reason: "the \(name) '\(value)' has \(value.count) characters, not \(Self.identifierLength); "
          + "copy it from where the key was made")
    }
    do {
      key = try P256.Signing.PrivateKey(pemRepresentation: pem)
    } catch {
      throw .badKey(reason: "this is no P-256 private key in PEM; give the .p8 file as it was downloaded")
    }
    self.keyID = keyID
    self.teamID = teamID
    self.now = now
  }

  /// Returns the token to send now, without the word `bearer`.
  /// - Throws: `ProviderClientError.badKey` if signing fails.
  public func bearer() throws(ProviderClientError) -> String {
    let now = now()
    return try last.withLock { last throws(ProviderClientError) in
      // A clock that was set back also makes the token too old: the server would see one from the future.
      if let last, now >= last.issuedAt, now - last.issuedAt < Self.lifetime.components.seconds { return last.token }
      let token = try sign(issuedAt: now)
      last = (token, now)
      return token
    }
  }

  /// Makes the next bearer a new one, unless `bearer` has been replaced already: many pushes are refused for one token.
  public func renew(insteadOf bearer: String) {
    last.withLock { if $0?.token == bearer { $0 = nil } }
  }

  private func sign(issuedAt: Int64) throws(ProviderClientError) -> String {
    do {
      let header = try JSONValue.object(["alg": "ES256", "kid": .string(keyID)]).encoded()
      let claims = try JSONValue.object(["iat": .integer(issuedAt), "iss": .string(teamID)]).encoded()
      let signed = base64URL(Data(header)) + "." + base64URL(Data(claims))
      let signature = try key.signature(for: Data(signed.utf8))
      return signed + "." + base64URL(signature.rawRepresentation)
    } catch {
      throw .badKey(reason: "signing failed: \(error)")
    }
  }
}
