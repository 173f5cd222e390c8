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
    let (values, rest, count) = regroup(payload + checksum(payload), from: 8, to: 5)
    let last = count > 0 ? [UInt8(rest << (5 - count) & 31)] : []
    return String(decoding: (values + last).map { alphabet[Int($0)] }, as: UTF8.self)
  }

  /// Decodes a key; nil if a letter or the checksum is wrong.
  private static func decode(_ text: String) -> [UInt8]? {
    let values = text.utf8.compactMap { letter in alphabet.firstIndex(of: letter).map { UInt8($0) } }
    let (bytes, _, count) = regroup(values, from: 5, to: 8)
    // An additional letter would not change the bytes.
    guard values.count == text.utf8.count, bytes.count > 2, count < 5 else { return nil }
    let payload = Array(bytes.dropLast(2))
    return bytes.suffix(2).elementsEqual(checksum(payload)) ? payload : nil
  }

  /// Distributes the bits of values to values of another width; returns also the bits that remain, and their number.
  private static func regroup(_ values: [UInt8], from old: Int, to new: Int) -> ([UInt8], rest: UInt32, count: Int) {
    var groups: [UInt8] = []
    var (bits, count): (UInt32, Int) = (0, 0)
    for value in values {
      (bits, count) = (bits << old | UInt32(value), count + old)
      while count >= new {
        count -= new
        groups.append(UInt8(bits >> count & (1 << new - 1)))
      }
    }
    return (groups, bits, count)
  }

  /// Returns the CRC-16/XMODEM, the lower byte first.
  private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
    let sum: UInt16 = bytes.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ UInt16(byte) << 8) { sum, _ in sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x1021 }
    }
    return [UInt8(sum & 0xFF), UInt8(sum >> 8)]
  }
}
