// Streams: pulled by their reader, ended by either side, and never left running without a reader.

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HTTP

@Suite struct StreamTests {
  /// A source that yields the values fed by the test, and reports when its producer has ended: while a chunk is written,
  /// a reader that leaves ends the producer, but not the stream behind it.
  private final class Source: Sendable {
    let stream: AsyncStream<[UInt8]>
    let feed: AsyncStream<[UInt8]>.Continuation
    let ended = Arrivals<Void>()

    init() {
      (stream, feed) = AsyncStream.makeStream()
    }

    var route: Route {
      let (stream, ended) = (stream, ended)
      return Route("GET", "/events") { _ in
        HTTPResponse(
          headers: ["Content-Type": "application/x-ndjson", "Cache-Control": "no-store"],
          body: .stream { write in
            defer { ended.add() }
            for await chunk in stream { try await write(chunk) }
          })
      }
    }
  }

  @Test func linesComeAsTheyAreWritten() async throws {
    let source = Source()
    let test = try await TestServer([source.route])
    let lines = try await test.client.lines("/events") { lines async throws in
      var all: [String] = []
      source.feed.yield(Array("one\ntw".utf8))
      all.append(try await lines.next() ?? "end")
      source.feed.yield(Array("o\r\n\nlast".utf8))
      all.append(try await lines.next() ?? "end")
      all.append(try await lines.next() ?? "end")
      source.feed.finish()
      all.append(try await lines.next() ?? "end")
      all.append(try await lines.next() ?? "end")
      all.append(try await lines.next() ?? "end")
      return all
    }
    #expect(lines == ["one", "two", "", "last", "end", "end"])
  }

  @Test func aClientThatLeavesCancelsTheProducer() async throws {
    let source = Source()
    let test = try await TestServer([source.route])
    try await test.client.lines("/events") { lines async throws in
      source.feed.yield(Array("one\n".utf8))
      #expect(try await lines.next() == "one")
    }
    try await source.ended.next()
  }

  @Test func aCancelledReaderLeaves() async throws {
    let source = Source()
    let reading = Arrivals<Void>()
    let test = try await TestServer([source.route])
    let reader = Task {
      try await test.client.lines("/events") { lines async throws in
        source.feed.yield(Array("one\n".utf8))
        #expect(try await lines.next() == "one")
        reading.add()
        return try await lines.next()
      }
    }
    try await reading.next()
    reader.cancel()
    await #expect(throws: CancellationError.self) { try await reader.value }
    try await source.ended.next()
  }

  @Test func aClientThatLeavesCancelsAHandlerThatWaits() async throws {
    let started = Arrivals<Void>()
    let cancelled = Arrivals<Void>()
    let route = Route("GET", "/") { _ in
      started.add()
      do { try await Task.sleep(for: .seconds(3600)) } catch { cancelled.add() }
      return .noContent
    }
    let test = try await TestServer([route])
    let asking = Task { try await test.client.send("GET", "/") }
    try await started.next()
    asking.cancel()
    try await cancelled.next()
    await #expect(throws: CancellationError.self) { try await asking.value }
  }

  @Test func aReaderThatStopsReadingHoldsTheProducerBackAndIsClosed() async throws {
    let written = Atomic(0)
    let ended = Arrivals<Void>()
    let route = Route("GET", "/") { _ in
      HTTPResponse(
        body: .stream { write in
          defer { ended.add() }
          while true {
            try await write([UInt8](repeating: 0, count: 65536))
            written.add(1, ordering: .relaxed)
          }
        })
    }
    let test = try await TestServer([route], limits: .patient { $0.writeTimeout = .milliseconds(100) })
    let raw = try RawConnection(test.server.address)
    try await raw.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    try await ended.next()
    // The bytes that fit into the kernel's buffers and one write more, not the endless stream.
    #expect(written.load(ordering: .relaxed) < 100)
    _ = raw
  }

  @Test func aStreamThatFailsIsSeenAsCutOff() async throws {
    struct Broken: Error {}
    let reported = Arrivals<Void>()
    let route = Route("GET", "/") { _ in
      HTTPResponse(
        body: .stream { write in
          try await write(Array("one\n".utf8))
          throw Broken()
        })
    }
    let report: @Sendable (any Error, HTTPRequest) -> Void = { error, _ in if error is Broken { reported.add() } }
    let test = try await TestServer([route], report: report)
    await #expect(throws: HTTPClientError.closedEarly(test.client.address)) {
      try await test.client.lines("/") { lines async throws in
        #expect(try await lines.next() == "one")
        _ = try await lines.next()
      }
    }
    try await reported.next()
  }

  @Test func aRefusedStreamSaysWhy() async throws {
    let route = Route("GET", "/") { _ in throw HTTPError(409, "not now", hint: "later") }
    let test = try await TestServer([route])
    await #expect(throws: HTTPClientError.refused(status: 409, error: "not now", hint: "later")) {
      try await test.client.lines("/") { _ in }
    }
  }

  @Test func shutdownEndsStreamsAndAnswersWhatIsAsked() async throws {
    let source = Source()
    let asked = Arrivals<Void>()
    let goOn = Arrivals<Void>()
    let slow = Route("GET", "/slow") { _ in
      asked.add()
      try await goOn.next()
      return .text("done")
    }
    let test = try await TestServer([source.route, slow])
    async let answer = test.client.send("GET", "/slow")
    let reading = Arrivals<Void>()
    async let end = test.client.lines("/events") { lines async throws in
      source.feed.yield(Array("one\n".utf8))
      #expect(try await lines.next() == "one")
      reading.add()
      return try await lines.next()
    }
    let idle = try RawConnection(test.server.address)
    try await asked.next()
    try await reading.next()
    // A busy machine may take a while to end the stream.
    async let stopped: Void = test.server.shutdown(silence: .seconds(60), within: .seconds(60))
    #expect(try await end == nil)
    #expect(try await idle.read() == "")
    goOn.add()
    #expect(try await answer.body == Array("done".utf8))
    await stopped
    #expect(test.server.connectionCount == 0)
  }

  @Test func shutdownIsBounded() async throws {
    let asked = Arrivals<Void>()
    let never = Arrivals<Void>()
    let route = Route("GET", "/") { _ in
      asked.add()
      try await never.next()
      return .noContent
    }
    let test = try await TestServer([route])
    let answer = Task { try await test.client.send("GET", "/") }
    try await asked.next()
    await test.server.shutdown(within: .milliseconds(50))
    await #expect(throws: HTTPClientError.closedEarly(test.client.address)) { try await answer.value }
  }
}
