import AppLink
import HandsetCore

/// Hands the handsets' effects on apps to the app link.
struct AppLinkSink: CommitSink {
  let link: AppLink

  func publish(_ batch: CommittedBatch) {
    for item in batch.turns {
      for effect in item.turn.effects {
        switch effect {
        case .launchApp(let app): link.launch(AppAddress(app, on: item.handset))
        case .stopApp(let app): link.stop(AppAddress(app, on: item.handset))
        case .deliver(let delivery):
          let app = AppAddress(delivery.app, on: item.handset)
          guard let payload = batch.payloads[app]?[delivery.push] else { continue }
          link.deliver(
            AppDelivery(
              app: app, push: delivery.push, payload: payload, state: delivery.state, attempt: delivery.attempt))
        case .play, .stopSound, .silence, .vibrate: break
        }
      }
    }
  }
}
