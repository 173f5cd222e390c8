// A provider can authenticate with the client certificate of its TLS connection. The whole certificate is pinned by its
// fingerprint when the provider is added, so an unknown certificate is compared and never parsed, and the person who
// added the provider has seen the certificate's topics and environments.

import Crypto
import FoundationEssentials
import HandsetCore
import NIOSSL
import ServerIdentity
import SwiftASN1
import X509

/// SHA-256 of a whole certificate.
public struct CertificateFingerprint: Hashable, Sendable, CustomStringConvertible {
  private let digest: SHA256Digest

  init(der: some Sequence<UInt8>) {
    digest = SHA256.hash(data: Array(der))
  }

  init(_ certificate: NIOSSLCertificate) throws {
    self.init(der: try certificate.toDERBytes())
  }

  /// 64 hexadecimal digits, as in `openssl x509 -fingerprint -sha256` without the colons.
  public var description: String { Hex.text(Array(digest), upperCase: true) }
}

public struct ProviderCertificate: Hashable, Codable, Sendable {
  public let fingerprint: CertificateFingerprint
  /// The topics, as in `apns-topic`: the subject's UID, and those of Apple's topics extension; sorted.
  public let topics: [String]
  public let environment: CredentialEnvironment
  public let validFrom: WallTime
  public let validUntil: WallTime
  /// The certificate alone, to be stored.
  public let pem: String

  /// `UID` of the subject [RFC 4519, 2.39], where Apple puts an app's topic.
  private static let userID: ASN1ObjectIdentifier = [0, 9, 2342, 19_200_300, 100, 1, 1]
  /// Apple's extensions: valid for development, valid for production, and all topics with their kinds.
  private static let development: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 3, 1]
  private static let production: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 3, 2]
  private static let topicList: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 3, 6]

  /// Reads the first certificate of a PEM file's text. Keys beside it are ignored.
  ///
  /// - Throws: `KeyFileError`, with the kind of text found instead; `ProviderError` for a fault of the certificate.
  public init(pem text: String) throws {
    let der = try KeyFileContent(text.utf8).certificates()[0]
    guard let certificate = try? Certificate(derEncoded: der) else { throw ProviderError.badCertificate }
    fingerprint = CertificateFingerprint(der: der)
    topics = try ProviderCertificate.topics(of: certificate)
    guard !topics.isEmpty else { throw ProviderError.noTopics }
    let isForDevelopment = certificate.extensions[oid: ProviderCertificate.development] != nil
    let isForProduction = certificate.extensions[oid: ProviderCertificate.production] != nil
    // A certificate that Apple did not issue has neither, and is valid for both.
    environment = isForDevelopment == isForProduction ? .both : isForDevelopment ? .development : .production
    validFrom = WallTime(certificate.notValidBefore)
    validUntil = WallTime(certificate.notValidAfter)
    pem = PEMDocument(type: "CERTIFICATE", derBytes: der).pemString + "\n"
  }

  private static func topics(of certificate: Certificate) throws -> [String] {
    var topics: Set<String> = []
    for attribute in certificate.subject.joined() where attribute.type == userID {
      if let topic = String(attribute.value) { topics.insert(topic) }
    }
    if let list = certificate.extensions[oid: topicList] {
      do {
        topics.formUnion(try topicNames(in: list.value))
      } catch {
        throw ProviderError.badTopicsExtension
      }
    }
    return topics.sorted()
  }

  /// Reads one sequence, in which each topic is followed by the sequence of its kinds: `com.example.app`, (`app`),
  /// `com.example.app.voip`, (`voip`).
  private static func topicNames(in bytes: ArraySlice<UInt8>) throws -> [String] {
    try DER.sequence(try DER.parse(bytes), identifier: .sequence) { nodes in
      var names: [String] = []
      while let node = nodes.next() {
        names.append(String(try ASN1UTF8String(derEncoded: node)))
        // The kinds are not used: a topic's suffix has the same meaning.
        guard let kinds = nodes.next(), kinds.identifier == .sequence else { throw ProviderError.badTopicsExtension }
      }
      return names
    }
  }

  /// Reads PEM, from which the rest is derived.
  public init(from decoder: any Decoder) throws { try self.init(pem: String(from: decoder)) }
  public func encode(to encoder: any Encoder) throws { try pem.encode(to: encoder) }
}

/// The client certificate of one connection. It is checked at each request, because its provider may be removed and its
/// validity may end.
struct ClientCertificate {
  let fingerprint: CertificateFingerprint
  /// Its content, which only a bench uses; nil if it names no topics.
  private let content: ProviderCertificate?
  private var known: (provider: Provider, certificate: ProviderCertificate, generation: UInt64)?

  init(_ fingerprint: CertificateFingerprint, content: ProviderCertificate? = nil) {
    (self.fingerprint, self.content) = (fingerprint, content)
  }

  /// Returns the certificate's provider if it is valid now.
  mutating func provider(in port: Port) throws(APNsRefusal) -> Provider {
    let (generation, now) = (port.providers.generation, port.clock.real())
    if known?.generation != generation {
      let added = port.providers.provider(for: fingerprint)
      if added == nil, let unknown = port.catchAll?.provider(for: fingerprint, content) {
        guard let content else { return unknown }
        return try valid((unknown, content, generation), now, in: port)
      }
      guard let provider = added,
        case .certificate(let certificate) = provider.credential
      else {
        throw known == nil
          ? APNsRefusal(
            .badCertificate,
            "no provider has the client certificate \(fingerprint); add it with: deskbell provider add NAME --certificate"
          )
          : APNsRefusal(
            .forbidden, "the provider of the client certificate was removed after this connection began")
      }
      known = (provider, certificate, generation)
    }
    guard let known else { throw APNsRefusal(.badCertificate, "no provider has the client certificate") }
    return try valid(known, now, in: port)
  }

  /// - Throws: `APNsRefusal` if the certificate is not valid now, or not for the port's environment.
  private func valid(
    _ known: (provider: Provider, certificate: ProviderCertificate, generation: UInt64), _ now: WallTime,
    in port: Port
  ) throws(APNsRefusal) -> Provider {
    guard now <= known.certificate.validUntil else {
      throw APNsRefusal(.badCertificate, "the client certificate of provider '\(known.provider.name)' has expired")
    }
    // A board's clock that is not set yet shows a time in the past.
    if now < known.certificate.validFrom && port.clock.isSynchronised() {
      throw APNsRefusal(
        .badCertificate, "the client certificate of provider '\(known.provider.name)' is not valid yet")
    }
    guard known.certificate.environment.covers(port.environment) else {
      throw APNsRefusal(
        .badCertificateEnvironment,
        "the client certificate of provider '\(known.provider.name)' is for \(known.certificate.environment.rawValue) "
          + "only, and this is \(port.environment.rawValue)")
    }
    return known.provider
  }
}
