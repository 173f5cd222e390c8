import HandsetCore
import Synchronization
import Testing

@testable import DeskbellDaemon

private let app = AppID("com.example.mail")!
private let token = DeviceToken(bytes: [UInt8](repeating: 7, count: 32))!

@Suite struct InputQueueTests {
  private let queue = InputQueue()

  /// - Returns: whether the queue took it.
  private func put(_ input: Input = .setCondition(.silent, true)) -> Bool {
    let isTaken = Flag()
    queue.submit(input, to: .handset(.first)) { outcome in
      if case .failed = outcome { isTaken.clear() }
    }
    return isTaken.isSet
  }

  /// Set until it is cleared.
  private final class Flag: Sendable {
    private let flag = Mutex(true)

    var isSet: Bool { flag.withLock(\.self) }

    func clear() { flag.withLock { $0 = false } }
  }

  @Test("One input more than may wait is turned away; reports are dropped and counted")
  func limits() throws {
    for _ in 1...InputQueue.Limits.waiting { #expect(put()) }
    #expect(!put())
    for _ in 1...InputQueue.Limits.reports + 1 { queue.report(.wake, to: .first) }
    queue.close()
    var taken = 0
    var dropped = 0
    while let batch = queue.take() {
      dropped += batch.dropped
      #expect(batch.entries.count <= InputQueue.Limits.batch)
      taken += batch.entries.count
    }
    #expect(taken == InputQueue.Limits.waiting + InputQueue.Limits.reports)
    #expect(dropped == 1)
  }

  @Test("Of the places one app's pushes have half at most: others find one")
  func perApp() {
    let other = AppID("com.example.news")!
    func push(to app: AppID) -> Input { .push(Push(id: PushID(high: 0, low: 0), token: token, topic: app)) }
    for _ in 1...InputQueue.Limits.waitingPerApp { #expect(put(push(to: app))) }
    #expect(!put(push(to: app)))
    #expect(put(push(to: other)))
    #expect(put())
    #expect(queue.take()?.entries.count == InputQueue.Limits.batch)
    #expect(put(push(to: app)))
  }

  private func push(bytes: Int) -> Input {
    .push(
      Push(
        id: PushID(high: 0, low: 0), token: token, topic: app,
        payload: [UInt8](repeating: 0, count: bytes - InputQueue.Limits.inputOverhead)))
  }

  @Test("A batch has its bytes, whatever its inputs; one that does not fit waits for the next, and one by itself goes")
  func batchBytes() {
    let limit = InputQueue.Limits.batchBytes
    for bytes in [limit / 2, limit / 2, 4_096, limit + 1] { #expect(put(push(bytes: bytes))) }
    for _ in 1...3 { queue.report(.wake, to: .first) }
    queue.close()
    #expect([2, 1, 1, 3].allSatisfy { queue.take()?.entries.count == $0 })
    #expect(queue.take() == nil)
  }

  @Test("What waits has its bytes: one more is turned away, and taken once there is room again")
  func waitingBytes() {
    let quarter = InputQueue.Limits.waitingBytes / 4
    for _ in 1...4 { #expect(put(push(bytes: quarter))) }
    #expect(!put())
    // Nothing waits for a report, and none of it can be large.
    queue.report(.wake, to: .first)
    #expect(queue.take()?.entries.count == 1)
    #expect(!put(push(bytes: quarter + 1)))
    #expect(put(push(bytes: quarter)))
  }

  @Test("However often the handsets are woken, that is one entry, before what was submitted; no limit drops it")
  func wakes() throws {
    for _ in 1...InputQueue.Limits.reports + 1 { queue.report(.press(.close), to: .first) }
    for _ in 1...3 { queue.wake() }
    let batch = try #require(queue.take())
    #expect(batch.entries.map(\.recipient).prefix(2) == [.due, .handset(.first)])
    #expect(batch.entries.count == InputQueue.Limits.batch + 1)
    #expect(queue.take()?.entries.contains { $0.recipient == .due } == false)
  }

  @Test("Reports share the commit of the next input; where none comes they have one of their own")
  func reportsWait() async {
    queue.report(.press(.close), to: .first)
    #expect(queue.isEmpty && queue.take() == nil)
    #expect(put())
    #expect(queue.take()?.entries.count == 2)
    queue.report(.press(.close), to: .first)
    queue.report(.press(.view), to: .first)
    #expect(await queue.next()?.entries.map(\.recipient) == [.handset(.first), .handset(.first)])
    #expect(queue.isEmpty)
  }

  @Test("A queue that is closed turns inputs away, gives those that wait, and then none")
  func closed() async {
    #expect(put())
    queue.close()
    #expect(!put())
    queue.wake()
    #expect(await queue.next()?.entries.count == 1)
    #expect(await queue.next() == nil)
  }

  @Test("The host waits for the first input, and for the end")
  func waits() async {
    let queue = queue
    let next = Task { await queue.next()?.entries.count }
    #expect(put())
    #expect(await next.value == 1)
    let end = Task { await queue.next()?.entries.count }
    queue.close()
    #expect(await end.value == nil)
  }
}
