import FoundationEssentials
import Glibc
import NIOCore

/// The names and addresses that a server certificate covers: those by which clients reach this machine.
public struct CertificateNames: Hashable, Sendable {
  /// Host names, in lower case.
  public var hosts: Set<String>
  /// Addresses in network order: 4 or 16 bytes.
  public var addresses: Set<[UInt8]>

  /// - Parameter names: host names, or addresses as text.
  /// - Throws: `CertificateNameError` for a text that is neither.
  public init(_ names: some Sequence<String>) throws {
    hosts = []
    addresses = []
    for name in names {
      if let address = CertificateNames.address(name) {
        addresses.insert(address)
      } else if CertificateNames.isHostName(name) {
        hosts.insert(name.lowercased())
      } else {
        throw CertificateNameError(name: name)
      }
    }
  }

  /// Returns the names of this machine, and `extra` (the `tls-names` of the configuration): localhost, its host name
  /// with and without `.local`, and the addresses of its interfaces.
  /// - Throws: `CertificateNameError` for an extra name that is neither a host name nor an address.
  public static func machine(extra: [String] = []) throws -> CertificateNames {
    var names = try CertificateNames(["localhost", "127.0.0.1", "::1"] + extra)
    let host = ProcessInfo.processInfo.hostName.lowercased()
    if isHostName(host) {
      names.hosts.insert(host)
      // Avahi and similar services announce a machine by the first part of its name.
      if let first = host.split(separator: ".").first { names.hosts.insert("\(first).local") }
    }
    for device in (try? System.enumerateDevices()) ?? [] {
      guard let text = device.address?.ipAddress, let address = address(text) else { continue }
      // An address in fe80::/10 is complete only with an interface.
      let isLinkLocal = address.count == 16 && address[0] == 0xFE && address[1] & 0xC0 == 0x80
      if !isLinkLocal { names.addresses.insert(address) }
    }
    return names
  }

  func isSubset(of other: CertificateNames) -> Bool {
    hosts.isSubset(of: other.hosts) && addresses.isSubset(of: other.addresses)
  }

  /// Returns the bytes of a numeric address in network order: 4 or 16; nil for any other text.
  public static func address(_ text: String) -> [UInt8]? {
    var four = in_addr()
    if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
    var six = in6_addr()
    if inet_pton(AF_INET6, text, &six) == 1 { return withUnsafeBytes(of: six) { Array($0) } }
    return nil
  }

  /// True for letters, digits and inner dashes, in parts of 1 to 63 [RFC 1123, 2.1]; the first part may be `*`.
  static func isHostName(_ text: String) -> Bool {
    guard (1...253).contains(text.utf8.count) else { return false }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.enumerated().allSatisfy { index, part in
      if index == 0 && part == "*" && parts.count > 2 { return true }
      return (1...63).contains(part.utf8.count) && !part.hasPrefix("-") && !part.hasSuffix("-")
        && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "-_".contains($0) }
    }
  }
}

/// The error that a name cannot be put into a certificate.
public struct CertificateNameError: Error, Hashable, CustomStringConvertible {
  public var name: String

  public var description: String {
    "tls-names: '\(name)' is neither a host name nor an address; expected "
      + (host ?? "for example bell.example.org or 192.168.1.7")
  }

  /// The name or address alone, without a scheme, a port or a path.
  private var host: String? {
    let start = name.firstRange(of: "://")?.upperBound ?? name.startIndex
    var host = name[start...].prefix { $0 != "/" }
    if host.first == "[", let end = host.firstIndex(of: "]") {
      host = host[host.index(after: host.startIndex)..<end]
    } else {
      host = host.prefix { $0 != ":" }
    }
    if host.last == "." { host = host.dropLast() }
    let isGood = CertificateNames.isHostName(String(host)) || CertificateNames.address(String(host)) != nil
    return isGood ? String(host) : nil
  }
}
