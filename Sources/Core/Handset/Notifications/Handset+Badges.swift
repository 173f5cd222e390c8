// The numbers on the icons: rules B1 to B5, S2 and S4.

extension Handset {
  /// Returns true if a setting hides the app's badge (rules S2, S4).
  func hidesBadge(of app: App) -> Bool { !record.settings.notifications || !app.state.allowedKinds.contains(.badge) }

  /// Sets the badge (rules B1 to B3).
  mutating func setBadge(of id: AppID, to number: Int, push: PushID?, _ turn: inout Turn) {
    change(id, &turn) { $0.badge = number }
    emit(.badge(number), app: id, push: push, &turn)
    guard number == 0 else { return }
    if let push { turn.rule(.badgeClears, on: push) }
    // Only the list is emptied. An alert stays until it is acted on (rule N3).
    let listed = center.all(of: id).filter(\.isListed)
    for notification in listed { unlist(notification, &turn) }
    if !listed.isEmpty { emit(.cleared(.badgeZero, count: listed.count), app: id, push: push, &turn) }
  }
}
