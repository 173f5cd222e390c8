// A host with a real store on a virtual clock, that can be stopped and started again, for the tests of time and replay.

import Clocks
import DaemonTestSupport
import FoundationEssentials
import HandsetCore
import HandsetJournal
import HandsetStore
import Logging
import Synchronization
import Testing

@testable import DeskbellDaemon

/// What the host showed, each with the time it was shown at.
final class TimedOutput: HostOutput {
  let clock: any Clock
  private let shown = Mutex<[(at: Duration, banner: Bool)]>([])

  var last: (at: Duration, banner: Bool)? { shown.withLock(\.last) }

  init(clock: any Clock) {
    self.clock = clock
  }

  func show(_ presentation: Presentation) {
    let now = clock.now().uptime
    shown.withLock { $0.append((now, presentation.banner != nil)) }
  }
  func deliver(_ delivery: Delivery, payload: [UInt8]) {}
  func perform(_ effect: Effect) {}
  func wake(at deadline: Deadline?, after pause: Duration) {}
  func eventsArrived() {}
}

/// A host in a folder that outlives it.
struct TimeRig {
  static let start = Moment(uptime: .seconds(100), wall: WallTime(seconds: 1_800_000_000))

  let host: Host
  let clock: VirtualClock
  let output: TimedOutput
  let executor = HostExecutor()
  let log = LogLines()

  /// - Parameter journal: bytes of inputs in one file; nil for no journal.
  init(in folder: Folder, start: Start = .daemon, journal limit: Int? = nil) throws {
    let store = try HandsetStore(directory: folder.state)
    let contents = try store.load(handset: 1).contents
    clock = try VirtualClock.goingOn(in: store, after: start, real: TimeRig.start)
    output = TimedOutput(clock: clock)
    var journal: InputJournal?
    if let limit {
      journal = try InputJournal(path: folder.journal, contents: [.first: contents], limit: limit, logger: log.logger)
    }
    host = Host(
      handset: 1, contents: contents, store: store, executor: executor, clock: clock, output: output,
      logger: log.logger, journal: journal)
  }

  func controller(waitForHooks: @escaping @Sendable () async -> Void = {}) -> ClockController {
    ClockController(host: host, clock: clock, moved: {}, waitForHooks: waitForHooks)
  }

  func accepted(_ input: Input) async {
    guard case .stored(.accepted) = await host.submit(input) else {
      Issue.record("not accepted: \(input)")
      return
    }
  }

  func install(_ app: AppID, background: Bool = true) async {
    let manifest = AppManifest(id: app, name: "Mail", receivesBackgroundUpdates: background)
    await accepted(.install(manifest, token: TimeRig.token(app)))
    await accepted(.register(app, .all, token: TimeRig.token(app)))
  }

  static func token(_ app: AppID) -> DeviceToken {
    let text = Array(app.text.utf8)
    return DeviceToken(bytes: Array((text + Array(repeating: 7, count: 32)).prefix(32)))!
  }

  static func update(_ number: UInt64, for app: AppID, expires: WallTime) -> Input {
    .push(
      Push(
        id: PushID(high: 0, low: number), token: token(app), topic: app, type: .background, contentAvailable: true,
        expiration: .at(expires), priority: 5))
  }

  func eventLines() async throws -> [String] {
    try await host.read { _, store, number, _ in try store.events(of: number, after: 0, limit: 100_000).map(\.line) }
  }

  func stop() async { await executor.shutDown() }

  /// One life of a daemon: when this returns, the folder is free for the next.
  static func live<Result>(
    in folder: Folder, start: Start = .daemon, journal limit: Int? = nil,
    _ body: (TimeRig) async throws -> Result
  ) async throws -> Result {
    let rig = try TimeRig(in: folder, start: start, journal: limit)
    let result = try await body(rig)
    await rig.stop()
    return result
  }
}

/// A folder of one test, removed with it.
final class Folder: Sendable {
  let path = FileManager.default.temporaryDirectory.appending(path: "time-\(UUID())").path
  var state: String { path + "/state" }
  var journal: String { path + "/inputs.journal" }

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
