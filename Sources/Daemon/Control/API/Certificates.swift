import HTTP

/// The certificates of the installation.
public protocol CertificatesBackend: Sendable {
  /// Returns the certificate authority's certificate as PEM.
  /// - Throws: `ControlError` 404 if the user's own certificate is used.
  func certificateAuthority() async throws(ControlError) -> String
  /// Makes a new certificate authority, which every client must then be given.
  /// - Throws: `ControlError` 404 if the user's own certificate is used, 507 if the new one cannot be written.
  func renewCertificateAuthority() async throws(ControlError) -> AuthorityReport

  /// Returns the push port's certificate.
  /// - Throws: `ControlError` 404 if it has none.
  func certificate() async throws(ControlError) -> CertificateReport
}

/// The answer to `POST /v1/ca`.
public struct AuthorityReport: Codable, Sendable, Equatable {
  /// The new certificate authority's certificate as PEM.
  public var certificate: String
  /// The files in which the previous authority is kept: its certificate, its private key.
  public var replaced: [String]

  public init(certificate: String, replaced: [String]) {
    self.certificate = certificate
    self.replaced = replaced
  }
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

  public init(certificate: String, names: [String], host: String?, file: String?) {
    self.certificate = certificate
    self.names = names
    self.host = host
    self.file = file
  }
}

enum CertificatesResource {
  static func routes(_ certificates: any CertificatesBackend) -> [Route] {
    [
      .control("GET", "/v1/ca") { _ in
        let pem = try await certificates.certificateAuthority()
        return HTTPResponse(contentType: "application/x-pem-file", bytes: Array(pem.utf8))
      },
      .control("POST", "/v1/ca") { _ in try .json(await certificates.renewCertificateAuthority()) },
      .control("GET", "/v1/certificate") { _ in try .json(await certificates.certificate()) },
    ]
  }
}
