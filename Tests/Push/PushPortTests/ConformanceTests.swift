// Tests of every answer to a provider: each row of the table in docs/apns.md is a request that was made through TLS to
// a port with a handset behind it. UPDATE_DOCS=1 rewrites the table.

import Foundation
import HandsetCore
import NIOHPACK
import NIOPosix
import Testing

@testable import PushPort

private typealias Row = Conformance.Row
private let payload = Conformance.payload

@Suite("Conformance", .timeLimit(.minutes(10)))
struct ConformanceTests {
  private static let document = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../docs/apns.md").standardizedFileURL
  /// The lines around a table of the document.
  private static func marks(_ table: String) -> (begin: String, end: String) {
    ("<!-- \(table): made by ConformanceTests with UPDATE_DOCS=1 -->\n", "<!-- end of \(table) -->\n")
  }

  private struct Body: Decodable {
    /// Nil in the answers to requests that read channels.
    var reason: String?
    var timestamp: Int64?
  }

  @Test("The requests of each row get its reason, and docs/apns.md lists it")
  func answers() async throws {
    var (table, pushReasons) = try await answers(to: Conformance.rows())
    for (request, limits, stop) in ConformanceTests.ends {
      let reason = try await goAwayReason(limits: limits, stop: stop)
      table += "| GOAWAY | `\(reason)` | \(request) |\n"
    }
    let (channelTable, channelReasons) = try await answers(to: Conformance.channelRows())
    #expect(pushReasons.union(channelReasons) == Set(APNsReason.allCases.map(\.rawValue)))
    let text = try String(contentsOf: ConformanceTests.document, encoding: .utf8)
    var updated = text
    for (name, table) in [("answers", table), ("answers about channels", channelTable)] {
      let (begin, end) = ConformanceTests.marks(name)
      let start = try #require(updated.range(of: begin))
      let stop = try #require(updated.range(of: end))
      updated = updated[..<start.upperBound] + table + updated[stop.lowerBound...]
    }
    if ProcessInfo.processInfo.environment["UPDATE_DOCS"] == "1" {
      try updated.write(to: ConformanceTests.document, atomically: true, encoding: .utf8)
    } else {
      #expect(text == updated, "docs/apns.md is not up to date: run this test with UPDATE_DOCS=1 and read its changes")
    }
  }

  /// Sends the request of each row.
  /// - Returns: the table of their answers, and the reasons in it.
  private func answers(to rows: [Row]) async throws -> (table: String, reasons: Set<String>) {
    var table = "| Status | Reason | Request |\n|---|---|---|\n"
    var reasons: Set<String> = []
    for row in rows {
      let response: Response
      do {
        response = try await row.run()
      } catch {
        Issue.record(error, "\(row.request)")
        continue
      }
      let body = try response.body.isEmpty ? nil : JSONDecoder().decode(Body.self, from: Data(response.body.utf8))
      #expect(response.status == row.status, "\(row.request)")
      #expect(body?.reason == row.reason?.rawValue, "\(row.request)")
      #expect((body?.timestamp != nil) == (response.status == 410), "\(row.request)")
      if response.status == 410 { #expect(body?.timestamp == 1_795_248_000_000) }
      #expect(response.id == (row.reason == .badMessageID ? "42" : response.id))
      #expect(!response.id.isEmpty, "\(row.request)")
      let reason = body?.reason
      if let reason { reasons.insert(reason) }
      table += "| \(response.status) | \(reason.map { "`\($0)`" } ?? "") | \(row.request) |\n"
    }
    return (table, reasons)
  }

  private static let ends: [(String, PortLimits, Bool)] = {
    var hasty = PortLimits.patient
    hasty.idleDuration = .milliseconds(100)
    var strict = PortLimits.patient
    // Longer than a handshake takes on a busy machine.
    strict.strangerSilence = .seconds(3)
    return [
      ("an hour without a request", hasty, false),
      ("30 s of silence before the first good credential", strict, false),
      ("the daemon stops; what is under way is answered", .patient, true),
    ]
  }()

  /// Returns the reason in the server's GOAWAY, sent by itself or because the daemon stops.
  private func goAwayReason(limits: PortLimits, stop: Bool) async throws -> String {
    let server = try await TestServer(providers: ProviderDirectory(), limits: limits)
    let client = try await TestClient(server)
    if stop {
      _ = try? await client.send(fields(), payload)
      await server.pushServer.shutDown()
    }
    var reasons: Set<String> = []
    for await frame in client.frames {
      if case .goAway(_, .noError, let data?) = frame.payload {
        let body = try JSONDecoder().decode(Body.self, from: Data(data.readableBytesView))
        reasons.insert(body.reason ?? "")
      }
    }
    return reasons.sorted().joined(separator: ", ")
  }

  @Test("Shutdown answers a request under way and ignores later ones; GOAWAY is the last frame")
  func end() async throws {
    let provider = TestProvider()
    let receiver = RecordingReceiver(outcome: nil)
    var limits = PortLimits.patient
    limits.silenceAtShutdown = .seconds(3_600)
    limits.lastAnswerDuration = .milliseconds(200)
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let server = try await TestServer(
      receiver, providers: provider.directory, limits: limits, eventLoopGroup: group)
    var raw = try await RawClient(server)
    let headers = fields(authorization: "bearer \(provider.token())")
    let taken = raw.stream
    let head = try raw.request(headers, ends: false)
    try await raw.write(head + frame(FrameHeader.Kind.data, flags: 1, taken, Array(payload.utf8)))
    for await _ in receiver.arrivals { break }
    // GOAWAY on a second connection shows that the first, on the same loop, is ending before its own GOAWAY is due.
    let idle = try await TestClient(server)
    async let down: Void = server.pushServer.shutDown()
    for await frame in idle.frames { if case .goAway(0, .noError, _) = frame.payload { break } }
    let late = raw.stream
    let lateHead = try raw.request(headers, ends: false)
    try await raw.write(lateHead + frame(FrameHeader.Kind.data, flags: 1, late, Array(payload.utf8)))
    receiver.release(.stored(.accepted))
    var seen: [RawClient.Frame] = []
    while let next = await raw.nextFrame() { seen.append(next) }
    #expect(seen.filter { $0.stream == late }.isEmpty)
    #expect(seen.contains { $0.stream == taken && $0.kind == FrameHeader.Kind.headers })
    let goAway = try #require(seen.last)
    #expect(goAway.kind == FrameHeader.Kind.goAway && goAway.code(at: 0) == taken && goAway.code(at: 4) == 0)
    #expect(seen.count { $0.kind == FrameHeader.Kind.goAway } == 1)
    #expect(receiver.pushes.count == 1)
    await raw.close()
    try await idle.close()
    await down
    try await group.shutdownGracefully()
  }

  @Test("Only the development service answers with apns-unique-id, and only if it accepts the push")
  func uniqueID() async throws {
    func row(_ environment: PushEnvironment, body: String) -> Row {
      Row(200, nil, "") { try await $0.send(body: body) }.with { $0.environment = environment }
    }
    let first = try await row(.development, body: payload).run()
    let second = try await row(.development, body: payload).run()
    let id = try #require(first.uniqueID)
    #expect(PushID(id) != nil)
    #expect(id != first.id)
    #expect(id != second.uniqueID)
    #expect(try await row(.development, body: "").run().uniqueID == nil)
    #expect(try await row(.production, body: payload).run().uniqueID == nil)
  }

  @Test("A push has the identifier under which the development service answers")
  func uniqueIDOfThePush() async throws {
    let (receiver, provider) = (RecordingReceiver(), TestProvider())
    for environment in [PushEnvironment.production, .development] {
      let server = try await TestServer(receiver, providers: provider.directory, environment: environment)
      var client = try await RawClient(server)
      #expect(try await client.send(fields(authorization: "bearer \(provider.token())"), payload).status == 200)
    }
    let last = try #require(receiver.pushes.last)
    #expect(receiver.pushes.map { $0.uniqueID == nil } == [true, false] && last.uniqueID != last.id)
  }
}
