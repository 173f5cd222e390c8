// Where a call may go. An address comes from an app's manifest or from a provider, so it could name what only this
// machine or this network should reach. It is resolved once, judged, and connected to as it was judged.

import FoundationEssentials
import NIOCore

/// Who chose an address.
public enum CallOrigin: Sendable, Hashable {
  /// The bundle of an app, which is trusted.
  case manifest
  /// A push: anybody who may push to the app.
  case provider
}

/// The parts of a call's address.
public struct CallTarget: Sendable, Hashable {
  public let isSecure: Bool
  /// A name, or a numeric address without brackets.
  public let host: String
  public let port: Int
  /// Path and query, escaped as they came.
  public let target: String
  public let origin: CallOrigin

  /// - Throws: `CallRefusal` with what is wrong and what to write.
  public init(_ url: String, from origin: CallOrigin) throws(CallRefusal) {
    guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let parts = URLComponents(string: url),
      let scheme = parts.scheme?.lowercased(), let host = parts.host, !host.isEmpty
    else { throw CallRefusal("it is no address; write https://HOST/PATH") }
    guard scheme == "https" || scheme == "http" else {
      throw CallRefusal("'\(scheme)' is not called; write https://HOST/PATH")
    }
    guard parts.user == nil, parts.password == nil else {
      throw CallRefusal("it has a name or password in it; the receiver checks the signature instead")
    }
    guard parts.fragment == nil else { throw CallRefusal("it has a fragment, which no server gets; leave out the '#'") }
    guard scheme == "https" || origin == .manifest else { throw CallRefusal("a push may only name https addresses") }
    let port = parts.port ?? (scheme == "https" ? 443 : 80)
    guard (1...65_535).contains(port) else { throw CallRefusal("its port is not 1 to 65535") }
    isSecure = scheme == "https"
    self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    self.port = port
    let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
    target = path + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
    self.origin = origin
  }

  /// - Throws: `CallRefusal` where the address must not be connected to.
  func examine(_ address: SocketAddress) throws(CallRefusal) {
    guard let network = AddressNetwork(address) else { throw CallRefusal("\(host) has no address of the internet") }
    switch network {
    case .unusable: throw CallRefusal("\(host) is \(text(address)), which is no address of a server")
    case .everywhere:
      guard isSecure else {
        throw CallRefusal("\(host) is not in a private network, so http would tell everybody; write https")
      }
    case .machine, .link, .site:
      guard origin == .manifest else {
        throw CallRefusal("\(host) is \(text(address)), in a private network: a push may not name it")
      }
    }
  }

  private func text(_ address: SocketAddress) -> String { address.ipAddress ?? "unknown" }
}

/// Why a call is not made at all.
public struct CallRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

/// From where an address can be reached.
enum AddressNetwork: Hashable, Sendable {
  /// This machine.
  case machine
  /// This cable or radio: also where clouds answer with credentials.
  case link
  /// A private network [RFC 1918, RFC 4193, RFC 6598].
  case site
  case everywhere
  /// Unspecified, multicast, broadcast or reserved.
  case unusable

  /// Nil for what is not of the internet.
  init?(_ address: SocketAddress) {
    switch address {
    case .v4(let address):
      self.init(v4: withUnsafeBytes(of: address.address.sin_addr) { Array($0) })
    case .v6(let address):
      self.init(v6: withUnsafeBytes(of: address.address.sin6_addr) { Array($0) })
    case .unixDomainSocket: return nil
    }
  }

  private init(v4 bytes: [UInt8]) {
    switch (bytes[0], bytes[1]) {
    case (127, _): self = .machine
    case (10, _), (192, 168), (172, 16...31), (100, 64...127): self = .site
    case (169, 254): self = .link
    case (0, _), (224..., _), (192, 0): self = .unusable
    default: self = .everywhere
    }
  }

  private init(v6 bytes: [UInt8]) {
    let isZero = { (range: Range<Int>) in bytes[range].allSatisfy { $0 == 0 } }
    if isZero(0..<10), bytes[10] == 0xFF, bytes[11] == 0xFF {
      // An address of IPv4 in another form.
      self.init(v4: Array(bytes[12...]))
    } else if isZero(0..<15) {
      self = bytes[15] == 1 ? .machine : .unusable
    } else if bytes[0] == 0xFE, bytes[1] & 0xC0 == 0x80 {
      self = .link
    } else if bytes[0] & 0xFE == 0xFC {
      self = .site
    } else if bytes[0] & 0xE0 == 0x20 && !(bytes[0] == 0x20 && bytes[1] == 0x02) {
      // 6to4 leads to any address of IPv4, also a private one.
      self = .everywhere
    } else {
      self = .unusable
    }
  }
}
