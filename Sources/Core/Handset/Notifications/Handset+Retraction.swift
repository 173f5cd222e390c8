// Rule N8: a provider takes back a push that it sent.

extension Handset {
  /// Takes a notification back. Nothing happens if none has the collapse identifier: the person may have cleared it.
  mutating func retract(
    _ collapseID: String, of app: AppID, _ retraction: Retraction, _ turn: inout Turn
  ) -> Verdict {
    let shown = center.sections[app]?.collapsed[collapseID].flatMap { center.notifications[$0] }
    switch retraction {
    case .seen:
      guard let shown else { break }
      let hasBanner = banner?.notification == shown.id
      guard !shown.isSeen || shown.alertOrder != nil || hasBanner else { break }
      if hasBanner { endBanner(&turn) }
      // It may have ended with its banner.
      if let shown = center.notifications[shown.id] { endAlert(of: shown, isSeen: true, &turn) }
      turn.effects.append(.stopSound(push: shown.push))
      emit(.seen(1), app: app, push: shown.push, &turn)
    case .removed:
      if let shown { clear([shown], .byProvider, &turn) }
      // Compared by bytes, as in the list (rule N8).
      if slots[app]?.push.collapseID.map(ExactText.init) == ExactText(collapseID) {
        discardKept(of: app, .retracted, &turn)
      }
      if let pending = schedule[app, collapseID] { unschedule(pending, .retracted, &turn) }
    }
    return .accepted
  }
}
