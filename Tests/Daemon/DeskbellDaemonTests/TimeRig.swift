// A host with a real store on a virtual clock, which can be stopped and restarted, for the tests of time and replay.

import Clocks
import DaemonTestSupport
import FoundationEssentials
import HandsetCore
import HandsetStore
import InputRecording
import Logging
import Synchronization
import TestSupport
import Testing

@testable import DeskbellDaemon
@testable import Host

/// The presentations of the host, each with its time.
final class TimedSink: CommitSink {
  let clock: any Clock
  private let shown = Mutex<[(at: Duration, banner: Bool)]>([])

  var last: (at: Duration, banner: Bool)? { shown.withLock(\.last) }

  init(clock: any Clock) {
    self.clock = clock
  }

  func publish(_ batch: CommittedBatch) {
    let now = clock.now().uptime
    shown.withLock { $0.append((now, batch.presentations[.first]?.banner != nil)) }
  }
}

/// A host in a folder that remains after it.
struct TimeRig {
  static let start = Moment(uptime: .seconds(100), wall: WallTime(seconds: 1_800_000_000))

  let host: TestHost
  let clock: VirtualClock
  let output: TimedSink
  let log = LogLines()

  /// - Parameter limit: the bytes of recorded inputs in one file; nil records none.
  init(in folder: Folder, start: Start = .daemon, recording limit: Int? = nil) throws {
    let store = try HandsetStore(directory: folder.state)
    let contents = try store.load(handset: .first).contents
    clock = try VirtualClock.goingOn(in: store, after: start, real: TimeRig.start)
    output = TimedSink(clock: clock)
    var recorder: InputRecorder?
    if let limit {
      recorder = try InputRecorder(
        path: folder.recorded, contents: [.first: contents], limit: limit, logger: log.logger)
    }
    host = try TestHost(store: store, clock: clock, sinks: [output], recorder: recorder, logger: log.logger)
  }

  func controller(waitForPrograms: @escaping @Sendable () async -> Void = {}) -> ClockController {
    ClockController(
      host: HostTime(host: host.host, queue: host.queue), clock: clock, moved: {}, waitForPrograms: waitForPrograms)
  }

  func accepted(_ input: Input) async { await host.expectAccepted(input) }

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

  func stop() async { await host.stop() }

  /// Runs one life of a daemon; afterwards the folder is free for the next.
  static func live<Result>(
    in folder: Folder, start: Start = .daemon, recording limit: Int? = nil,
    _ body: (TimeRig) async throws -> Result
  ) async throws -> Result {
    let rig = try TimeRig(in: folder, start: start, recording: limit)
    let result = try await body(rig)
    await rig.stop()
    return result
  }
}

typealias Folder = TemporaryFolder

extension Folder {
  var state: String { path + "/state" }
  var recorded: String { path + "/inputs.jsonl" }
}
