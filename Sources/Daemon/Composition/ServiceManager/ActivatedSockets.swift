// A socket that the service manager holds outlives the daemon: clients that connect during a restart wait in its queue
// instead of being refused.

import Glibc

/// The listening sockets that this process was started with, as sd_listen_fds(3) describes it.
public struct ActivatedSockets: Sendable {
  enum Limits {
    /// The largest number of sockets. One more is refused.
    static let sockets = 16
  }

  public struct Control: Sendable {
    public let descriptor: CInt
    public let path: String
  }

  /// The port for pushes; nil if none was handed over.
  public private(set) var push: CInt?
  /// The control socket; nil if none was handed over.
  public private(set) var control: Control?
}

extension ActivatedSockets {
  /// - Parameters:
  ///   - variable: returns the value of an environment variable, nil if it is not set.
  ///   - process: the number of this process; sockets for another process are ignored.
  /// - Throws: `ServiceManagerError` for a socket without a use: its clients would connect and never be answered.
  init(variable: (String) -> String?, process: pid_t = getpid(), first: CInt = 3) throws(ServiceManagerError) {
    self.init()
    guard let count = variable("LISTEN_FDS"), variable("LISTEN_PID") == "\(process)" else { return }
    guard let count = Int(count), (0...Limits.sockets).contains(count) else {
      throw ServiceManagerError("LISTEN_FDS '\(count)': expected 0 to \(Limits.sockets) sockets")
    }
    let names = (variable("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false).map(
      String.init)
    for index in 0..<count {
      let descriptor = first + CInt(index)
      // Apps' programs must not inherit it.
      guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
        throw ServiceManagerError("LISTEN_FDS '\(count)': there is no descriptor \(descriptor)")
      }
      try take(descriptor, name: index < names.count ? names[index] : "")
    }
  }

  private mutating func take(_ descriptor: CInt, name: String) throws(ServiceManagerError) {
    let domain = option(SO_DOMAIN, of: descriptor)
    let isListening =
      option(SO_TYPE, of: descriptor) == CInt(SOCK_STREAM.rawValue) && option(SO_ACCEPTCONN, of: descriptor) == 1
    switch name {
    case "push":
      guard push == nil else { throw ServiceManagerError("two sockets are named push: there is one port for pushes") }
      guard isListening, domain == AF_INET || domain == AF_INET6 else {
        throw ServiceManagerError("the socket named push does not listen on a TCP port: set ListenStream=PORT")
      }
      push = descriptor
    case "control":
      guard control == nil else {
        throw ServiceManagerError("two sockets are named control: there is one control socket")
      }
      guard isListening, domain == AF_UNIX, let path = unixPath(of: descriptor) else {
        throw ServiceManagerError("the socket named control is not a listening Unix socket: set ListenStream=/PATH")
      }
      control = Control(descriptor: descriptor, path: path)
    default:
      throw ServiceManagerError("unknown socket name '\(name)': FileDescriptorName= must be push or control")
    }
  }
}

private func option(_ name: CInt, of descriptor: CInt) -> CInt? {
  var value: CInt = 0
  var size = socklen_t(MemoryLayout<CInt>.size)
  return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
}

private func unixPath(of descriptor: CInt) -> String? {
  var address = sockaddr_un()
  var size = socklen_t(MemoryLayout<sockaddr_un>.size)
  let known = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
  }
  guard known == 0 else { return nil }
  let bytes = withUnsafeBytes(of: &address.sun_path) { Array($0.prefix { $0 != 0 }) }
  return bytes.first == UInt8(ascii: "/") ? String(decoding: bytes, as: UTF8.self) : nil
}
