import HandsetCore
import Host
import Installation

/// The parts of a bench that the control API uses.
struct BenchSetup: Sendable {
  let settings: BenchSettings
  let credentials: BenchCredentials
  let apps: BenchApps
  /// The file that has the virtual clock's time; nil if there is none.
  let clockFile: String?
  /// A device token of each handset, for whichever app is first pushed to with it.
  let tokens: [HandsetID: DeviceToken]
  /// Called by a reset, after the handsets: each part begins anew.
  /// - Parameter handset: the handset whose part of it begins anew; nil for everything.
  var resets: [@Sendable (_ handset: HandsetID?) async -> Void] = []

  /// - Throws: `DaemonError` if the bench's folder cannot be written.
  init?(_ runtime: Runtime, _ stored: StoredState, host: RunningHost, apps installed: InstalledApps) throws {
    let configuration = runtime.configuration
    guard let settings = configuration.bench else { return nil }
    self.settings = settings
    credentials = try BenchCredentials(in: settings.folder ?? "\(configuration.state)/bench")
    clockFile = configuration.clockFile.map { SharedFiles.absolute($0) ?? $0 }
    let handsets = stored.handsets
    let apps = BenchApps(
      host: host.host, queue: host.queue, link: installed.link, board: handsets.board.id,
      environment: configuration.pushEnvironment)
    self.apps = apps
    tokens = Dictionary(uniqueKeysWithValues: handsets.all.map { ($0.id, apps.makeToken(on: $0.id)) })
  }

  /// Returns the bench with the front ends' part of a reset.
  func complete(_ frontEnds: FrontEnds, _ bench: Bench?, _ names: HandsetNames) -> BenchSetup {
    var setup = self
    setup.resets.append { [forgetClients = frontEnds.port.forgetClients] handset in
      // The handsets' conditions are those of the start already.
      try? await bench?.faults.removeAll(of: handset.map(names.name(of:)))
      bench?.progress.beginAnew(on: handset)
      if let handset {
        bench?.requests.forget(of: names.name(of: handset))
      } else {
        bench?.requests.removeAll()
        forgetClients()
      }
    }
    return setup
  }

  /// Brings handsets back to their start.
  /// - Parameter handset: nil for all.
  /// - Throws: `StoreError`; then nothing has changed.
  func reset(_ handset: HandsetID?, of handsets: Handsets, on host: Host) async throws {
    let all = handset.map { [$0] } ?? handsets.all.map(\.id)
    try await host.change(all) { $0.reset(at: $1) }
    try await host.write { store in try store.forgetEvents(of: all) }
    apps.reset(Set(all))
    for reset in resets { await reset(handset) }
  }
}
