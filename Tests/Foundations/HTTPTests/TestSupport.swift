// Servers in temporary folders, and a client that can misbehave: it writes bytes, not requests.

import Foundation
import NIOPosix
import TestSupport
import Testing

@testable import HTTP

/// Runs the closure with a folder that is removed when it ends.
@discardableResult
func withTemporaryFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
  let path = "/tmp/http-\(UInt32.random(in: 0 ... .max))"
  try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: path) }
  return try await body(path)
}

/// Runs the closure with a server of the routes.
@discardableResult
func withServer<Result>(
  _ routes: [Route], limits: HTTPLimits = .patient,
  report: @escaping @Sendable (any Error, HTTPRequest) -> Void = { _, _ in },
  _ body: (HTTPServer, HTTPClient) async throws -> Result
) async throws -> Result {
  try await withService(HTTPService(RouteTable(routes), limits: limits, report: report), body)
}

/// Runs the closure with a server on a Unix socket of its own, shut down when it ends.
@discardableResult
func withService<Result>(
  _ service: HTTPService, _ body: (HTTPServer, HTTPClient) async throws -> Result
) async throws -> Result {
  try await withTemporaryFolder { folder async throws in
    let address = HTTPAddress.unixSocket(path: folder + "/s")
    let server = try await HTTPServer.start(service, on: address)
    do {
      let result = try await body(server, HTTPClient(address, limits: .patient))
      await server.shutdown(within: .milliseconds(200))
      return result
    } catch {
      await server.shutdown(within: .milliseconds(200))
      throw error
    }
  }
}

extension HTTPLimits {
  static func patient(_ change: (inout HTTPLimits) -> Void) -> HTTPLimits {
    var limits = HTTPLimits.patient
    change(&limits)
    return limits
  }

  /// The limits for tests of anything but time: on a busy machine a client may be slow.
  static var patient: HTTPLimits {
    var limits = HTTPLimits()
    limits.headerTimeout = .seconds(300)
    limits.bodyTimeout = .seconds(300)
    limits.idleTimeout = .seconds(300)
    limits.writeTimeout = .seconds(300)
    return limits
  }
}

extension HTTPClient.Limits {
  /// The limits of a client on a busy machine.
  static var patient: HTTPClient.Limits {
    var limits = HTTPClient.Limits()
    limits.connectTimeout = .seconds(300)
    return limits
  }
}

struct Greeting: Codable, Equatable {
  var text: String
  var count: Int
}

extension HTTPResponse {
  static func text(_ text: String) -> HTTPResponse {
    HTTPResponse(contentType: "text/plain", bytes: Array(text.utf8))
  }
}

extension HTTPServer {
  /// Returns what it answers to the text, on a connection of its own, until it closes that.
  func answer(to text: String) async throws -> String {
    let raw = try RawConnection(address)
    try await raw.write(text)
    return try await raw.read()
  }
}

/// A blocking socket, used away from the cooperative pool so that handlers always find a thread.
final class RawConnection: Sendable {
  private let descriptor: CInt

  init(_ address: HTTPAddress) throws {
    guard case .unixSocket(let path) = address else { throw POSIXError(.EINVAL) }
    descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { bytes in
      for (index, byte) in path.utf8.enumerated() { bytes[index] = byte }
    }
    var patience = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let connected = withUnsafePointer(to: name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard connected == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }

  deinit { close(descriptor) }

  /// Closes the sending side.
  func endSending() { shutdown(descriptor, CInt(SHUT_WR)) }

  func write(_ text: String) async throws {
    let descriptor = descriptor
    try await NIOThreadPool.singleton.runIfActive {
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        let count = uninterrupted {
          rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
        }
        guard count > 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// Reads until the text has `marker` (at the first such moment), or until the end if `marker` is nil.
  func read(until marker: String? = nil) async throws -> String {
    let descriptor = descriptor
    return try await NIOThreadPool.singleton.runIfActive {
      var text: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 65536)
      while true {
        let count = uninterrupted { recv(descriptor, &chunk, chunk.count, 0) }
        guard count >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        text.append(contentsOf: chunk.prefix(count))
        let soFar = String(decoding: text, as: UTF8.self)
        if count == 0 || marker.map({ soFar.contains($0) }) == true { return soFar }
      }
    }
  }
}

/// An event that happens once, and can be awaited.
final class Signal<Value: Sendable>: Sendable {
  private let stream: AsyncStream<Value>
  private let continuation: AsyncStream<Value>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream(of: Value.self)
  }

  func fire(_ value: Value) { continuation.yield(value) }

  func wait() async throws -> Value {
    for await value in stream { return value }
    throw CancellationError()
  }
}

extension Signal where Value == Bool {
  func fire() { fire(true) }
}
