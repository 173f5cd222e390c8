import NIOCore
import NIOSSL
import Synchronization

/// TLS with the push port's certificate for the daemon's other servers. A renewed certificate takes effect with the
/// next connection.
public final class ServerTLS: Sendable {
  private let presented = Mutex<(context: NIOSSLContext, certificate: ServerCertificate?, authorityPEM: String?)?>(nil)

  public init() {}

  /// The certificate in use; nil before the first `use`.
  public var certificate: ServerCertificate? { presented.withLock { $0?.certificate } }

  /// The certificate in use if it is the user's own; nil if the daemon's authority issued it.
  public var ownCertificate: ServerCertificate? { certificate.flatMap { $0.file == nil ? nil : $0 } }

  /// The certificate, as PEM, of the authority that issued the one in use, for clients to trust. Nil if the one in use
  /// is the user's own.
  public var authorityPEM: String? { presented.withLock { $0?.authorityPEM } }

  /// Presents that certificate from the next connection on.
  /// - Throws: `NIOSSLError` if certificate and key do not match.
  public func use(_ identity: TLSIdentity) throws {
    let context = try identity.webContext()
    presented.withLock { $0 = (context, identity.certificate, identity.authorityPEM) }
  }

  /// Adds the TLS handler to a channel, before the handlers of its protocol. Call it on the channel's event loop.
  /// - Throws: `ChannelError` if there is no certificate yet.
  public func secure(_ channel: any Channel) throws {
    guard let context = presented.withLock({ $0?.context }) else { throw ChannelError.inappropriateOperationForState }
    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
  }
}
