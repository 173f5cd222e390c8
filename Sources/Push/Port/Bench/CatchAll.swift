import HandsetCore
import ServerIdentity
import SwiftASN1

/// The credentials of a bench that accepts every provider: its own key, whose tokens are verified, and every other
/// ES256 token and client certificate, unverified. A desk's port has no such credentials.
public struct CatchAll: Sendable {
  /// The name of the provider that has the bench's own key.
  public static let ownName = "bench"
  /// The beginning of the names of providers whose credential is unknown. No name that a user can choose has a blank.
  public static let unverified = "unverified "

  /// The provider that has the bench's own key.
  let own: Provider
  private let key: ProviderKey

  /// - Throws: `ProviderError` if an id is not 10 letters and digits; `KeyFileError` if the key is none.
  public init(teamID: String, keyID: String, key pem: String) throws {
    key = try ProviderKey(pem: pem)
    own = try Provider(
      anyAppOf: CatchAll.ownName,
      credential: .token(teamID: teamID, keyID: keyID, publicKey: key, environment: .both))
  }

  /// True if the provider sent a credential that could not be verified.
  public static func isUnverified(provider name: String?) -> Bool { name?.hasPrefix(unverified) == true }

  /// Returns the provider whose key has that name.
  /// - Returns: the bench's own, whose signature is checked; for every other key one that is not verified.
  func provider(for name: ProviderDirectory.KeyName) -> (provider: Provider, isVerified: Bool) {
    if case .token(name.teamID, name.keyID, _, _) = own.credential { return (own, true) }
    let unknown = try? Provider(
      anyAppOf: "\(CatchAll.unverified)\(name.teamID)/\(name.keyID)",
      credential: .token(teamID: name.teamID, keyID: name.keyID, publicKey: key, environment: .both))
    return (unknown ?? own, unknown == nil)
  }

  /// Returns the provider of a client certificate that no provider was added with.
  /// - Parameter certificate: its content; nil if it names no topics, so that it is good for any.
  func provider(
    for fingerprint: CertificateFingerprint, _ certificate: ProviderCertificate?
  ) -> Provider? {
    let name = "\(CatchAll.unverified)certificate \(fingerprint.description.prefix(8))"
    if let certificate { return try? Provider(name: name, topics: [], credential: .certificate(certificate)) }
    return try? Provider(anyAppOf: name, credential: own.credential)
  }

  /// Returns the provider of a message with an access key that no topic has, or without one.
  /// - Parameter topic: the name of a topic.
  func keyed(_ topic: String) -> KeyedProvider? {
    guard let app = AppID("home.\(topic)") else { return nil }
    let keyed = KeyedApp(key: AccessKey("\(CatchAll.unverified)\(topic)"), handset: nil)
    guard let provider = try? Provider(name: topic, topics: [app], credential: .topic(keyed)) else { return nil }
    return KeyedProvider(provider, keyed)
  }

  /// Returns the provider of a publisher of the 2008 service, whatever its password is.
  func publisher(_ user: String) -> Provider? {
    AppID(user).flatMap {
      try? Provider(
        name: "\(CatchAll.unverified)publisher \(user)", topics: [$0], credential: .password(.unmatchable))
    }
  }
}

extension ProviderCertificate {
  /// Reads a certificate of a TLS connection; nil if it names no topics.
  init?(der: some Sequence<UInt8>) {
    let pem = PEMDocument(type: "CERTIFICATE", derBytes: Array(der)).pemString
    guard let read = try? ProviderCertificate(pem: pem) else { return nil }
    self = read
  }
}
