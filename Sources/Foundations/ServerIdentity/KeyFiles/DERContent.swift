// The kinds of DER in users' files of keys and certificates, distinguished by structure and not by the label of their
// PEM, which may be wrong. SwiftCrypto reads keys of one curve and gives no reason for the others.

import Crypto
import SwiftASN1

/// The meaning of one DER element.
enum DERContent {
  case privateKey(P256.Signing.PrivateKey)
  case publicKey(P256.Signing.PublicKey)
  /// A private or public key with another algorithm or on another curve.
  case otherKey(name: String, isPrivate: Bool)
  case encryptedKey
  case certificate
  /// A `.p12` or `.pfx` file.
  case pkcs12
  /// A `.p7b` file.
  case pkcs7
  case unknown

  /// Returns the element's length with its header; nil if it is no sequence of a definite length.
  static func length(of bytes: some RandomAccessCollection<UInt8>) -> Int? {
    guard bytes.count >= 2, bytes.first == 0x30, let first = bytes.dropFirst().first else { return nil }
    guard first >= 0x80 else { return 2 + Int(first) }
    let count = Int(first & 0x7F)
    guard (1...4).contains(count) else { return nil }
    // A header that is cut off is shorter than its element, too.
    return bytes.dropFirst(2).prefix(count).reduce(0) { $0 << 8 | Int($1) } + 2 + count
  }

  init(_ bytes: [UInt8]) {
    self = (try? DER.parse(bytes)).flatMap(DERContent.init) ?? .unknown
  }

  private init?(_ root: ASN1Node) {
    let parts = root.parts
    guard parts.count >= 2 else { return nil }
    switch (parts[0].identifier, parts[1].identifier) {
    case (.integer, .octetString): self = .sec1(root, curve: nil)
    case (.integer, .sequence) where parts.count >= 3 && parts[2].identifier == .octetString:
      self = .pkcs8(parts)
    case (.integer, .sequence) where parts[1].parts.first?.objectIdentifier == .data: self = .pkcs12
    // PKCS #1 has a version and eight numbers; the older form of DSA has a version and five.
    case (.integer, .integer): self = .otherKey(name: parts.count >= 9 ? "RSA" : "DSA", isPrivate: true)
    case (.sequence, .bitString): self = .publicKeyInfo(algorithm: parts[0], parts[1])
    case (.sequence, .octetString): self = .encryptedKey
    case (.sequence, .sequence) where parts.count == 3 && parts[0].parts.count > 4: self = .certificate
    case (.objectIdentifier, _) where parts[0].objectIdentifier == .signedData: self = .pkcs7
    default: return nil
    }
  }

  /// Reads a key of SEC 1 [RFC 5915].
  private static func sec1(_ node: ASN1Node, curve outer: ASN1Node?) -> DERContent {
    let parts = node.parts
    let own = parts.first { $0.identifier == ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific) }
    if let curve = outer ?? own?.parts.first, let name = otherCurve(curve) {
      return .otherKey(name: name, isPrivate: true)
    }
    guard parts.count >= 2, let number = try? ASN1OctetString(derEncoded: parts[1]) else { return .unknown }
    // Some programs omit zeros at its beginning, others add one.
    let digits = number.bytes.drop { $0 == 0 }
    let padded = [UInt8](repeating: 0, count: max(0, 32 - digits.count)) + digits
    return (try? P256.Signing.PrivateKey(rawRepresentation: padded)).map { .privateKey($0) } ?? .unknown
  }

  /// Reads a key of PKCS #8 [RFC 5958].
  private static func pkcs8(_ parts: [ASN1Node]) -> DERContent {
    let algorithm = parts[1].parts
    guard algorithm.first?.objectIdentifier == .ellipticCurve else {
      return .otherKey(name: algorithm.first?.objectIdentifier?.algorithmName ?? "unknown", isPrivate: true)
    }
    guard let inner = try? ASN1OctetString(derEncoded: parts[2]), let key = try? DER.parse(inner.bytes) else {
      return .unknown
    }
    return sec1(key, curve: algorithm.count > 1 ? algorithm[1] : nil)
  }

  /// Reads a SubjectPublicKeyInfo [RFC 5480].
  private static func publicKeyInfo(algorithm: ASN1Node, _ publicKey: ASN1Node) -> DERContent {
    let algorithm = algorithm.parts
    guard algorithm.first?.objectIdentifier == .ellipticCurve else {
      return .otherKey(name: algorithm.first?.objectIdentifier?.algorithmName ?? "unknown", isPrivate: false)
    }
    if algorithm.count > 1, let name = otherCurve(algorithm[1]) { return .otherKey(name: name, isPrivate: false) }
    let point = (try? ASN1BitString(derEncoded: publicKey))?.bytes ?? []
    let key =
      point.first == 4
      ? try? P256.Signing.PublicKey(x963Representation: point)
      : try? P256.Signing.PublicKey(compressedRepresentation: point)
    return key.map { .publicKey($0) } ?? .unknown
  }

  /// Returns nil for P-256, by name or by numbers. A key is used only on the real curve, whatever else the file says.
  private static func otherCurve(_ node: ASN1Node) -> String? {
    if let name = node.objectIdentifier { return name == .p256 ? nil : name.algorithmName }
    // `openssl ecparam -param_enc explicit`: version, field, coefficients, base point, order.
    guard node.parts.count >= 5, node.parts[4].number == p256Order else { return "an unnamed curve" }
    return nil
  }

  private static let p256Order: [UInt8] =
    [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8) + [
      0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]
}

extension ASN1Node {
  fileprivate var parts: [ASN1Node] {
    guard case .constructed(let nodes) = content else { return [] }
    return Array(nodes)
  }

  fileprivate var objectIdentifier: ASN1ObjectIdentifier? { try? ASN1ObjectIdentifier(derEncoded: self) }

  /// An integer's digits without the sign.
  fileprivate var number: [UInt8]? {
    guard identifier == .integer, case .primitive(let bytes) = content else { return nil }
    return Array(bytes.drop { $0 == 0 })
  }
}

extension ASN1ObjectIdentifier {
  fileprivate static let ellipticCurve: ASN1ObjectIdentifier = [1, 2, 840, 10045, 2, 1]
  fileprivate static let p256: ASN1ObjectIdentifier = [1, 2, 840, 10045, 3, 1, 7]
  fileprivate static let data: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 1]
  fileprivate static let signedData: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 2]

  fileprivate var algorithmName: String {
    let names: [ASN1ObjectIdentifier: String] = [
      [1, 2, 840, 113549, 1, 1, 1]: "RSA", [1, 2, 840, 113549, 1, 1, 10]: "RSA-PSS", [1, 2, 840, 10040, 4, 1]: "DSA",
      [1, 2, 840, 113549, 1, 3, 1]: "DH", [1, 3, 101, 110]: "X25519", [1, 3, 101, 111]: "X448",
      [1, 3, 101, 112]: "Ed25519", [1, 3, 101, 113]: "Ed448", [1, 2, 840, 10045, 3, 1, 1]: "the curve P-192",
      [1, 3, 132, 0, 33]: "the curve P-224", [1, 3, 132, 0, 34]: "the curve P-384",
      [1, 3, 132, 0, 35]: "the curve P-521", [1, 3, 132, 0, 10]: "the curve secp256k1",
      [1, 3, 36, 3, 3, 2, 8, 1, 1, 7]: "the curve brainpoolP256r1",
      [1, 3, 36, 3, 3, 2, 8, 1, 1, 11]: "the curve brainpoolP384r1",
      [1, 2, 156, 10197, 1, 301]: "the curve SM2",
    ]
    return names[self] ?? "the algorithm \(self)"
  }
}
