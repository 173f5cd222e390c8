// How a client identifies the daemon's port: by the options, or by what the daemon says of its certificate.

import ControlAPI
import HTTPRoutes
import ProviderClient

struct PortIdentity: Equatable {
  var trust: ProviderConnection.Trust
  /// The one that the port shows, where it is the user's own. It need not name this machine as it names itself, and
  /// need not be signed by an authority that the system trusts, so it is compared as a whole.
  var ownCertificate: CertificateReport?

  /// The system's authorities vouch for the server.
  private static let system = PortIdentity(trust: .system)

  private init(trust: ProviderConnection.Trust, ownCertificate: CertificateReport? = nil) {
    self.trust = trust
    self.ownCertificate = ownCertificate
  }

  /// - Parameters:
  ///   - target: what was given.
  ///   - daemon: nil where nothing had to be learned from it.
  init(_ target: TargetOptions, _ daemon: ControlClient?) async throws {
    if let path = target.ca {
      self.init(trust: .authorities(pem: try KeyFile.pem(at: path)))
    } else if let daemon {
      let identity = try await PortIdentity(of: daemon)
      // A server that is named may be another one.
      self = target.host != nil && identity.ownCertificate != nil ? .system : identity
    } else {
      self = .system
    }
  }

  init(of daemon: ControlClient) async throws {
    if let authority = try await PortIdentity.authority(of: daemon) {
      self.init(trust: .authorities(pem: authority))
    } else {
      let certificate = try await daemon.certificate()
      self.init(trust: .certificate(pem: certificate.certificate), ownCertificate: certificate)
    }
  }

  /// As PEM; nil where the daemon has a certificate of the user's own.
  static func authority(of daemon: ControlClient) async throws -> String? {
    do {
      return try await daemon.certificateAuthority()
    } catch HTTPClientError.refused(status: 404, _, _) {
      return nil
    }
  }

  /// For command lines: the port under a name that the certificate has, where to connect instead of going by that name,
  /// and the file to trust. `curl` takes any certificate of a chain as one to trust.
  func named(_ endpoint: Endpoint) -> (endpoint: Endpoint, connectingTo: Endpoint?, authorityFile: String?) {
    guard let ownCertificate else { return (endpoint, nil, nil) }
    let named = Endpoint(host: ownCertificate.host ?? endpoint.host, port: endpoint.port)
    return (named, named == endpoint ? nil : endpoint, ownCertificate.file)
  }
}
