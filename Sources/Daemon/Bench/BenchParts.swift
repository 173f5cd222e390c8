import HandsetCore
import Host
import PushPort

/// The parts of a bench that the control API uses.
struct BenchParts: Sendable {
  let settings: BenchSettings
  let credentials: BenchCredentials
  let apps: BenchApps
  /// A device token of each handset, for whichever app is first pushed to with it.
  let tokens: [HandsetID: DeviceToken]
  /// Called by a reset, after the handsets: each part begins anew.
  /// - Parameter handset: the handset whose part of it begins anew; nil for everything.
  var resets: [@Sendable (_ handset: HandsetID?) async -> Void] = []

  init(_ settings: BenchSettings, _ credentials: BenchCredentials, apps: BenchApps, handsets: Handsets) {
    (self.settings, self.credentials, self.apps) = (settings, credentials, apps)
    tokens = Dictionary(uniqueKeysWithValues: handsets.all.map { ($0.id, apps.makeToken(on: $0.id)) })
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
