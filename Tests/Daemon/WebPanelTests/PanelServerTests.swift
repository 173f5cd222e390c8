// The panel's port, with requests that no browser would send: over real sockets, byte by byte.

import Foundation
import HTTP
import ServerIdentity
import Synchronization
import TestSupport
import Testing

@testable import WebPanel

@Suite(.timeLimit(.minutes(10))) struct PanelServerTests {
  private let panel: PanelRig

  init() async throws { panel = try await PanelRig() }

  @Test func signsInOnceWithAToken() async throws {
    let token = panel.sessions.makeToken()
    let answer = try await panel.signIn(#"{"token": "\#(token)"}"#)
    #expect(answer.status == 200)
    let cookie = try #require(answer.fields["set-cookie"])
    let parts = cookie.components(separatedBy: "; ")
    #expect(parts[0].hasPrefix("deskbell-\(panel.port)="))
    #expect(Set(parts.dropFirst()) == ["Path=/", "Max-Age=604800", "HttpOnly", "SameSite=Strict"])
    #expect(try await panel.signIn(#"{"token": "\#(token)"}"#).status == 401)

    let key = try #require(answer.key)
    let signedIn = ["Cookie: other=1; \(parts[0])", "Deskbell-Panel: \(key)"]
    #expect(try await panel.ask("GET /v1/state", signedIn).body == #"{"state":"fine"}"#)
    #expect(try await panel.ask("GET /session", signedIn).body == #"{"hasPassword":true,"isSignedIn":true}"#)
    // The cookie alone, which a server on another port of this machine sees.
    #expect(try await panel.ask("GET /v1/state", ["Cookie: \(parts[0])", "Deskbell-Panel: none"]).status == 401)
    #expect(try await panel.ask("GET /v1/state", ["Cookie: \(parts[0])"]).status == 403)
    #expect(try await panel.ask("GET /v1/state", ["Deskbell-Panel: \(key)"]).status == 401)

    // Signing in was stored, before the answer; later requests store nothing.
    let stored = try #require(panel.sessions.stored)
    #expect(panel.kept.withLock { $0 } == [stored])
    let out = try await panel.ask("DELETE /session", signedIn)
    #expect(out.status == 204)
    #expect(out.fields["set-cookie"]?.contains("Max-Age=0") == true)
    #expect(try await panel.ask("GET /v1/state", signedIn).status == 401)
    // Signing out without a session stores nothing.
    #expect(try await panel.ask("DELETE /session", signedIn).status == 204)
    #expect(panel.kept.withLock { $0 } == [stored, "none"])
  }

  @Test func signsInWithThePassword() async throws {
    #expect(try await panel.signIn(#"{"password": "correct horse"}"#).status == 200)
    let wrong = try await panel.signIn(#"{"password": "battery staple"}"#)
    #expect(wrong.status == 401)
    #expect(wrong.fields["set-cookie"] == nil)
    #expect(wrong.body == #"{"error":"the password is wrong","hint":"'deskbell panel password' sets another"}"#)
    #expect(try await panel.signIn(#"{"password": "busy"}"#).status == 503)
    #expect(try await panel.signIn("{}").status == 400)
    #expect(try await panel.signIn(#"{"token": "x", "password": "correct horse"}"#).status == 400)
  }

  @Test func guessingIsSlow() async throws {
    for _ in 0..<GuessPace.freeAttempts {
      #expect(try await panel.signIn(#"{"password": "battery staple"}"#).status == 401)
    }
    let slow = try await panel.signIn(#"{"password": "correct horse"}"#)
    #expect(slow.status == 429)
    #expect(slow.fields["retry-after"] == "2")
    #expect(try await panel.signIn(#"{"token": "made up"}"#).status == 429)
    // A client with a token of the control socket is admitted all the same.
    #expect(try await panel.signIn(#"{"token": "\#(panel.sessions.makeToken())"}"#).status == 200)
  }

  @Test func whatWouldSignInIsBounded() async throws {
    func password(_ bytes: Int) -> String {
      #"{"password": ""# + String(repeating: "x", count: bytes - 16) + #""}"#
    }
    #expect(try await panel.signIn(password(PanelLimits.signInBytes)).status == 401)
    #expect(try await panel.signIn(password(PanelLimits.signInBytes + 1)).status == 413)
  }

  @Test(arguments: [
    ("GET /", ["Host: evil.example"], 421), ("GET /", [], 400), ("GET /", ["Host: 127.0.0.1"], 200),
    ("GET /session", ["Host: localhost"], 403), ("GET /session", ["Host: localhost", "Deskbell-Panel: x"], 200),
    ("OPTIONS /v1/state", ["Host: localhost", "Origin: http://evil.example"], 403),
    ("GET /v1/state", ["Host: localhost", "Deskbell-Panel: x"], 401),
    ("GET /../Package.swift", ["Host: localhost"], 400), ("GET /%2e%2e/Package.swift", ["Host: localhost"], 400),
    ("GET /modules/../index.html", ["Host: localhost"], 400), ("POST /", ["Host: localhost"], 405),
    ("GET /README.md", ["Host: localhost"], 404),
  ])
  func answers(_ request: String, _ fields: [String], _ status: Int) async throws {
    let answer = try await panel.raw("\(request) HTTP/1.1\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n")
    #expect(answer.status == status)
    // Every answer: no other page may embed it, and it reads no other page.
    for (name, value) in PanelRoutes.standingHeaders.fields.map({ ($0.name, $0.value) }) where name != "Cache-Control" {
      #expect(answer.fields[name.lowercased()] == value)
    }
    let policy = Set((answer.fields["content-security-policy"] ?? "").components(separatedBy: "; "))
    #expect(
      policy.isSuperset(of: [
        "default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
      ]))
    #expect(answer.fields["x-frame-options"] == "DENY")
    #expect(answer.fields["x-content-type-options"] == "nosniff")
    #expect(answer.fields["referrer-policy"] == "no-referrer")
    #expect(answer.fields["access-control-allow-origin"] == nil)
  }

  /// A body of 64 MB from a client that is not signed in is not read.
  @Test func strangersSendNoBodies() async throws {
    let head = "PUT /v1/settings/x HTTP/1.1\r\nHost: localhost\r\nDeskbell-Panel: x\r\nContent-Length: 60000\r\n"
    let answer = try await panel.raw(head + "Expect: 100-continue\r\n\r\n")
    #expect(answer.status == 401)
  }

  @Test func installingIsNotThere() async throws {
    let fields = try await panel.signedIn()
    #expect(try await panel.ask("PUT /v1/apps/a.b", fields, body: "{}").status == 404)
    #expect(try await panel.ask("POST /v1/panel/tokens", fields).status == 404)
    #expect(panel.handled.withLock { $0 } == [])
  }

  @Test func aStreamEndsWithItsSession() async throws {
    let fields = try await panel.signedIn()
    let stream = try RawConnection(port: panel.port)
    try await stream.write(
      "GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:\(panel.port)\r\nConnection: close\r\n"
        + fields.map { $0 + "\r\n" }.joined() + "\r\n")
    #expect(try await stream.read(until: "one").contains("200 OK"))
    panel.sessions.endAll()
    panel.more.yield("two")
    #expect(try await stream.read(until: nil).contains("two") == false)
  }

  @Test func filesAreSentOnlyWhereTheyChanged() async throws {
    let page = try await panel.ask("GET /", [])
    #expect(page.fields["content-type"] == "text/html; charset=utf-8")
    #expect(page.fields["cache-control"] == "no-cache")
    let tag = try #require(page.fields["etag"])
    let again = try await panel.ask("GET /", ["If-None-Match: \(tag)"])
    #expect(again.status == 304)
    #expect(again.body == "")
    for module in ["a", "made"] {
      let answer = try await panel.ask("GET /modules/\(module).js", [])
      #expect(answer.fields["content-type"] == "text/javascript; charset=utf-8")
    }
  }

  @Test func offersOnlyWhatTheControlAPIHas() throws {
    let document = try Data(contentsOf: root.appending(path: "docs/openapi.json"))
    let paths = try #require(JSONSerialization.jsonObject(with: document) as? [String: Any])["paths"] as? [String: Any]
    let operations = try #require(paths).flatMap { path, methods in
      ((methods as? [String: Any])?.keys.map { "\($0.uppercased()) /v1\(path)" }) ?? []
    }
    #expect(PanelRoutes.offered.subtracting(operations) == [])
    let withheld = Set(operations).subtracting(PanelRoutes.offered).filter {
      !$0.hasPrefix("PARAMETERS") && !$0.hasPrefix("SERVERS")
    }
    #expect(withheld.contains("PUT /v1/apps/{id}") && withheld.contains("PUT /v1/providers/{name}"))
    #expect(!PanelRoutes.offered.contains { $0.contains("/v1/panel") || $0.contains("/v1/providers") })
  }

  @Test func theShippedPageLoadsNothingButItself() throws {
    let files = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: "Panel").path)
    #expect(files.contains("index.html"))
    for file in files where file.contains(".") {
      let text = try String(contentsOf: root.appending(path: "Panel/\(file)"), encoding: .utf8)
      for address in text.components(separatedBy: "://").dropFirst() {
        #expect(address.hasPrefix("www.w3.org/2000/svg"), "\(file)")
      }
      for word in ["innerHTML", "eval(", "document.write", " style=\"", "onclick=\""] {
        #expect(!text.contains(word), "\(file): \(word)")
      }
    }
  }

  @Test func tooManyOrTooLargeFilesAreNoPanel() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "panel-\(UInt32.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(throws: PanelError.self) { try PanelFiles.routes(in: folder.path) }
    try Data(repeating: 0x20, count: PanelLimits.fileBytes).write(to: folder.appending(path: "index.html"))
    for number in 1..<PanelLimits.files { try Data().write(to: folder.appending(path: "\(number).css")) }
    #expect(try PanelFiles.routes(in: folder.path).count == PanelLimits.files)
    try Data().write(to: folder.appending(path: "more.css"))
    #expect(throws: PanelError.self) { try PanelFiles.routes(in: folder.path) }
    try FileManager.default.removeItem(at: folder.appending(path: "more.css"))
    try Data(repeating: 0x20, count: PanelLimits.fileBytes + 1).write(to: folder.appending(path: "index.html"))
    #expect(throws: PanelError.self) { try PanelFiles.routes(in: folder.path) }
  }

  private var root: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
  }
}
