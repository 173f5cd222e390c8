import AppLink
import HandsetCore
import Host

struct AppLinkSink: CommitSink {
  let link: AppLink

  func publish(_ batch: CommittedBatch) {
    for index in batch.concernsApps ? batch.turns.indices : 0..<0 {
      let handset = batch.turns[index].handset
      func address(_ app: AppID) -> AppAddress { AppAddress(app, on: handset) }
      for effect in batch.turns[index].turn.effects {
        switch effect {
        case .launchApp(let app, let response):
          link.launch(
            address(app), by: response, payload: response.flatMap { batch.payloads[address(app)]?[$0.push] })
        case .leftForeground(let app): link.leftForeground(address(app))
        case .tellDelivered(let app): link.sendDelivered(address(app), batch.delivered[address(app)] ?? [])
        case .stopApp(let app): link.stop(address(app))
        case .deliver(let delivery):
          guard let payload = batch.payloads[address(delivery.app)]?[delivery.push] else { continue }
          link.deliver(delivery, payload: payload, on: handset)
        case .extend(let app, let push, let attempt): link.extend(address(app), push, attempt: attempt)
        case .play, .stopSound, .silence, .vibrate, .mint: break
        }
      }
    }
  }
}
