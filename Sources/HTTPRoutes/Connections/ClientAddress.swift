// Whom the limits of an address are for. A client elsewhere has as many IPv6 addresses as it likes, so there the network
// counts. On a network that this machine is on itself that would be all its neighbours together: there the address does.

import NIOCore

/// An IPv4 address, a neighbour's IPv6 address, or the network of any other: its first 64 bits.
package struct ClientAddress: Hashable, Sendable {
  private enum Kind {
    case v4
    case v6
    case v6Network
  }

  private let kind: Kind
  /// Of an IPv4 address the last 32, of a network the first 64.
  private let bits: UInt128
}

extension ClientAddress {
  /// Nil for what has no such address, as a Unix socket.
  package init?(_ address: SocketAddress?, neighbours: Neighbours) {
    switch address {
    case .v4(let address):
      self.init(kind: .v4, bits: UInt128(UInt32(bigEndian: address.address.sin_addr.s_addr)))
    case .v6(let address):
      let bits = UInt128(address.address.sin6_addr)
      // IPv4, as a socket sees it that listens to both.
      if bits >> 32 == 0xFFFF {
        self.init(kind: .v4, bits: bits & 0xFFFF_FFFF)
      } else if neighbours.include(bits) {
        self.init(kind: .v6, bits: bits)
      } else {
        self.init(kind: .v6Network, bits: (bits >> 64) << 64)
      }
    default:
      return nil
    }
  }
}

extension ClientAddress {
  /// Nil for an IPv6 address.
  package var ipv4: String? { kind == .v4 ? description : nil }
}

extension ClientAddress: CustomStringConvertible {
  /// `192.0.2.7`, `fe80:0:0:0:0:0:0:1`, `2001:db8:0:1::/64`.
  package var description: String {
    func groups(_ count: Int) -> String {
      (1...count).map { String(bits >> UInt128(128 - 16 * $0) & 0xFFFF, radix: 16) }.joined(separator: ":")
    }
    return switch kind {
    case .v4: stride(from: 24, through: 0, by: -8).map { String(bits >> UInt128($0) & 0xFF) }.joined(separator: ".")
    case .v6: groups(8)
    case .v6Network: "\(groups(4))::/64"
    }
  }
}
