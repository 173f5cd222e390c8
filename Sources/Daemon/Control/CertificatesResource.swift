import HTTPRoutes
import ServerIdentity

/// The answer to `POST /v1/ca`.
public struct AuthorityReport: Codable, Sendable, Equatable {
  /// The new certificate authority's certificate as PEM.
  public var certificate: String
  /// The files in which the previous authority is kept: its certificate, its private key.
  public var replaced: [String]
}

/// The answer to `GET /v1/certificate`.
public struct CertificateReport: Codable, Sendable, Equatable {
  /// The certificate as PEM, without the chain to its authority.
  public var certificate: String
  /// Host names, the first part of which may be `*`, and addresses, in the certificate's order.
  public var names: [String]
  /// One of the names, for clients to connect by; nil if there is none.
  public var host: String?
  /// The file of the user's own certificate; nil if the daemon's authority issued it.
  public var file: String?
  /// For clients that pin the server's key: `sha256//` and the SHA-256 of its SubjectPublicKeyInfo in base64. Nil if
  /// the kind of key is unknown, or the daemon is of an earlier version.
  public var pin: String?
  /// Recommendations for the authority, one text each; nil for none.
  public var notices: [String]?
}

/// The certificates of the installation.
struct CertificatesResource: Sendable {
  let tls: ServerTLS
  /// Renews the daemon's own certificate; nil if the user's own certificate is used.
  let renewal: CertificateRenewal?
  let machine: MachineAddress

  var routes: [Route] {
    [
      .control("GET", "/v1/ca") { _ in
        let pem = try await certificateAuthority()
        return HTTPResponse(contentType: "application/x-pem-file", bytes: Array(pem.utf8))
      },
      .control("POST", "/v1/ca") { _ in try .json(await renewCertificateAuthority()) },
      .control("GET", "/v1/certificate") { _ in try .json(await certificate()) },
    ]
  }

  /// Returns the certificate authority's certificate as PEM.
  /// - Throws: `ControlError` 404 if the user's own certificate is used.
  func certificateAuthority() async throws(ControlError) -> String {
    guard let authority = tls.authorityPEM else { throw CertificatesResource.noAuthority }
    return authority
  }

  /// Makes a new certificate authority, which every client must then be given.
  /// - Throws: `ControlError` 404 if the user's own certificate is used, 507 if the new one cannot be written.
  func renewCertificateAuthority() async throws(ControlError) -> AuthorityReport {
    guard let renewal else { throw CertificatesResource.noAuthority }
    do {
      let renewed = try renewal.renewAuthority()
      return AuthorityReport(certificate: renewed.certificatePEM, replaced: renewed.replaced)
    } catch {
      throw ControlError(507, "there is no new certificate authority: \(error)")
    }
  }

  private static let noAuthority = ControlError(
    404, "the push gateway uses a certificate of your own, or is not running",
    hint: "deskbell state shows what is wrong")

  /// Returns the push port's certificate.
  /// - Throws: `ControlError` 404 if it has none.
  func certificate() async throws(ControlError) -> CertificateReport {
    guard let certificate = tls.certificate else {
      throw ControlError(404, "the push gateway does not run", hint: "deskbell state shows what is wrong")
    }
    var report = CertificateReport(
      certificate: certificate.pem, names: certificate.names, host: certificate.host, file: certificate.file)
    // The daemon's own certificate covers every name of the machine.
    if certificate.file == nil, let host = await machine.reachable() { report.host = host }
    report.pin = certificate.pin
    if case .notable(let notices) = renewal?.standing { report.notices = notices }
    return report
  }

  /// Returns the means by which a client on this machine identifies the port.
  func portIdentity() async throws(ControlError) -> PortIdentity {
    guard tls.ownCertificate == nil else { return PortIdentity(ownCertificate: try await certificate()) }
    return PortIdentity(trust: .authorities(pem: try await certificateAuthority()))
  }
}

extension ControlClient {
  /// Returns the certificate authority's certificate as PEM.
  public func certificateAuthority() async throws -> String {
    String(decoding: try await send("GET", "/v1/ca").body, as: UTF8.self)
  }

  /// Makes a new authority.
  public func renewCertificateAuthority() async throws -> AuthorityReport { try await send("POST", "/v1/ca") }

  public func certificate() async throws -> CertificateReport { try await get("/v1/certificate") }
}
