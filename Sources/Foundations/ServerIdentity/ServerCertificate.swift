import Crypto
import FoundationEssentials
import NIOCore
import NIOSSL
import SwiftASN1
import X509

/// The certificate that a port presents, without its chain to the authority, for clients on this machine: the system
/// may not know its issuer.
public struct ServerCertificate: Hashable, Sendable {
  public let pem: String
  /// Host names in lower case, whose first part may be `*`, and addresses as text, in the certificate's order.
  public let names: [String]
  /// The pin, for clients that trust this one key and no authority: `sha256//` and the SHA-256 of the certificate's
  /// SubjectPublicKeyInfo in base64, as in curl's `--pinnedpubkey`. Nil if the key is of no known kind.
  public let pin: String?
  /// The PEM file with its chain; nil if the daemon's own authority issued it.
  public let file: String?

  init(_ certificate: NIOSSLCertificate, file: String?) throws {
    let der = try certificate.toDERBytes()
    pem = PEMDocument(type: "CERTIFICATE", derBytes: der).pemString
    self.file = file
    // A certificate that TLS accepts and swift-certificates cannot parse has no names, and is presented all the same.
    // NIOSSL would trap if it cannot parse the key.
    let known = try? Certificate(derEncoded: der)
    pin = (try? known?.publicKey.serializeAsPEM().derBytes).map {
      "sha256//\(Data(SHA256.hash(data: $0)).base64EncodedString())"
    }
    names = (try? known?.alternativeNames) ?? []
  }

  /// A name or address that clients can use with the certificate; nil if it has none. Prefers names to addresses, and
  /// plain names to wildcards. Names of Apple's servers, which tests use, come last: elsewhere they lead to Apple.
  public var host: String? {
    let hosts = names.filter {
      CertificateNames.address($0) == nil && !$0.hasSuffix(".apple.com") && $0 != "localhost"
    }
    if let host = hosts.first(where: { !$0.hasPrefix("*.") }) { return host }
    if let pattern = hosts.first { return "deskbell" + pattern.dropFirst() }
    return names.first { CertificateNames.address($0) != nil } ?? names.first
  }
}

extension Certificate {
  var alternativeNames: [String] {
    get throws {
      try (extensions.subjectAlternativeNames ?? SubjectAlternativeNames()).compactMap { name in
        switch name {
        case .dnsName(let host): host.lowercased()
        case .ipAddress(let address):
          (try? SocketAddress(packedIPAddress: ByteBuffer(bytes: address.bytes), port: 0))?.ipAddress
        default: nil
        }
      }
    }
  }
}
