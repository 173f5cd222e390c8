// What the handset does to apps: it opens them, stops them and gives them pushes.

import AppLink
import HandsetCore

/// Hands one handset's effects on apps to the app link.
struct AppLinkSink: CommitSink {
  private let handset: HandsetID
  private let link: AppLink

  init(handset: HandsetID, link: AppLink) {
    self.handset = handset
    self.link = link
  }

  func publish(_ batch: CommittedBatch) {
    for effect in batch.effects(of: handset) {
      switch effect {
      case .launchApp(let app): link.launch(app)
      case .stopApp(let app): link.stop(app)
      case .deliver(let delivery):
        guard let payload = batch.payloads[AppAddress(delivery.app, on: handset)]?[delivery.push] else { continue }
        link.deliver(
          AppDelivery(
            app: delivery.app, push: delivery.push, payload: payload, state: delivery.state,
            attempt: delivery.attempt))
      case .play, .stopSound, .silence, .vibrate: break
      }
    }
  }
}
