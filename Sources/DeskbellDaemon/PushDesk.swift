// The gateway hands pushes to the handset here, and hears what became of them in words that every protocol shares.

import HandsetCore
import PushGateway

/// The host, as the push gateway sees it.
struct PushDesk: PushReceiver {
  let host: Host

  func receive(_ push: Push, completion: @escaping @Sendable (PushOutcome) -> Void) {
    host.submit(.push(push)) { outcome in
      switch outcome {
      case .failed: completion(.unavailable)
      case .stored(.accepted): completion(.accepted)
      case .stored(.refused(.badDeviceToken)): completion(.badDeviceToken)
      case .stored(.refused(.deviceTokenNotForTopic)): completion(.deviceTokenNotForTopic)
      case .stored(.refused(.unregistered(let since))): completion(.unregistered(since: since))
      case .stored(.refused(.expiredToken(let since))): completion(.expiredToken(since: since))
      // No other refusal is a push's: were there one, the fault is ours, and the provider should not forget its token.
      case .stored(.refused): completion(.failed)
      }
    }
  }

  func note(_ refusal: RefusedPush) {
    host.report(.refused(refusal))
  }
}
