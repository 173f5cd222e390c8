// A handset in use, with a number of apps, a number of notifications, and its store.

import HandsetCore
import HandsetStore

/// A handset and its store, filled with apps that are registered for everything.
struct StoredHandset {
  /// The kind of push in a measurement.
  enum Kind: String, CaseIterable {
    /// A message with a badge and a sound, listed in Notification Center.
    case alert
    /// A background update of an app that cannot run: held, replacing the previous one.
    case update
  }

  private(set) var handset = Handset()
  let store: HandsetStore
  private let number = HandsetID.first
  private let apps: [(id: AppID, token: DeviceToken)]
  private var uptime = Duration.seconds(1_000)
  private var pushes: UInt64 = 0

  /// - Throws: `StoreError`.
  init(directory: String, apps count: Int) throws {
    store = try HandsetStore(directory: directory)
    apps = (0..<count).compactMap { number in
      guard let id = AppID("com.example.app\(number)"), let token = DeviceToken(bytes: StoredHandset.token(number))
      else { return nil }
      return (id, token)
    }
    // A force-quit app is not woken: its updates stay held, whatever the budget (rule U5).
    try takeAll(
      apps.flatMap { app -> [Input] in
        let manifest = AppManifest(
          id: app.id, name: "Mailroom", receivesBackgroundUpdates: true, sounds: ["letter"], hasPrograms: true)
        return [
          .install(manifest, token: app.token), .register(app.id, .all, token: app.token),
          .lifecycle(app.id, .forceQuit),
        ]
      })
  }

  var token: DeviceToken? { apps.first?.token }

  /// Sends a number of pushes, to each app in turn.
  mutating func send(_ count: Int, _ kind: Kind) throws {
    try takeAll((0..<count).compactMap { _ in nextPush(kind) })
  }

  mutating func clear() throws { try takeAll([.clearCenter]) }

  /// Returns the next push, for the next app in turn.
  mutating func nextPush(_ kind: Kind) -> Input? {
    let app = apps[Int(pushes) % apps.count]
    pushes += 1
    let id = PushID(high: 0x0123_4567_89AB_CDEF, low: pushes)
    var push: Push
    switch kind {
    case .alert:
      let message = Message(
        title: .literal("A letter for you"), body: .literal("It lies in the mailbox at the front door."))
      push = Push(
        id: id, token: app.token, topic: app.id, message: message, badge: .number(Int(pushes % 99) + 1),
        sound: .named("letter"), expiration: .at(WallTime(seconds: 1_900_000_000)), threadID: "front-door",
        payload: StoredHandset.payload)
    case .update:
      push = Push(
        id: id, token: app.token, topic: app.id, type: .background, contentAvailable: true,
        expiration: .at(WallTime(seconds: 1_900_000_000)), priority: 5, payload: StoredHandset.payload)
    }
    // Most client libraries do this.
    push.hasProviderID = true
    return .push(push)
  }

  /// Handles an input as the host does, but does not store it.
  mutating func take(_ input: Input) -> Turn {
    uptime += .milliseconds(10)
    let now = Moment(uptime: uptime, wall: WallTime(seconds: 1_800_000_000).advanced(by: uptime))
    let turn = handset.handle(input, at: now)
    _ = handset.presentation(at: now)
    _ = handset.wakeAt(after: now)
    return turn
  }

  /// - Throws: `StoreError`.
  func commit(_ turns: [Turn], durable: Bool = true) throws {
    try store.commit(turns.map { HandsetTurn(handset: number, turn: $0) }, durable: durable)
  }

  private mutating func takeAll(_ inputs: [Input]) throws {
    var rest = inputs[...]
    while !rest.isEmpty {
      var turns: [Turn] = []
      for input in rest.prefix(StoredHandset.batch) { turns.append(take(input)) }
      try commit(turns, durable: false)
      rest = rest.dropFirst(StoredHandset.batch)
    }
  }

  /// The inputs that share a commit during filling.
  private static let batch = 256

  private static func token(_ number: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) } + [UInt8](repeating: 0xA5, count: 24)
  }

  private static let payload =
    Array(
      #"{"aps":{"alert":{"title":"A letter for you","body":"It lies in the mailbox at the front door."},"badge":7,"#
        .utf8)
    + Array(#""sound":"letter","thread-id":"front-door"},"acme":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}"#.utf8)
}
