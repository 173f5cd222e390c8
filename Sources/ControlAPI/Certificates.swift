import HTTPRoutes

/// The certificates of the installation.
public protocol CertificatesBackend: Sendable {
  /// The certificate authority's certificate as PEM.
  /// - Throws: `ControlError` 404 where a certificate of the user's own is shown.
  func certificateAuthority() async throws(ControlError) -> String
  /// Makes a new certificate authority, which every client must then be given.
  /// - Throws: `ControlError` 404 where a certificate of the user's own is shown, 507 where it cannot be written.
  func renewCertificateAuthority() async throws(ControlError) -> AuthorityReport

  /// The certificate that the push port shows.
  /// - Throws: `ControlError` 404 where it shows none.
  func certificate() async throws(ControlError) -> CertificateReport
}

/// What `POST /v1/ca` answers.
public struct AuthorityReport: Codable, Sendable, Equatable {
  /// The new certificate authority's certificate as PEM.
  public var certificate: String
  /// The files in which the one before is kept: its certificate, its private key.
  public var replaced: [String]

  public init(certificate: String, replaced: [String]) {
    self.certificate = certificate
    self.replaced = replaced
  }
}

/// What `GET /v1/certificate` answers.
public struct CertificateReport: Codable, Sendable, Equatable {
  /// As PEM, without those that lead from it to its authority.
  public var certificate: String
  /// Host names, the first part of which may be `*`, and addresses; in the certificate's order.
  public var names: [String]
  /// One of the names, for clients to connect by; nil where there is none.
  public var host: String?
  /// The file of a certificate of the user's own; nil where the daemon's authority issued it.
  public var file: String?
  /// For clients that pin the server's key: `sha256//` and the SHA-256 of its SubjectPublicKeyInfo in base64. Nil where
  /// the key is of no known kind, or the daemon is of an earlier version.
  public var pin: String?
  /// What a person should do about the authority, one text for each thing; nil for nothing.
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
