// The invariants of updates, offers and slots, checked after every input.

@testable import HandsetCore

extension Handset {
  /// Returns the broken invariants, as text; empty if all hold.
  func brokenUpdateInvariants() -> [String] {
    var broken: [String] = []
    func hold(_ condition: Bool, _ words: @autoclosure () -> String) {
      if !condition { broken.append(words()) }
    }

    for (id, update) in holds.slots {
      guard let app = apps[id] else { continue }
      let isBlocked =
        !record.conditions.isDisjoint(with: [.offline, .lowPower]) || record.settings.fetchMode == .manual
      hold(
        app.state.lifecycle != .foreground || !isReachable(app), "\(id) is in the foreground and holds an update")
      hold(
        (update.due == nil) == (isBlocked || !isReachable(app)), "\(id)'s update is due at \(update.due as Any)")
      if record.settings.fetchMode == .push, let due = update.due {
        hold(due == budgets[id]?.freeAt, "\(id)'s update is due at \(due), its budget is \(budgets[id] as Any)")
      }
      if record.settings.fetchMode == .fetch, let due = update.due {
        let elapsed = due - record.fetchStart.uptime
        hold(
          elapsed > .zero && elapsed.inMicroseconds % record.settings.fetchInterval.inMicroseconds == 0,
          "\(id)'s update is due at \(due), between two intervals")
        hold(due >= budgets[id]?.freeAt ?? due, "\(id)'s update is due at \(due), before its budget allows it")
      }
    }

    for (id, offers) in outbox.offers {
      let app = apps[id]
      hold(!offers.isEmpty && offers.count <= Policy.offerLimitPerApp, "\(id) has \(offers.count) offers")
      hold(app?.isScripted == false, "\(id) was offered what it cannot complete")
      for (push, offer) in offers {
        hold(offer.push == push, "the offer of \(offer.push) stands under \(push)")
        hold(offer.number < record.nextEvent, "the offer of \(push) has no event")
        let least = offer.waits ? 0 : 1
        hold((least...Policy.offerAttempts).contains(offer.attempt), "\(push) was offered \(offer.attempt) times")
        hold(offer.waits || app?.state.lifecycle.isRunning == true, "\(id) does not run and has \(push) to complete")
        hold(offer.deadline == nil || listeners.contains(id), "\(push) has a deadline that nobody listens for")
        hold(offer.deadline != nil || !listeners.contains(id), "\(id) listens and has for ever to complete \(push)")
        hold(!offer.waits || offer.deadline == nil && !listeners.contains(id), "\(push) waits, and \(id) is there")
      }
    }
    for id in listeners {
      hold(apps[id]?.state.listens == true, "\(id) is connected, and was never noted as listening")
      hold(apps[id]?.state.lifecycle.isRunning == true, "\(id) is connected and does not run")
    }
    for (id, budget) in budgets {
      hold(apps[id] != nil, "\(id) has a budget and is not installed")
      let order = zip(budget.deliveries, budget.deliveries.dropFirst()).allSatisfy { $0.uptime <= $1.uptime }
      hold(order && (1...Policy.deliveryBudget).contains(budget.deliveries.count), "\(id)'s budget is \(budget)")
    }
    for (id, kept) in slots.pushes {
      hold(apps[id] != nil && kept.push.topic == id, "a push to \(kept.push.topic) is kept for \(id)")
      hold(kept.number < record.nextEvent, "the push kept for \(id) has no event")
    }
    return broken
  }
}
