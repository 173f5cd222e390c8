// The permitted addresses of a call. An address comes from an app's manifest or from a provider, so it could name a
// server that only this machine or this network should reach. It is resolved once, checked, and used as it was checked.

import FoundationEssentials
import HTTP
import NIOCore

public enum CallOrigin: Sendable, Hashable {
  /// The manifest in an app's bundle, which is trusted.
  case manifest
  /// A push, from any provider that may push to the app.
  case provider
}

public struct CallTarget: Sendable, Hashable {
  public let isSecure: Bool
  /// A name, or a numeric address without brackets.
  public let host: String
  public let port: Int
  /// Path and query, escaped as received.
  public let target: String
  public let origin: CallOrigin

  /// - Throws: `CallFailure` with the fault and the correct form.
  public init(_ url: String, from origin: CallOrigin) throws(CallFailure) {
    guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let parts = URLComponents(string: url),
      let scheme = parts.scheme?.lowercased(), let host = parts.host, !host.isEmpty
    else { throw CallFailure("it is no address; write https://HOST/PATH") }
    guard scheme == "https" || scheme == "http" else {
      throw CallFailure("'\(scheme)' is not called; write https://HOST/PATH")
    }
    guard parts.user == nil, parts.password == nil else {
      throw CallFailure("it has a name or password in it; the receiver checks the signature instead")
    }
    guard parts.fragment == nil else { throw CallFailure("it has a fragment, which no server gets; leave out the '#'") }
    guard scheme == "https" || origin == .manifest else { throw CallFailure("a push may only name https addresses") }
    let port = parts.port ?? (scheme == "https" ? 443 : 80)
    guard (1...65_535).contains(port) else { throw CallFailure("its port is not 1 to 65535") }
    isSecure = scheme == "https"
    self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    self.port = port
    let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
    target = path + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
    self.origin = origin
  }

  /// - Parameter neighbours: the addresses on this machine's networks, which a push may not name even if they are
  ///   public.
  /// - Throws: `CallFailure` if the address must not be connected to.
  func examine(_ address: SocketAddress, neighbours: Neighbours) throws(CallFailure) {
    guard let network = AddressNetwork(address, neighbours: neighbours) else {
      throw CallFailure("\(host) has no address of the internet")
    }
    switch network {
    case .unusable: throw CallFailure("\(host) is \(text(address)), which is no address of a server")
    case .everywhere:
      guard isSecure else {
        throw CallFailure("\(host) is not in a private network, so http would tell everybody; write https")
      }
    case .local:
      guard origin == .manifest else {
        throw CallFailure("\(host) is \(text(address)), in a private network: a push may not name it")
      }
    }
  }

  private func text(_ address: SocketAddress) -> String { address.ipAddress ?? "unknown" }
}

/// The reason why a call is not made at all, or has failed.
public struct CallFailure: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String
  /// True if another attempt would have the same result.
  let isFinal: Bool

  init(_ description: String, isFinal: Bool = true) { (self.description, self.isFinal) = (description, isFinal) }
}

enum AddressNetwork: Hashable, Sendable {
  /// This machine; the local link, on which clouds also serve credentials; a private network [RFC 1918, RFC 2544,
  /// RFC 4193, RFC 6598]; or one of this machine's.
  case local
  case everywhere
  /// Unspecified, multicast, broadcast, reserved, for examples, or a translation to IPv4 addresses. By IANA's
  /// registries of special-purpose addresses, as of 2025.
  case unusable

  /// Nil if the address is not IPv4 or IPv6.
  init?(_ address: SocketAddress, neighbours: Neighbours) {
    switch address {
    case .v4(let address):
      self.init(v4: withUnsafeBytes(of: address.address.sin_addr) { Array($0) })
    case .v6(let address):
      self.init(v6: withUnsafeBytes(of: address.address.sin6_addr) { Array($0) })
    case .unixDomainSocket: return nil
    }
    if self == .everywhere && neighbours.include(address) { self = .local }
  }

  private init(v4 bytes: [UInt8]) {
    switch (bytes[0], bytes[1], bytes[2]) {
    case (127, _, _), (169, 254, _), (10, _, _), (192, 168, _), (172, 16...31, _), (100, 64...127, _),
      (198, 18...19, _):
      self = .local
    case (0, _, _), (224..., _, _), (192, 0, 0), (192, 0, 2), (192, 88, 99), (198, 51, 100), (203, 0, 113):
      self = .unusable
    default: self = .everywhere
    }
  }

  private init(v6 bytes: [UInt8]) {
    let isZero = { (range: Range<Int>) in bytes[range].allSatisfy { $0 == 0 } }
    if isZero(0..<10), bytes[10] == 0xFF, bytes[11] == 0xFF {
      // An IPv4 address in another form.
      self.init(v4: Array(bytes[12...]))
    } else if isZero(0..<15) {
      self = bytes[15] == 1 ? .local : .unusable
    } else if bytes[0] & 0xFE == 0xFC || bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 {
      self = .local
    } else {
      switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
      // Protocol assignments with Teredo, and 6to4: these lead to any IPv4 address, also a private one.
      case (0x20, 0x01, 0x00...0x01, _), (0x20, 0x02, _, _): self = .unusable
      // Addresses for examples.
      case (0x20, 0x01, 0x0D, 0xB8), (0x3F, 0xFF, 0x00...0x0F, _): self = .unusable
      case (0x20...0x3F, _, _, _): self = .everywhere
      default: self = .unusable
      }
    }
  }
}
