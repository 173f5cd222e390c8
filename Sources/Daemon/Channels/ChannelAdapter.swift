import Clocks
import HandsetCore
import HandsetStore
import Host
import PushPort

/// The daemon's keeper of channels: it stores them, and gives broadcasts to the handsets that have the app.
struct ChannelAdapter: ChannelKeeper {
  let registry: ChannelRegistry
  let host: Host
  let queue: InputQueue
  let clock: any Clock

  func handle(
    _ request: ChannelRequest, of app: AppID, from provider: String,
    completion: @escaping @Sendable (ChannelAnswer) -> Void
  ) {
    // A provider's broadcasts keep their order, so nothing may come between them and the queue.
    if case .publish(let push, let id) = request, let channel = registry.channel(id, of: app),
      let expiration = push.expiration(on: channel.policy, now: clock.now().wall)
    {
      var push = push
      push.expiration = expiration
      return publish(push, on: id, completion)
    }
    Task(executorPreference: host.executor) { completion(await answer(to: request, of: app)) }
  }

  private func publish(_ push: Push, on id: ChannelID, _ completion: @escaping @Sendable (ChannelAnswer) -> Void) {
    let app = push.topic
    queue.submit(.broadcast(push, channel: id), to: .broadcast(app, among: nil)) { outcome in
      switch outcome {
      case .stored(.accepted): completion(.published)
      case .stored(.refused): completion(.refused(.featureNotEnabled))
      case .failed(let why): completion(.failed(why))
      }
    }
  }

  private func answer(to request: ChannelRequest, of app: AppID) async -> ChannelAnswer {
    guard await !host.receivers(ofBroadcastsTo: app).isEmpty else { return .refused(.featureNotEnabled) }
    switch request {
    case .create(let policy): return await create(policy, of: app)
    case .read(let id): return registry.channel(id, of: app).map { .found($0.policy) } ?? .refused(.notRegistered)
    case .delete(let id): return await delete(id, of: app)
    case .list: return .listed(registry.channels(of: app))
    case .publish(_, let id):
      return .refused(registry.channel(id, of: app) == nil ? .notRegistered : .mustNotBeStored)
    }
  }

  /// Makes a channel, whether the app has the feature or not.
  func create(_ policy: StoragePolicy, of app: AppID) async -> ChannelAnswer {
    let channel = StoredChannel(app: app, id: .random(), policy: policy.rawValue, made: clock.now().wall)
    return await change { store throws(StoreError) in
      guard registry.hasRoom(for: app) else { return .refused(.tooMany) }
      try store.addChannel(channel, environment: registry.environment.rawValue)
      registry.add(channel, policy)
      return .created(channel.id)
    }
  }

  /// Deletes a channel, whether the app has the feature or not.
  func delete(_ id: ChannelID, of app: AppID) async -> ChannelAnswer {
    await change { store throws(StoreError) in
      guard registry.channel(id, of: app) != nil else { return .refused(.notRegistered) }
      try store.removeChannel(id, of: app, environment: registry.environment.rawValue)
      registry.remove(id, of: app)
      return .deleted
    }
  }

  /// The Live Activities that are subscribed to a channel, and the handsets that have them.
  struct Subscriptions: Hashable, Sendable {
    var activities = 0
    var handsets = 0
  }

  /// Counts the subscriptions of activities that have not ended.
  func subscriptions(on handsets: [HandsetID]) async -> [AppID: [ChannelID: Subscriptions]] {
    let each = await host.readEach(handsets) { handset, _, _, _ in
      handset.liveActivities.filter { $0.ended == nil }.compactMap { activity in
        activity.channel.map { (app: activity.app, channel: $0) }
      }
    }.answers
    var counts: [AppID: [ChannelID: Subscriptions]] = [:]
    for own in each {
      var known: [AppID: Set<ChannelID>] = [:]
      for (app, channel) in own {
        var count = counts[app]?[channel] ?? Subscriptions()
        count.activities += 1
        if known[app, default: []].insert(channel).inserted { count.handsets += 1 }
        counts[app, default: [:]][channel] = count
      }
    }
    return counts
  }

  func figures(on handsets: [HandsetID]) async -> [MetricsFigures.OfChannels] {
    let uses = registry.uses
    guard !uses.isEmpty else { return [] }
    let own = await host.readEach(handsets) { handset, _, _, _ in
      Dictionary(grouping: handset.liveActivities.filter { $0.ended == nil && $0.channel != nil }, by: \.app)
        .mapValues(\.count)
    }.answers
    return uses.map { app, channels, use in
      let subscribed = own.compactMap { $0[app] }
      return MetricsFigures.OfChannels(
        app: app, channels: channels, use: use, subscriptions: subscribed.reduce(0, +), subscribers: subscribed.count)
    }
  }

  /// Removes all channels: a test bench begins anew.
  func removeAll() async throws {
    try await host.write { store in try store.removeChannels(environment: registry.environment.rawValue) }
    registry.removeAll()
  }

  private func change(
    _ body: @Sendable (HandsetStore) throws(StoreError) -> ChannelAnswer
  ) async -> ChannelAnswer {
    do {
      return try await host.write(body)
    } catch {
      return .failed("\(error)")
    }
  }
}

/// The keeper of a bench's channels: an unknown app is installed first, as for a push.
struct BenchChannels: ChannelKeeper {
  let inner: ChannelAdapter
  let apps: BenchApps
  let board: HandsetID

  func handle(
    _ request: ChannelRequest, of app: AppID, from provider: String,
    completion: @escaping @Sendable (ChannelAnswer) -> Void
  ) {
    apps.install(app, on: board) { inner.handle(request, of: app, from: provider, completion: completion) }
  }
}
