// Advancing the virtual clock differs from setting it: everything that falls due on the way happens in order, at its
// own moment, and the clock waits for the work that it starts.

import Board
import Clocks
import HandsetCore
import HandsetStore
import Host
import Synchronization
import WebCalls

/// The parts that run by the virtual clock, for its controller.
protocol TimeKeeping: Sendable {
  func wakeAt() async -> Deadline?
  func wake() async -> Input.Outcome
  /// Stores the clock's moment.
  /// - Parameter durable: true to wait for the disk; otherwise the next commit that waits includes it.
  func note(_ moment: Moment, durable: Bool) async throws
}

/// The handsets of the host, as the controller needs them.
struct HostTime: TimeKeeping {
  let host: Host
  let queue: InputQueue
  /// The receivers' calls, if their retries follow the clock.
  var calls: WebCaller?
  /// The faults of a test bench, some of which end by the clock.
  var faults: BenchFaults?

  func wakeAt() async -> Deadline? {
    let deadline = await host.wakeAt()
    guard let due = [calls?.due, faults?.nextEnd].compactMap({ $0 }).min() else { return deadline }
    return Deadline(uptime: min(deadline?.uptime ?? due, due), wall: deadline?.wall)
  }

  func wake() async -> Input.Outcome {
    await faults?.endConditions()
    await calls?.attemptsDue()
    // The outcomes of the calls were submitted before this, so they are stored with it or before it.
    return await queue.submit(.wake, to: .due)
  }

  func note(_ moment: Moment, durable: Bool) async throws {
    try await host.write { store in try store.setMeta(.virtualClock, moment.note, durable: durable) }
  }
}

final class ClockController: Sendable {
  enum Limits {
    /// Successive wakes at one moment. A handset needs one, and perhaps another that follows from it; more indicate an
    /// error in the core that must not become an endless loop.
    static let wakesAtOneMoment = 1_000
  }

  private let host: any TimeKeeping
  private let clock: any Clock
  private let isJoined: Bool
  private let moved: @Sendable () -> Void
  private let waitForPrograms: @Sendable () async -> Void
  private let isAdvancing = Mutex(false)

  /// - Parameters:
  ///   - isJoined: true if credentials, rates and certificates follow the clock too.
  ///   - moved: called after each move, for parts that run by this clock and cannot wait for it.
  ///   - waitForPrograms: returns when no app's process runs and everything those processes sent is stored.
  init(
    host: any TimeKeeping, clock: any Clock, isJoined: Bool = false, moved: @escaping @Sendable () -> Void,
    waitForPrograms: @escaping @Sendable () async -> Void = {}
  ) {
    self.host = host
    self.clock = clock
    self.isJoined = isJoined
    self.moved = moved
    self.waitForPrograms = waitForPrograms
  }

  var report: ClockReport { ClockReport(clock.now(), isVirtual: !clock.runsByItself, isJoined: isJoined) }

  /// Advances the clock, and returns when everything that fell due until then has happened.
  /// - Parameter duration: more than zero.
  /// - Throws: `ControlError` 409 if the clock is the system's or is being advanced; 503 if the store fails: the clock
  ///   then stands at the moment that could not be stored.
  func advance(by duration: Duration) async throws(ControlError) -> ClockReport {
    guard let clock = clock as? VirtualClock else {
      throw ControlError(
        409, "the daemon runs by the system's clock, which cannot be advanced",
        hint: "start it with 'deskbell serve --clock virtual'")
    }
    let isFirst = isAdvancing.withLock { isAdvancing in
      defer { isAdvancing = true }
      return !isAdvancing
    }
    guard isFirst else {
      throw ControlError(409, "the clock is being advanced already", hint: "wait until that is done")
    }
    defer { isAdvancing.withLock { $0 = false } }
    try await advance(clock, to: clock.now().uptime + duration)
    return report
  }

  private func advance(_ clock: VirtualClock, to target: Duration) async throws(ControlError) {
    var wakesHere = 0
    while true {
      await waitForPrograms()
      let now = clock.now()
      let untilDue = await host.wakeAt()?.timeLeft(at: now)
      if let untilDue, untilDue <= .zero {
        wakesHere += 1
        guard wakesHere <= Limits.wakesAtOneMoment else {
          throw ControlError(500, "the handset asks to be woken again and again, so the clock cannot advance")
        }
        if case .failed(let why) = await host.wake() { throw ClockController.notStored(why) }
        continue
      }
      guard now.uptime < target else { return try await note(now, durable: true) }
      clock.move(by: min(untilDue ?? .seconds(Int64.max), target - now.uptime))
      wakesHere = 0
      // Stored before the events of that moment: after a kill the clock must not go back behind its own events.
      try await note(clock.now(), durable: false)
      moved()
    }
  }

  private func note(_ moment: Moment, durable: Bool) async throws(ControlError) {
    do {
      try await host.note(moment, durable: durable)
    } catch {
      throw ClockController.notStored("\(error)")
    }
  }

  private static func notStored(_ why: String) -> ControlError {
    ControlError(
      503, "the clock stopped on the way, because what fell due could not be stored: \(why)", hint: "try again")
  }
}

extension VirtualClock {
  /// Continues the virtual clock of the last run; the first one starts at the real time.
  /// - Parameters:
  ///   - start: after a boot, uptime starts again.
  ///   - first: the wall time to start at; nil to go on, or to start at the real time. Uptime passes with it.
  /// - Throws: `StoreError` if the stored moment cannot be read or written; `DaemonError` if it is later than `first`.
  static func goingOn(
    in store: HandsetStore, after start: Start, from first: WallTime? = nil, real: Moment = SystemClock().now()
  ) throws -> VirtualClock {
    let stored = try store.meta(.virtualClock).flatMap(Moment.init(noted:))
    var moment = stored ?? real
    if start == .board { moment.uptime = real.uptime }
    if let first {
      if let stored {
        guard stored.wall <= first else {
          throw DaemonError(
            "--clock-start \(first.utc): the stored clock shows \(stored.wall.utc), and time does not go back. Leave "
              + "the option out, name a later time, or use another --state")
        }
        moment.uptime += .microseconds(first.microseconds - stored.wall.microseconds)
      }
      moment.wall = first
    }
    let clock = VirtualClock(startingAt: moment)
    try store.setMeta(.virtualClock, clock.now().note)
    return clock
  }
}

extension Moment {
  /// The stored form: `94000000 1800000000000000`.
  var note: String { "\(uptime.inMicroseconds) \(wall.microseconds)" }

  init?(noted text: String) {
    let numbers = text.split(separator: " ").map { Int64($0) }
    guard numbers.count == 2, let uptime = numbers[0], let wall = numbers[1] else { return nil }
    self.init(uptime: .microseconds(uptime), wall: WallTime(microseconds: wall))
  }
}

/// The virtual clock for the board: lamps use it, pulses on the wire do not.
struct VirtualBoardClock: BoardClock {
  let clock: VirtualClock

  func now() -> Duration { clock.now().uptime }

  /// Returns at once: the panel paces programs by its wire clock, not by a clock that stands still.
  func wait(until uptime: Duration) {}

  func realTime(until uptime: Duration) -> Duration? { uptime <= now() ? .zero : nil }
}
