// Servers in temporary folders.

import Foundation
import TestSupport
import Testing

@testable import HTTP

/// Runs the closure with a folder that is removed when it ends.
@discardableResult
func withTemporaryFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
  let path = "/tmp/http-\(UInt32.random(in: 0 ... .max))"
  try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  do {
    let result = try await body(path)
    try FileManager.default.removeItem(atPath: path)
    return result
  } catch {
    try? FileManager.default.removeItem(atPath: path)
    throw error
  }
}

/// Runs the closure with a server on a Unix socket of its own, shut down when it ends.
@discardableResult
func withServer<Result>(
  _ routes: [Route], limits: HTTPLimits = .patient,
  report: @escaping @Sendable (any Error, HTTPRequest) -> Void = { _, _ in },
  _ body: (HTTPServer, HTTPClient) async throws -> Result
) async throws -> Result {
  try await withTemporaryFolder { folder async throws in
    let address = HTTPAddress.unixSocket(path: folder + "/s")
    let server = try await HTTPServer.start(RouteTable(routes), on: address, limits: limits, report: report)
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

extension RawConnection {
  convenience init(_ address: HTTPAddress) throws {
    guard case .unixSocket(let path) = address else { throw POSIXError(.EINVAL) }
    try self.init(path: path)
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
