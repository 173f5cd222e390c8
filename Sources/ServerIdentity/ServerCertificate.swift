// What a client on this machine needs to know about the server's certificate: the client may connect under a name that
// the certificate does not cover, and the issuer may be unknown to the system.

import Crypto
import FoundationEssentials
import Glibc
import NIOSSL
import SwiftASN1
import X509

/// A certificate that a port shows, without those that lead from it to its authority.
public struct ServerCertificate: Hashable, Sendable {
  public let pem: String
  /// Host names in lower case, the first part of which may be `*`, and addresses written out; in the certificate's order.
  public let names: [String]
  /// What a client compares that trusts this one key and no authority: `sha256//` and the SHA-256 of the certificate's
  /// SubjectPublicKeyInfo in base64, as curl's `--pinnedpubkey` takes it. Nil where the key is of no known kind.
  public let pin: String?
  /// The PEM file with its chain; nil where the daemon's own authority issued it.
  public let file: String?

  /// - Throws: where it is no certificate.
  init(_ certificate: NIOSSLCertificate, file: String?) throws {
    let der = try certificate.toDERBytes()
    pem = PEMDocument(type: "CERTIFICATE", derBytes: der).pemString
    self.file = file
    // One that TLS takes and this does not understand has no names, and is shown all the same. NIOSSL would trap where it
    // does not understand the key.
    let known = try? Certificate(derEncoded: der)
    pin = (try? known?.publicKey.serializeAsPEM().derBytes).map {
      "sha256//\(Data(SHA256.hash(data: $0)).base64EncodedString())"
    }
    names = (try? known?.alternativeNames) ?? []
  }

  /// A name or address under which clients find the certificate good; nil where it has none. A name is rather taken
  /// than an address, and one of its own rather than one that stands for many. Names of Apple's servers, which stand in
  /// for them in tests, lead to Apple from elsewhere.
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
  /// Host names in lower case, and addresses written out.
  var alternativeNames: [String] {
    get throws {
      try (extensions.subjectAlternativeNames ?? SubjectAlternativeNames()).compactMap { name in
        switch name {
        case .dnsName(let host): host.lowercased()
        case .ipAddress(let address): Certificate.text(ofAddress: Array(address.bytes))
        default: nil
        }
      }
    }
  }

  private static func text(ofAddress bytes: [UInt8]) -> String? {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard bytes.count == 4 || bytes.count == 16,
      inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil
    else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
