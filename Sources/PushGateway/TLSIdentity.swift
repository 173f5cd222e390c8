// The certificate that the port shows, wherever it came from, and how TLS is spoken with it.

import NIOCore
import NIOSSL
import Synchronization

/// A certificate, those that lead from it to its authority, and its private key.
public struct TLSIdentity: Sendable {
  private let chain: [NIOSSLCertificate]
  private let key: NIOSSLPrivateKey
  /// Of the chain; nil for the daemon's own.
  private let file: String?

  /// The user's own.
  ///
  /// - Parameters:
  ///   - certificateChainFile: PEM, the server's certificate first.
  ///   - keyFile: PEM, its private key, not encrypted.
  /// - Throws: `TLSIdentityError`.
  public init(certificateChainFile: String, keyFile: String) throws {
    do {
      chain = try NIOSSLCertificate.fromPEMFile(certificateChainFile)
    } catch {
      throw TLSIdentityError(file: certificateChainFile, problem: "expected certificates as PEM, the server's first")
    }
    guard !chain.isEmpty else {
      throw TLSIdentityError(file: certificateChainFile, problem: "holds no certificate; expected the server's first")
    }
    do {
      key = try NIOSSLPrivateKey(file: keyFile, format: .pem)
    } catch {
      throw TLSIdentityError(file: keyFile, problem: "expected the certificate's private key as PEM, not encrypted")
    }
    file = certificateChainFile
    do {
      _ = try serverContext()
    } catch {
      throw TLSIdentityError(
        file: keyFile, problem: "is not the private key of the certificate in \(certificateChainFile)")
    }
  }

  init(chain: [NIOSSLCertificate], key: NIOSSLPrivateKey) {
    self.chain = chain
    self.key = key
    file = nil
  }

  /// Nil where there is none.
  var certificate: ServerCertificate? { chain.first.flatMap { try? ServerCertificate($0, file: file) } }

  func serverContext() throws -> NIOSSLContext {
    var configuration = serverConfiguration
    configuration.applicationProtocols = ["h2", "http/1.1"]
    // A client may show a certificate and need not. That it holds the certificate's key is seen to by TLS; whose it is,
    // is asked with each request, so that a stranger hears a reason and not a broken handshake.
    configuration.certificateVerification = .optionalVerification
    configuration.trustRoots = .certificates([])
    return try NIOSSLContext(configuration: configuration)
  }

  /// For browsers: nobody is asked for a certificate.
  fileprivate func webContext() throws -> NIOSSLContext {
    var configuration = serverConfiguration
    configuration.applicationProtocols = ["http/1.1"]
    return try NIOSSLContext(configuration: configuration)
  }

  private var serverConfiguration: TLSConfiguration {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    // For TLS 1.2; those of 1.3 are all good. Forward secrecy and authenticated encryption only.
    configuration.cipherSuiteValues = [
      .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
      .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
      .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]
    return configuration
  }
}

/// TLS with the port's own certificate for other servers of this machine. It follows renewals.
public final class TLSDoor: Sendable {
  private let presented = Mutex<(context: NIOSSLContext, certificate: ServerCertificate?)?>(nil)

  public init() {}

  /// What is presented now; nil before the first certificate.
  public var certificate: ServerCertificate? { presented.withLock { $0?.certificate } }

  /// The same, where it is the person's own.
  public var ownCertificate: ServerCertificate? { certificate.flatMap { $0.file == nil ? nil : $0 } }

  /// Presents that certificate from the next connection on.
  public func use(_ identity: TLSIdentity) throws {
    let new = (try identity.webContext(), identity.certificate)
    presented.withLock { $0 = new }
  }

  /// Puts TLS in front of whatever is added to the channel after it. On its event loop.
  /// - Throws: `ChannelError` where there is no certificate yet.
  public func secure(_ channel: any Channel) throws {
    guard let context = presented.withLock({ $0?.context }) else { throw ChannelError.inappropriateOperationForState }
    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
  }
}

/// Why the user's own certificate cannot be used.
public struct TLSIdentityError: Error, Hashable, CustomStringConvertible {
  public var file: String
  public var problem: String

  public var description: String { "\(file): \(problem)" }
}
