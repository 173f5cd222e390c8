// A real handset behind the port, without a store: it answers as the appliance would.

import HandsetCore
import Synchronization

@testable import PushPort

final class HandsetReceiver: PushReceiver {
  private let handset = Mutex(Handset())
  /// The outcome that replaces the handset's own.
  private let outcome: Input.Outcome?

  /// - Parameter outcome: the outcome of every push; nil asks the handset.
  init(outcome: Input.Outcome? = nil) {
    self.outcome = outcome
  }

  func submit(_ input: Input) -> Verdict {
    handset.withLock { $0.handle(input, at: Moment(uptime: .seconds(100), wall: now)).verdict }
  }

  func install(_ app: AppID, token: DeviceToken) {
    _ = submit(.install(AppManifest(id: app, name: "Bell"), token: token))
    _ = submit(.register(app, .all, token: token))
  }

  func receive(_ push: Push, completion: @escaping @Sendable (Input.Outcome) -> Void) {
    if let outcome { return completion(outcome) }
    completion(.stored(submit(.push(push))))
  }

  func note(_ refusal: RefusedPush) {}
}
