import ProviderClient

/// The means by which a client identifies the daemon's push port.
public struct PortIdentity: Equatable, Sendable {
  public let trust: ProviderConnection.Trust
  /// The port's certificate, if it is the user's own. It need not contain this machine's own name, or be signed by an
  /// authority that the system trusts, so it is compared as a whole.
  public let ownCertificate: CertificateReport?

  public init(trust: ProviderConnection.Trust) {
    self.trust = trust
    ownCertificate = nil
  }

  public init(ownCertificate: CertificateReport) {
    trust = .certificate(pem: ownCertificate.certificate)
    self.ownCertificate = ownCertificate
  }

  /// Returns, for command lines, the port under a name in the certificate, the address to connect to in place of that
  /// name, and the file to trust. `curl` accepts any certificate of a chain as trusted.
  public func named(_ endpoint: Endpoint) -> (endpoint: Endpoint, connectingTo: Endpoint?, authorityFile: String?) {
    guard let ownCertificate else { return (endpoint, nil, nil) }
    let named = Endpoint(host: ownCertificate.host ?? endpoint.host, port: endpoint.port)
    return (named, named == endpoint ? nil : endpoint, ownCertificate.file)
  }
}
