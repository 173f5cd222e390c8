// The control API over a real host, with a store of its own and a clock that stands still. No port is open and no
// device is used, so tests run side by side.

import AppLink
import CSQLite
import Clocks
import FoundationEssentials
import HTTP
import HandsetCore
import HandsetStore
import Logging
import NIOPosix
import PushPort
import ServerIdentity
import Speaker
import Synchronization
import WebPanel

@testable import DeskbellDaemon
@testable import Host

/// A player that plays nothing and remembers the names.
final class NotedPlayer: Sendable {
  private let state = Mutex<(played: [String], problem: String?)>(([], nil))

  var played: [String] { state.withLock { $0.played } }

  /// Makes every further sound fail.
  func fail(_ problem: String) { state.withLock { $0.problem = problem } }

  func play(_ sound: Sound, at volume: Volume) async -> String? {
    state.withLock { state in
      state.played.append(sound.name)
      return state.problem
    }
  }
}

/// A daemon of some handsets, without ports and devices.
final class ControlRig: Sendable {
  static let now = Moment(uptime: .seconds(60), wall: WallTime(seconds: 1_700_000_000))
  /// The folder of the shipped sounds.
  static let sounds = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/") + "/Sounds"

  let folder: String
  let host: Host
  let queue = InputQueue()
  let events = EventStreamSink()
  let player = NotedPlayer()
  let tls = ServerTLS()
  let panel: PanelAccess
  let directory: ProviderDirectory
  let providers: ProvidersResource
  let bench: Bench?
  /// Nil for a desk's daemon.
  let setup: BenchSetup?
  let parts: ControlParts
  let routes: ControlRoutes
  private let running: Task<Void, any Error>

  /// - Parameters:
  ///   - names: the handsets' names; the first one is on the board.
  ///   - contents: the first handset's; nil for an empty one.
  ///   - clock: nil for a virtual clock that starts at `now`.
  ///   - joinsClocks: true if the daemon was started with `--all`.
  ///   - isBench: true for a test bench.
  init(
    _ names: [String] = ["1"], contents: Handset.Contents? = nil, clock given: (any Clock)? = nil,
    joinsClocks: Bool = false, panelIsOn: Bool = true, isBench: Bool = false
  ) throws {
    let shared = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : "/tmp"
    folder = "\(shared)/deskbell-control-\(UInt64.random(in: 0 ... .max))"
    let clock: any Clock = given ?? VirtualClock(startingAt: ControlRig.now)
    let store = try HandsetStore(directory: folder)
    let handsets = try Handsets(store.handsets(named: names, makeDevice: DeviceID.random).listed, board: nil)
    let board = handsets.board.id
    var loaded: [LoadedHandset] = []
    for handset in handsets.all {
      let stored = try store.load(handset: handset.id).contents
      loaded.append(LoadedHandset(id: handset.id, contents: handset.id == board ? contents ?? stored : stored))
    }
    let keys = try AppKeys(of: loaded, in: store)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let eventLoops = MultiThreadedEventLoopGroup.singleton
    let (devices, metricsSink, registry) = (DeviceTable(), MetricsSink(loaded), ChannelRegistry())
    let credentials = isBench ? try BenchCredentials(in: "\(folder)/bench") : nil
    bench = credentials.map { [queue] in
      Bench(handsets: handsets, loaded: loaded, clock: clock, queue: queue, credentials: $0)
    }
    let benchSinks: [any CommitSink] = bench.map { [$0] } ?? []
    let host = Host(
      HostHandsets(loaded, board: board), store: store, queue: queue,
      waker: Waker(eventLoop: eventLoops.next(), clock: clock, alarms: nil) {},
      outputs: HostOutputs([events, metricsSink, registry] + benchSinks),
      devices: devices, logger: logger)
    self.host = host
    running = Task(executorPreference: host.executor) { try await host.run() }

    // Not started.
    let link = try AppLink(socket: "\(folder)/apps.sock", handsets: handsets.names) { _ in }
    let directory = try ProviderDirectory()
    self.directory = directory
    providers = try ProvidersResource(host: host, directory: directory)
    let benchApps = BenchApps(host: host, queue: queue, link: link, board: board, environment: .production)
    setup = bench.flatMap { bench in
      bench.credentials.map {
        BenchSetup($0, apps: benchApps, handsets: handsets, bench: bench, forgetClients: {})
      }
    }
    let certificates = CertificatesResource(tls: tls, renewal: nil, machine: MachineAddress(eventLoops: eventLoops))
    panel = PanelAccess(storedPassword: nil, now: { SystemClock().now().uptime })
    if panelIsOn {
      panel.started(
        at: Configuration.Address(host: "127.0.0.1", port: 2198), scheme: "http", isOnNetwork: false)
    }
    parts = ControlParts(
      host: host, queue: queue, handsets: handsets, devices: devices, front: nil, display: nil,
      vibration: { _ in nil }, folders: AppFolders(state: folder), link: link, keys: keys, language: "en",
      library: SoundLibrary(state: folder, systemSound: "\(ControlRig.sounds)/bell.wav"), play: player.play(_:at:),
      decoder: .inThisProcess, events: events, counters: metricsSink, providers: providers, certificates: certificates,
      clock: ClockController(
        host: HostTime(host: host, queue: queue, faults: bench?.faults), clock: clock, isJoined: joinsClocks, moved: {}),
      panel: panel,
      metricsToken: MetricsToken(stored: nil), templates: ["github", "plain"],
      channels: ChannelAdapter(registry: registry, host: host, queue: queue, clock: clock),
      pushAddress: "127.0.0.1:1",
      httpAddress: "*:2199", port: { MetricsFigures.OfPort() }, settingsFile: "/etc/desk.yaml", stateDirectory: folder,
      started: SystemClock().now().uptime - .seconds(90), eventLoop: eventLoops.next(), bench: bench,
      benchSetup: setup)
    routes = ControlRoutes(parts)
  }

  /// Returns when all inputs are stored and the store is closed and removed.
  func stop() async {
    panel.ended()
    queue.close()
    _ = await running.result
    await host.executor.shutDown()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Gives the port a certificate of a new authority.
  func useCertificate() throws {
    try tls.use(CertificateFolder(path: "\(folder)/tls", extraNames: []).current().identity)
  }

  /// The push port of a bench, on a socket of its own.
  func startPort() async throws -> (server: PushServer, port: Int) {
    let adapter = PushAdapter(queue: queue, handsets: parts.handsets, host: host)
    guard let bench, let setup else { preconditionFailure("the daemon is no bench") }
    let receiver = BenchReceiver(inner: CatchAllReceiver(adapter: adapter, apps: setup.apps), bench: bench)
    var clock = PortClock.system
    (clock.real, clock.handset) = ({ ControlRig.now.wall }, { ControlRig.now.wall })
    let port = PushPort.Port(
      recorder: receiver, providers: directory, clock: clock,
      runtime: PortRuntime(
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        eventLoopGroup: MultiThreadedEventLoopGroup.singleton), bench: bench)
    try useCertificate()
    let keyed = KeyedFrontEnds(receiver, providers: directory, templates: [:], limits: .standard)
    let server = try PushServer(
      port,
      frontEnds: [APNsFrontEnd(receiver)] + keyed.frontEnds() + [PublishingFrontEnd(receiver, limits: .standard)],
      identity: CertificateFolder(path: "\(folder)/tls", extraNames: []).current().identity)
    let address = try await server.start(host: "127.0.0.1", port: 0)
    return (server, address.port ?? 0)
  }

  // MARK: Inputs

  /// - Returns: the verdict; nil if the input could not be stored.
  @discardableResult
  func apply(_ input: Input, to handset: HandsetID = .first) async -> Verdict? {
    guard case .stored(let verdict) = await queue.submit(input, to: .handset(handset)) else { return nil }
    return verdict
  }

  static func token(_ byte: UInt8) -> DeviceToken {
    DeviceToken(bytes: Array(repeating: byte, count: 32)) ?? .random()
  }

  /// Installs the app, registers it for everything, and lets it present alerts. The token of the first handset's mail
  /// app is `token(1)`.
  func installMail(_ text: String = "com.example.mail", on handset: HandsetID = .first) async {
    guard let id = AppID(text) else { return }
    let byte = text == "com.example.mail" ? UInt8(handset.number) : 0x80 | (text.utf8.last ?? 0)
    await apply(.install(AppManifest(id: id, name: "Mail"), token: ControlRig.token(byte)), to: handset)
    await apply(.register(id, .all, token: ControlRig.token(0x7F)), to: handset)
    await apply(.setAppSetting(id, .style, "alert"), to: handset)
  }

  func push(_ number: UInt64, action: ActionTitle = .standard, to handset: HandsetID = .first) async {
    guard let mail = AppID("com.example.mail") else { return }
    await apply(
      .push(
        Push(
          id: PushID(high: 0, low: number), token: ControlRig.token(UInt8(handset.number)), topic: mail,
          message: Message(body: .literal("Hello"), actionTitle: action))), to: handset)
  }

  // MARK: Faults

  /// Makes everything fail to be stored, as on a full disk.
  /// - Parameter handset: nil for all handsets and the daemon's own notes.
  func breakStore(of handset: HandsetID? = nil) {
    let only = handset.map { " WHEN NEW.handset = \($0.number)" } ?? ""
    runSQL("CREATE TRIGGER no_event BEFORE INSERT ON event\(only) BEGIN SELECT RAISE(FAIL, 'on purpose'); END;")
    guard handset == nil else { return }
    runSQL("CREATE TRIGGER no_late BEFORE INSERT ON late BEGIN SELECT RAISE(FAIL, 'on purpose'); END;")
    for change in ["INSERT", "UPDATE"] {
      runSQL("CREATE TRIGGER no_\(change) BEFORE \(change) ON meta BEGIN SELECT RAISE(FAIL, 'on purpose'); END;")
    }
  }

  /// Runs SQL through a separate connection, as another program would.
  func runSQL(_ sql: String) {
    var database: OpaquePointer?
    guard sqlite3_open("\(folder)/\(HandsetStore.fileName)", &database) == SQLITE_OK else {
      preconditionFailure("the database cannot be opened")
    }
    defer { sqlite3_close(database) }
    sqlite3_busy_timeout(database, 5_000)
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { preconditionFailure("\(sql) failed") }
  }
}
