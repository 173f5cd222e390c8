// systemd expects messages when a service is ready, stops or is still alive. Each message is one datagram of text, so
// no library is linked for it.

import Glibc

/// The service manager's socket, as sd_notify(3) describes it.
final class NotifySocket: Sendable {
  private let descriptor: CInt

  /// - Parameter address: `$NOTIFY_SOCKET`: a path, or `@` and the name of an abstract socket.
  /// - Throws: `ServiceManagerError` if the address is malformed or cannot be connected to.
  init(_ address: String) throws(ServiceManagerError) {
    var target = sockaddr_un()
    let path = Array(address.utf8)
    let capacity = MemoryLayout.size(ofValue: target.sun_path)
    guard let first = path.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@"), path.count < capacity else {
      throw ServiceManagerError(
        "NOTIFY_SOCKET '\(address)': expected a path of less than \(capacity) bytes, or @ and a name")
    }
    target.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: path) }
    // The name of an abstract socket begins with a zero byte; the length of the address ends it.
    if first == UInt8(ascii: "@") { target.sun_path.0 = 0 }
    let length = socklen_t(MemoryLayout.size(ofValue: target.sun_family) + path.count)

    descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw NotifySocket.failed(address, errno) }
    let connected = withUnsafePointer(to: target) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
    }
    guard connected == 0 else { throw NotifySocket.failed(address, errno) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// - Parameter isUrgent: true to wait if the manager's queue is full. A message that will be repeated may be lost.
  func send(_ assignments: String, isUrgent: Bool = true) {
    let flags = CInt(MSG_NOSIGNAL) | (isUrgent ? 0 : CInt(MSG_DONTWAIT))
    var text = assignments
    text.withUTF8 { bytes in
      while Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags) < 0 && errno == EINTR {}
    }
  }

  private static func failed(_ address: String, _ code: CInt) -> ServiceManagerError {
    ServiceManagerError(
      "NOTIFY_SOCKET '\(address)': \(String(cString: strerror(code))); the service manager is not notified")
  }
}
