// The host publishes to a list of sinks, and a new one is a file and a place in the list: with a real store, beside a sink
// that comes after it.

import Clocks
import FoundationEssentials
import HandsetCore
import HandsetStore
import Host
import Logging
import NIOPosix
import Testing

@Suite("Sinks", .timeLimit(.minutes(10)))
struct SinkTests {
  private static let app = AppID("com.example.toy")!
  private static let token = DeviceToken(bytes: [UInt8](repeating: 7, count: 32))!

  private func push(_ number: UInt64, badge: Int) -> Input {
    .push(
      Push(
        id: PushID(high: 0, low: number), token: Self.token, topic: Self.app, badge: .number(badge), sound: .system))
  }

  @Test("What is committed goes to each sink of the list, in order, and only that")
  func publishes() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sinks-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try HandsetStore(directory: folder)
    let (first, second) = (ToySink(), ToySink())
    let queue = InputQueue()
    let loaded = LoadedHandset(id: .first, contents: try store.load(handset: .first).contents)
    let host = Host(
      HostHandsets([loaded], board: .first), store: store, queue: queue,
      waker: Waker(
        eventLoop: MultiThreadedEventLoopGroup.singleton.next(), clock: SystemClock(), alarms: nil, wake: {}),
      outputs: HostOutputs([first, second]),
      devices: DeviceTable(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let running = Task { try await host.run() }
    let inputs: [Input] = [
      .install(AppManifest(id: Self.app, name: "Toy"), token: Self.token),
      .register(Self.app, .all, token: Self.token),
      push(1, badge: 3), push(2, badge: 4),
      .push(Push(id: PushID(high: 0, low: 3), token: DeviceToken(bytes: [9])!, topic: Self.app, badge: .number(5))),
    ]
    var outcomes: [Input.Outcome] = []
    for input in inputs { outcomes.append(await queue.submit(input, to: .handset(.first))) }
    queue.close()
    _ = await running.result
    await host.executor.shutDown()

    #expect(outcomes.dropLast().allSatisfy { $0 == .stored(.accepted) })
    #expect(outcomes.last != .stored(.accepted))
    let lines = first.lines.withLock { $0 }
    #expect(
      lines == [
        "handset 1: badge 0, 0 sounds", "handset 1: badge 0, 0 sounds",
        "handset 1: badge 3, 1 sounds", "handset 1: badge 4, 1 sounds", "handset 1: badge 4, 0 sounds",
      ])
    #expect(second.lines.withLock { $0 } == lines)
  }
}
