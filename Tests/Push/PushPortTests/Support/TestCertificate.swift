// A provider's client certificate as it is on its own side: with its key, and with any of Apple's extensions.

import Crypto
import Foundation
import HandsetCore
import SwiftASN1
import X509

@testable import PushPort

struct TestCertificate {
  let pem: String
  let keyPEM: String

  /// - Parameters:
  ///   - userID: `UID` of the subject.
  ///   - topics: the topics of Apple's extension, each with its kinds; nil for no such extension.
  ///   - marks: Apple's extensions 6.3.`n`: 1 is development, 2 is production.
  init(
    userID: String? = bell.text, topics: [(String, [String])]? = nil, marks: [UInt] = [],
    from: Date = Date(timeIntervalSince1970: 1_577_836_800), until: Date = Date(timeIntervalSince1970: 2_082_758_400),
    topicBytes: [UInt8]? = nil
  ) throws {
    let key = P256.Signing.PrivateKey()
    var names = [
      RelativeDistinguishedName(.init(type: .RDNAttributeType.commonName, utf8String: "Push Services of the tests"))
    ]
    if let userID {
      names.insert(
        RelativeDistinguishedName(.init(type: [0, 9, 2342, 19_200_300, 100, 1, 1], utf8String: userID)), at: 0)
    }
    let apple: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 3, 6]
    var extensions = marks.map { mark in
      Certificate.Extension(oid: [1, 2, 840, 113635, 100, 6, 3, mark], critical: false, value: [5, 0])
    }
    if let topics {
      extensions.append(.init(oid: apple, critical: false, value: try TestCertificate.list(topics)[...]))
    }
    if let topicBytes { extensions.append(.init(oid: apple, critical: false, value: topicBytes[...])) }
    let certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(key.publicKey),
      notValidBefore: from, notValidAfter: until, issuer: DistinguishedName(names), subject: DistinguishedName(names),
      signatureAlgorithm: .ecdsaWithSHA256, extensions: try Certificate.Extensions(extensions),
      issuerPrivateKey: Certificate.PrivateKey(key))
    pem = try certificate.serializeAsPEM().pemString + "\n"
    keyPEM = key.pemRepresentation + "\n"
  }

  private static func list(_ topics: [(String, [String])]) throws -> [UInt8] {
    var serializer = DER.Serializer()
    try serializer.appendConstructedNode(identifier: .sequence) { list in
      for (topic, kinds) in topics {
        try list.serialize(ASN1UTF8String(topic))
        try list.appendConstructedNode(identifier: .sequence) { inner in
          for kind in kinds { try inner.serialize(ASN1UTF8String(kind)) }
        }
      }
    }
    return serializer.serializedBytes
  }

  var certificate: ProviderCertificate {
    get throws { try ProviderCertificate(pem: pem) }
  }

  func provider(_ name: String = "certified", topics: [AppID] = []) throws -> Provider {
    try Provider(name: name, topics: topics, credential: .certificate(certificate))
  }
}
