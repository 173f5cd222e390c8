import AppLink
import HandsetCore
import Host
import Installation

/// The parts of a bench that the control API uses.
struct BenchSetup: Sendable {
  let credentials: BenchCredentials
  let apps: BenchApps
  /// The file that has the virtual clock's time; nil if there is none.
  let clockFile: String?
  /// A device token of each handset, for whichever app is first pushed to with it.
  let tokens: [HandsetID: DeviceToken]
  /// Called by a reset, after the handsets: each part begins anew.
  /// - Parameter handset: the handset whose part of it begins anew; nil for everything.
  var resets: [@Sendable (_ handset: HandsetID?) async -> Void] = []

  /// - Parameters:
  ///   - bench: begins anew with the handsets.
  ///   - forgetClients: forgets the rates, failures and refusals of the port's clients.
  init(
    _ credentials: BenchCredentials, apps: BenchApps, handsets: Handsets, clockFile: String? = nil, bench: Bench,
    forgetClients: @escaping @Sendable () -> Void
  ) {
    (self.credentials, self.apps, self.clockFile) = (credentials, apps, clockFile)
    tokens = Dictionary(uniqueKeysWithValues: handsets.all.map { ($0.id, apps.makeToken(on: $0.id)) })
    bench.follow(apps)
    resets.append { [names = handsets.names] handset in
      // The handsets were reset first, so their conditions are off already.
      try? await bench.faults.removeAll(of: handset.map(names.name(of:)))
      bench.progress.beginAnew(on: handset)
      if let handset {
        bench.requests.forget(of: names.name(of: handset))
        bench.lint.forget(of: names.name(of: handset))
      } else {
        bench.requests.removeAll()
        bench.lint.removeAll()
        forgetClients()
      }
    }
  }

  /// Brings handsets back to their start.
  /// - Parameter handset: nil for all.
  /// - Throws: `StoreError`; then no handset has changed.
  func reset(_ handset: HandsetID?, of handsets: Handsets, on host: Host) async throws {
    let all = handset.map { [$0] } ?? handsets.all.map(\.id)
    // First: it writes what waits to be written, which may fail.
    try await host.write { store in try store.forgetEvents(of: all) }
    try await host.change(all) { $0.reset(at: $1) }
    apps.reset(Set(all))
    for reset in resets { await reset(handset) }
  }
}

extension BenchApps {
  /// Nil for a desk's daemon.
  convenience init?(_ runtime: Runtime, _ stored: StoredState, host: RunningHost, link: AppLink) {
    guard runtime.bench?.credentials != nil else { return nil }
    self.init(
      host: host.host, queue: host.queue, link: link, board: stored.handsets.board.id,
      environment: runtime.configuration.pushEnvironment)
  }
}

extension BenchSetup {
  /// Nil for a desk's daemon.
  init?(_ runtime: Runtime, _ stored: StoredState, apps: BenchApps?, frontEnds: FrontEnds) {
    guard let bench = runtime.bench, let credentials = bench.credentials, let apps else { return nil }
    self.init(
      credentials, apps: apps, handsets: stored.handsets,
      clockFile: runtime.configuration.clockFile.map { SharedFiles.absolute($0) ?? $0 }, bench: bench,
      forgetClients: frontEnds.port.forgetClients)
    resets.append { [channels = frontEnds.channels] handset in
      if handset == nil { try? await channels.removeAll() }
    }
  }
}
