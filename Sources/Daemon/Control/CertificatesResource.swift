import HTTP
import ServerIdentity

public struct AuthorityReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "A new certificate authority."

  public var certificate: String
  public var replaced: [String]

  static let meanings: [String: Meaning] = [
    "certificate": "Its certificate as PEM.",
    "replaced": "The files in which the previous authority is kept: its certificate, its private key.",
  ]
}

public struct CertificateReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "The certificate of the push port."

  public var certificate: String
  public var names: [String]
  public var host: String?
  public var file: String?
  public var pin: String?
  public var notices: [String]?

  static let meanings: [String: Meaning] = [
    "certificate": "The certificate as PEM, without the chain to its authority.",
    "names": "Host names, the first part of which may be `*`, and addresses, in the certificate's order.",
    "host": "One of the names, for clients to connect by; absent if there is none.",
    "file": "The file of the user's own certificate; absent if the daemon's authority issued it.",
    "pin": Meaning(
      "For clients that pin the server's key: `sha256//` and the SHA-256 of its SubjectPublicKeyInfo in base64; "
        + "absent if the kind of key is unknown."),
    "notices": "Recommendations for the certificate authority, one text each; absent if there are none.",
  ]
}

struct CertificatesResource: Sendable {
  let tls: ServerTLS
  /// Renews the daemon's own certificate; nil if the user's own certificate is used.
  let renewal: CertificateRenewal?
  let machine: MachineAddress

  static let routes: [DaemonRoute] = [
    DaemonRoute(
      "GET", "/v1/ca", "certificateAuthority", in: .daemon, "The certificate authority's certificate",
      response: Operation.Answer(meaning: "PEM.", form: .text, type: "application/x-pem-file"), refusals: [404: ""]
    ) { daemon, _ in
      let pem = try await daemon.certificates.certificateAuthority()
      return HTTPResponse(contentType: "application/x-pem-file", bytes: Array(pem.utf8))
    },
    DaemonRoute(
      "POST", "/v1/ca", "renewCertificateAuthority", in: .daemon,
      "Create a new certificate authority; every client then needs its certificate",
      answer: "The new authority, in use from the next connection on.", refusals: [404: "", 507: ""]
    ) { daemon, _ in try await daemon.certificates.renewCertificateAuthority() },
    DaemonRoute(
      "GET", "/v1/certificate", "certificate", in: .daemon, "The certificate of the push port",
      answer: "The certificate.", refusals: [404: ""]
    ) { daemon, _ in try await daemon.certificates.certificate() },
  ]

  /// - Throws: `ControlError` 404 if the user's own certificate is used.
  func certificateAuthority() async throws(ControlError) -> String {
    guard let authority = tls.authorityPEM else { throw CertificatesResource.noAuthority }
    return authority
  }

  /// Makes a new certificate authority, which every client must then be given.
  /// - Throws: `ControlError` 404 if the user's own certificate is used, 507 if the new one cannot be written.
  func renewCertificateAuthority() async throws(ControlError) -> AuthorityReport {
    guard let renewal else { throw CertificatesResource.noAuthority }
    let renewed = try refusing(507, "there is no new certificate authority: ") { try renewal.renewAuthority() }
    return AuthorityReport(certificate: renewed.certificatePEM, replaced: renewed.replaced)
  }

  private static let noAuthority = ControlError(
    404, "the push port uses a certificate of your own, or is not running",
    hint: "deskbell state shows what is wrong")

  /// - Throws: `ControlError` 404 if it has none.
  func certificate() async throws(ControlError) -> CertificateReport {
    guard let certificate = tls.certificate else {
      throw ControlError(404, "the push port does not run", hint: "deskbell state shows what is wrong")
    }
    var report = CertificateReport(
      certificate: certificate.pem, names: certificate.names, host: certificate.host, file: certificate.file)
    // The daemon's own certificate covers every name of the machine.
    if certificate.file == nil, let host = await machine.reachable() { report.host = host }
    report.pin = certificate.pin
    if case .notable(let notices) = renewal?.standing { report.notices = notices }
    return report
  }

  func portIdentity() async throws(ControlError) -> PortIdentity {
    guard tls.ownCertificate == nil else { return PortIdentity(ownCertificate: try await certificate()) }
    return PortIdentity(trust: .authorities(pem: try await certificateAuthority()))
  }
}

extension ControlClient {
  public func certificateAuthority() async throws -> String {
    String(decoding: try await send("GET", "/v1/ca").body, as: UTF8.self)
  }

  public func renewCertificateAuthority() async throws -> AuthorityReport { try await send("POST", "/v1/ca") }

  public func certificate() async throws -> CertificateReport { try await get("/v1/certificate") }
}
