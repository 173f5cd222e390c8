// TLS without asking anybody for a certificate: the appliance is its own authority. Its certificate is what a person
// gives to clients, so it is kept as long as it can be; the server's own is made anew whenever that is due.

import Crypto
import FoundationEssentials
import HandsetCore
import NIOSSL
import X509

/// The authority in a folder of its own (0700): `ca.pem`, `ca-key.pem`, `server.pem`, `server-key.pem`; keys are 0600.
public struct CertificateAuthority: Sendable {
  /// The authority's certificate as PEM: what clients are to trust.
  public let certificatePEM: String
  /// What the server presents.
  public let identity: TLSIdentity
  /// What had to be made by this call.
  public let made: Made
  /// When `loadOrCreate` should be called again, to renew the server's certificate.
  public let renewAt: WallTime

  public enum Made: Hashable, Sendable {
    case nothing
    case serverCertificate
    /// Both: clients must be given the new authority.
    case authority
  }

  /// How long an authority is valid.
  public static let authorityLifetime: Duration = .seconds(10 * 365 * 86_400)
  /// How far ahead a server certificate is valid.
  public static let serverLifetime: Duration = .seconds(397 * 86_400)
  /// How long before its end it is renewed.
  public static let renewalLead: Duration = .seconds(30 * 86_400)
  /// 2020-01-01: certificates are valid from long before they are made, because a board without a battery clock makes
  /// them at a time that is not the real one.
  public static let notBefore = WallTime(seconds: 1_577_836_800)
  /// 2026-01-01: no clock that shows an earlier time is right.
  public static let earliestPlausibleTime = WallTime(seconds: 1_767_225_600)

  /// Reads the authority and the server's certificate, and makes what is missing, has expired or is about to, or does
  /// not cover `names`. An authority that is still valid is never replaced.
  ///
  /// - Parameters:
  ///   - directory: made where it is missing; its parent must exist.
  ///   - now: on the machine's clock.
  /// - Throws: `CertificateAuthorityError`.
  public static func loadOrCreate(
    in directory: String, now: WallTime, names: CertificateNames
  ) throws -> CertificateAuthority {
    let folder = PrivateFolder(path: directory)
    try folder.create()
    var made = Made.nothing
    let authority: Pair
    if let stored = try loadAuthority(folder), now < WallTime(stored.certificate.notValidAfter) {
      authority = stored
    } else {
      authority = try makeAuthority(now: now)
      try folder.write(authority, "ca")
      made = .authority
    }
    var server = made == .authority ? nil : load(folder, "server")
    if let stored = server, !isGood(stored, authority: authority, now: now, names: names) { server = nil }
    let current: Pair
    if let server {
      current = server
    } else {
      current = try makeServer(authority: authority, now: now, names: names)
      try folder.write(current, "server")
      if made == .nothing { made = .serverCertificate }
    }
    return CertificateAuthority(
      certificatePEM: try authority.certificate.serializeAsPEM().pemString + "\n",
      identity: TLSIdentity(
        chain: try NIOSSLCertificate.fromPEMBytes(Array(current.certificate.serializeAsPEM().pemString.utf8)),
        key: try NIOSSLPrivateKey(bytes: Array(current.key.pemRepresentation.utf8), format: .pem)),
      made: made,
      renewAt: renewalTime(of: current.certificate, by: authority.certificate))
  }

  /// A certificate and its key.
  fileprivate struct Pair {
    var certificate: Certificate
    var key: P256.Signing.PrivateKey

    var belongTogether: Bool { certificate.publicKey == Certificate.PublicKey(key.publicKey) }
  }

  /// A certificate that ends with its authority cannot be prolonged before that ends.
  private static func renewalTime(of server: Certificate, by authority: Certificate) -> WallTime {
    let end = WallTime(server.notValidAfter)
    return server.notValidAfter < authority.notValidAfter ? end.advanced(by: .zero - renewalLead) : end
  }

  private static func isGood(_ server: Pair, authority: Pair, now: WallTime, names: CertificateNames) -> Bool {
    guard server.belongTogether, now < renewalTime(of: server.certificate, by: authority.certificate),
      authority.certificate.publicKey.isValidSignature(server.certificate.signature, for: server.certificate),
      let covered = try? CertificateNames(server.certificate)
    else { return false }
    return names.isSubset(of: covered)
  }

  /// Nil where there is none, or the making of the first was interrupted.
  private static func loadAuthority(_ folder: PrivateFolder) throws -> Pair? {
    guard folder.contains("ca.pem") else { return nil }
    guard let pair = load(folder, "ca") else {
      throw CertificateAuthorityError(
        file: folder.file("ca.pem"),
        problem: "it or ca-key.pem cannot be read as PEM of a P-256 key; restore both, or remove both to have new ones"
          + " made, which all clients must then be given")
    }
    guard pair.belongTogether else {
      throw CertificateAuthorityError(
        file: folder.file("ca-key.pem"),
        problem: "is not the key of ca.pem; restore both, or remove both to have new ones made, which all clients must"
          + " then be given")
    }
    return pair
  }

  private static func load(_ folder: PrivateFolder, _ name: String) -> Pair? {
    guard let certificatePEM = folder.read("\(name).pem"), let keyPEM = folder.read("\(name)-key.pem"),
      let certificate = try? Certificate(pemEncoded: certificatePEM),
      let key = try? P256.Signing.PrivateKey(pemRepresentation: keyPEM)
    else { return nil }
    return Pair(certificate: certificate, key: key)
  }

  private static func makeAuthority(now: WallTime) throws -> Pair {
    let key = P256.Signing.PrivateKey()
    let publicKey = Certificate.PublicKey(key.publicKey)
    let name = try DistinguishedName {
      OrganizationName("Deskbell")
      // So that two authorities in one trust store can be told apart.
      CommonName("Deskbell authority \(shortName(of: key.publicKey))")
    }
    let certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey,
      notValidBefore: notBefore.date, notValidAfter: plausible(now).advanced(by: authorityLifetime).date,
      issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
        Critical(KeyUsage(keyCertSign: true, cRLSign: true))
        SubjectKeyIdentifier(hash: publicKey)
      },
      issuerPrivateKey: Certificate.PrivateKey(key))
    return Pair(certificate: certificate, key: key)
  }

  private static func makeServer(authority: Pair, now: WallTime, names: CertificateNames) throws -> Pair {
    let key = P256.Signing.PrivateKey()
    let publicKey = Certificate.PublicKey(key.publicKey)
    let end = min(plausible(now).advanced(by: serverLifetime), WallTime(authority.certificate.notValidAfter))
    let alternatives =
      names.hosts.sorted().map { GeneralName.dnsName($0) }
      + names.addresses.sorted { $0.lexicographicallyPrecedes($1) }.map {
        GeneralName.ipAddress(.init(contentBytes: $0[...]))
      }
    let certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey,
      notValidBefore: notBefore.date, notValidAfter: end.date,
      issuer: authority.certificate.subject,
      subject: try DistinguishedName { CommonName("Deskbell") }, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        Critical(KeyUsage(digitalSignature: true))
        try ExtendedKeyUsage([.serverAuth])
        SubjectAlternativeNames(alternatives)
        SubjectKeyIdentifier(hash: publicKey)
        AuthorityKeyIdentifier(
          keyIdentifier: try authority.certificate.extensions.subjectKeyIdentifier?.keyIdentifier)
      },
      issuerPrivateKey: Certificate.PrivateKey(authority.key))
    return Pair(certificate: certificate, key: key)
  }

  private static func plausible(_ now: WallTime) -> WallTime { max(now, earliestPlausibleTime) }

  private static func shortName(of key: P256.Signing.PublicKey) -> String {
    SHA256.hash(data: key.x963Representation).prefix(4).map { byte in
      let text = String(byte, radix: 16)
      return text.utf8.count == 1 ? "0" + text : text
    }.joined()
  }
}

/// Why there is no certificate to present.
public struct CertificateAuthorityError: Error, Hashable, CustomStringConvertible {
  public var file: String
  public var problem: String

  public var description: String { "\(file): \(problem)" }
}

extension PrivateFolder {
  /// The key first: a certificate without its key would be a dead end.
  fileprivate func write(_ pair: CertificateAuthority.Pair, _ name: String) throws {
    try write(pair.key.pemRepresentation + "\n", to: "\(name)-key.pem", mode: 0o600)
    try write(try pair.certificate.serializeAsPEM().pemString + "\n", to: "\(name).pem", mode: 0o644)
  }
}

extension CertificateNames {
  /// What `certificate` covers.
  init(_ certificate: Certificate) throws {
    hosts = []
    addresses = []
    for name in try certificate.extensions.subjectAlternativeNames ?? SubjectAlternativeNames() {
      switch name {
      case .dnsName(let host): hosts.insert(host)
      case .ipAddress(let address): addresses.insert(Array(address.bytes))
      default: break
      }
    }
  }
}

extension WallTime {
  init(_ date: Date) {
    self.init(microseconds: Int64(date.timeIntervalSince1970 * 1_000_000))
  }

  fileprivate var date: Date {
    Date(timeIntervalSince1970: Double(microseconds / 1_000_000))
  }
}
