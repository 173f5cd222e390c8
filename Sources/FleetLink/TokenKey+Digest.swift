import Crypto
import HandsetCore

extension TokenKey {
  /// The first half of the token's SHA-256.
  public init(_ token: DeviceToken) {
    let words = SHA256.hash(data: token.bytes).withUnsafeBytes { digest in
      (digest.loadUnaligned(as: UInt64.self), digest.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
    self.init(high: UInt64(bigEndian: words.0), low: UInt64(bigEndian: words.1))
  }
}
