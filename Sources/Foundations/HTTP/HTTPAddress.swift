/// The address that a server listens on and a client connects to.
public enum HTTPAddress: Sendable, Hashable, CustomStringConvertible {
  /// At most `unixPathLimit` bytes.
  case unixSocket(path: String)
  /// A name or a numeric address. A server takes any free port for 0.
  case tcp(host: String, port: Int)

  /// The bytes that a Unix socket's path may have on every system with such sockets, and in SwiftNIO. (Linux would
  /// accept 107 [unix(7)].)
  public static let unixPathLimit = 103

  public var description: String {
    switch self {
    case .unixSocket(let path): path
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
  }
}
