// The Swift runtime makes the metadata of a generic type when it is first used. Without a rehearsal the first push
// would pay for all of it between its acceptance and the light: several milliseconds on a slow board.

import HandsetCore

/// A push without effects, before the first real one.
enum Rehearsal {
  /// Applies a push to a handset that is neither stored nor shown.
  static func run(at now: Moment) {
    guard let app = AppID("rehearsal"), let token = DeviceToken(bytes: Array(repeating: 0, count: 32)) else { return }
    let push = Push(
      id: PushID(high: 0, low: 1), token: token, topic: app, message: Message(body: .literal("")), badge: .number(1),
      sound: .system)
    let inputs: [Input] = [
      .install(AppManifest(id: app, name: ""), token: token), .register(app, .all, token: token), .push(push),
    ]
    var handset = Handset()
    var deadlines = Deadlines()
    var record = EventRecordWriter()
    for input in inputs {
      let turn = handset.handle(input, at: now)
      record.add(turn.events[...], rulings: turn.rulings)
    }
    record.close()
    deadlines.set(.first, to: handset.wakeAt(after: now))
    _ = handset.presentation(at: now)
  }
}
