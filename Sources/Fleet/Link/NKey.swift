// NATS' keys: Ed25519, written as base32 without padding of a prefix, the key and a checksum. The server has the public
// half; the seed stays with its owner.

import Crypto

/// The key of a user of the NATS servers: a desk, a gateway or the administrator.
public struct NKey: Sendable {
  private let key: Curve25519.Signing.PrivateKey

  public init() {
    key = Curve25519.Signing.PrivateKey()
  }

  /// Reads a seed; nil unless it is a user's, `SU…`. Surrounding white space is ignored.
  public init?(seed: String) {
    guard let bytes = NKey.decode(seed.filter { !$0.isWhitespace }), bytes.count == 34,
      bytes[0] == NKey.seedPrefix | NKey.userPrefix >> 5, bytes[1] == NKey.userPrefix << 3,
      let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes[2...])
    else { return nil }
    self.key = key
  }

  /// The seed, `SU…`: the secret.
  public var seed: String {
    NKey.encode([NKey.seedPrefix | NKey.userPrefix >> 5, NKey.userPrefix << 3] + key.rawRepresentation)
  }

  /// The public key, `U…`, which the servers have.
  public var publicKey: String { NKey.encode([NKey.userPrefix] + key.publicKey.rawRepresentation) }

  // MARK: The text form

  /// The prefixes that result in the first letters S and U.
  private static let seedPrefix: UInt8 = 18 << 3
  private static let userPrefix: UInt8 = 20 << 3

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  private static func encode(_ payload: [UInt8]) -> String {
    let checksum = checksum(payload)
    var text: [UInt8] = []
    var (bits, count): (UInt32, Int) = (0, 0)
    for byte in payload + [UInt8(checksum & 0xFF), UInt8(checksum >> 8)] {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 5 {
        count -= 5
        text.append(alphabet[Int(bits >> count & 31)])
      }
    }
    if count > 0 { text.append(alphabet[Int(bits << (5 - count) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes a key; nil if a letter or the checksum is wrong.
  private static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (bits, count): (UInt32, Int) = (0, 0)
    for letter in text.utf8 {
      guard let value = alphabet.firstIndex(of: letter) else { return nil }
      bits = bits << 5 | UInt32(value)
      count += 5
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    // An additional letter would not change the bytes.
    guard bytes.count > 2, count < 5 else { return nil }
    let payload = Array(bytes.dropLast(2))
    let checksum = checksum(payload)
    return bytes.suffix(2).elementsEqual([UInt8(checksum & 0xFF), UInt8(checksum >> 8)]) ? payload : nil
  }

  /// Returns the CRC-16/XMODEM.
  private static func checksum(_ bytes: [UInt8]) -> UInt16 {
    bytes.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ UInt16(byte) << 8) { sum, _ in sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x1021 }
    }
  }
}
