// A panel over a control API of four routes, on a port of its own.

import Foundation
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import WebPanel

/// The server ends soon after the rig.
final class PanelRig: Sendable {
  let port: Int
  let server: HTTPServer
  let sessions: PanelSessions
  let metricsToken: MetricsToken
  /// The daemon's health, and the number of times that it was read.
  let health: Health
  /// Moves the panel's clock.
  let advance: @Sendable (Duration) -> Void
  /// The requests to routes that the panel must not have.
  let handled: Handled
  /// The stored sessions, each time.
  let kept: Handled
  /// The next lines of the event stream.
  let more: AsyncStream<String>.Continuation
  private let folder: URL

  init(limits: HTTPLimits = .patient()) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "panel-\(UInt32.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder.appending(path: "modules"), withIntermediateDirectories: true)
    try Data("<!doctype html><html></html>".utf8).write(to: folder.appending(path: "index.html"))
    try Data("//".utf8).write(to: folder.appending(path: "modules/a.js"))
    try Data("no page".utf8).write(to: folder.appending(path: "README.md"))

    let (handled, kept) = (Handled(), Handled())
    let (lines, more) = AsyncStream.makeStream(of: String.self)
    more.yield("one")
    let control = [
      Route("GET", "/v1/state") { _ in
        HTTPResponse(contentType: "application/json", bytes: Array(#"{"state":"fine"}"#.utf8))
      },
      Route("PUT", "/v1/settings/{key}") { _ in .noContent },
      Route("GET", "/v1/events") { _ in
        HTTPResponse(
          headers: ["Content-Type": "application/x-ndjson", "Cache-Control": "no-store"],
          body: .stream { write in for await line in lines { try await write(Array(line.utf8)) } })
      },
      Route("PUT", "/v1/apps/{id}") { _ in
        handled.add("install")
        return .noContent
      },
      Route("GET", "/metrics") { _ in HTTPResponse(contentType: "text/plain", bytes: Array("up 1\n".utf8)) },
      Route("GET", "/v1/health") { _ in
        HTTPResponse(contentType: "application/json", bytes: Array(#"{"problems":["all"]}"#.utf8))
      },
      Route("POST", "/v1/metrics/token") { _ in
        handled.add("metrics token")
        return .noContent
      },
      Route("POST", "/v1/panel/tokens") { _ in
        handled.add("token")
        return .noContent
      },
    ]
    // Pauses begin while the clock stands still, and never end by themselves.
    let clock = HandClock()
    let sessions = PanelSessions(now: clock.now)
    let (metricsToken, health) = (MetricsToken(stored: nil), Health())
    let service = try PanelRoutes.service(
      sessions: sessions, hasPassword: { true },
      isRight: { text, _ in text == "busy" ? nil : text == "correct horse" }, isSecure: false, names: nil,
      keep: { kept.add(sessions.stored ?? "none") }, metricsToken: metricsToken, isHealthy: { health.ask() },
      folder: folder.path, made: ["modules/made.js": Array("/**/".utf8)], control: control,
      limits: limits)
    let server = try await HTTPServer.start(service, on: .tcp(host: "127.0.0.1", port: 0))
    guard case .tcp(_, let port) = server.address else { throw POSIXError(.EADDRNOTAVAIL) }
    (self.port, self.server, self.sessions, self.folder) = (port, server, sessions, folder)
    (self.metricsToken, self.health, self.handled, self.kept, self.more) = (metricsToken, health, handled, kept, more)
    advance = { clock.pass($0) }
  }

  deinit {
    more.finish()
    try? FileManager.default.removeItem(at: folder)
    Task { [server] in await server.shutdown(within: .milliseconds(200)) }
  }

  final class Handled: Sendable {
    private let names = Mutex<[String]>([])
    func add(_ name: String) { names.withLock { $0.append(name) } }
    func withLock<Result>(_ body: ([String]) -> Result) -> Result where Result: Sendable { names.withLock { body($0) } }
  }

  final class Health: Sendable {
    private let state = Mutex((isOK: true, asked: 0))
    var asked: Int { state.withLock(\.asked) }
    func set(_ isOK: Bool) { state.withLock { $0.isOK = isOK } }
    func ask() -> Bool {
      state.withLock { state in
        state.asked += 1
        return state.isOK
      }
    }
  }

  struct Answer {
    var status: Int
    /// The fields by lower-case name.
    var fields: [String: String]
    var body: String

    var key: String? {
      (try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])?["key"] as? String
    }
  }

  func signIn(_ body: String) async throws -> Answer {
    try await ask("POST /session", ["Deskbell-Panel: none"], body: body)
  }

  /// Returns the header fields of a browser that is signed in.
  func signedIn() async throws -> [String] {
    let answer = try await signIn(#"{"token": "\#(sessions.makeToken())"}"#)
    let cookie = try #require(answer.fields["set-cookie"]?.components(separatedBy: "; ").first)
    return ["Cookie: \(cookie)", "Deskbell-Panel: \(try #require(answer.key))"]
  }

  func ask(_ request: String, _ fields: [String], body: String? = nil) async throws -> Answer {
    let sent =
      ["Host: 127.0.0.1:\(port)", "Connection: close"] + fields
      + (body.map { ["Content-Length: \($0.utf8.count)"] } ?? [])
    return try await raw("\(request) HTTP/1.1\r\n" + sent.map { $0 + "\r\n" }.joined() + "\r\n" + (body ?? ""))
  }

  /// Sends the bytes and reads one answer.
  func raw(_ bytes: String) async throws -> Answer {
    let client = try RawConnection(port: port)
    try await client.write(bytes)
    let head = try await client.read(until: "\r\n\r\n")
    let parts = head.components(separatedBy: "\r\n\r\n")
    var fields: [String: String] = [:]
    let lines = parts[0].components(separatedBy: "\r\n")
    for line in lines.dropFirst() {
      let sides = line.components(separatedBy: ": ")
      fields[sides[0].lowercased()] = sides.dropFirst().joined(separator: ": ")
    }
    let status = try #require(Int(lines[0].components(separatedBy: " ")[1]))
    var body = parts.dropFirst().joined(separator: "\r\n\r\n")
    let length = fields["content-length"].flatMap { Int($0) } ?? 0
    if status != 304 && body.utf8.count < length { body += try await client.read(bytes: length - body.utf8.count) }
    return Answer(status: status, fields: fields, body: body)
  }
}

extension HTTPLimits {
  /// Returns limits with long times.
  static func patient(_ adjust: (inout HTTPLimits) -> Void = { _ in }) -> HTTPLimits {
    var limits = HTTPLimits()
    (limits.headerTimeout, limits.bodyTimeout, limits.idleTimeout) = (.seconds(300), .seconds(300), .seconds(300))
    adjust(&limits)
    return limits
  }
}
