// Whom the limits of an address are for. A client has as many IPv6 addresses as it likes, so there the network counts.

import NIOCore

/// An IPv4 address, or the network of an IPv6 address: its first 64 bits.
struct ClientAddress: Hashable, Sendable {
  private let bits: UInt64
  private let isIPv6: Bool

  /// Nil for what has no such address, as a Unix socket.
  init?(_ address: SocketAddress?) {
    switch address {
    case .v4(let address):
      self.init(IPv4: UInt32(bigEndian: address.address.sin_addr.s_addr))
    case .v6(let address):
      let (high, low) = withUnsafeBytes(of: address.address.sin6_addr) { bytes in
        (
          UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
          UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        )
      }
      // IPv4, as a socket sees it that listens to both.
      if high == 0 && low >> 32 == 0xFFFF {
        self.init(IPv4: UInt32(truncatingIfNeeded: low))
      } else {
        self.init(bits: high, isIPv6: true)
      }
    default:
      return nil
    }
  }

  private init(IPv4 address: UInt32) {
    self.init(bits: UInt64(address), isIPv6: false)
  }

  private init(bits: UInt64, isIPv6: Bool) {
    self.bits = bits
    self.isIPv6 = isIPv6
  }
}

extension ClientAddress: CustomStringConvertible {
  /// `192.0.2.7`, `2001:db8:0:1::/64`.
  var description: String {
    if isIPv6 {
      let groups = stride(from: 48, through: 0, by: -16).map { String(bits >> UInt64($0) & 0xFFFF, radix: 16) }
      return groups.joined(separator: ":") + "::/64"
    }
    return stride(from: 24, through: 0, by: -8).map { String(bits >> UInt64($0) & 0xFF) }.joined(separator: ".")
  }
}
