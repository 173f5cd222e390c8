// Broadcasts on channels: one input for many handsets, in one commit.

import FoundationEssentials
import HandsetStore
import PushPort
import Synchronization
import Testing

@testable import DeskbellDaemon
@testable import HandsetCore
@testable import Host

private let match = AppID("com.example.match")!
private let channel = ChannelID("dHN0LXNyY2gtY2hubA==")!

private func broadcast(_ number: UInt64 = 1, bytes: Int = 0) -> Input {
  var push = Push(
    id: PushID(high: 0, low: number), token: nil, topic: match, type: .liveactivity,
    payload: [UInt8](repeating: 0, count: bytes))
  push.activity = ActivityUpdate(.update, timestamp: WallTime(seconds: 1_900_000_000), content: #"{"home":2}"#)
  return .broadcast(push, channel: channel)
}

private final class BroadcastSink: CommitSink {
  let broadcasts = Mutex<[CommittedBroadcast]>([])
  let turns = Mutex<[HandsetID]>([])

  func publish(_ batch: CommittedBatch) {
    guard !batch.broadcasts.isEmpty else { return }
    broadcasts.withLock { $0 += batch.broadcasts }
    turns.withLock { $0 += batch.turns.map(\.handset) }
  }
}

@Suite struct BroadcastTests {
  private func withHandsets(_ body: (TestHost, BroadcastSink) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "broadcasts-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try HandsetStore(directory: folder)
    let ids = (1...4).map { HandsetID($0) }
    let loaded = try ids.map { LoadedHandset(id: $0, contents: try store.load(handset: $0).contents) }
    let sink = BroadcastSink()
    let host = try TestHost(store: store, handsets: loaded, sinks: [sink])
    // The third has the app without broadcasts, the fourth does not have it.
    for (id, takes) in zip(ids, [true, true, false]) {
      var manifest = AppManifest(id: match, name: "Match")
      manifest.hasBroadcasts = takes
      await host.expectAccepted(.install(manifest, token: .random()), to: id)
      await host.expectAccepted(.register(match, .all, token: .random()), to: id)
    }
    var start = ActivityUpdate(.start, timestamp: WallTime(seconds: 1_800_000_000), content: #"{"home":0}"#)
    start.channel = channel
    var push = Push(id: .random(), token: nil, topic: match, type: .liveactivity, payload: [])
    push.activity = start
    await host.expectAccepted(.push(push), to: ids[1])
    do {
      try await body(host, sink)
    } catch {
      await host.stop()
      throw error
    }
    await host.stop()
  }

  @Test func everyHandsetWhoseAppTakesBroadcastsHasATurn() async throws {
    try await withHandsets { host, sink in
      #expect(await host.queue.submit(broadcast(), to: .broadcast(match, among: nil)) == .stored(.accepted))
      await host.isAtHand()
      #expect(sink.turns.withLock(\.self) == [HandsetID(1), HandsetID(2)])
      // Only one of them has an activity on the channel.
      let expected = CommittedBroadcast(app: match, channel: channel, delivered: 1)
      #expect(sink.broadcasts.withLock(\.self) == [expected])
      let content = await host.host.read(HandsetID(2)) { handset, _, _, _ in handset.liveActivities.map(\.content) }
      #expect(content == [#"{"home":2}"#])
      #expect(await host.host.receivers(ofBroadcastsTo: match) == [HandsetID(1), HandsetID(2)])
    }
  }

  @Test func onlySomeHandsetsMayBeMeantAndNoneIsARefusal() async throws {
    try await withHandsets { host, sink in
      let (first, third) = (HandsetID(1), HandsetID(3))
      #expect(await host.queue.submit(broadcast(), to: .broadcast(match, among: [first, third])) == .stored(.accepted))
      await host.isAtHand()
      #expect(sink.turns.withLock(\.self) == [first])
      let refused = await host.queue.submit(broadcast(2), to: .broadcast(match, among: [third]))
      #expect(refused == .stored(.refused(.unknownApp(match))))
      #expect(await host.host.receivers(ofBroadcastsTo: AppID("com.example.taxi")!) == [])
    }
  }

  /// Each broadcast makes a turn of every handset.
  @Test func aBatchHasFewBroadcasts() async throws {
    let queue = InputQueue()
    for number in 1...40 {
      queue.submit(broadcast(UInt64(number), bytes: 5_120), to: .broadcast(match, among: nil)) { _ in }
    }
    let batch = try #require(queue.take())
    #expect(batch.entries.count == 14)
  }
}
