import DeskbellDaemon
import HTTP
import ProviderClient

extension PortIdentity {
  /// The identity of a server whose certificate the system's authorities issued.
  private static let system = PortIdentity(trust: .system)

  /// - Parameters:
  ///   - target: the given options.
  ///   - daemon: nil if no data of the daemon was needed.
  init(_ target: TargetOptions, _ daemon: ControlClient?) async throws {
    if let path = target.ca {
      self.init(trust: .authorities(pem: try KeyFile.certificates(at: path).joined()))
    } else if let daemon {
      let identity = try await PortIdentity(of: daemon)
      // A named server may be a different one.
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

  /// Returns it as PEM; nil if the daemon uses the user's own certificate.
  static func authority(of daemon: ControlClient) async throws -> String? {
    do {
      return try await daemon.certificateAuthority()
    } catch HTTPClientError.refused(status: 404, _, _) {
      return nil
    }
  }
}
