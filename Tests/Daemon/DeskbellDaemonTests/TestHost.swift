// A running host with a real store and a queue, for the tests of the parts around it.

import CSQLite
import Clocks
import HandsetStore
import InputRecording
import Logging
import NIOPosix
import Synchronization
import Testing

@testable import DeskbellDaemon
@testable import HandsetCore
@testable import Host

/// A host of one handset, unless others are given. It runs until `stop`.
struct TestHost {
  let host: Host
  let queue: InputQueue
  let waker: Waker
  let devices = DeviceTable()
  private let running: Task<Void, any Error>

  /// - Parameter handsets: nil for handset 1 as stored.
  init(
    store: sending HandsetStore, handsets: [LoadedHandset]? = nil, queue: InputQueue = InputQueue(),
    clock: any Clock = SystemClock(), sinks: [any CommitSink] = [], recorder: sending InputRecorder? = nil,
    speakerIsLost: @escaping @Sendable () -> Bool = { false }, logger: Logger = .silent, start: HostStart? = nil
  ) throws {
    let loaded = try handsets ?? [LoadedHandset(id: .first, contents: store.load(handset: .first).contents)]
    self.queue = queue
    // No timers for deadlines.
    waker = Waker(eventLoop: MultiThreadedEventLoopGroup.singleton.next(), clock: clock, alarms: nil) {}
    let host = Host(
      HostHandsets(loaded, board: loaded[0].id, start: start), store: store, queue: queue, waker: waker,
      outputs: HostOutputs(sinks, recorder: recorder, speakerIsLost: speakerIsLost), devices: devices, logger: logger)
    self.host = host
    running = Task(executorPreference: host.executor) { try await host.run() }
  }

  func submit(_ input: Input, to handset: HandsetID = .first) async -> Input.Outcome {
    await queue.submit(input, to: .handset(handset))
  }

  func expectAccepted(_ input: Input, to handset: HandsetID = .first) async {
    guard case .stored(.accepted) = await submit(input, to: handset) else {
      Issue.record("not accepted: \(input)")
      return
    }
  }

  /// Expects that an input cannot be stored.
  func expectFailed(_ input: Input) async {
    guard case .failed = await submit(input) else {
      Issue.record("stored in a database that fails: \(input)")
      return
    }
  }

  func read<Answer: Sendable>(
    _ body: @Sendable (Handset, HandsetStore, HandsetID, Moment) throws -> Answer
  ) async rethrows -> Answer {
    try await host.read(.first, body)
  }

  func write<Answer: Sendable>(_ body: @Sendable (HandsetStore) throws -> Answer) async rethrows -> Answer {
    try await host.write(body)
  }

  /// Returns once the host has finished its earlier work.
  func isAtHand() async {
    await withCheckedContinuation { done in host.executor.submit { done.resume() } }
  }

  /// Returns when all submitted inputs are stored.
  func stop() async {
    queue.close()
    _ = await running.result
    await host.executor.shutDown()
  }
}

extension Logger {
  static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}

/// A clock that moves only on request.
final class SteppedClock: Clock {
  let moment = Mutex(TimeRig.start)

  func now() -> Moment { moment.withLock { $0 } }

  func move(by duration: Duration) {
    moment.withLock { moment in
      moment.uptime += duration
      moment.wall = moment.wall.advanced(by: duration)
    }
  }
}

/// The number of calls.
final class Counter: Sendable {
  private let calls = Mutex(0)

  var count: Int { calls.withLock(\.self) }

  func add() { calls.withLock { $0 += 1 } }
}

/// A sink that keeps all published batches.
final class RecordingSink: CommitSink {
  struct Record: Sendable {
    var presentations: [Presentation] = []
    var effects: [Effect] = []
    var deliveries: [Delivery] = []
    var payloads: [[UInt8]] = []
    var eventArrivals = 0
  }

  let record = Mutex(Record())

  func publish(_ batch: CommittedBatch) {
    record.withLock { record in
      record.presentations.append(contentsOf: batch.presentations.values)
      if batch.turns.contains(where: { !$0.turn.events.isEmpty }) { record.eventArrivals += 1 }
      for item in batch.turns {
        record.effects.append(contentsOf: item.turn.effects)
        for case .deliver(let delivery) in item.turn.effects {
          record.deliveries.append(delivery)
          let payloads = batch.payloads[AppAddress(delivery.app, on: item.handset)]
          record.payloads.append(payloads?[delivery.push] ?? [])
        }
      }
    }
  }
}

extension CommittedBatch {
  /// A batch of one turn of the first handset.
  init(_ presentation: Presentation, effects: [Effect] = []) {
    var turn = Turn(now: TimeRig.start)
    turn.effects = effects
    self.init(turns: [HandsetTurn(handset: .first, turn: turn)], presentations: [.first: presentation])
  }
}

/// Runs SQL through a separate connection, as another program would.
/// - Parameter state: the state directory.
func runSQL(in state: String, _ sql: String) {
  var database: OpaquePointer?
  #expect(sqlite3_open("\(state)/deskbell.sqlite", &database) == SQLITE_OK)
  defer { sqlite3_close(database) }
  sqlite3_busy_timeout(database, 5_000)
  #expect(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
}

/// Makes every commit with an event fail, and every small one.
/// - Parameter state: the state directory.
func breakCommits(in state: String) {
  for table in ["event", "late"] {
    runSQL(
      in: state,
      "CREATE TRIGGER \(table)_fault BEFORE INSERT ON \(table) BEGIN SELECT RAISE(FAIL, 'on purpose'); END")
  }
}

func repairCommits(in state: String) { runSQL(in: state, "DROP TRIGGER event_fault; DROP TRIGGER late_fault") }
