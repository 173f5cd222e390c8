// Whom the limits of an address are for. A client elsewhere has as many IPv6 addresses as it likes, so there the network
// counts. On a network that this machine is on itself that would be all its neighbours together: there the address does.

import NIOCore

/// An IPv4 address, a neighbour's IPv6 address, or the network of any other: its first 64 bits.
struct ClientAddress: Hashable, Sendable {
  private enum Kind {
    case v4
    case v6
    case v6Network
  }

  private let kind: Kind
  private let high: UInt64
  private let low: UInt64

  /// Nil for what has no such address, as a Unix socket.
  init?(_ address: SocketAddress?, neighbours: Neighbours) {
    switch address {
    case .v4(let address):
      self.init(.v4, low: UInt64(UInt32(bigEndian: address.address.sin_addr.s_addr)))
    case .v6(let address):
      let address = IPv6Address(address.address.sin6_addr)
      // IPv4, as a socket sees it that listens to both.
      if address.high == 0 && address.low >> 32 == 0xFFFF {
        self.init(.v4, low: address.low & 0xFFFF_FFFF)
      } else if neighbours.include(address) {
        self.init(.v6, high: address.high, low: address.low)
      } else {
        self.init(.v6Network, high: address.high)
      }
    default:
      return nil
    }
  }

  private init(_ kind: Kind, high: UInt64 = 0, low: UInt64 = 0) {
    (self.kind, self.high, self.low) = (kind, high, low)
  }
}

extension ClientAddress: CustomStringConvertible {
  /// `192.0.2.7`, `fe80:0:0:0:0:0:0:1`, `2001:db8:0:1::/64`.
  var description: String {
    func groups(_ bits: UInt64) -> String {
      stride(from: 48, through: 0, by: -16).map { String(bits >> UInt64($0) & 0xFFFF, radix: 16) }.joined(
        separator: ":")
    }
    return switch kind {
    case .v4: stride(from: 24, through: 0, by: -8).map { String(low >> UInt64($0) & 0xFF) }.joined(separator: ".")
    case .v6: "\(groups(high)):\(groups(low))"
    case .v6Network: "\(groups(high))::/64"
    }
  }
}
