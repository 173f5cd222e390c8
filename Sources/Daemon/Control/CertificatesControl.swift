import ControlAPI
import ServerIdentity

/// The certificates in the control API.
final class CertificatesControl: CertificatesBackend {
  private let tls: ServerTLS
  /// Renews the daemon's own certificate; nil if the user's own certificate is used.
  private let renewal: CertificateRenewal?
  private let machine: MachineAddress

  init(tls: ServerTLS, renewal: CertificateRenewal?, machine: MachineAddress) {
    self.tls = tls
    self.renewal = renewal
    self.machine = machine
  }

  func certificateAuthority() async throws(ControlError) -> String {
    guard let authority = tls.authorityPEM else { throw CertificatesControl.noAuthority }
    return authority
  }

  func renewCertificateAuthority() async throws(ControlError) -> AuthorityReport {
    guard let renewal else { throw CertificatesControl.noAuthority }
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
