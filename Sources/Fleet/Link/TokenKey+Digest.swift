import Crypto
import HandsetCore

extension TokenKey {
  /// Takes the first half of the token's SHA-256.
  public init(_ token: DeviceToken) {
    self.init(digest: SHA256.hash(data: token.bytes))
  }

  /// Takes the first half of a SHA-256.
  public init(digest: some Sequence<UInt8>) {
    let halves = digest.prefix(16).reduce((high: UInt64(0), low: UInt64(0))) { halves, byte in
      (halves.high << 8 | halves.low >> 56, halves.low << 8 | UInt64(byte))
    }
    self.init(high: halves.high, low: halves.low)
  }
}
