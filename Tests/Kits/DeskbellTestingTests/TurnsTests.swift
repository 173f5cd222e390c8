import DeskbellTesting
import Synchronization
import Testing

@Suite struct TurnsTests {
  private final class Log: Sendable {
    let lines = Mutex<[String]>([])

    func write(_ line: String) { lines.withLock { $0.append(line) } }
    var written: [String] { lines.withLock(\.self) }
  }

  /// Tests that have the whole bench run one after the other, in the order in which they came.
  @Test func alone() async throws {
    let (turns, log) = (Turns(), Log())
    let (entered, enter) = AsyncStream.makeStream(of: Void.self)
    let (leaving, leave) = AsyncStream.makeStream(of: Void.self)
    async let first: Void = turns.take(.alone, of: ["1", "2"]) { handset in
      log.write("first \(handset ?? "board")")
      enter.finish()
      for await _ in leaving {}
      log.write("first ends")
    }
    for await _ in entered {}
    async let second: Void = turns.take(.handset, of: ["1", "2"]) { log.write("second \($0 ?? "board")") }
    while await turns.waitingTests < 1 { await Task.yield() }
    leave.finish()
    _ = try await (first, second)
    #expect(log.written == ["first board", "first ends", "second 1"])
  }

  /// Each of several tests has a handset that no other one has; a further one waits for the first that is free.
  @Test func sideBySide() async throws {
    let (turns, log) = (Turns(), Log())
    let (leaving, leave) = AsyncStream.makeStream(of: Void.self)
    try await turns.take(.handset, of: ["1", "2"]) { one in
      async let other: Void = turns.take(.handset, of: ["1", "2"]) { two in
        log.write("together on \(one ?? "board") and \(two ?? "board")")
        for await _ in leaving {}
      }
      while log.written.isEmpty { await Task.yield() }
      async let third: Void = turns.take(.handset, of: ["1", "2"]) { log.write("third on \($0 ?? "board")") }
      while await turns.waitingTests < 1 { await Task.yield() }
      leave.finish()
      _ = try await (other, third)
    }
    #expect(log.written == ["together on 1 and 2", "third on 2"])
  }

  /// A test that fails gives its turn back.
  @Test func failure() async throws {
    struct Failure: Error {}
    let turns = Turns()
    await #expect(throws: Failure.self) { try await turns.take(.alone, of: []) { _ in throw Failure() } }
    try await turns.take(.alone, of: []) { #expect($0 == nil) }
  }
}
