import HandsetCore
import ProviderClient
import PushPort

/// The app that rings for Home Assistant: its settings are the user's choice, as with every app.
enum HomeApp {
  static let id: AppID = {
    guard let id = AppID("home.assistant") else { preconditionFailure("it is well formed") }
    return id
  }()
  static let provider = "home-assistant"

  static func install(_ access: HandsetAccess) async throws {
    guard try await access.read({ handset, _, _, _ in handset.apps[id] == nil }) else { return }
    let manifest = AppManifest(id: id, name: "Home Assistant")
    _ = try await access.submit(.install(manifest, token: .random()))
    _ = try await access.submit(.register(id, .all, token: .random()))
  }

  static func push(_ message: String?, sound: SoundRequest, now: WallTime) -> Push {
    var payload = Payload()
    payload.body = message
    switch sound {
    case .named(let name): payload.sound = name
    case .system: payload.sound = "default"
    case .none, .critical: break
    }
    // Strings alone can always be encoded.
    let bytes = (try? payload.encoded()) ?? []
    var push = Push(
      id: .random(), token: nil, topic: id, message: message.map { Message(body: .literal($0)) }, sound: sound,
      expiration: .at(now.advanced(by: Policy.defaultExpiration)), payload: bytes)
    push.provider = provider
    return push
  }
}
