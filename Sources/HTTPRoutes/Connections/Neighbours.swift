// The IPv6 networks of this machine's interfaces. They seldom change, and are read only when a client connects from an
// IPv6 address.

import Glibc
import NIOCore
import Synchronization

extension UInt128 {
  /// An IPv6 address, its first byte the highest.
  init(_ address: in6_addr) {
    self = withUnsafeBytes(of: address) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
  }
}

package struct IPv6Network: Hashable, Sendable {
  private let prefix: UInt128
  private let mask: UInt128

  /// Of an interface's address and its network mask.
  package init(of address: UInt128, mask: UInt128) {
    prefix = address & mask
    self.mask = mask
  }

  func contains(_ address: UInt128) -> Bool { address & mask == prefix }

  /// Those of this machine's interfaces, now.
  static func ofInterfaces() -> [IPv6Network] {
    ((try? System.enumerateDevices()) ?? []).compactMap { device in
      guard case .v6(let address)? = device.address, case .v6(let mask)? = device.netmask else { return nil }
      return IPv6Network(of: UInt128(address.address.sin6_addr), mask: UInt128(mask.address.sin6_addr))
    }
  }
}

/// The addresses on this machine's own networks.
package final class Neighbours: Sendable {
  /// How long the networks are believed.
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

  func include(_ address: UInt128) -> Bool {
    let now = uptime()
    return known.withLock { known in
      if known.map({ now - $0.since >= Self.interval }) ?? true { known = Known(networks: read(), since: now) }
      return known?.networks.contains { $0.contains(address) } ?? false
    }
  }
}
