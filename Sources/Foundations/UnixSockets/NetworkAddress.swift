import Glibc

/// The address of a port. Host `*` is every address of the machine.
public struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
  public var host: String
  public var port: Int

  public init(host: String, port: Int) {
    (self.host, self.port) = (host, port)
  }

  /// Reads `HOST:PORT`, `[IPv6]:PORT` or `*:PORT`; nil for anything else.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
      (0...65_535).contains(port)
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("[") && host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty else { return nil }
    self.init(host: String(host), port: port)
  }

  /// Reads `HOST:PORT` of a server to connect to; nil for anything else, and for `*`.
  /// - Parameter port: the port if the text has none.
  public init?(ofServer text: some StringProtocol, defaultPort port: Int) {
    guard let address = Self(String(text)) ?? Self("\(text):\(port)"), address.port > 0, address.host != "*",
      !address.host.contains("/"), !address.host.contains("@")
    else { return nil }
    self = address
  }

  /// True if it is every address of this machine.
  public var isEverywhere: Bool { ["*", "0.0.0.0", "::"].contains(host) }

  /// True if only this machine can reach it.
  public var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") && isIPv4 }

  private var isIPv4: Bool {
    var address = in_addr()
    return inet_pton(AF_INET, host, &address) == 1
  }

  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
