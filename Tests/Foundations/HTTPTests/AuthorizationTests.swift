// The decision whether a body may be read comes before the body is read, however long it takes.

import Synchronization
import Testing

@testable import HTTP

@Suite struct AuthorizationTests {
  /// A responder that accepts requests of the name `good`, at once or when told.
  private final class Doorkeeper: HTTPResponder, Sendable {
    let asked = Signal<Bool>()
    let cancelled = Signal<Bool>()
    let bodies = Mutex<[String]>([])
    private let decided = Signal<Bool>()
    private let waits: Bool

    init(waits: Bool = false) {
      self.waits = waits
    }

    func decide() { decided.fire() }

    func open(_ request: HTTPRequest) -> HTTPOpening { .read(Entry(doorkeeper: self, request: request)) }

    func denial(of request: HTTPRequest) async -> HTTPResponse? {
      asked.fire()
      if waits, (try? await decided.wait()) == nil { cancelled.fire() }
      let isGood = request.body.isEmpty && request.headers["X-Name"] == "good"
      return isGood ? nil : HTTPError(401, "who are you").response
    }

    private struct Entry: HTTPExchange {
      let doorkeeper: Doorkeeper
      let request: HTTPRequest
      let bodyLimit = 64

      var authorization: (@Sendable () async -> HTTPResponse?)? {
        { [doorkeeper, request] in await doorkeeper.denial(of: request) }
      }

      func receive(_ body: [UInt8], of size: Int, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        doorkeeper.bodies.withLock { $0.append(String(decoding: body, as: UTF8.self)) }
        respond(.text("taken."))
      }
    }
  }

  private func withServer(_ doorkeeper: Doorkeeper, _ body: (HTTPServer) async throws -> Void) async throws {
    try await withService(HTTPService(doorkeeper, limits: .patient)) { server, _ async throws in
      try await body(server)
    }
  }

  private func head(_ name: String, _ fields: String...) -> String {
    let lines = ["POST / HTTP/1.1", "Host: x", "X-Name: \(name)", "Content-Length: 3"] + fields
    return lines.map { $0 + "\r\n" }.joined() + "\r\n"
  }

  @Test func whoMaySendABodyIsToldToGoOn() async throws {
    let doorkeeper = Doorkeeper(waits: true)
    try await withServer(doorkeeper) { server async throws in
      let raw = try RawConnection(server.address)
      try await raw.write(head("good", "Expect: 100-continue", "Connection: close"))
      #expect(try await doorkeeper.asked.wait())
      doorkeeper.decide()
      #expect(try await raw.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
      try await raw.write("abc")
      #expect(try await raw.read().hasSuffix("taken."))
      #expect(doorkeeper.bodies.withLock { $0 } == ["abc"])
    }
  }

  @Test func whoMayNotIsAnsweredAndNotToldToGoOn() async throws {
    let doorkeeper = Doorkeeper()
    try await withServer(doorkeeper) { server async throws in
      let answer = try await server.answer(to: head("bad", "Expect: 100-continue"))
      #expect(answer.hasPrefix("HTTP/1.1 401 "))
      #expect(answer.contains("Connection: close\r\n"))
      #expect(doorkeeper.bodies.withLock { $0 } == [])
    }
  }

  /// A body that came with its head needs no reading, so its denial does not close the connection.
  @Test func aWholeRequestThatMayNotLeavesTheConnection() async throws {
    let doorkeeper = Doorkeeper()
    try await withServer(doorkeeper) { server async throws in
      let last = head("good", "Connection: close")
      let answers = try await server.answer(
        to: head("bad") + "abc" + head("good") + "def" + head("bad") + "ghi" + last + "jkl")
      #expect(answers.hasSuffix("taken."))
      #expect(answers.matches(of: /HTTP\/1.1 (\d+)/).map { String($0.output.1) } == ["401", "200", "401", "200"])
      #expect(doorkeeper.bodies.withLock { $0 } == ["def", "jkl"])
    }
  }

  /// The parser finds the error before the decision: the body came with its head.
  @Test(arguments: [("good", "HTTP/1.1 400 "), ("bad", "HTTP/1.1 401 ")])
  func aMalformedBodyIsRefusedWithTheDecision(name: String, answer: String) async throws {
    for body in ["zz\r\n", "5\r\nhello!\r\n", "2\r\nab\r\nffffffffffffffffff\r\n", "0\r\nX: y\u{0}\r\n\r\n"] {
      let doorkeeper = Doorkeeper(waits: true)
      try await withServer(doorkeeper) { server async throws in
        let raw = try RawConnection(server.address)
        let head = "POST / HTTP/1.1\r\nHost: x\r\nX-Name: \(name)\r\nTransfer-Encoding: chunked\r\n\r\n"
        try await raw.write(head + body)
        #expect(try await doorkeeper.asked.wait())
        doorkeeper.decide()
        #expect(try await raw.read().hasPrefix(answer))
        #expect(doorkeeper.bodies.withLock { $0 } == [])
      }
    }
  }

  @Test(arguments: ["good", "bad"]) func nonsenseBehindARequestIsRefusedBehindItsAnswer(name: String) async throws {
    let doorkeeper = Doorkeeper(waits: true)
    try await withServer(doorkeeper) { server async throws in
      let raw = try RawConnection(server.address)
      try await raw.write(head(name) + "abc" + "nonsense\r\n\r\n")
      #expect(try await doorkeeper.asked.wait())
      doorkeeper.decide()
      let statuses = try await raw.read().matches(of: /HTTP\/1.1 (\d+)/).map { String($0.output.1) }
      #expect(statuses == [name == "good" ? "200" : "401", "400"])
    }
  }

  @Test func aClientThatLeavesIsNotWaitedFor() async throws {
    let doorkeeper = Doorkeeper(waits: true)
    try await withServer(doorkeeper) { server async throws in
      var raw: RawConnection? = try RawConnection(server.address)
      try await raw?.write(head("good") + "abc")
      #expect(try await doorkeeper.asked.wait())
      raw = nil
      #expect(try await doorkeeper.cancelled.wait())
      #expect(doorkeeper.bodies.withLock { $0 } == [])
    }
  }

  /// The client has sent everything, with the head or after it.
  @Test(arguments: [("abc", "", "HTTP/1.1 200 "), ("", "abc", "HTTP/1.1 200 "), ("ab", "", ""), ("", "ab", "")])
  func aClientThatEndsItsSideMeanwhile(early: String, late: String, answer: String) async throws {
    let doorkeeper = Doorkeeper(waits: true)
    try await withServer(doorkeeper) { server async throws in
      let raw = try RawConnection(server.address)
      try await raw.write(head("good") + early)
      #expect(try await doorkeeper.asked.wait())
      try await raw.write(late)
      raw.endSending()
      doorkeeper.decide()
      let heard = try await raw.read()
      #expect(answer.isEmpty ? heard.isEmpty : heard.hasPrefix(answer))
    }
  }
}
