// The other ends: an app that connects to the daemon's socket, and a service that the daemon connects to. Both block,
// for 20 s at most.

import Glibc
import TestSupport
import UnixSockets

@testable import AppLink

/// One end of a connection, read and written in lines.
final class LineConnection {
  private let descriptor: CInt
  private var buffer: [UInt8] = []

  init(descriptor: CInt) {
    self.descriptor = descriptor
    var time = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Connects; nil if there is no listener.
  convenience init?(to path: String) {
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard UnixAddress(path)?.connect(descriptor) == 0 else {
      Glibc.close(descriptor)
      return nil
    }
    self.init(descriptor: descriptor)
  }

  deinit { Glibc.close(descriptor) }

  func write(_ text: String) {
    _ = Array(text.utf8).withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
  }

  /// Returns the next line; nil if the other end has closed, or sends nothing.
  func line() -> String? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeFirst(end + 1) }
        return String(decoding: buffer[..<end], as: UTF8.self)
      }
      var piece = [UInt8](repeating: 0, count: 65_536)
      let count = uninterrupted { recv(descriptor, &piece, piece.count, 0) }
      guard count > 0 else { return nil }
      buffer += piece[..<count]
    }
  }

  /// True if the other end has closed and is not merely silent.
  var isClosed: Bool {
    var byte: UInt8 = 0
    let count = uninterrupted { recv(descriptor, &byte, 1, 0) }
    return count == 0 || (count < 0 && errno == ECONNRESET)
  }
}

final class Service {
  private let file: ListeningUnixSocket

  init(path: String) throws {
    file = try ListeningUnixSocket(path: path, mode: 0o600, backlog: 64)
    // Accepting must block.
    _ = fcntl(file.descriptor, F_SETFL, 0)
  }

  deinit { file.close() }

  func accept() -> LineConnection { LineConnection(descriptor: Glibc.accept(file.descriptor, nil, nil)) }
}
