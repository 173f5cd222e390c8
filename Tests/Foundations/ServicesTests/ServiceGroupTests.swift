// The order in which services start and stop, and what ends all of them.

import Dispatch
import Synchronization
import Testing

@testable import Services

@Suite(.timeLimit(.minutes(10))) struct ServiceGroupTests {
  private struct Failure: Error {}

  /// The steps of all services of a test, in order.
  private final class Steps: Sendable {
    private let steps = Mutex<[String]>([])

    var all: [String] { steps.withLock(\.self) }

    func add(_ step: String) { steps.withLock { $0.append(step) } }
  }

  /// A service that notes its steps. Its requests are the events that a test waits for, or makes.
  private struct Part: Service {
    let name: String
    let steps: Steps
    let started = StopRequest()
    let asked = StopRequest()
    /// Ends the service although it was not asked to stop.
    let fault = StopRequest()
    /// What the service throws when it ends.
    var failure: Failure?
    /// What the service waits for before it ends.
    var end: StopRequest?

    func run(until stop: StopRequest) async throws {
      steps.add("\(name) starts")
      started.make()
      let over = StopRequest()
      stop.whenMade {
        asked.make()
        over.make()
      }
      fault.whenMade { over.make() }
      await over.wait()
      await end?.wait()
      steps.add("\(name) ends\(Task.isCancelled ? ", cancelled" : "")")
      if let failure { throw failure }
    }
  }

  /// Runs tasks on one thread, in the order in which they become ready.
  private final class OneThread: TaskExecutor {
    private let queue = DispatchQueue(label: "services")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }

  private let steps = Steps()

  /// Runs the parts, and `body` once all of them have started.
  /// - Returns: the result of the group.
  private func run(
    _ parts: [Part], _ body: @escaping @Sendable (ServiceGroup, Task<Void, any Error>) async -> Void
  ) async -> Result<Void, any Error> {
    let group = ServiceGroup(parts)
    let running = Task { try await group.run() }
    for part in parts { await part.started.wait() }
    await body(group, running)
    return await running.result
  }

  /// The steps without the starts, which are on several threads.
  private var ends: [String] { steps.all.filter { !$0.hasSuffix("starts") } }

  @Test("Services start in order")
  func order() async throws {
    let parts = (1...20).map { Part(name: "\($0)", steps: steps) }
    let group = ServiceGroup(parts)
    let running = Task(executorPreference: OneThread()) { try await group.run() }
    for part in parts { await part.started.wait() }
    #expect(steps.all == (1...20).map { "\($0) starts" })
    group.stop()
    try await running.value
  }

  @Test("Services stop in reverse order: each one is asked when the one after it has ended")
  func reverseOrder() async throws {
    let end = StopRequest()
    let parts = [
      Part(name: "first", steps: steps), Part(name: "second", steps: steps, end: end),
      Part(name: "third", steps: steps),
    ]
    parts[0].asked.whenMade { [steps] in steps.add("first is asked") }
    try await run(parts) { [steps] group, _ in
      group.stop()
      await parts[1].asked.wait()
      steps.add("second is asked")
      end.make()
    }.get()
    #expect(ends == ["third ends", "second is asked", "second ends", "first is asked", "first ends"])
  }

  @Test("Further requests to stop change nothing, neither while the group stops nor afterwards")
  func stopTwice() async throws {
    let end = StopRequest()
    let parts = [Part(name: "first", steps: steps), Part(name: "second", steps: steps, end: end)]
    try await run(parts) { group, running in
      group.stop()
      await parts[1].asked.wait()
      group.stop()
      end.make()
      _ = await running.result
      group.stop()
    }.get()
    #expect(ends == ["second ends", "first ends"])
  }

  @Test("A request to stop before the start is kept: all services start, and stop in reverse order")
  func stopBeforeRun() async throws {
    let parts = ["first", "second"].map { Part(name: $0, steps: steps) }
    let group = ServiceGroup(parts)
    group.stop()
    try await group.run()
    #expect(steps.all.filter { $0.hasSuffix("starts") }.sorted() == ["first starts", "second starts"])
    #expect(ends == ["second ends", "first ends"])
  }

  @Test("An error of a service stops all others at the same time, and is thrown once they have ended")
  func failure() async throws {
    let end = StopRequest()
    let parts = [
      Part(name: "first", steps: steps, end: end), Part(name: "second", steps: steps, failure: Failure()),
      Part(name: "third", steps: steps, end: end),
    ]
    let result = await run(parts) { _, _ in
      parts[1].fault.make()
      await parts[0].asked.wait()
      await parts[2].asked.wait()
      end.make()
    }
    #expect(throws: Failure.self) { try result.get() }
    #expect(ends.first == "second ends")
    #expect(ends.dropFirst().sorted() == ["first ends, cancelled", "third ends, cancelled"])
  }

  @Test("A service that ends unasked stops all others, and is named")
  func earlyEnd() async throws {
    let parts = ["first", "second"].map { Part(name: $0, steps: steps) }
    let result = await run(parts) { _, _ in parts[0].fault.make() }
    #expect(throws: UnexpectedEnd(service: "Part")) { try result.get() }
    #expect(ends == ["first ends", "second ends, cancelled"])
  }

  @Test("While a group stops, an error of the service that is stopping stops all others, and is thrown")
  func failureWhileStopping() async throws {
    let parts = [
      Part(name: "first", steps: steps), Part(name: "second", steps: steps),
      Part(name: "third", steps: steps, failure: Failure()),
    ]
    let result = await run(parts) { group, _ in group.stop() }
    #expect(throws: Failure.self) { try result.get() }
    #expect(ends.first == "third ends")
    #expect(ends.dropFirst().sorted() == ["first ends, cancelled", "second ends, cancelled"])
  }

  @Test("While a group stops, a service that ends before its turn stops all others")
  func earlyEndWhileStopping() async throws {
    let end = StopRequest()
    let parts = [
      Part(name: "first", steps: steps), Part(name: "second", steps: steps),
      Part(name: "third", steps: steps, end: end),
    ]
    let result = await run(parts) { group, _ in
      group.stop()
      await parts[2].asked.wait()
      parts[1].fault.make()
      await parts[0].asked.wait()
      end.make()
    }
    #expect(throws: UnexpectedEnd(service: "Part")) { try result.get() }
    #expect(ends.first == "second ends")
    #expect(ends.dropFirst().sorted() == ["first ends, cancelled", "third ends, cancelled"])
  }

  @Test("The cancellation of the group's task stops all services")
  func cancellation() async throws {
    let parts = ["first", "second", "third"].map { Part(name: $0, steps: steps) }
    let result = await run(parts) { _, running in running.cancel() }
    #expect(throws: CancellationError.self) { try result.get() }
    #expect(ends.count == 3)
  }

  @Test("A group without services ends when it is asked to")
  func empty() async throws {
    try await run([]) { group, _ in group.stop() }.get()
  }

  @Test("Each handler of a request is called once, also one that is added after the request")
  func handlers() async {
    let request = StopRequest()
    let steps = steps
    request.whenMade { steps.add("before") }
    request.make()
    request.whenMade { steps.add("after") }
    request.make()
    await request.wait()
    #expect(steps.all == ["before", "after"])
  }
}
