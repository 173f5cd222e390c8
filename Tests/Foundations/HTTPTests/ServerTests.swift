import Foundation
import Synchronization
import TestSupport
import Testing
import UnixSockets

@testable import HTTP

@Suite struct ServerTests {
  @Test func parametersQueryBodyAndHeadersReachTheHandler() async throws {
    let route = Route("POST", "/apps/{id}/greet") { request in
      var greeting: Greeting = try request.json()
      greeting.text += " \(try request.parameter("id")) \(request.target.queryValue("q") ?? "-") "
      greeting.text += request.headers["x-test"] ?? "-"
      return try .json(greeting, status: 201)
    }
    let test = try await TestServer([route])
    let body = Array(#"{"text":"hello","count":2}"#.utf8)
    let answer = try await test.client.send("POST", "/apps/a%20b/greet?q=1", headers: ["X-Test": "t"], body: body)
    #expect(answer.status == 201)
    #expect(answer.headers["content-type"] == "application/json")
    #expect(String(decoding: answer.body, as: UTF8.self) == #"{"count":2,"text":"hello a b 1 t"}"#)
    #expect(try answer.json(Greeting.self) == Greeting(text: "hello a b 1 t", count: 2))
  }

  @Test func answersOverTCP() async throws {
    let service = HTTPService(try RouteTable([Route("GET", "/") { _ in .text("here") }]), limits: .patient)
    // The port stays reserved, also once the server is gone.
    let port = try HeldPort()
    let server = try await HTTPServer.start(service, on: .tcp(host: "127.0.0.1", port: port.number))
    let answer = try await HTTPClient(server.address).send("GET", "/")
    #expect(answer.body == Array("here".utf8))
    await #expect(throws: ServerError.self) { try await HTTPServer.start(service, on: server.address) }
    await server.shutdown()
    await #expect(throws: HTTPClientError.connectionRefused(server.address)) {
      try await HTTPClient(server.address).send("GET", "/")
    }
    withExtendedLifetime(port) {}
  }

  @Test func errorsAreJSONWithAHint() async throws {
    struct Broken: Error {}
    let reported = Arrivals<String>()
    let routes = [
      Route("GET", "/refused") { _ in throw HTTPError(409, "no such thing", hint: "make one") },
      Route("GET", "/broken") { _ in throw Broken() },
      Route("POST", "/json") { try .json($0.json(Greeting.self)) },
    ]
    let report: @Sendable (any Error, HTTPRequest) -> Void = { reported.add("\($0) \($1.target.path)") }
    let test = try await TestServer(routes, report: report)
    func body(_ method: String, _ path: String, _ body: String = "") async throws -> (Int, ErrorBody) {
      let answer = try await test.client.send(method, path, body: Array(body.utf8))
      return (answer.status, try answer.json(ErrorBody.self))
    }
    #expect(try await body("GET", "/refused") == (409, ErrorBody(error: "no such thing", hint: "make one")))
    #expect(
      try await body("GET", "/broken")
        == (500, ErrorBody(error: "the server failed to answer this", hint: "its log says why")))
    #expect(try await reported.next() == "Broken() /broken")
    #expect(
      try await body("GET", "/none") == (
        404, ErrorBody(error: "there is no /none", hint: "see the API's description")
      ))
    #expect(try await body("GET", "/%zz").0 == 400)
    #expect(try await body("POST", "/json", #"{"text":"a"}"#).1.error == "the key 'count' is missing")
    #expect(
      try await body("POST", "/json", #"{"text":1,"count":1}"#).1.error == "the key 'text' is not of the type String")
    #expect(
      try await body("POST", "/json", #"{"text":null,"count":1}"#).1.error == "the key 'text' must not be null")
    #expect(
      try await body("POST", "/json", "{").1.error
        == "the body is not valid JSON: line 1, column 2: expected a name in double quotes or '}', but the text ends")

    let answer = try await test.client.send("DELETE", "/json")
    #expect(answer.status == 405)
    #expect(answer.headers["allow"] == "POST")
    #expect(try answer.json(ErrorBody.self) == ErrorBody(error: "/json has no DELETE", hint: "it has POST"))
  }

  @Test func headHasTheLengthAndNoBody() async throws {
    let test = try await TestServer([Route("GET", "/") { _ in .text("four") }])
    let text = try await test.server.answer(to: "HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(text.contains("Content-Length: 4\r\n"))
    #expect(text.hasSuffix("\r\n\r\n"))
  }

  @Test func requestsSentAheadAreAnsweredInOrder() async throws {
    let test = try await TestServer([Route("POST", "/{n}") { try .text("<\($0.parameter("n"))\($0.body.count)>") }])
    let raw = try RawConnection(test.server.address)
    var requests = ""
    for n in 1...5 {
      requests += "POST /\(n) HTTP/1.1\r\nHost: x\r\nContent-Length: \(n)\r\n\r\n" + String(repeating: "b", count: n)
    }
    try await raw.write(requests)
    let text = try await raw.read(until: "<55>")
    #expect(text.matches(of: /<\d\d>/).map { String($0.output) } == ["<11>", "<22>", "<33>", "<44>", "<55>"])
  }

  @Test func continueIsSentWhenAskedFor() async throws {
    let test = try await TestServer([Route("POST", "/", bodyLimit: 3) { .text("got \($0.body.count)") }])
    let head = "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\n"
    let raw = try RawConnection(test.server.address)
    try await raw.write(head + "Content-Length: 3\r\n\r\n")
    #expect(try await raw.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
    try await raw.write("abc")
    #expect(try await raw.read().hasSuffix("got 3"))

    let refused = try RawConnection(test.server.address)
    try await refused.write(head + "Content-Length: 4\r\n\r\n")
    #expect(try await refused.read().hasPrefix("HTTP/1.1 413 "))
  }

  @Test func nonsenseIsAnswered400() async throws {
    let test = try await TestServer([])
    let text = try await test.server.answer(to: "nonsense\r\n\r\n")
    #expect(text.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
    #expect(text.contains("this is not an HTTP\\/1.1 request") || text.contains("this is not an HTTP/1.1 request"))
  }

  /// No body is read: the client sends none.
  @Test(arguments: [
    ("1.1", "Transfer-Encoding: gzip, chunked", "501"), ("1.1", "Transfer-Encoding: chunked, chunked", "400"),
    ("1.1", "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", "501"),
    ("1.1", "Transfer-Encoding: x;a=b, chunked", "501"), ("1.1", "Transfer-Encoding: , chunked", "501"),
    ("1.1", "Transfer-Encoding: gzip", "501"), ("1.1", "Transfer-Encoding: identity", "501"),
    ("1.1", "Transfer-Encoding: chunked;q=1", "501"), ("1.1", "Transfer-Encoding:", "501"),
    ("1.0", "Transfer-Encoding: chunked", "400"),
    ("1.1", "Transfer-Encoding: chunked\r\nContent-Length: 3", "400"),
    ("1.1", "Content-Length: 65537", "413"), ("1.1", "Content-Length: 9223372036854775807", "413"),
    ("1.1", "Content-Length: 9223372036854775808", "413"), ("1.1", "Content-Length: 18446744073709551615", "413"),
    ("1.1", "Content-Length: 18446744073709551616", "400"), ("1.1", "Content-Length: +3", "400"),
    ("1.1", "Content-Length: 3, 3", "400"), ("1.1", "Content-Length: 3\r\nContent-Length: 3", "400"),
  ])
  func aBodyThatIsNotReadIsRefusedAtOnce(version: String, fields: String, status: String) async throws {
    let test = try await TestServer([Route("POST", "/") { _ in .text("taken") }])
    let answer = try await test.server.answer(to: "POST / HTTP/\(version)\r\nHost: x\r\n\(fields)\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
  }

  @Test(arguments: ["chunked", "Chunked", " chunked "]) func chunksAreRead(coding: String) async throws {
    let test = try await TestServer([Route("POST", "/") { .text(String(decoding: $0.body, as: UTF8.self)) }])
    let head = "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding:\(coding)\r\n\r\n"
    #expect(try await test.server.answer(to: head + "2\r\nab\r\n1;name=value\r\nc\r\n0\r\n\r\n").hasSuffix("abc"))
  }
}

@Suite struct ServerLimitTests {
  @Test func body() async throws {
    let test = try await TestServer([Route("POST", "/", bodyLimit: 10) { .text("\($0.body.count)") }])
    #expect(try await test.client.send("POST", "/", body: [UInt8](repeating: 1, count: 10)).body == Array("10".utf8))
    let answer = try await test.client.send("POST", "/", body: [UInt8](repeating: 1, count: 11))
    #expect(answer.status == 413)
    #expect(
      try answer.json(ErrorBody.self) == ErrorBody(error: "the body is too large", hint: "POST / takes 10 bytes"))

    for (size, status) in [("a", "200 OK"), ("b", "413 ")] {
      let count = try #require(Int(size, radix: 16))
      let head = "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
      let answer = try await test.server.answer(
        to: head + "\(size)\r\n\(String(repeating: "x", count: count))\r\n0\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 " + status))
    }
  }

  @Test func theDefaultBodyLimitIsSmall() async throws {
    let test = try await TestServer([Route("POST", "/") { .text("\($0.body.count)") }])
    #expect(HTTPLimits.defaultBodyBytes == 65536)
    #expect(try await test.client.send("POST", "/", body: [UInt8](repeating: 1, count: 65536)).status == 200)
    #expect(try await test.client.send("POST", "/", body: [UInt8](repeating: 1, count: 65537)).status == 413)
  }

  @Test func aClientThatGoesOnSendingStillReadsItsRefusal() async throws {
    let test = try await TestServer([Route("POST", "/", bodyLimit: 10) { _ in .noContent }])
    #expect(try await test.client.send("POST", "/", body: [UInt8](repeating: 1, count: 1_000_000)).status == 413)
  }

  @Test func lingeringIsBounded() async throws {
    var limits = HTTPLimits.patient
    limits.lingerBytes = 1000
    let test = try await TestServer([Route("POST", "/", bodyLimit: 10) { _ in .noContent }], limits: limits)
    let raw = try RawConnection(test.server.address)
    try await raw.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n")
    #expect(try await raw.read().hasPrefix("HTTP/1.1 413 "))
    // The server closes before the body ends: sending fails in the end.
    await #expect(throws: (any Error).self) {
      while true { try await raw.write(String(repeating: "x", count: 1001)) }
    }
  }

  @Test func headers() async throws {
    var limits = HTTPLimits.patient
    limits.headerFields = 4
    limits.headerFieldBytes = 100
    limits.headerBytes = 200
    let test = try await TestServer([Route("GET", "/{any}") { _ in .text("ok") }], limits: limits)
    func status(_ path: String, _ fields: [String]) async throws -> String {
      let raw = try RawConnection(test.server.address)
      let all = ["Connection: close"] + fields
      // HTTP/1.0 needs no Host: only the given fields are counted.
      try await raw.write("GET \(path) HTTP/1.0\r\n" + all.map { $0 + "\r\n" }.joined() + "\r\n")
      return String(try await raw.read().dropFirst(9).prefix(3))
    }
    #expect(try await status("/a", ["Host: x", "B: 2", "C: 3"]) == "200")
    #expect(try await status("/a", ["Host: x", "B: 2", "C: 3", "D: 4"]) == "431")
    #expect(try await status("/a", ["Host: x", "B: " + String(repeating: "b", count: 100)]) == "200")
    #expect(try await status("/a", ["Host: x", "B: " + String(repeating: "b", count: 101)]) == "431")
    let long = String(repeating: "b", count: 80)
    // The path 2, Connection 10 + 5, B and C 1 + 80 each, D 1 + 20: 200.
    let four = ["B: " + long, "C: " + long, "D: " + String(repeating: "d", count: 20)]
    #expect(try await status("/a", four) == "200")
    #expect(try await status("/a", [four[0], four[1], four[2] + "d"]) == "431")
    #expect(try await status("/" + String(repeating: "p", count: 99), ["Host: x"]) == "200")
    #expect(try await ["414", "431"].contains(status("/" + String(repeating: "p", count: 100), ["Host: x"])))
  }

  @Test(arguments: [
    (HTTPLimits.patient { $0.headerTimeout = .milliseconds(50) }, "", "408"),
    (
      .patient { $0.bodyTimeout = .milliseconds(50) }, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na", "408"
    ),
    (.patient { $0.idleTimeout = .milliseconds(50) }, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", "200"),
  ])
  func times(limits: HTTPLimits, sent: String, status: String) async throws {
    let test = try await TestServer([Route("POST", "/") { _ in .text("ok") }], limits: limits)
    let answer = try await test.server.answer(to: sent)
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
    // The end of an idle connection is silent.
    #expect(answer.hasSuffix("\r\n\r\nok") == (status == "200"))
  }

  /// Requests sent ahead are not answered before the client reads the earlier answers, which would fill memory.
  @Test func answersThatNobodyReads() async throws {
    let answered = Atomic(0)
    let route = Route("GET", "/") { _ in
      answered.add(1, ordering: .relaxed)
      return .text(String(repeating: "x", count: 65_536))
    }
    let test = try await TestServer([route], limits: .patient { $0.writeTimeout = .milliseconds(100) })
    let raw = try RawConnection(test.server.address)
    try await raw.write(String(repeating: "GET / HTTP/1.1\r\nHost: x\r\n\r\n", count: 1_000))
    try await wait { answered.load(ordering: .relaxed) > 0 }
    try await wait { test.server.connectionCount == 0 }
    withExtendedLifetime(raw) {}
    // The answers that fit into the kernel's buffers, and one more; by then all 1,000 requests had arrived.
    #expect((1..<100).contains(answered.load(ordering: .relaxed)))
  }

  @Test func connections() async throws {
    var limits = HTTPLimits.patient
    limits.connections = 2
    limits.refusedConnections = 1
    limits.lingerTimeout = .seconds(60)
    let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    let test = try await TestServer([Route("GET", "/") { _ in .text("ok") }], limits: limits)
    var served: [RawConnection] = []
    for _ in 1...2 {
      let raw = try RawConnection(test.server.address)
      try await raw.write(get)
      #expect(try await raw.read(until: "ok").hasPrefix("HTTP/1.1 200 "))
      served.append(raw)
    }
    let third = try RawConnection(test.server.address)
    try await wait { test.server.connectionCount == 3 }
    let fourth = try RawConnection(test.server.address)
    #expect((try? await fourth.read()) ?? "" == "")
    try await third.write(get)
    let refusal = try await third.read()
    #expect(refusal.hasPrefix("HTTP/1.1 503 "))
    #expect(
      refusal.hasSuffix(#"{"error":"too many connections are open","hint":"close one, or try again"}"#))

    // One connection closes, and the next is served: the test asks until the server has noticed the end.
    served.removeLast()
    while true {
      let next = try RawConnection(test.server.address)
      guard (try? await next.write(get)) != nil else { continue }
      if (try? await next.read(until: "ok"))?.hasPrefix("HTTP/1.1 200 ") == true { break }
    }
  }
}
