// The networks of this machine's interfaces. They seldom change, and are read only to compare an address.

import Glibc
import NIOCore
import Synchronization

extension UInt128 {
  /// Makes a number of an IPv6 address, whose first byte is the highest.
  init(_ address: in6_addr) {
    self = withUnsafeBytes(of: address) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
  }

  /// Makes a number of an IPv4 address, in its form within IPv6.
  init(_ address: in_addr) {
    self = 0xFFFF << 32 | UInt128(UInt32(bigEndian: address.s_addr))
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
      switch (device.address, device.netmask) {
      case (.v6(let address)?, .v6(let mask)?):
        IPv6Network(of: UInt128(address.address.sin6_addr), mask: UInt128(mask.address.sin6_addr))
      case (.v4(let address)?, .v4(let mask)?):
        IPv6Network(
          of: UInt128(address.address.sin_addr), mask: UInt128.max << 32 | UInt128(mask.address.sin_addr))
      default: nil
      }
    }
  }
}

/// The addresses on this machine's own networks.
package final class Neighbours: Sendable {
  /// The time after which the networks are read again.
  package static let interval: Duration = .seconds(60)

  private struct Known {
    var networks: [IPv6Network]
    var since: Duration
  }

  private let known = Mutex<Known?>(nil)
  private let uptime: @Sendable () -> Duration
  private let read: @Sendable () -> [IPv6Network]

  package init(
    uptime: @escaping @Sendable () -> Duration = { .nanoseconds(Int64(NIODeadline.now().uptimeNanoseconds)) },
    read: @escaping @Sendable () -> [IPv6Network] = { IPv6Network.ofInterfaces() }
  ) {
    self.uptime = uptime
    self.read = read
  }

  package func include(_ address: SocketAddress) -> Bool {
    switch address {
    case .v4(let address): include(UInt128(address.address.sin_addr))
    case .v6(let address): include(UInt128(address.address.sin6_addr))
    case .unixDomainSocket: false
    }
  }

  func include(_ address: UInt128) -> Bool {
    let now = uptime()
    return known.withLock { known in
      if known.map({ now - $0.since >= Self.interval }) ?? true { known = Known(networks: read(), since: now) }
      return known?.networks.contains { $0.contains(address) } ?? false
    }
  }
}
