// Rules N8, N10, N17 and B3: the ways in which notifications leave the list.

@testable import HandsetCore

extension HandsetModel {
  /// Removes notifications from the list, and with them their alerts, banners and sounds.
  mutating func clear(_ why: Event.Cleared, app: AppID?, _ which: (ModelNotice) -> Bool) {
    let cleared = notices.filter(which)
    let count = cleared.count
    if why == .byPerson { answer(cleared, .dismissed) }
    if why == .opened { answer(cleared, .opened) }
    dismiss(which)
    notices.removeAll(where: which)
    if count > 0 { emit(.cleared(why, count: count), app, why == .notificationOpened ? cleared[0].push : nil) }
  }

  /// Marks an app's notifications as seen; no alert and no banner of it stays (rule N10).
  mutating func seeAll(of id: AppID) {
    let shown = notices.filter { notice in
      notice.app == id && (!notice.isSeen || notice.alertNumber != nil || banner?.place == notice.place)
    }
    guard !shown.isEmpty else { return }
    answer(shown, .opened)
    emit(.seen(shown.count), id, nil)
    dismiss { shown.contains($0) }
    for index in notices.indices where notices[index].app == id {
      notices[index].alertNumber = nil
      notices[index].isSeen = true
    }
    forgetWhatIsNowhere()
  }

  /// Removes notifications from the list, but not alerts and banners, which B3 and S1 do not mention.
  mutating func takeOffTheList(_ why: Event.Cleared, app: AppID, push: PushID?) {
    let listed = notices.indices.filter { notices[$0].app == app && notices[$0].isListed }
    for index in listed {
      notices[index].isListed = false
      notices[index].isSeen = true
    }
    if !listed.isEmpty { emit(.cleared(why, count: listed.count), app, push) }
    forgetWhatIsNowhere()
  }

  mutating func clearAll() {
    for app in apps { clear(.byPerson, app: app.id) { $0.app == app.id } }
  }

  /// Forgets notifications that are not listed once their alert or banner is gone.
  mutating func forgetWhatIsNowhere() {
    let gone = notices.filter { !$0.isListed && $0.alertNumber == nil && banner?.place != $0.place }
    notices.removeAll { gone.contains($0) }
  }

  mutating func clear(_ push: PushID?, _ id: NotificationID) -> Verdict {
    let named = notices.filter { $0.push == push }.min { $0.place < $1.place }
    guard let notice = named else {
      return .refused(.unknownNotification(id))
    }
    clear(.byPerson, app: notice.app) { $0 == notice }
    return .accepted
  }

  /// Applies rule N17.
  mutating func remove(_ pushes: [PushID], of id: AppID) -> Refusal? {
    guard let place = place(of: id) else { return .unknownApp(id) }
    guard apps[place].lifecycle.isRunning else { return .notRunning(id) }
    let chosen = pushes.compactMap { push in notices.first { $0.push == push && $0.app == id }?.place }
    clear(.byApp, app: id) { chosen.contains($0.place) }
    return nil
  }

  /// Applies rule N8, for the provider.
  mutating func retract(_ id: AppID, _ collapseID: String, _ how: Retraction) -> Refusal? {
    guard let app = place(of: id) else { return .unknownApp(id) }
    let found = notices.firstIndex { $0.app == id && $0.collapseID == collapseID }
    dropWaiting(.retracted) { $0.app == id && $0.push.collapseID == collapseID }
    switch how {
    case .removed:
      if let found {
        let notice = notices[found]
        clear(.byProvider, app: id) { $0 == notice }
      }
      dropExtending(app, .retracted) { $0 == collapseID }
      dropKept(app, .retracted) { $0.push.collapseID == collapseID }
      for request in apps[app].pending.map(\.request) where request.identifier == collapseID {
        emit(.unscheduled(collapseID, .retracted), id, request.content.id)
      }
      apps[app].pending.removeAll { $0.request.identifier == collapseID }
    case .seen:
      guard let found else { break }
      let notice = notices[found]
      let isUp = notice.alertNumber != nil || banner?.place == notice.place
      guard isUp || !notice.isSeen else { break }
      dismiss { $0 == notice }
      notices[found].alertNumber = nil
      notices[found].isSeen = true
      emit(.seen(1), id, notice.push)
      forgetWhatIsNowhere()
    }
    return nil
  }

  /// Applies rule A4.
  mutating func dismiss(_ which: (ModelNotice) -> Bool) {
    for notice in notices where which(notice) {
      effects.append(.stopSound(push: notice.push))
      if banner?.place == notice.place { banner = nil }
    }
  }
}
