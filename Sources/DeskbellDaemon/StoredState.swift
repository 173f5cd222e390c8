// What a start finds in the state directory. A row that cannot be used costs itself only, and the log says so.

import AppLink
import Clocks
import HandsetCore
import HandsetJournal
import HandsetStore
import Logging
import PushGateway

extension HandsetStore {
  /// The handsets that the configuration lists.
  func handsets(of configuration: Configuration, logger: Logger) throws -> Handsets {
    let (listed, others) = try handsets(named: configuration.handsets, makeDevice: DeviceID.random)
    for other in others {
      logger.notice("handset '\(other.name)' is not in the list of handsets: its state stays stored and is not loaded")
    }
    return try Handsets(listed, board: configuration.boardHandset)
  }

  /// - Parameter start: what started.
  func load(_ handsets: Handsets, after start: Start, logger: Logger) throws -> [LoadedHandset] {
    let timeZone = SystemTimeZone.table()
    return try handsets.all.map { handset in
      var (contents, damage) = try load(handset: handset.id, afterBoot: start == .board)
      for problem in damage { logger.error("the store: handset '\(handset.name)': \(problem); left out") }
      contents.timeZone = timeZone
      return LoadedHandset(id: handset.id, contents: contents)
    }
  }

  func providerDirectory(logger: Logger) throws -> ProviderDirectory {
    let (providers, damage) = try providers(Provider.self)
    for problem in damage { logger.error("the store: \(problem); left out") }
    return try ProviderDirectory(providers)
  }
}

extension InputJournal {
  /// Nil where inputs are not recorded.
  static func opened(
    by configuration: Configuration, for handsets: [LoadedHandset], logger: Logger
  ) throws -> InputJournal? {
    guard let path = configuration.journal else { return nil }
    let contents = Dictionary(uniqueKeysWithValues: handsets.map { ($0.id, $0.contents) })
    return try InputJournal(path: path, contents: contents, logger: logger)
  }
}

extension AppFolders {
  /// Gives the link the hooks of every app.
  func install(_ handsets: [LoadedHandset], into link: AppLink) {
    for handset in handsets {
      removeApps(of: handset.id, except: Set(handset.contents.apps.map(\.id)))
      for app in handset.contents.apps {
        let address = AppAddress(app.id, on: handset.id)
        link.install(address, hooks: hooks(of: address) ?? AppHooks())
      }
    }
  }
}
