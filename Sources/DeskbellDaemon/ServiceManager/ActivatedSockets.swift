// A socket that the service manager holds outlives the daemon: whoever connects during a restart waits in its queue
// instead of being refused.

import Glibc

/// The listening sockets that this process was started with, as sd_listen_fds(3) describes it.
struct ActivatedSockets: Sendable {
  enum Limits {
    /// Sockets that are looked at. One more is refused.
    static let sockets = 16
  }

  /// The control socket, and the path that it has.
  struct Control: Sendable {
    let descriptor: CInt
    let path: String
  }

  /// The port that providers push to.
  private(set) var push: CInt?
  private(set) var control: Control?

  /// - Parameters:
  ///   - variable: gives the value of an environment variable, nil where it is not set.
  ///   - process: the number of this process; sockets that are meant for another are left alone.
  ///   - first: the first descriptor that was handed over.
  /// - Throws: `DaemonError` for a socket that nobody here can use: it would take connections that nobody answers.
  init(variable: (String) -> String?, process: pid_t = getpid(), first: CInt = 3) throws(DaemonError) {
    guard let count = variable("LISTEN_FDS"), variable("LISTEN_PID") == "\(process)" else { return }
    guard let count = Int(count), (0...Limits.sockets).contains(count) else {
      throw DaemonError("LISTEN_FDS '\(count)': expected 0 to \(Limits.sockets) sockets")
    }
    let names = (variable("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false).map(
      String.init)
    for index in 0..<count {
      let descriptor = first + CInt(index)
      // A hook's process must not have it.
      guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
        throw DaemonError("LISTEN_FDS '\(count)': there is no descriptor \(descriptor)")
      }
      try take(descriptor, name: index < names.count ? names[index] : "")
    }
  }

  private mutating func take(_ descriptor: CInt, name: String) throws(DaemonError) {
    let domain = option(SO_DOMAIN, of: descriptor)
    let isListening =
      option(SO_TYPE, of: descriptor) == CInt(SOCK_STREAM.rawValue) && option(SO_ACCEPTCONN, of: descriptor) == 1
    switch name {
    case "push":
      guard push == nil else { throw DaemonError("two sockets are named push: the port for pushes is one") }
      guard isListening, domain == AF_INET || domain == AF_INET6 else {
        throw DaemonError("the socket named push listens on no TCP port: give it ListenStream=PORT")
      }
      push = descriptor
    case "control":
      guard control == nil else { throw DaemonError("two sockets are named control: the control socket is one") }
      guard isListening, domain == AF_UNIX, let path = unixPath(of: descriptor) else {
        throw DaemonError("the socket named control is no listening Unix socket: give it ListenStream=/PATH")
      }
      control = Control(descriptor: descriptor, path: path)
    default:
      throw DaemonError("a socket named '\(name)' was handed over: FileDescriptorName= is push or control")
    }
  }
}

private func option(_ name: CInt, of descriptor: CInt) -> CInt? {
  var value: CInt = 0
  var size = socklen_t(MemoryLayout<CInt>.size)
  return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
}

/// Nil for a socket without a file.
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
