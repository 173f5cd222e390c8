// The state that a start reads from the state directory. A row that cannot be used is skipped, and the log says so; a
// database that cannot be used is set aside, and the handsets begin empty.

import AppLink
import Clocks
import HandsetCore
import HandsetStore
import Host
import InputRecording
import Logging
import PushPort

/// Everything that is read before anything runs.
struct StoredState: Sendable {
  let start: Start
  let handsets: Handsets
  let loaded: [LoadedHandset]
  let providers: ProviderDirectory
  let panelPassword: String?
  let panelSessions: String?
  let panelNetwork: String?
  let appKeys: AppKeys
  let metricsToken: String?
  let channels: ChannelRegistry
  /// The virtual clock; nil if the clock is the system's.
  let virtualClock: VirtualClock?
  /// The new path of a damaged database; nil if it was not damaged.
  private(set) var damaged: String?

  /// - Returns: the store too, which will belong to the host.
  /// - Throws: `StoreError` if the database cannot be read for other reasons than damage.
  static func read(by configuration: Configuration, logger: Logger) throws -> (HandsetStore, StoredState) {
    do {
      let store = try HandsetStore(directory: configuration.state)
      return (store, try StoredState(from: store, by: configuration, logger: logger))
    } catch let error as StoreError where error.isDamage {
      let folder = try HandsetStore.setAside(directory: configuration.state, with: AppPaths.names)
      logger.critical(
        "the database is damaged; the handset begins empty, with no apps and providers, and what there was is kept in \(folder)",
        metadata: ["error": "\(error)"])
      let extent = DamageExtent(of: folder)
      let advice =
        extent.isAcceptable
        ? "; if a program such as sqlite3 changed the database on purpose: deskbell restore --accept-changes \(folder)"
        : ""
      logger.critical(
        "\(folder): \(extent). To bring back a backup, stop the daemon and run: deskbell restore FILE\(advice)")
      let store = try HandsetStore(directory: configuration.state, beginsEmpty: true)
      var state = try StoredState(from: store, by: configuration, logger: logger)
      state.damaged = folder
      return (store, state)
    }
  }

  private init(from store: HandsetStore, by configuration: Configuration, logger: Logger) throws {
    start = try BootID.start(by: store)
    handsets = try store.handsets(of: configuration, logger: logger)
    loaded = try store.load(handsets, after: start, isRecorded: configuration.record != nil, logger: logger)
    let (known, damage) = try store.providers(Provider.self)
    for problem in damage { logger.error("the store: \(problem); left out") }
    providers = try ProviderDirectory(known)
    panelPassword = try store.meta(.panelPassword)
    panelSessions = try store.meta(.panelSessions)
    panelNetwork = try store.meta(.panelNetwork)
    metricsToken = try store.meta(.metricsToken)
    appKeys = try AppKeys(of: loaded, in: store)
    let environment = configuration.pushEnvironment
    let (ownChannels, damagedChannels) = try store.channels(environment: environment.rawValue)
    for problem in damagedChannels { logger.error("the store: \(problem); left out") }
    channels = ChannelRegistry(ownChannels, environment: environment)
    virtualClock =
      configuration.clock == .virtual
      ? try VirtualClock.goingOn(in: store, after: start, from: configuration.clockStart) : nil
  }
}

extension HandsetStore {
  fileprivate func handsets(of configuration: Configuration, logger: Logger) throws -> Handsets {
    let (listed, others) = try handsets(named: configuration.handsets, makeDevice: DeviceID.random)
    for other in others {
      logger.notice("handset '\(other.name)' is not in the list of handsets: its state stays stored and is not loaded")
    }
    return try Handsets(listed, board: configuration.boardHandset)
  }

  /// Loads the handsets, without their notifications unless these are recorded: a start shall not wait for them.
  fileprivate func load(
    _ handsets: Handsets, after start: Start, isRecorded: Bool, logger: Logger
  ) throws -> [LoadedHandset] {
    let timeZone = SystemTimeZone.table()
    return try handsets.all.map { handset in
      var (contents, damage) =
        isRecorded
        ? try load(handset: handset.id, afterBoot: start == .board)
        : try loadFirst(handset: handset.id, afterBoot: start == .board)
      for problem in damage { handsets.report(problem, of: handset.id, logger: logger) }
      contents.timeZone = timeZone
      return LoadedHandset(id: handset.id, contents: contents)
    }
  }
}

extension Handsets {
  func report(_ damage: StoreDamage, of handset: HandsetID, logger: Logger) {
    logger.error("the store: handset '\(names.name(of: handset))': \(damage); left out")
  }
}

extension InputRecorder {
  static func opened(
    by configuration: Configuration, for handsets: [LoadedHandset], logger: Logger
  ) throws -> InputRecorder? {
    guard let path = configuration.record else { return nil }
    let contents = Dictionary(uniqueKeysWithValues: handsets.map { ($0.id, $0.contents) })
    return try InputRecorder(path: path, contents: contents, logger: logger)
  }
}

extension AppFolders {
  func install(_ handsets: [LoadedHandset], into link: AppLink) {
    for handset in handsets {
      removeApps(of: handset.id, except: Set(handset.contents.apps.map(\.id)))
      for app in handset.contents.apps {
        let address = AppAddress(app.id, on: handset.id)
        link.install(address, programs: programs(of: address) ?? AppPrograms())
      }
    }
  }
}
