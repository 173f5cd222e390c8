import HandsetCore
import Synchronization

@testable import PushPort

/// A registry of channels in memory: two channels of the app `bell`, and none of others.
final class TestChannels: ChannelKeeper {
  static let stored = ChannelID("c3RvcmVkIGJlbGwgIzEhIQ==")!
  static let unstored = ChannelID("dW5zdG9yZWQgYmVsbCAjMg==")!

  struct State {
    var channels: [ChannelID: StoragePolicy] = [stored: .newest, unstored: .none]
    /// The apps whose manifests have `broadcast: true`.
    var enabled: Set<AppID> = [bell]
    var published: [Push] = []
    var limit = 3
  }

  let state = Mutex(State())
  private let isFailing: Bool

  init(failing: Bool = false) { isFailing = failing }

  var published: [Push] { state.withLock(\.published) }

  func handle(
    _ request: ChannelRequest, of app: AppID, from provider: String,
    completion: @escaping @Sendable (ChannelAnswer) -> Void
  ) {
    completion(isFailing ? .failed("the disk is full") : state.withLock { TestChannels.answer(request, app, &$0) })
  }

  private static func answer(_ request: ChannelRequest, _ app: AppID, _ state: inout State) -> ChannelAnswer {
    guard state.enabled.contains(app) else { return .refused(.featureNotEnabled) }
    switch request {
    case .create(let policy):
      guard state.channels.count < state.limit else { return .refused(.tooMany) }
      let id = ChannelID.random()
      state.channels[id] = policy
      return .created(id)
    case .read(let id): return state.channels[id].map { .found($0) } ?? .refused(.notRegistered)
    case .delete(let id): return state.channels.removeValue(forKey: id) == nil ? .refused(.notRegistered) : .deleted
    case .list: return .listed(state.channels.keys.sorted())
    case .publish(let push, let id):
      guard let policy = state.channels[id] else { return .refused(.notRegistered) }
      guard let expiration = push.expiration(on: policy, now: now) else { return .refused(.mustNotBeStored) }
      var push = push
      push.expiration = expiration
      state.published.append(push)
      return .published
    }
  }
}
