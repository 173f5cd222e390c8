import Crypto
import SwiftASN1

/// The keys and certificates of a file, or the reason why there are none.
package struct KeyFileContent {
  private let bytes: [UInt8]
  private let blocks: [PEMBlock]

  /// - Parameter file: the whole file. PowerShell writes UTF-16 with a byte order mark.
  package init(_ file: some Sequence<UInt8>) {
    let file = Array(file)
    let isLittle = file.starts(with: [0xFF, 0xFE])
    if isLittle || file.starts(with: [0xFE, 0xFF]) {
      let units = stride(from: 2, to: file.count - 1, by: 2).map { index in
        UInt16(file[index + (isLittle ? 1 : 0)]) << 8 | UInt16(file[index + (isLittle ? 0 : 1)])
      }
      bytes = Array(String(decoding: units, as: UTF16.self).utf8)
    } else {
      bytes = file
    }
    blocks = PEMBlock.blocks(in: bytes)
  }

  /// A key pair; the private half is nil if the file has the public one only.
  package typealias Key = (privateKey: P256.Signing.PrivateKey?, publicKey: P256.Signing.PublicKey)

  /// Returns the first P-256 key.
  package func key() throws(KeyFileError) -> Key {
    try first(.key) { block in
      switch block.content {
      case .privateKey(let key): .success((key, key.publicKey))
      case .publicKey(let key): .success((nil, key))
      default: .failure(block.fault)
      }
    }
  }

  /// Returns the first private P-256 key.
  package func signingKey() throws(KeyFileError) -> P256.Signing.PrivateKey {
    try first(.signingKey) { block in
      switch block.content {
      case .privateKey(let key): .success(key)
      case .publicKey, .otherKey(_, false): .failure(.publicHalf)
      default: .failure(block.fault)
      }
    }
  }

  /// Returns the first private key of any kind, as a PEM of its own.
  package func certificateKey() throws(KeyFileError) -> String {
    try first(.certificateKey) { block in
      switch block.content {
      case .privateKey(let key): .success(key.pemRepresentation)
      case .otherKey(_, true): block.pem.map { .success($0) } ?? .failure(.damaged(block.label))
      case .publicKey, .otherKey(_, false): .failure(.publicHalf)
      default: .failure(block.fault)
      }
    }
  }

  /// Returns all certificates, as DER. Keys beside them are ignored.
  package func certificates() throws(KeyFileError) -> [[UInt8]] {
    var certificates: [[UInt8]] = []
    for block in blocks where block.isCertificate {
      switch block.body {
      case .success(let bytes): certificates.append(bytes)
      case .failure(let fault): throw KeyFileError(wanted: .certificate, fault: fault)
      }
    }
    if certificates.isEmpty {
      let other = blocks.first.map { KeyFileError.Fault.other($0.label) }
      throw KeyFileError(wanted: .certificate, fault: other ?? faultWithoutBlocks(.certificate))
    }
    return certificates
  }

  package func certificatePEMs() throws(KeyFileError) -> [String] {
    try certificates().map { PEMDocument(type: "CERTIFICATE", derBytes: $0).pemString + "\n" }
  }

  /// Returns the first document that `read` accepts.
  /// - Throws: the fault of a key in preference to that of another document.
  private func first<Value>(
    _ wanted: KeyFileError.Wanted, _ read: (PEMBlock) -> Result<Value, KeyFileError.Fault>
  ) throws(KeyFileError) -> Value {
    var faults: [(isKey: Bool, fault: KeyFileError.Fault)] = []
    for block in blocks where block.label != "EC PARAMETERS" {
      switch read(block) {
      case .success(let value): return value
      case .failure(let fault): faults.append((block.label.hasSuffix("KEY"), fault))
      }
    }
    let fault = faults.first(where: \.isKey) ?? faults.first
    throw KeyFileError(wanted: wanted, fault: fault?.fault ?? faultWithoutBlocks(wanted))
  }

  private func faultWithoutBlocks(_ wanted: KeyFileError.Wanted) -> KeyFileError.Fault {
    if let fault = DERContent.fault(of: bytes, wanted) { return fault }
    if !blocks.isEmpty { return .other("EC PARAMETERS") }
    if bytes.firstRange(of: Array("BEGIN ".utf8)) != nil { return .badMarks }
    guard bytes.count >= 16, let decoded = decodedBase64(bytes) else { return .notPEM }
    if DERContent.fault(of: decoded, wanted) == .pkcs12 { return .pkcs12 }
    return decoded.first == 0x30 ? .noMarks : .notPEM
  }
}

extension PEMBlock {
  fileprivate var content: DERContent {
    if case .success(let bytes) = body { DERContent(bytes) } else { .unknown }
  }

  /// True for a certificate, also with the labels of older versions of openssl and its trust stores.
  fileprivate var isCertificate: Bool {
    ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"].contains(label)
  }

  fileprivate var fault: KeyFileError.Fault {
    guard label.hasSuffix("KEY"), label != "OPENSSH PRIVATE KEY" else { return .other(label) }
    if case .failure(let fault) = body { return fault }
    return switch content {
    case .encryptedKey: .encrypted
    case .otherKey(let name, _): .otherKey(label, name: name)
    case .privateKey, .publicKey, .certificate, .pkcs12, .pkcs7, .unknown: .damaged(label)
    }
  }
}

extension DERContent {
  /// Returns the fault of a binary file; nil if it is not binary.
  fileprivate static func fault(of bytes: [UInt8], _ wanted: KeyFileError.Wanted) -> KeyFileError.Fault? {
    guard bytes.first == 0x30, bytes.count > 8 else { return nil }
    // Java and macOS write PKCS #12 with indefinite lengths: 80.
    let header = bytes[1] < 0x80 ? 2 : 2 + Int(bytes[1] & 0x7F)
    if bytes.dropFirst(header).starts(with: [2, 1, 3, 0x30]) { return .pkcs12 }
    guard length(of: bytes) == bytes.count else { return nil }
    let isForKey = wanted != .certificate
    return switch DERContent(bytes) {
    case .privateKey, .publicKey, .otherKey, .encryptedKey: isForKey ? .der : .other("PRIVATE KEY")
    case .certificate: isForKey ? .other("CERTIFICATE") : .der
    case .pkcs12: .pkcs12
    case .pkcs7: .other("PKCS7")
    case .unknown: nil
    }
  }
}
