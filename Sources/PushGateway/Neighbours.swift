// The IPv6 networks of this machine's interfaces. They seldom change, and are read only when a client connects from an
// IPv6 address.

import Glibc
import HandsetCore
import Synchronization

struct IPv6Address: Hashable, Sendable {
  var high: UInt64
  var low: UInt64

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  init(_ address: in6_addr) {
    self = withUnsafeBytes(of: address) { bytes in
      IPv6Address(
        high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
  }

  fileprivate func masked(by mask: IPv6Address) -> IPv6Address {
    IPv6Address(high: high & mask.high, low: low & mask.low)
  }
}

struct IPv6Network: Hashable, Sendable {
  private let prefix: IPv6Address
  private let mask: IPv6Address

  /// Of an interface's address and its network mask.
  init(of address: IPv6Address, mask: IPv6Address) {
    prefix = address.masked(by: mask)
    self.mask = mask
  }

  func contains(_ address: IPv6Address) -> Bool { address.masked(by: mask) == prefix }

  /// Those of this machine's interfaces, now.
  static func ofInterfaces() -> [IPv6Network] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var networks: [IPv6Network] = []
    var next = first
    while let interface = next?.pointee {
      if let address = IPv6Address(interface.ifa_addr), let mask = IPv6Address(interface.ifa_netmask) {
        networks.append(IPv6Network(of: address, mask: mask))
      }
      next = interface.ifa_next
    }
    return networks
  }
}

extension IPv6Address {
  fileprivate init?(_ address: UnsafeMutablePointer<sockaddr>?) {
    guard let address, address.pointee.sa_family == sa_family_t(AF_INET6) else { return nil }
    self = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { IPv6Address($0.pointee.sin6_addr) }
  }
}

/// The addresses on this machine's own networks.
final class Neighbours: Sendable {
  /// How long the networks are believed.
  static let interval: Duration = .seconds(60)

  private struct Known {
    var networks: [IPv6Network]
    var since: Duration
  }

  private let known = Mutex<Known?>(nil)
  private let uptime: @Sendable () -> Duration
  private let read: @Sendable () -> [IPv6Network]

  init(
    uptime: @escaping @Sendable () -> Duration, read: @escaping @Sendable () -> [IPv6Network] = IPv6Network.ofInterfaces
  ) {
    self.uptime = uptime
    self.read = read
  }

  func include(_ address: IPv6Address) -> Bool {
    let now = uptime()
    return known.withLock { known in
      if known.map({ now - $0.since >= Self.interval }) ?? true { known = Known(networks: read(), since: now) }
      return known?.networks.contains { $0.contains(address) } ?? false
    }
  }
}
