import Foundation
import NIOCore
import TestSupport
import Testing

@testable import HTTP
@testable import UnixSockets

@Suite struct UnixSocketTests {
  private let folder = try! TemporaryFolder()

  private var path: String { folder.path + "/s" }

  private var address: HTTPAddress { .unixSocket(path: path) }

  private func start(
    on address: HTTPAddress, socketMode: UInt16 = 0o600, listening descriptor: CInt? = nil
  ) async throws -> HTTPServer {
    let service = HTTPService(try RouteTable([Route("GET", "/") { _ in .text("ok") }]), limits: .patient)
    return try await HTTPServer.start(service, on: address, socketMode: socketMode, listening: descriptor)
  }

  private func mode(_ path: String) throws -> UInt32 {
    var status = stat()
    try #require(lstat(path, &status) == 0)
    return status.st_mode
  }

  @Test(arguments: [UInt16(0o600), 0o660, 0o666])
  func modeIsAsAskedAndTheFileGoesAtShutdown(socketMode: UInt16) async throws {
    let server = try await start(on: address, socketMode: socketMode)
    #expect(try mode(path) == S_IFSOCK | UInt32(socketMode))
    await server.shutdown()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func staleSocketIsReplaced() async throws {
    close(try ListeningUnixSocket(path: path, mode: 0o600, backlog: 1).descriptor)
    #expect(try mode(path) & S_IFMT == S_IFSOCK)
    let client = HTTPClient(.unixSocket(path: path))
    await #expect(throws: HTTPClientError.connectionRefused(client.address)) { try await client.send("GET", "/") }

    let server = try await start(on: client.address)
    #expect(try await client.send("GET", "/").status == 200)
    await server.shutdown()
  }

  @Test func aSocketThatAnswersIsLeftAlone() async throws {
    let server = try await start(on: address)
    let holder = SocketHolder(Int(getpid()))
    let expected = ServerError(
      address: path, reason: "\(holder) answers there",
      hint: "stop it with '\(try #require(holder.stopping))', or choose another path")
    await #expect(throws: expected) { try await start(on: address) }
    #expect(try await HTTPClient(address).send("GET", "/").status == 200)
    await server.shutdown()
  }

  @Test func aSocketThatWasHandedOverKeepsItsFileAndItsQueue() async throws {
    // The giver of the descriptor keeps a copy, and with it the queue.
    let held = try ListeningUnixSocket(path: path, mode: 0o600, backlog: 8).descriptor
    defer { close(held) }
    for _ in 0..<2 {
      let answer = Task { [address] in try await HTTPClient(address).send("GET", "/").status }
      let server = try await start(on: address, listening: dup(held))
      #expect(try await answer.value == 200)
      await server.shutdown()
      #expect(try mode(path) == S_IFSOCK | 0o600)
    }
  }

  @Test func aFileThatIsNoSocketIsLeftAlone() async throws {
    try Data("precious".utf8).write(to: URL(filePath: path))
    let expected = ServerError(
      address: path, reason: "there is a file that is no socket", hint: "move it away or choose another path")
    await #expect(throws: expected) { try await start(on: address) }
    #expect(try Data(contentsOf: URL(filePath: path)) == Data("precious".utf8))
  }

  @Test func shutdownLeavesTheFileOfAnotherServer() async throws {
    let first = try await start(on: address)
    try FileManager.default.removeItem(atPath: path)
    let second = try await start(on: address)
    await first.shutdown()
    #expect(try await HTTPClient(address).send("GET", "/").status == 200)
    await second.shutdown()
  }

  @Test func noFolder() async throws {
    let path = folder.path + "/none/s"
    let expected = ServerError(address: path, reason: "No such file or directory", hint: "make its folder first")
    await #expect(throws: expected) { try await start(on: .unixSocket(path: path)) }
  }

  @Test func pathLength() async throws {
    let fits = path + String(repeating: "s", count: HTTPAddress.unixPathLimit - path.utf8.count)
    let server = try await start(on: .unixSocket(path: fits))
    #expect(try await HTTPClient(server.address).send("GET", "/").status == 200)
    await server.shutdown()

    let expected = ServerError(
      address: fits + "s", reason: "the path has 104 bytes, a socket's has 1 to 103", hint: "choose a shorter one")
    await #expect(throws: expected) { try await start(on: .unixSocket(path: fits + "s")) }
    await #expect(throws: HTTPClientError.self) {
      try await HTTPClient(.unixSocket(path: fits + "s")).send("GET", "/")
    }
  }
}

@Suite struct ClientTests {
  @Test func noSocket() async throws {
    let folder = try TemporaryFolder()
    for path in [folder.path + "/s", folder.path + "/none/s"] {
      let client = HTTPClient(.unixSocket(path: path))
      let error = await #expect(throws: HTTPClientError.self) { try await client.send("GET", "/") }
      #expect(error == .noSocket(client.address))
      #expect(
        error?.description == "\(path): there is no socket; start the server, or give the path of its socket")
    }
  }

  /// Root may open every socket, so the test can only pass the error code.
  @Test(arguments: [
    (EACCES, HTTPClientError.noPermission(.unixSocket(path: "/s"))),
    (EPERM, .noPermission(.unixSocket(path: "/s"))),
    (ENOENT, .noSocket(.unixSocket(path: "/s"))),
    (ECONNREFUSED, .connectionRefused(.unixSocket(path: "/s"))),
    (ENETUNREACH, .cannotConnect(.unixSocket(path: "/s"), reason: "Network is unreachable")),
  ])
  func reasonsNotToConnect(code: CInt, expected: HTTPClientError) {
    let client = HTTPClient(.unixSocket(path: "/s"))
    let error = client.connectFailure(IOError(errnoCode: code, reason: "connect")) as? HTTPClientError
    #expect(error == expected)
  }

  @Test(.enabled(if: geteuid() != 0, "root may open every socket"))
  func noPermission() async throws {
    let test = try await TestServer([])
    guard case .unixSocket(let path) = test.server.address else { return }
    chmod(path, 0)
    await #expect(throws: HTTPClientError.noPermission(test.client.address)) { try await test.client.send("GET", "/") }
  }

  @Test func bodyAndLineLimits() async throws {
    let routes = [
      Route("GET", "/10") { _ in .text("123456789\n") }, Route("GET", "/11") { _ in .text("1234567890\n") },
    ]
    let test = try await TestServer(routes)
    var limits = HTTPClient.Limits()
    limits.bodyBytes = 10
    limits.lineBytes = 9
    let strict = HTTPClient(test.client.address, limits: limits)
    #expect(try await strict.send("GET", "/10").body.count == 10)
    await #expect(throws: HTTPClientError.answerTooLarge(test.client.address, limitBytes: 10)) {
      try await strict.send("GET", "/11")
    }
    #expect(try await strict.lines("/10") { try await $0.next() } == "123456789")
    await #expect(throws: HTTPClientError.answerTooLarge(test.client.address, limitBytes: 9)) {
      try await strict.lines("/11") { try await $0.next() }
    }
  }

  @Test func timeout() async throws {
    let never = Arrivals<Void>()
    let route = Route("GET", "/") { _ in
      try await never.next()
      return .noContent
    }
    let test = try await TestServer([route])
    await #expect(throws: HTTPClientError.timedOut(test.client.address, .milliseconds(50))) {
      try await test.client.send("GET", "/", timeout: .milliseconds(50))
    }
  }

  @Test func refusalsCarryTheServersWords() async throws {
    let routes = [
      Route("GET", "/json") { _ in throw HTTPError(409, "not now", hint: "later") },
      Route("GET", "/text") { _ in HTTPResponse(status: 502, contentType: "text/plain", bytes: [1]) },
    ]
    let test = try await TestServer(routes)
    let json = try await test.client.send("GET", "/json")
    #expect(throws: HTTPClientError.refused(status: 409, error: "not now", hint: "later")) {
      try json.requireSuccess()
    }
    let text = try await test.client.send("GET", "/text")
    #expect(throws: HTTPClientError.refused(status: 502, error: "refused with status 502", hint: nil)) {
      try text.requireSuccess()
    }
  }

  @Test func manyRequestsAtOnce() async throws {
    let test = try await TestServer([Route("GET", "/{n}") { try .text($0.parameter("n")) }])
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for n in 0..<60 {
        group.addTask { try await test.client.send("GET", "/\(n)").body == Array("\(n)".utf8) }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }
}
