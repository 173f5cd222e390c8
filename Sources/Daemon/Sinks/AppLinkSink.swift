import AppLink
import HandsetCore
import Host

/// The sink for effects on apps, which forwards them to the app link.
struct AppLinkSink: CommitSink {
  let link: AppLink

  func publish(_ batch: CommittedBatch) {
    for item in batch.turns {
      for effect in item.turn.effects {
        switch effect {
        case .launchApp(let id, let response):
          let app = AppAddress(id, on: item.handset)
          link.launch(app, by: response, payload: response.flatMap { batch.payloads[app]?[$0.push] })
        case .leftForeground(let app): link.leftForeground(AppAddress(app, on: item.handset))
        case .tellDelivered(let id):
          let app = AppAddress(id, on: item.handset)
          link.sendDelivered(app, batch.delivered[app] ?? [])
        case .stopApp(let app): link.stop(AppAddress(app, on: item.handset))
        case .deliver(let delivery):
          let app = AppAddress(delivery.app, on: item.handset)
          guard let payload = batch.payloads[app]?[delivery.push] else { continue }
          link.deliver(delivery, payload: payload, on: item.handset)
        case .play, .stopSound, .silence, .vibrate: break
        }
      }
    }
  }
}
