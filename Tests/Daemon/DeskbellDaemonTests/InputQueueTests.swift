import HandsetCore
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import DeskbellDaemon
@testable import Host

private let app = AppID("com.example.mail")!
private let token = DeviceToken(bytes: [UInt8](repeating: 7, count: 32))!

@Suite struct InputQueueTests {
  /// The loop's time stands still, so reports do not become due by themselves.
  private let loop = NIOAsyncTestingEventLoop()
  private let queue: InputQueue

  init() { queue = InputQueue(timers: loop) }

  /// - Returns: true if the queue accepted it.
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

  private let other = AppID("com.example.news")!

  private func push(to app: AppID, _ number: UInt64 = 0) -> Input {
    .push(Push(id: PushID(high: 0, low: number), token: token, topic: app))
  }

  private func numbers(of app: AppID, in batch: InputQueue.Batch?) -> [UInt64] {
    (batch?.entries ?? []).compactMap { entry in
      if case .push(let push) = entry.input, push.topic == app { push.id.low } else { nil }
    }
  }

  @Test("One app's pushes have half of the places at most, and as many as are free beside others': each finds one")
  func perApp() {
    let half = InputQueue.Limits.waiting / 2
    for _ in 1...half { #expect(put(push(to: app))) }
    #expect(!put(push(to: app)))
    for _ in 1...half / 2 { #expect(put(push(to: other))) }
    #expect(!put(push(to: other)))
    #expect(put(push(to: AppID("com.example.third")!)))
    #expect(put())
    #expect(queue.take()?.entries.count == InputQueue.Limits.batch)
    #expect(put(push(to: other)))
  }

  @Test("Where more waits than a batch, apps take turns, each in its order, and what no provider sent has a turn too")
  func turns() {
    let many = UInt64(InputQueue.Limits.waiting / 2)
    for number in 1...many { #expect(put(push(to: app, number))) }
    for number in 1...3 as ClosedRange<UInt64> { #expect(put(push(to: other, number))) }
    for _ in 1...2 { #expect(put()) }
    for _ in 1...5 { queue.report(.wake, to: .first) }
    let batch = queue.take()
    #expect(batch?.entries.count == InputQueue.Limits.batch)
    #expect(numbers(of: other, in: batch) == [1, 2, 3])
    let own = UInt64(InputQueue.Limits.batch - 3 - 2 - 5)
    #expect(numbers(of: app, in: batch) == Array(1...own))
    // Within the batch they are in the order of arrival.
    let last = batch.map { InputQueue.Batch(entries: Array($0.entries.suffix(10).prefix(3))) }
    #expect(numbers(of: other, in: last) == [1, 2, 3])
    #expect(numbers(of: app, in: queue.take()).first == own + 1)
  }

  @Test("A batch has the number that is asked for where several apps pushed lately, else as many as share one")
  func shared() {
    func fill() { while put(push(to: app)) {} }
    fill()
    #expect(put(push(to: other)))
    #expect(queue.take(limit: 20)?.entries.count == 20)
    for _ in 1..<InputQueue.Limits.batchesAlone { #expect(queue.take(limit: 20)?.entries.count == 20) }
    fill()
    #expect(queue.take(limit: 20)?.entries.count == 20)
    #expect(queue.take(limit: 20)?.entries.count == InputQueue.Limits.batch)
    #expect(put(push(to: other)))
    #expect(numbers(of: other, in: queue.take(limit: 20)).count == 1)
    #expect(queue.take(limit: 20)?.entries.count == 20)
  }

  @Test("How many inputs take the time of a batch, by the batch before; some in any case")
  func pace() {
    var pace = BatchPace()
    #expect(pace.limit == InputQueue.Limits.batch)
    pace.note(256, took: BatchPace.duration * 4)
    #expect(pace.limit == 64)
    pace.note(64, took: BatchPace.duration / 2)
    #expect(pace.limit == 128)
    pace.note(1, took: .seconds(10))
    #expect(pace.limit == BatchPace.fewest)
    pace.note(1, took: .zero)
    #expect(pace.limit == InputQueue.Limits.batch)
  }

  private func push(bytes: Int, to app: AppID = app) -> Input {
    .push(
      Push(
        id: PushID(high: 0, low: 0), token: token, topic: app,
        payload: [UInt8](repeating: 0, count: bytes - InputQueue.Limits.inputOverhead)))
  }

  @Test("A batch has its bytes, whatever its inputs; one that does not fit waits for the next, and one by itself goes")
  func batchBytes() {
    let limit = InputQueue.Limits.batchBytes
    for bytes in [limit / 2, limit / 2, 4_096, limit + 1] { #expect(put(push(bytes: bytes))) }
    #expect([2, 1, 1].allSatisfy { queue.take()?.entries.count == $0 })
    for _ in 1...3 { queue.report(.wake, to: .first) }
    queue.close()
    #expect(queue.take()?.entries.count == 3)
    #expect(queue.take() == nil)
  }

  @Test("What waits has its bytes: one more is turned away, and taken once there is room again")
  func waitingBytes() {
    let quarter = InputQueue.Limits.waitingBytes / 4
    // One app may use half of the bytes, as of the places.
    for _ in 1...2 { #expect(put(push(bytes: quarter))) }
    #expect(!put(push(bytes: quarter)))
    for topic in [other, AppID("com.example.third")!] { #expect(put(push(bytes: quarter, to: topic))) }
    #expect(!put())
    // No caller waits for a report, and none can be large.
    queue.report(.wake, to: .first)
    #expect(queue.take()?.entries.count == 1)
    #expect(!put(push(bytes: quarter + 1, to: AppID("com.example.fourth")!)))
    #expect(put(push(bytes: quarter, to: AppID("com.example.fourth")!)))
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
    await loop.advanceTime(by: InputQueue.Limits.reportDelay - .nanoseconds(1))
    #expect(queue.isEmpty && queue.take() == nil)
    #expect(put())
    #expect(queue.take()?.entries.count == 2)
    // The timer fires without effect.
    await loop.advanceTime(by: .nanoseconds(1))
    #expect(queue.isEmpty)
    queue.report(.press(.close), to: .first)
    queue.report(.press(.view), to: .first)
    #expect(queue.isEmpty)
    await loop.advanceTime(by: InputQueue.Limits.reportDelay)
    #expect(await queue.next()?.entries.map(\.recipient) == [.handset(.first), .handset(.first)])
    #expect(queue.isEmpty)
  }

  @Test(
    "Reports that nobody awaits share the commit of the next input, or wait for a reader; an old one is before a wake")
  func reportsForNobody() async throws {
    let report = Input.report(DriverReport(.lamp(lit: true), uptime: .zero))
    #expect(queue.takeReports() == nil)
    queue.report(report, to: .first) { false }
    await loop.advanceTime(by: InputQueue.Limits.reportDelay)
    #expect(queue.isEmpty && queue.take() == nil)
    #expect(queue.takeReports()?.entries.count == 1)
    #expect(queue.isEmpty && queue.takeReports() == nil)
    queue.report(report, to: .first) { false }
    #expect(put())
    queue.wake()
    #expect(try #require(queue.take()).entries.map(\.recipient) == [.handset(.first), .due, .handset(.first)])
    #expect(queue.takeReports() == nil)
    // One that is awaited takes the others with it.
    queue.report(report, to: .first) { false }
    queue.report(report, to: .first)
    await loop.advanceTime(by: InputQueue.Limits.reportDelay)
    #expect(queue.take()?.entries.count == 2)
    // Reports that soon have a commit do not begin one for each reader.
    queue.report(report, to: .first)
    #expect(queue.takeReports() == nil)
    await loop.advanceTime(by: InputQueue.Limits.reportDelay)
    #expect(queue.take()?.entries.count == 1)
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
