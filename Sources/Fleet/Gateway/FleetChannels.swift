import FleetLink
import FoundationEssentials
import HandsetCore
import NATSClient
import PushPort
import Synchronization

/// The fleet's channels in one environment. Every gateway has all of them in memory; any gateway makes and deletes them.
final class FleetChannels: Sendable {
  private struct State {
    var channels: [AppID: [ChannelID: ChannelRecord]] = [:]
    var count = 0
    /// True while they are read and up to date.
    var isCurrent = false
    /// True if an excess, or that they cannot be read, was reported.
    var (isFullReported, isLossReported) = (false, false)
  }

  private let environment: String
  private let limits: (ofApp: Int, ofAll: Int)
  private let state = Mutex(State())

  /// - Parameter limits: the channels of one app, and of all apps. Gateways that make channels at the same moment may
  ///   exceed the first one.
  init(environment: String, limits: (ofApp: Int, ofAll: Int) = (ChannelLimits.ofApp, ChannelLimits.ofAll)) {
    (self.environment, self.limits) = (environment, limits)
  }

  var isCurrent: Bool { state.withLock(\.isCurrent) }

  func complete() { state.withLock { ($0.isCurrent, $0.isLossReported) = (true, false) } }

  /// Notes that they cannot be read at the moment.
  /// - Returns: true if that was not reported since they could be read.
  func lose() -> Bool {
    state.withLock { state in
      state.isCurrent = false
      return !exchange(&state.isLossReported, with: true)
    }
  }

  /// Reads a value of the bucket.
  /// - Returns: the error in it; nil if there is none.
  func take(_ message: NATSMessage) -> String? {
    let words = message.subject.split(separator: ".")
    guard words.count == 4, let app = FleetNames.app(in: words[2]), let id = FleetNames.channel(in: words[3]) else {
      return "it is no key of a channel"
    }
    guard message.fields["Status"] == nil else { return "it is an answer of the servers" }
    if message.isDeletion {
      remove(id, of: app)
      return nil
    }
    guard let record = try? JSONDecoder().decode(ChannelRecord.self, from: Data(message.payload)),
      record.app == app.text, StoragePolicy(rawValue: record.policy) != nil
    else { return "it is no record of a channel" }
    guard record.environment == environment else { return nil }
    return add(id, record) ? nil : "there are more than \(limits.ofAll) channels"
  }

  /// - Returns: false if it is the first one for which there is no room.
  @discardableResult
  func add(_ id: ChannelID, _ record: ChannelRecord) -> Bool {
    guard let app = AppID(record.app) else { return true }
    return state.withLock { state in
      let isKnown = state.channels[app]?[id] != nil
      guard isKnown || state.count < limits.ofAll else { return exchange(&state.isFullReported, with: true) }
      state.channels[app, default: [:]][id] = record
      if !isKnown { state.count += 1 }
      return true
    }
  }

  func remove(_ id: ChannelID, of app: AppID) {
    state.withLock { state in
      guard state.channels[app]?.removeValue(forKey: id) != nil else { return }
      state.count -= 1
      if state.channels[app]?.isEmpty == true { state.channels[app] = nil }
    }
  }

  // MARK: Asking

  /// Returns the policy of a channel; nil if the app has no such channel for one of these desks.
  func policy(of id: ChannelID, of app: AppID, for desks: [String]) -> StoragePolicy? {
    guard let record = state.withLock({ $0.channels[app]?[id] }), record.isFor(desks) else { return nil }
    return StoragePolicy(rawValue: record.policy)
  }

  func channels(of app: AppID, for desks: [String]) -> [ChannelID] {
    let known = state.withLock { $0.channels[app] ?? [:] }
    return known.filter { $0.value.isFor(desks) }.keys.sorted()
  }

  func hasRoom(for app: AppID) -> Bool {
    state.withLock { $0.count < limits.ofAll && $0.channels[app]?.count ?? 0 < limits.ofApp }
  }

  func record(_ policy: StoragePolicy, of app: AppID, for desks: [String], at now: WallTime) -> ChannelRecord {
    ChannelRecord(
      app: app.text, environment: environment, policy: policy.rawValue, desks: desks, made: now.microseconds / 1_000)
  }
}

extension ChannelRecord {
  fileprivate func isFor(_ desks: [String]) -> Bool { desks.contains { self.desks.contains($0) } }
}
