// A browser's connection to the web panel's port: requests of HTTP/1.1, the guard against other pages, signing in, and
// the routes that the page may use. Placeholders are replaced by the secrets of a session.

import Glibc
import Synchronization

@testable import HTTP
@testable import WebPanel

func runPanel(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  let connection = try FuzzedConnection()
  let faults = Faults()
  let sessions = PanelSessions(now: { HandsetInUse.now.uptime })
  let made = MetricsToken.make()
  let metricsToken = MetricsToken(stored: made.stored)
  do {
    // The routes themselves have a target of their own, so that nothing here waits for a host.
    let control = (["GET /metrics", "GET /v1/health"] + PanelRoutes.offered).map { name -> Route in
      let words = name.split(separator: " ")
      return Route(String(words[0]), String(words[1])) { request in
        HTTPResponse(body: .stream { write in try await write(request.body + Array(request.target.path.utf8)) })
      }
    }
    try PanelFolder.withFolder { folder in
      let service = try PanelRoutes.service(
        sessions: sessions, hasPassword: { true }, isRight: { password, _ in password == "correct horse" },
        isSecure: false, names: ["bell.local", "*.example.org"], keep: {}, metricsToken: metricsToken,
        isHealthy: { true }, folder: folder, control: control,
        executor: connection.executor, report: { error, _ in faults.add("a route threw \(error), which is a 500") })
      try service.serve(connection.channel)
    }
  } catch {
    throw FuzzTarget.Finding(description: "no panel: \(error)")
  }
  guard let session = sessions.open(in: 0) else {
    throw FuzzTarget.Finding(description: "no session is opened")
  }
  var text = bytes
  for (placeholder, secret) in [
    ("COOKIE-OF-THE-SESSION", session.cookie), ("KEY-OF-THE-SESSION", session.key),
    ("TOKEN-FOR-THE-METRICS", made.token),
    // As long as a token, so that the length of a body that contains it stays right.
    ("TOKEN-TO-SIGN-IN" + String(repeating: "-", count: 27), sessions.makeToken()),
  ] { text.replace(Array(placeholder.utf8), with: Array(secret.utf8)) }
  try connection.run(text)
  if let fault = faults.first { throw FuzzTarget.Finding(description: fault) }
  let answer = connection.answer.readableBytesView
  try hold(answer.isEmpty || answer.starts(with: "HTTP/1.1 ".utf8), "the answer is no HTTP/1.1")
}

/// The errors that routes threw.
private final class Faults: Sendable {
  private let all = Mutex<[String]>([])

  var first: String? { all.withLock(\.first) }

  func add(_ fault: String) { all.withLock { $0.append(fault) } }
}

private enum PanelFolder {
  /// Creates a folder with a page in it while `body` reads it.
  static func withFolder(_ body: (String) throws -> Void) throws {
    var name = Array("/tmp/deskbell-panel-XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { throw FuzzTarget.Finding(description: "no folder: error \(errno)") }
    let folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let page = folder + "/index.html"
    let descriptor = open(page, O_WRONLY | O_CREAT, 0o600)
    // FoundationEssentials leaks 4 KB with each empty file that it reads.
    _ = write(descriptor, "<!doctype html>", 15)
    close(descriptor)
    defer {
      unlink(page)
      rmdir(folder)
    }
    try body(folder)
  }
}
