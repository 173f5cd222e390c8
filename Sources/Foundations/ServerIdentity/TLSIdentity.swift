import FoundationEssentials
import Glibc
import NIOSSL
import SystemThreads

/// The certificate that the servers present, its chain to the authority, and its private key.
public struct TLSIdentity: Sendable {
  let chain: [NIOSSLCertificate]
  let key: NIOSSLPrivateKey
  /// The certificate of the daemon's authority that issued it; nil for the user's own.
  let authorityPEM: String?
  /// The file of the chain; nil for the daemon's own.
  let file: String?
}

extension TLSIdentity {
  /// Reads the user's own certificate.
  /// - Parameters:
  ///   - certificateChainFile: PEM, the server's certificate first.
  ///   - keyFile: PEM, its private key, not encrypted.
  /// - Throws: `IdentityError`.
  public init(certificateChainFile: String, keyFile: String) throws {
    let chain = try TLSIdentity.read(certificateChainFile) { content in
      try content.certificates().map { try NIOSSLCertificate(bytes: $0, format: .der) }
    }
    let key = try TLSIdentity.read(keyFile) { content in
      try NIOSSLPrivateKey(bytes: Array(content.certificateKey().utf8), format: .pem)
    }
    self.init(chain: chain, key: key, authorityPEM: nil, file: certificateChainFile)
    do {
      _ = try serverContext()
    } catch {
      throw IdentityError(
        file: keyFile, problem: "is not the private key of the certificate in \(certificateChainFile)")
    }
  }

  /// Makes the identity of a certificate that an authority of this program has issued.
  /// - Throws: `NIOSSLError`, or an error of the encoding.
  public init(_ issued: CertifiedKey) throws {
    self.init(
      chain: try NIOSSLCertificate.fromPEMBytes(Array(issued.certificatePEM.utf8)),
      key: try NIOSSLPrivateKey(bytes: Array(issued.keyPEM.utf8), format: .pem), authorityPEM: nil, file: nil)
  }

  private static func read<Content>(_ file: String, _ parse: (KeyFileContent) throws -> Content) throws -> Content {
    guard let bytes = try? Data(contentsOf: URL(filePath: file)) else {
      let reason = access(file, R_OK) == 0 ? "it is no file" : SystemError.last.reason
      throw IdentityError(file: file, problem: "cannot be read: \(reason)")
    }
    do {
      return try parse(KeyFileContent(bytes))
    } catch {
      throw IdentityError(
        file: file, problem: error is KeyFileError ? "\(error)" : "its certificate or key cannot be read: it is damaged"
      )
    }
  }

  /// The server's own certificate, the first of the chain; nil if it cannot be read.
  var certificate: ServerCertificate? { chain.first.flatMap { try? ServerCertificate($0, file: file) } }

  /// Makes the push port's context: HTTP/2 and HTTP/1.1, with an optional client certificate.
  package func serverContext() throws -> NIOSSLContext {
    var configuration = serverConfiguration
    configuration.applicationProtocols = ["h2", "http/1.1"]
    // TLS proves that the client holds the certificate's key. Its provider is looked up with each request, so that an
    // unknown client receives an answer with a reason instead of a failed handshake.
    configuration.certificateVerification = .optionalVerification
    configuration.trustRoots = .certificates([])
    return try NIOSSLContext(configuration: configuration)
  }

  /// Makes the context for browsers: HTTP/1.1, without a request for a client certificate.
  func webContext() throws -> NIOSSLContext {
    var configuration = serverConfiguration
    configuration.applicationProtocols = ["http/1.1"]
    return try NIOSSLContext(configuration: configuration)
  }

  private var serverConfiguration: TLSConfiguration {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    // For TLS 1.2; those of 1.3 are all good. Only forward secrecy and authenticated encryption.
    configuration.cipherSuiteValues = [
      .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
      .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
      .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]
    return configuration
  }
}
