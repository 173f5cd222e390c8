import NIOCore
import Synchronization

extension SocketAddress {
  /// The IPv6 address as a number, its first byte the highest, or the IPv4 address in its form within IPv6; nil on a
  /// Unix socket.
  var bits: UInt128? {
    switch self {
    case .v4(let address): 0xFFFF << 32 | UInt128(UInt32(bigEndian: address.address.sin_addr.s_addr))
    case .v6(let address):
      withUnsafeBytes(of: address.address.sin6_addr) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
    case .unixDomainSocket: nil
    }
  }
}

/// A network of IPv6, or of IPv4 in its form within IPv6.
package struct IPv6Network: Hashable, Sendable {
  private let prefix: UInt128
  private let mask: UInt128

  /// Makes the network from an interface's address and its network mask.
  package init(of address: UInt128, mask: UInt128) {
    prefix = address & mask
    self.mask = mask
  }

  func contains(_ address: UInt128) -> Bool { address & mask == prefix }

  static func ofInterfaces() -> [IPv6Network] {
    ((try? System.enumerateDevices()) ?? []).compactMap { device in
      guard let address = device.address?.bits, let mask = device.netmask?.bits else { return nil }
      // The mask of an IPv4 network includes all that its form within IPv6 adds.
      return IPv6Network(of: address, mask: address >> 32 == 0xFFFF ? UInt128.max << 32 | mask : mask)
    }
  }
}

/// The addresses on this machine's own networks, which seldom change and are read only to compare an address.
package final class Neighbours: Sendable {
  /// The time after which the networks are read again.
  package static let interval: Duration = .seconds(60)

  private let known = Mutex<(networks: [IPv6Network], since: Duration)?>(nil)
  private let uptime: @Sendable () -> Duration
  private let read: @Sendable () -> [IPv6Network]

  package init(
    uptime: @escaping @Sendable () -> Duration = { .nanoseconds(Int64(NIODeadline.now().uptimeNanoseconds)) },
    read: @escaping @Sendable () -> [IPv6Network] = { IPv6Network.ofInterfaces() }
  ) {
    self.uptime = uptime
    self.read = read
  }

  package func include(_ address: SocketAddress) -> Bool { address.bits.map { include($0) } ?? false }

  func include(_ address: UInt128) -> Bool {
    let now = uptime()
    return known.withLock { known in
      if known.map({ now - $0.since >= Self.interval }) ?? true { known = (networks: read(), since: now) }
      return known?.networks.contains { $0.contains(address) } ?? false
    }
  }
}
