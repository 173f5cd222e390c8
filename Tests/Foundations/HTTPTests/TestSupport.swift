import Foundation
import TestSupport
import Testing

@testable import HTTP

/// A server on a Unix socket of its own, and a client of it. The server shuts down when the test is over.
final class TestServer: Sendable {
  let server: HTTPServer
  let client: HTTPClient
  private let folder: TemporaryFolder

  init(_ service: HTTPService) async throws {
    folder = try TemporaryFolder()
    let address = HTTPAddress.unixSocket(path: folder.path + "/s")
    server = try await HTTPServer.start(service, on: address)
    client = HTTPClient(address, limits: .patient)
  }

  convenience init(
    _ routes: [Route], limits: HTTPLimits = .patient,
    report: @escaping @Sendable (any Error, HTTPRequest) -> Void = { _, _ in }
  ) async throws {
    try await self.init(HTTPService(RouteTable(routes), limits: limits, report: report))
  }

  deinit { Task { [server] in await server.shutdown(within: .milliseconds(200)) } }
}

extension HTTPServer {
  /// Sends the text on a connection of its own.
  /// - Returns: all that comes until the connection ends.
  func answer(to text: String) async throws -> String {
    let raw = try RawConnection(address)
    try await raw.write(text)
    return try await raw.read()
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
