import HandsetCore
import HandsetStore
import Host
import Synchronization
import WebCalls

/// The keys by which receivers recognise an app's calls: stored, and in memory while the daemon runs.
final class AppKeys: Sendable {
  private let keys: Mutex<[AppAddress: AppKey]>

  /// Reads the keys of all apps, and makes the missing keys of apps that name a receiver: the power may have failed
  /// between an installation and its key.
  init(of handsets: [LoadedHandset], in store: HandsetStore) throws(StoreError) {
    var found: [AppAddress: AppKey] = [:]
    for handset in handsets {
      for app in handset.contents.apps {
        let address = AppAddress(app.id, on: handset.id)
        found[address] = try store.key(of: address).flatMap { AppKey(bytes: $0) }
        if found[address] == nil, app.manifest.acknowledge != nil {
          let key = AppKey.random()
          try store.setKey(key.bytes, of: address)
          found[address] = key
        }
      }
    }
    keys = Mutex(found)
  }

  subscript(app: AppAddress) -> AppKey? { keys.withLock { $0[app] } }

  func key(of app: AppAddress, by host: Host) async throws(ControlError) -> AppKey {
    if let key = self[app] { return key }
    return try await renew(app, by: host)
  }

  /// Gives the app another key. The old key is invalid from now on.
  func renew(_ app: AppAddress, by host: Host) async throws(ControlError) -> AppKey {
    try await host.change { [self] store in
      let key = AppKey.random()
      try store.setKey(key.bytes, of: app)
      keys.withLock { $0[app] = key }
      return key
    }
  }

  /// Forgets the key of an app that is uninstalled. The store has deleted the key together with the app.
  func forget(_ app: AppAddress) { keys.withLock { $0[app] = nil } }
}

extension WebCaller {
  /// An outcome that cannot be stored is lost; the call is made again after the next start, with the same identifier.
  convenience init(_ runtime: Runtime, names: HandsetNames, keys: AppKeys, queue: InputQueue) {
    let clock = runtime.clock
    self.init(
      eventLoop: runtime.eventLoops.next(), executor: TaskThreads.shared, handsetName: { names.name(of: $0) },
      key: { keys[$0] }, now: { clock.now().wall },
      virtualUptime: runtime.joinedUptime,
      report: { place, outcome in
        queue.submit(.called(place.number, outcome), to: .handset(place.handset)) { _ in }
      })
  }
}
