// The unit that per-address limits count. A distant client has as many IPv6 addresses as it likes, so its network
// counts. On this machine's own networks the address counts: the network would be all neighbours together.

import NIOCore

/// An IPv4 address, a neighbour's IPv6 address, or the network of any other IPv6 address: its first 64 bits.
package struct ClientAddress: Hashable, Sendable, CustomStringConvertible {
  private enum Kind {
    case v4, v6, v6Network
  }

  private let kind: Kind
  /// The address: its last 32 bits if it is an IPv4 address, its first 64 if it is a network.
  private let bits: UInt128
}

extension ClientAddress {
  /// Nil if the client has no IP address, as on a Unix socket.
  package init?(_ address: SocketAddress?, neighbours: Neighbours) {
    guard let bits = address?.bits else { return nil }
    // An IPv4 address, also as a socket that listens to both sees it.
    if bits >> 32 == 0xFFFF {
      self.init(kind: .v4, bits: bits & 0xFFFF_FFFF)
    } else if neighbours.include(bits) {
      self.init(kind: .v6, bits: bits)
    } else {
      self.init(kind: .v6Network, bits: (bits >> 64) << 64)
    }
  }

  package var ipv4: String? { kind == .v4 ? description : nil }

  /// The address as text: `192.0.2.7`, `fe80:0:0:0:0:0:0:1`, `2001:db8:0:1::/64`.
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
