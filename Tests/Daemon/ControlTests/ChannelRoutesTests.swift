import HandsetCore
import PushPort
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon

@Suite("Channels over the API", .timeLimit(.minutes(5)))
struct ChannelRoutesTests {
  private static let match = AppID("com.example.match")!
  private static let update = #"{"aps":{"timestamp":1700000010,"event":"update","content-state":{"home":2}}}"#

  private func install(_ app: AppID = match, broadcast: Bool = true) async {
    var manifest = AppManifest(id: app, name: "Match")
    manifest.hasBroadcasts = broadcast
    await rig.apply(.install(manifest, token: .random()))
    await rig.apply(.register(app, .all, token: .random()))
  }

  /// Starts an activity that is subscribed to a channel.
  private func start(on channel: String) async throws {
    var update = ActivityUpdate(.start, timestamp: WallTime(seconds: 1_700_000_000), content: #"{"home":0}"#)
    let subscribed: ChannelID = try #require(ChannelID(channel))
    update.channel = subscribed
    var push = try Push(
      broadcast: .random(), to: Self.match, priority: 5, expiration: .once, payload: Array(#"{"aps":{}}"#.utf8),
      provider: "shop")
    push.activity = update
    #expect(await rig.apply(.push(push)) == .accepted)
  }

  @Test("A channel is made, shown, used and deleted", .daemon)
  func life() async throws {
    await install()
    let client = asker.client
    let made = try await client.makeChannel(of: Self.match.text, policy: 1)
    #expect((made.app, made.policy, made.published, made.subscriptions) == ("com.example.match", 1, 0, 0))
    #expect(made.madeWallMicroseconds == 1_700_000_000_000_000)
    try await start(on: made.channel)

    let sent = try await client.broadcast(Self.update, on: made.channel, of: Self.match.text, priority: 5)
    #expect(PushID(sent.push) != nil)
    let shown = try await client.channel(made.channel, of: Self.match.text)
    #expect((shown.subscriptions, shown.subscribers, shown.published, shown.delivered) == (1, 1, 1, 1))
    let content = await rig.host.read(.first) { handset, _, _, _ in handset.liveActivities.map(\.content) }
    #expect(content == [#"{"home":2}"#])
    let metrics = try await client.metrics()
    for line in ["channels", "broadcasts_published_total", "broadcasts_delivered_total", "channel_subscriptions"] {
      #expect(metrics.contains("deskbell_\(line){app=\"com.example.match\"} 1\n"), "\(line)")
    }

    #expect(try await client.channels(of: Self.match.text) == [shown])
    try await client.deleteChannel(made.channel, of: Self.match.text)
    #expect(try await client.channels(of: nil).isEmpty)
    let stored = try await rig.host.write { try $0.channels(environment: "production").channels }
    #expect(stored.isEmpty)
  }

  @Test("Requests that are wrong, or for no channel, change nothing", .daemon)
  func refusals() async throws {
    await install(broadcast: false)
    let body = #"{"payload":"{\"aps\":{}}"}"#
    try await asker.refuses([
      #"POST /v1/channels {"app":"com.example.match"}"#:
        "409 no installed app com.example.match takes broadcasts | …",
      #"POST /v1/channels {"app":"com.example.match","policy":2}"#: "400 policy is 2, expected 0 or 1",
      #"POST /v1/channels {"app":"no app"}"#: "400 'no app' is no bundle identifier",
      "GET /v1/channels/com.example.match/AA%3D%3D": "404 com.example.match has no such channel | …",
      "DELETE /v1/channels/com.example.match/AA%3D%3D": "404 com.example.match has no such channel | …",
      "GET /v1/channels/com.example.match/%23": "404 '#' is no channel's identifier",
      "POST /v1/channels/com.example.match/AA%3D%3D/broadcasts \(body)":
        "409 no installed app com.example.match takes broadcasts | …",
    ])
    await install(broadcast: true)
    try await asker.refuses([
      "POST /v1/channels/com.example.match/AA%3D%3D/broadcasts \(body)":
        "404 com.example.match has no such channel | …",
      #"POST /v1/channels/com.example.match/AA%3D%3D/broadcasts {"payload":"{"}"#: "400 BadRequestPayload: …",
      #"POST /v1/channels/com.example.match/AA%3D%3D/broadcasts {"payload":"{}","priority":7}"#:
        "400 priority is 7, expected 10, 5 or 1",
    ])
    #expect(rig.parts.channels.registry.all.isEmpty)
  }

  @Test("An app has its limit of channels, all apps have theirs, and a deleted one makes room", .daemon)
  func limits() async throws {
    let (other, own) = (AppID("com.example.taxi")!, Self.match)
    for app in [own, other] { await install(app) }
    let adapter = ChannelAdapter(
      registry: ChannelRegistry(limits: (ofApp: 2, ofAll: 3)), host: rig.host, queue: rig.queue,
      clock: rig.parts.channels.clock)
    @Sendable func ask(_ request: ChannelRequest, of app: AppID) async -> ChannelAnswer {
      await withCheckedContinuation { continuation in
        adapter.handle(request, of: app, from: "shop") { continuation.resume(returning: $0) }
      }
    }
    guard case .created(let first) = await ask(.create(.none), of: own),
      case .created = await ask(.create(.none), of: own)
    else { return #expect(Bool(false), "no channel was made") }
    #expect(await ask(.create(.none), of: own) == .refused(.tooMany))
    guard case .created = await ask(.create(.newest), of: other) else { return #expect(Bool(false), "no channel") }
    #expect(await ask(.create(.newest), of: other) == .refused(.tooMany))
    #expect(await ask(.delete(first), of: own) == .deleted)
    guard case .created = await ask(.create(.newest), of: other) else { return #expect(Bool(false), "no channel") }
  }

  @Test("A broadcast is answered after its commit, and refused while nothing can be stored", .daemon)
  func failure() async throws {
    await install()
    let channel = try #require(await rig.parts.channels.create(.newest, of: Self.match).made)
    rig.breakStore()
    let push = try Push(
      broadcast: .random(), to: Self.match, priority: 10, expiration: .once, payload: Array(Self.update.utf8),
      provider: "shop")
    let channels = rig.parts.channels
    let answer = await withCheckedContinuation { continuation in
      channels.handle(.publish(push, on: channel), of: Self.match, from: "shop") {
        continuation.resume(returning: $0)
      }
    }
    guard case .failed = answer else { return #expect(Bool(false), "it is \(answer)") }
    #expect(rig.parts.channels.registry.channel(channel, of: Self.match)?.use.published == 0)
  }
}

extension ChannelAnswer {
  fileprivate var made: ChannelID? { if case .created(let id) = self { id } else { nil } }
}
