// Batches of streams: each is one commit with its position, beside other waiting inputs.

import Clocks
import Dispatch
import FoundationEssentials
import HandsetStore
import Synchronization
import Testing

@testable import DeskbellDaemon
@testable import HandsetCore
@testable import Host

private let app = AppID("com.example.mail")!
private let other = AppID("com.example.news")!

private func token(_ byte: UInt8) -> DeviceToken { DeviceToken(bytes: [UInt8](repeating: byte, count: 32))! }

private func push(_ number: UInt64, to app: AppID = app, token address: UInt8 = 7, bytes: Int = 0) -> Push {
  Push(
    id: PushID(high: 0, low: number), token: token(address), topic: app, message: Message(body: .literal("\(number)")),
    badge: .number(Int(number)), expiration: .at(WallTime(seconds: 1_900_000_000)),
    payload: [UInt8](repeating: 0, count: bytes))
}

private func position(_ sequence: UInt64, of consumer: String = "desk") -> StreamPosition {
  StreamPosition(consumer: consumer, stream: "2026-11-23T15:00:00Z", sequence: sequence)
}

/// The outcomes of batches, in order.
private final class Outcomes: Sendable {
  private let all = Mutex<[String]>([])

  var taken: [String] {
    all.withLock { all in
      defer { all = [] }
      return all
    }
  }

  func completion(_ name: String) -> @Sendable (String?) -> Void {
    { [self] problem in all.withLock { $0.append("\(name): \(problem ?? "stored")") } }
  }
}

@Suite struct StreamBatchQueueTests {
  private let queue = InputQueue()
  private let outcomes = Outcomes()
  private static let full = "as many inputs as can are waiting already"

  /// Submits a batch of pushes that ends at that number of the stream.
  /// - Returns: its immediate outcome.
  @discardableResult
  private func put(
    _ numbers: ClosedRange<UInt64>, of consumer: String = "desk", bytes: Int = 0
  ) -> [String] {
    let inputs = numbers.map { (Input.push(push($0, bytes: bytes)), InputQueue.Recipient.tokenOwner) }
    let batch = StreamBatch(inputs: inputs, position: position(numbers.upperBound, of: consumer))
    queue.submit(batch, completion: outcomes.completion("\(consumer) \(numbers.upperBound)"))
    return outcomes.taken
  }

  private func put(_ count: Int, to app: AppID) {
    for number in 1...UInt64(count) { queue.submit(.push(push(number, to: app)), to: .tokenOwner) { _ in } }
  }

  /// Returns the number of pushes of each app in the next batch, and its batches of streams.
  private func next(limit: Int = InputQueue.Limits.batch) throws -> [String] {
    let batch = try #require(queue.take(limit: limit))
    var expected = batch.streams.flatMap { $0.batch.inputs.map { described($0.input) } }
    var own: [String: Int] = [:]
    for entry in batch.entries {
      if described(entry.input) == expected.first {
        expected.removeFirst()
      } else {
        own[entry.input.topic?.text ?? "none", default: 0] += 1
      }
    }
    #expect(expected == [], "each batch is whole, and in its order")
    return own.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
      + batch.streams.map { "\($0.consumer) \($0.batch.position.sequence)" }
  }

  private func described(_ input: Input) -> String { "\(input)" }

  @Test("A batch is taken whole and in its order, however few inputs are asked for; it does not share with too many")
  func whole() throws {
    put(3, to: other)
    put(101...200)
    put(201...203)
    #expect(try next(limit: 20) == ["com.example.news 3"])
    #expect(queue.waiting.inputs == 103)
    #expect(try next(limit: 20) == ["desk 200"])
    put(1, to: other)
    #expect(try next(limit: 20) == ["com.example.news 1", "desk 203"])
    #expect(queue.isEmpty && queue.waiting == (0, 0))
  }

  @Test("Apps and consumers take turns: none waits for more than one batch of each other one")
  func turns() throws {
    put(600, to: other)
    for end in [200, 400] as [UInt64] { put(end - 199...end, of: "a") }
    put(1001...1200, of: "b")
    queue.submit(.setCondition(.silent, true), to: .handset(.first)) { _ in }
    #expect(try next() == ["com.example.news 55", "none 1", "a 200"])
    #expect(try next() == ["com.example.news 56", "b 1200"])
    #expect(try next() == ["com.example.news 56", "a 400"])
    #expect(try next() == ["com.example.news 256"])
    // Beside a stream, the limit of a batch is the same as beside another app.
    put(1...1, of: "a")
    #expect(try next(limit: 20) == ["com.example.news 19", "a 1"])
    #expect(try next(limit: 20) == ["com.example.news 20"])
  }

  @Test("What waits behind a batch that is large in bytes or number waits for one commit")
  func bytes() throws {
    put(2, to: other)
    put(101...102, bytes: InputQueue.Limits.batchBytes / 2)
    put(103...103)
    #expect(try next() == ["com.example.news 2"])
    #expect(try next() == ["desk 102"])
    #expect(try next() == ["desk 103"])
  }

  @Test("A batch counts as all of its inputs; one for which there is no room is not there at all")
  func room() throws {
    for group in 1...8 as ClosedRange<UInt64> { #expect(put(group * 256 - 255...group * 256) == []) }
    #expect(queue.waiting.inputs == InputQueue.Limits.waiting / 2)
    #expect(put(3001...3256) == ["desk 3256: \(Self.full)"])
    #expect(queue.waiting.inputs == InputQueue.Limits.waiting / 2)
    #expect(put(3001...3256, of: "other") == [])
    #expect(try next() == ["desk 256"])
    let large = 3 * InputQueue.Limits.waitingBytes / 4
    #expect(put(1...1, of: "third", bytes: large) == [])
    #expect(put(1...1, of: "fourth", bytes: large) == ["fourth 1: \(Self.full)"])
  }

  @Test("A batch without inputs is its position; it takes a place, and its turn")
  func positionOnly() throws {
    queue.submit(StreamBatch(inputs: [], position: position(7)), completion: outcomes.completion("desk 7"))
    #expect(!queue.isEmpty && queue.waiting.inputs == 1)
    let batch = try #require(queue.take())
    #expect(batch.entries.isEmpty)
    #expect(batch.streams.map(\.batch.position) == [position(7)])
    #expect(queue.isEmpty && queue.take() == nil)
  }

  @Test("A queue that is closed takes no batch, and gives those that wait")
  func closed() throws {
    put(1...3)
    queue.close()
    #expect(put(4...5) == ["desk 5: \(Self.full)"])
    #expect(try next() == ["desk 3"])
    #expect(queue.take() == nil)
  }
}

@Suite struct StreamBatchHostTests {
  private let folder: Folder
  private let host: TestHost
  private let output = RecordingSink()
  private let outcomes = Outcomes()

  /// Makes two handsets, each with both apps.
  init() async throws {
    folder = try Folder()
    let handsets = [1, 2].map { LoadedHandset(id: HandsetID($0), contents: Handset.Contents()) }
    host = try TestHost(
      store: HandsetStore(directory: folder.state), handsets: handsets,
      clock: VirtualClock(startingAt: TimeRig.start), sinks: [output])
    for (id, address) in [(1, 7), (2, 8)] as [(Int64, UInt8)] {
      for app in [app, other] {
        let own = token(app == other ? address + 10 : address)
        _ = await host.submit(.install(AppManifest(id: app, name: "App"), token: own), to: HandsetID(id))
        _ = await host.submit(.register(app, .all, token: own), to: HandsetID(id))
      }
    }
    await host.isAtHand()
  }

  private func submit(_ batch: StreamBatch) async -> String? {
    await withCheckedContinuation { done in host.queue.submit(batch) { done.resume(returning: $0) } }
  }

  private func positions() async throws -> [StreamPosition] { try await host.write { try $0.positions() } }

  /// Returns the stored events of both handsets, by push, and the positions.
  private func stored(_ store: HandsetStore) throws -> [String] {
    try [1, 2].flatMap { id in
      try store.events(of: HandsetID(id), after: 0, limit: 1_000).filter { $0.push != nil }
        .map { "\(id) \($0.event) \($0.push?.suffix(2) ?? "")" }
    } + store.positions().map { "\($0.consumer) \($0.sequence)" }
  }

  private func stored() async throws -> [String] { try await host.write { try stored($0) } }

  /// Returns the store as it is for the next daemon if this one is killed.
  private func storeOfANextOne() throws -> HandsetStore {
    let copy = "\(folder.path)/\(UUID())"
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
    for file in ["deskbell.sqlite", "deskbell.sqlite-wal"] {
      try FileManager.default.copyItem(atPath: "\(folder.state)/\(file)", toPath: "\(copy)/\(file)")
    }
    return try HandsetStore(directory: copy)
  }

  private func storedForANextOne() throws -> [String] { try stored(storeOfANextOne()) }

  @Test("F1: a batch is one commit of turns and position, at any handset; a daemon that was killed left both or none")
  func together() async throws {
    let commits = output.record.withLock(\.eventArrivals)
    let first = StreamBatch(
      inputs: [
        (.keep(push(1)), .tokenOwner), (.keep(push(2, token: 8)), .tokenOwner), (.keep(push(3)), .tokenOwner),
        (.keep(push(4, to: other, token: 17)), .handset(.first)),
      ], position: position(4))
    let second = StreamBatch(
      inputs: [(.forward, .all), (.push(push(5, token: 8)), .tokenOwner)], position: position(5))
    #expect(try storedForANextOne() == [])
    #expect(await submit(first) == nil)
    let kept = [
      "1 accepted 01", "1 kept 01", "1 accepted 03", "1 discarded 01", "1 kept 03", "1 accepted 04", "1 kept 04",
    ]
    let keptByTheOther = ["2 accepted 02", "2 kept 02"]
    #expect(try storedForANextOne() == kept + keptByTheOther + ["desk 4"])
    #expect(await submit(second) == nil)
    let arrived = ["arrived 03", "badge 03", "presented 03", "arrived 04", "badge 04", "presented 04"].map { "1 \($0)" }
    let arrivedAtTheOther = [
      "arrived 02", "badge 02", "presented 02", "accepted 05", "badge 05", "presented 05",
    ].map { "2 \($0)" }
    #expect(try storedForANextOne() == kept + arrived + keptByTheOther + arrivedAtTheOther + ["desk 5"])
    await host.isAtHand()
    #expect(output.record.withLock(\.eventArrivals) == commits + 2)
    await host.stop()
  }

  @Test("What changes nothing stores the position, each consumer its own, and a batch is stored beside other inputs")
  func positionsAlone() async throws {
    #expect(await submit(StreamBatch(inputs: [], position: position(9))) == nil)
    #expect(await submit(StreamBatch(inputs: [(.forward, .all)], position: position(3, of: "desk/group"))) == nil)
    #expect(try await positions() == [position(9), position(3, of: "desk/group")])
    // Shares one commit: the last position of a consumer is stored.
    let answers = await host.read { _, _, _, _ in
      for number in 10...12 as ClosedRange<UInt64> {
        let batch = StreamBatch(
          inputs: [(.push(push(number)), .tokenOwner)], position: position(number))
        host.queue.submit(batch, completion: outcomes.completion("\(number)"))
      }
      return outcomes.taken
    }
    #expect(answers == [])
    await host.expectAccepted(.setCondition(.silent, true))
    await host.isAtHand()
    #expect(outcomes.taken == ["10: stored", "11: stored", "12: stored"])
    #expect(try await positions() == [position(12), position(3, of: "desk/group")])
    await host.stop()
  }

  @Test("A commit that fails undoes the batch and leaves the position; it may come again")
  func failingStore() async throws {
    #expect(await submit(StreamBatch(inputs: [(.keep(push(1)), .tokenOwner)], position: position(1))) == nil)
    let before = await host.read { handset, _, _, _ in handset }
    runSQL(
      in: folder.state,
      "CREATE TRIGGER sabotage BEFORE INSERT ON stream_position WHEN NEW.consumer = 'desk' "
        + "BEGIN SELECT RAISE(FAIL, 'on purpose'); END")
    let batch = StreamBatch(
      inputs: (2...201).map { (.push(push($0)), .tokenOwner) }, position: position(201))
    #expect(await submit(batch) == "\(folder.state)/deskbell.sqlite: on purpose (SQLite error 1811)")
    #expect(host.devices.all.map(\.name) == ["store"])
    #expect(await host.read { handset, _, _, _ in handset } == before)
    #expect(try await stored() == ["1 accepted 01", "1 kept 01", "desk 1"])

    runSQL(in: folder.state, "DROP TRIGGER sabotage")
    #expect(await submit(batch) == nil)
    #expect(try await positions().first == position(201))
    #expect(await host.read { handset, _, _, _ in handset.listedCount(of: app) } == 200)
    await host.stop()
  }

  @Test("F1: a restart between what is kept and what is forwarded loses nothing")
  func restart() async throws {
    let batch = StreamBatch(
      inputs: [(.keep(push(1)), .tokenOwner), (.keep(push(2, to: other, token: 17)), .tokenOwner)],
      position: position(2))
    #expect(await submit(batch) == nil)
    let store = try storeOfANextOne()
    let contents = try store.load(handset: .first).contents
    let again = try TestHost(
      store: store, handsets: [LoadedHandset(id: .first, contents: contents)],
      clock: VirtualClock(startingAt: TimeRig.start))
    for input in [Input.start(.daemon), .forward] { _ = await again.submit(input) }
    #expect(try await again.write { try $0.positions() } == [position(2)])
    let listed = await again.read { handset, _, _, _ in handset.listed().map(\.push.low) }
    #expect(listed.sorted() == [1, 2])
    await again.stop()
    await host.stop()
  }
}
