// A real handset behind the port, without a store: what it answers is what the appliance would.

import HandsetCore
import Synchronization

@testable import PushGateway

final class HandsetReceiver: PushReceiver {
  private let handset = Mutex(Handset())
  /// Instead of the handset's own answer.
  private let outcome: PushOutcome?

  /// - Parameter outcome: of every push, where the handset is not to be asked.
  init(outcome: PushOutcome? = nil) {
    self.outcome = outcome
  }

  func submit(_ input: Input) -> Verdict {
    handset.withLock { $0.handle(input, at: Moment(uptime: .seconds(100), wall: now)).verdict }
  }

  func install(_ app: AppID, token: DeviceToken) {
    _ = submit(.install(AppManifest(id: app, name: "Bell"), token: token))
    _ = submit(.register(app, .all, token: token))
  }

  func receive(_ push: Push, completion: @escaping @Sendable (PushOutcome) -> Void) {
    if let outcome { return completion(outcome) }
    switch submit(.push(push)) {
    case .accepted: completion(.accepted)
    case .refused(.badDeviceToken): completion(.badDeviceToken)
    case .refused(.deviceTokenNotForTopic): completion(.deviceTokenNotForTopic)
    case .refused(.unregistered(let since)): completion(.unregistered(since: since))
    case .refused(.expiredToken(let since)): completion(.expiredToken(since: since))
    case .refused: completion(.failed)
    }
  }

  func note(_ refusal: RefusedPush) {}
}
