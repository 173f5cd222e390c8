import ControlAPI
import DeskbellDaemon
import HTTPRoutes
import ProviderClient

extension PortIdentity {
  /// The system's authorities vouch for the server.
  private static let system = PortIdentity(trust: .system)

  /// - Parameters:
  ///   - target: what was given.
  ///   - daemon: nil where nothing had to be learned from it.
  init(_ target: TargetOptions, _ daemon: ControlClient?) async throws {
    if let path = target.ca {
      self.init(trust: .authorities(pem: try CertificateFile.allPEM(at: path)))
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
      self.init(ownCertificate: try await daemon.certificate())
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
}
