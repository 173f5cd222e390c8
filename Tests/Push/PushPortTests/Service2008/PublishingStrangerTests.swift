import HandsetCore
import Testing

@testable import PushPort

@Suite("Strangers to the 2008 service", .timeLimit(.minutes(10)))
struct PublishingStrangerTests {
  private func head(_ authorization: String, _ fields: String...) -> String {
    let lines = ["PUT \(inbox) HTTP/1.1", "Host: localhost", "Authorization: \(authorization)", "Content-Length: 100"]
    return (lines + fields).map { $0 + "\r\n" }.joined() + "\r\n"
  }

  @Test(
    "The body is read only after the password was found right",
    arguments: [
      ([], basic(bell.text, "wrong horse"), 401), ([], "Bearer x", 401),
      (["Expect: 100-continue"], basic(bell.text, "wrong horse"), 401), (["Expect: 100-continue"], basic(), 100),
    ] as [([String], String, Int)])
  func bodies(fields: [String], authorization: String, status: Int) async throws {
    let receiver = RecordingReceiver()
    let client = try await TextClient(publishingServer(receiver: receiver))
    try await client.write(head(authorization, fields.first ?? "X-Nothing: y"))
    let answer = await client.response()
    #expect(answer.status == status)
    #expect(answer.header("Connection") == (status == 401 ? "close" : nil))
    #expect(receiver.refusals.map(\.reason) == (status == 401 ? ["Unauthorized"] : []))
  }

  private var limits: PortLimits {
    var limits = PortLimits.patient
    limits.refusalEvents = 3
    limits.refusalPause = .seconds(3_600)
    limits.refusalSummaryInterval = .seconds(3_600)
    limits.refusalsBeforeEnd = 2
    return limits
  }

  @Test("Requests without a password on one connection of HTTP/1.1 are refused in the end, and summed up")
  func keptAlive() async throws {
    let receiver = RecordingReceiver()
    let server = try await publishingServer(receiver: receiver, limits: limits)
    let client = try await TextClient(server)
    for _ in 1...3 { #expect(try await client.request("GET \(inbox)", authorization: nil).status == 401) }
    let last = try await client.request("GET \(inbox)", authorization: nil)
    #expect((last.status, last.header("Retry-After"), last.header("Connection")) == (429, "1", "close"))
    #expect(last.body == "too many requests of this address were refused\n")
    try await client.end()
    #expect(receiver.refusals.count == 3)
    // Another client at that address may still push, and gets the reasons of its refusals.
    let next = try await TextClient(server)
    #expect(try await next.request("GET \(inbox)", authorization: nil).status == 401)
    #expect(try await next.request("POST \(inbox)?action=create").status == 200)
    #expect(try await next.request("GET \(inbox)").status == 404)
    #expect(receiver.refusals.map(\.status) == [401, 401, 401, 404])
    await server.pushServer.shutDown()
    #expect(receiver.refusals.last?.detail.hasPrefix("2 more requests of 127.0.0.1 were refused; the last: ") == true)
  }

  @Test("The same on one connection of HTTP/2, for any kind of refusal")
  func streams() async throws {
    let client = try await TestClient(publishingServer(limits: limits))
    func get(_ path: String) async throws -> Response {
      try await client.send(fields([":method": "GET", ":path": path]), "")
    }
    for (path, status) in [(inbox, 401), ("/", 404), (inbox + "/..", 400)] {
      #expect(try await get(path).status == status)
    }
    #expect(try await get(inbox).status == 429)
    try await client.channel.closeFuture.get()
  }

  @Test("No node is called . or .., however it is written", arguments: [".", "..", "%2e%2E"])
  func dots(name: String) async throws {
    let nodes = NodesInMemory()
    let client = try await TextClient(publishingServer(nodes))
    let answer = try await client.request("POST /\(bell.text)/\(device.hex)/\(name)?action=create")
    #expect(answer.status == 400)
    #expect(nodes.state.withLock { $0.published.isEmpty })
  }
}
