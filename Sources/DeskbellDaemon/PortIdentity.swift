import ControlAPI
import ProviderClient

/// How a client identifies the daemon's push port.
public struct PortIdentity: Equatable, Sendable {
  public let trust: ProviderConnection.Trust
  /// The one that the port shows, where it is the person's own. It need not name this machine as it names itself, and
  /// need not be signed by an authority that the system trusts, so it is compared as a whole.
  public let ownCertificate: CertificateReport?

  public init(trust: ProviderConnection.Trust) {
    self.trust = trust
    ownCertificate = nil
  }

  public init(ownCertificate: CertificateReport) {
    trust = .certificate(pem: ownCertificate.certificate)
    self.ownCertificate = ownCertificate
  }

  /// For command lines: the port under a name that the certificate has, where to connect instead of going by that name,
  /// and the file to trust. `curl` takes any certificate of a chain as one to trust.
  public func named(_ endpoint: Endpoint) -> (endpoint: Endpoint, connectingTo: Endpoint?, authorityFile: String?) {
    guard let ownCertificate else { return (endpoint, nil, nil) }
    let named = Endpoint(host: ownCertificate.host ?? endpoint.host, port: endpoint.port)
    return (named, named == endpoint ? nil : endpoint, ownCertificate.file)
  }
}
