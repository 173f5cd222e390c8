import HandsetCore
import HandsetStore
import Host
import PushPort
import Synchronization

/// The broadcast channels of this installation in one environment, in memory. What is stored changes on the host's
/// thread, and this with it.
final class ChannelRegistry: Sendable {
  struct Channel: Hashable, Sendable {
    var policy: StoragePolicy
    var made: WallTime
    var use = Use()
  }

  /// The broadcasts since the daemon's start, and the handsets on which they changed a Live Activity.
  struct Use: Hashable, Sendable {
    var published = 0
    var delivered = 0

    fileprivate mutating func count(_ broadcast: CommittedBroadcast) {
      published += 1
      delivered += broadcast.delivered
    }
  }

  private struct State {
    var channels: [AppID: [ChannelID: Channel]] = [:]
    var count = 0
    /// Also of channels that were deleted.
    var uses: [AppID: Use] = [:]
  }

  let environment: PushEnvironment
  private let limits: (ofApp: Int, ofAll: Int)
  private let state: Mutex<State>

  /// - Parameter limits: the channels of one app, and of all apps.
  init(
    _ stored: [StoredChannel] = [], environment: PushEnvironment = .production,
    limits: (ofApp: Int, ofAll: Int) = (ChannelLimits.ofApp, ChannelLimits.ofAll)
  ) {
    (self.environment, self.limits) = (environment, limits)
    var state = State()
    for channel in stored {
      state.channels[channel.app, default: [:]][channel.id] = Channel(
        policy: StoragePolicy(rawValue: channel.policy) ?? .none, made: channel.made)
    }
    state.count = stored.count
    self.state = Mutex(state)
  }

  func channel(_ id: ChannelID, of app: AppID) -> Channel? { state.withLock { $0.channels[app]?[id] } }

  func channels(of app: AppID) -> [ChannelID] { state.withLock { $0.channels[app]?.keys.sorted() ?? [] } }

  /// All channels, by app and identifier.
  var all: [(app: AppID, id: ChannelID, channel: Channel)] {
    let channels = state.withLock(\.channels)
    return channels.sorted { $0.key < $1.key }.flatMap { app, channels in
      channels.sorted { $0.key < $1.key }.map { (app: app, id: $0.key, channel: $0.value) }
    }
  }

  /// True if the app may have another channel.
  func hasRoom(for app: AppID) -> Bool {
    state.withLock { $0.count < limits.ofAll && $0.channels[app]?.count ?? 0 < limits.ofApp }
  }

  func add(_ channel: StoredChannel, _ policy: StoragePolicy) {
    state.withLock { state in
      state.channels[channel.app, default: [:]][channel.id] = Channel(policy: policy, made: channel.made)
      state.count += 1
    }
  }

  func remove(_ id: ChannelID, of app: AppID) {
    state.withLock { state in
      guard state.channels[app]?.removeValue(forKey: id) != nil else { return }
      state.count -= 1
      if state.channels[app]?.isEmpty == true { state.channels[app] = nil }
    }
  }

  func removeAll() { state.withLock { $0 = State() } }

  /// The use of each app's channels, and their number.
  var uses: [(app: AppID, channels: Int, use: Use)] {
    state.withLock { state in
      Set(state.channels.keys).union(state.uses.keys).sorted().map { app in
        (app: app, channels: state.channels[app]?.count ?? 0, use: state.uses[app] ?? Use())
      }
    }
  }
}

extension ChannelRegistry: CommitSink {
  func publish(_ batch: CommittedBatch) {
    guard !batch.broadcasts.isEmpty else { return }
    state.withLock { state in
      for broadcast in batch.broadcasts {
        state.channels[broadcast.app]?[broadcast.channel]?.use.count(broadcast)
        state.uses[broadcast.app, default: Use()].count(broadcast)
      }
    }
  }
}
