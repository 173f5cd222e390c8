// A client that can misbehave: it writes bytes, not requests.

import Foundation

/// A blocking socket, used away from the cooperative pool so that handlers always find a thread.
public final class RawConnection: Sendable {
  private let descriptor: CInt

  /// Connects to a Unix socket.
  public convenience init(path: String) throws {
    try self.init(AF_UNIX)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
    try call(name) { connect(descriptor, $0, $1) }
  }

  /// - Parameter source: the last byte of its own address in 127.0.0.0/24.
  public convenience init(port: Int, from source: UInt8 = 1) throws {
    try self.init(AF_INET)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = (UInt32(0x7F00_0000) | UInt32(source)).bigEndian
    try call(address) { bind(descriptor, $0, $1) }
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    try call(address) { connect(descriptor, $0, $1) }
  }

  private init(_ family: CInt) throws {
    // Not inherited by a child process of another test.
    descriptor = socket(family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw RawConnection.failure }
    var patience = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  private func call<Address>(_ address: Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) throws {
    let result = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Address>.size)) }
    }
    guard result == 0 else { throw RawConnection.failure }
  }

  private static var failure: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

  /// Closes the sending side.
  public func endSending() { shutdown(descriptor, CInt(SHUT_WR)) }

  public func write(_ text: String) async throws {
    let descriptor = descriptor
    try await onThread {
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        let count = uninterrupted {
          rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
        }
        guard count > 0 else { throw RawConnection.failure }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// Reads until the text has `marker` (at the first such moment), or until the end if `marker` is nil.
  public func read(until marker: String? = nil) async throws -> String {
    try await readAll { text in marker.map { text.contains($0) } ?? false }
  }

  public func read(bytes: Int) async throws -> String { try await readAll { $0.utf8.count >= bytes } }

  private func readAll(isEnough: @escaping @Sendable (String) -> Bool) async throws -> String {
    let descriptor = descriptor
    return try await onThread {
      var text: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = uninterrupted { recv(descriptor, &chunk, chunk.count, 0) }
        guard count >= 0 else { throw RawConnection.failure }
        text += chunk.prefix(count)
        let soFar = String(decoding: text, as: UTF8.self)
        if count == 0 || isEnough(soFar) { return soFar }
      }
    }
  }

  private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
  }
}
