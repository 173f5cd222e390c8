import Crypto
import FoundationEssentials
import HandsetCore
import X509

/// A certificate and its P-256 key.
public struct CertifiedKey: Sendable {
  var certificate: Certificate
  var key: P256.Signing.PrivateKey

  init(certificate: Certificate, key: P256.Signing.PrivateKey) {
    self.certificate = certificate
    self.key = key
  }

  public init?(certificatePEM: String, keyPEM: String) {
    guard let certificate = try? Certificate(pemEncoded: certificatePEM),
      let key = try? P256.Signing.PrivateKey(pemRepresentation: keyPEM)
    else { return nil }
    self.init(certificate: certificate, key: key)
  }

  public var certificatePEM: String {
    get throws { try certificate.serializeAsPEM().pemString + "\n" }
  }

  public var keyPEM: String { key.pemRepresentation + "\n" }

  public var end: WallTime { WallTime(certificate.notValidAfter) }

  public var belongTogether: Bool { certificate.publicKey == Certificate.PublicKey(key.publicKey) }

  /// Returns true if this authority has issued `other`, and `other` has its own key.
  public func issued(_ other: CertifiedKey) -> Bool {
    other.belongTogether && certificate.publicKey.isValidSignature(other.certificate.signature, for: other.certificate)
  }

  public func covers(_ names: CertificateNames) -> Bool {
    (try? CertificateNames(certificate.alternativeNames)).map(names.isSubset) ?? false
  }

  /// Returns those of `names` that this authority may not certify.
  public func hostsNotPermitted(of names: CertificateNames) throws -> [String] {
    guard let constraints = try certificate.extensions.nameConstraints else { return [] }
    return names.hosts.filter { !constraints.permit($0) }.sorted()
  }

  /// Makes an authority for servers with these names and the names below them.
  /// - Parameters:
  ///   - title: the beginning of its common name; the rest distinguishes two authorities in one trust store.
  ///   - isClientToo: true if each of several servers is a client of the others.
  public static func authority(
    title: String = "Deskbell authority", for names: CertificateNames, isClientToo: Bool = false, begin: WallTime,
    end: WallTime
  ) throws -> CertifiedKey {
    let key = P256.Signing.PrivateKey()
    let publicKey = Certificate.PublicKey(key.publicKey)
    let digest = SHA256.hash(data: key.publicKey.x963Representation)
    let name = try DistinguishedName {
      OrganizationName("Deskbell")
      CommonName("\(title) \(Hex.text(Array(digest.prefix(4))))")
    }
    let certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey,
      notValidBefore: begin.date, notValidAfter: end.date,
      issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
        Critical(KeyUsage(keyCertSign: true, cRLSign: true))
        Critical(NameConstraints(for: names))
        try ExtendedKeyUsage([ExtendedKeyUsage.Usage.serverAuth] + (isClientToo ? [.clientAuth] : []))
        SubjectKeyIdentifier(hash: publicKey)
      },
      issuerPrivateKey: Certificate.PrivateKey(key))
    return CertifiedKey(certificate: certificate, key: key)
  }

  /// Issues a server's certificate by this authority.
  /// - Parameter previous: the certificate that it replaces. Its key stays, because clients may have pinned it.
  public func issue(
    title: String = "Deskbell", for names: CertificateNames, isClientToo: Bool = false, begin: WallTime, end: WallTime,
    replacing previous: CertifiedKey? = nil
  ) throws -> CertifiedKey {
    let issued = previous?.key ?? P256.Signing.PrivateKey()
    let publicKey = Certificate.PublicKey(issued.publicKey)
    let alternatives =
      names.hosts.sorted().map { GeneralName.dnsName($0) }
      + names.addresses.sorted { $0.lexicographicallyPrecedes($1) }.map {
        GeneralName.ipAddress(.init(contentBytes: $0[...]))
      }
    let certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey,
      notValidBefore: begin.date, notValidAfter: end.date,
      issuer: self.certificate.subject,
      subject: try DistinguishedName { CommonName(title) }, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        Critical(KeyUsage(digitalSignature: true))
        try ExtendedKeyUsage([ExtendedKeyUsage.Usage.serverAuth] + (isClientToo ? [.clientAuth] : []))
        SubjectAlternativeNames(alternatives)
        SubjectKeyIdentifier(hash: publicKey)
        AuthorityKeyIdentifier(
          keyIdentifier: try self.certificate.extensions.subjectKeyIdentifier?.keyIdentifier)
      },
      issuerPrivateKey: Certificate.PrivateKey(key))
    return CertifiedKey(certificate: certificate, key: issued)
  }
}

extension WallTime {
  package init(_ date: Date) {
    self.init(microseconds: Int64(date.timeIntervalSince1970 * 1_000_000))
  }

  var date: Date {
    Date(timeIntervalSince1970: Double(microseconds / 1_000_000))
  }
}

// An authority that clients trust could certify any server on the internet. Its certificate therefore lists the names
// that it may certify, so that a stolen key is worthless elsewhere for clients that check this [RFC 5280, 4.2.1.10]. It
// does not limit addresses: BoringSSL, which Swift's clients and our own use, refuses every certificate with an address
// under an authority that has such limits.
extension NameConstraints {
  /// Permits the names of one server, and the names announced in the local network, each with all names below it.
  init(for names: CertificateNames) {
    let hosts = Set(names.hosts.map(NameConstraints.domain)).union(["localhost", "local"])
    // A name below another one in the list is redundant.
    let domains = hosts.filter { host in !hosts.contains { host != $0 && host.hasSuffix(".\($0)") } }
    self.init(permittedDNSDomains: domains.sorted())
  }

  func permit(_ host: String) -> Bool {
    let domain = NameConstraints.domain(host)
    return permittedDNSDomains.contains { domain == $0.lowercased() || domain.hasSuffix(".\($0.lowercased())") }
  }

  /// Returns the domain of a wildcard, with which the wildcard is permitted; any other host as it is.
  private static func domain(_ host: String) -> String { host.hasPrefix("*.") ? String(host.dropFirst(2)) : host }
}
