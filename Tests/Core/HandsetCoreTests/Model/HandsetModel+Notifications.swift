// Rules S1 to S6, B1 to B6, N1 to N10, A1, A4, F1, D1 and D3: the effects of a push for the person.

@testable import HandsetCore

extension HandsetModel {
  // MARK: - The service

  /// - Parameter late: true if the service kept it while the handset was unreachable.
  mutating func take(_ push: Push, through node: NodeID? = nil, late: Bool = false) -> Refusal? {
    guard let refusal = accept(push, through: node, late) else { return nil }
    let (status, reason) =
      switch refusal {
      case .unregistered, .goneApp: (410, "Unregistered")
      case .expiredToken: (410, "ExpiredToken")
      case .deviceTokenNotForTopic, .tokenOfAnotherUse: (400, "DeviceTokenNotForTopic")
      case .unknownNode: (404, "UnknownNode")
      case .goneNode: (410, "Gone")
      case .unknownApp: (404, "UnknownApp")
      default: (400, "BadDeviceToken")
      }
    emit(.refused(status: status, reason: reason, detail: refusal.explanation), push.topic, push.id)
    return refusal
  }

  private mutating func accept(_ push: Push, through node: NodeID?, _ late: Bool) -> Refusal? {
    switch addressee(of: push, through: node) {
    case .app(let place):
      accept(push, place, through: node, late)
      return nil
    case .refused(let refusal): return refusal
    }
  }

  private enum Addressee {
    case app(Int)
    case refused(Refusal)
  }

  private func addressee(of push: Push, through id: NodeID?) -> Addressee {
    if let id {
      guard let node = nodes.first(where: { $0.id == id }) else { return .refused(.unknownNode(id)) }
      if let since = node.goneSince { return .refused(.goneNode(id, since: since)) }
      guard let place = place(of: id.app) else { return .refused(.unknownNode(id)) }
      if case .unregistered(let since) = apps[place].registration { return .refused(.goneNode(id, since: since)) }
      return .app(place)
    }
    if push.token == nil {
      guard let place = place(of: push.topic) else { return .refused(.unknownApp(push.topic)) }
      if case .unregistered(let since) = apps[place].registration {
        return .refused(.goneApp(push.topic, since: since))
      }
      return .app(place)
    }
    if let extra = extraTokens.first(where: { $0.token == push.token }), let place = place(of: extra.app) {
      guard push.topic == extra.app else { return .refused(.deviceTokenNotForTopic) }
      return isWrongUse(push, extra.purpose, place) ? .refused(.tokenOfAnotherUse) : .app(place)
    }
    guard let place = apps.firstIndex(where: { $0.token == push.token }) else {
      guard let gone = goneTokens.first(where: { $0.token == push.token }) else { return .refused(.badDeviceToken) }
      guard gone.app == push.topic else { return .refused(.deviceTokenNotForTopic) }
      if let place = place(of: gone.app), case .registered = apps[place].registration,
        !goneActivityTokens.contains(gone.token)
      {
        return .refused(.expiredToken(since: gone.since))
      }
      return .refused(.unregistered(since: gone.since))
    }
    guard push.topic == apps[place].id else { return .refused(.deviceTokenNotForTopic) }
    if case .unregistered(let since) = apps[place].registration { return .refused(.unregistered(since: since)) }
    return isWrongUse(push, nil, place) ? .refused(.tokenOfAnotherUse) : .app(place)
  }

  private mutating func accept(_ push: Push, _ place: Int, through node: NodeID?, _ late: Bool) {
    let id = apps[place].id
    if hasCome(push) { return emit(.duplicate(unique: push.uniqueID), id, push.id) }
    emit(.accepted(push.type, unique: push.uniqueID), id, push.id)
    note(push, of: id)
    for fault in push.faults { emit(.ignored(fault), id, push.id) }
    if case .bad(let quote) = push.badge {
      emit(.badBadge(quote.utf8.count > 120 ? String(quote.prefix(120)) + "…" : quote), id, push.id)
    }
    if late || isOffline || settings.fetchMode != .push {
      keep(push, place, through: node, for: activityToUpdate(by: push, id), late)
    } else {
      arrive(push, place)
    }
  }

  /// Handles a push that reaches the handset.
  mutating func arrive(_ push: Push, _ place: Int) {
    let id = apps[place].id
    if case .registered = apps[place].registration {
    } else if !push.isLocal {
      return emit(.discarded(.notRegisteredYet), id, push.id)
    }
    if push.type == .liveactivity, let update = push.activity { return arriveForActivity(push, update, place) }
    if let row = HandsetModel.types[push.type] { return giveByType(push, row, place) }
    if wait(push, place) { return }
    goOn(push, place)
  }

  mutating func goOn(_ push: Push, _ place: Int) {
    if extend(push, place) { return }
    show(push, place)
  }

  /// Presents the push, and gives it to the app.
  mutating func show(_ push: Push, _ place: Int) {
    let id = apps[place].id
    // Rule U3.
    let isForPerson =
      push.type != .background && (push.message != nil || push.sound != .none || push.badge.number != nil)
    if isForPerson { present(push, place, push.isLocal) }
    let isUpdate = push.contentAvailable && !isForPerson
    if apps[place].lifecycle == .foreground && isReachable(place) && !isUpdate {
      // Rule N2: the app gets all of it, once.
      give(place, push.id, expiration(of: push), isCharged: false)
    } else if push.contentAvailable {
      wake(place, for: push)
    } else if apps[place].lifecycle == .foreground {
      emit(.discarded(.notListening), id, push.id)
    } else if !isForPerson {
      emit(.notPresented(.nothingToShow), id, push.id)
    }
    // Rule N16: every push, but none twice, and none that rule U1 drops.
    let manifest = apps[place].manifest
    let isUpdateOfIt = push.contentAvailable && (!isForPerson || manifest.receivesBackgroundUpdates)
    if manifest.hasNotificationProgram && ![.foreground, .forceQuit].contains(apps[place].lifecycle) && !isUpdateOfIt {
      give(place, push.id, expiration(of: push), isCharged: false, for: .notification)
    }
  }

  // MARK: - Presenting

  /// Presents the parts that the rules let through.
  private mutating func present(_ sent: Push, _ place: Int, _ isLocal: Bool) {
    let id = apps[place].id
    var push = leveled(sent, apps[place])
    let tag = (push.tags ?? []).first { apps[place].manifest.sounds.contains($0) }
    if let tag, push.sound == .system { push.sound = .named(tag) }
    if let tag, case .critical(nil, let volume) = push.sound { push.sound = .critical(name: tag, volume: volume) }
    let isForeground = apps[place].lifecycle == .foreground
    let wish = isForeground ? apps[place].foregroundPresentation : .all

    // The badge is kept even if it may not be shown (rule S4), but in the foreground it is the app's (rule N2).
    if let number = push.badge.number, wish.contains(.badge) {
      apps[place].badgeIsLocal = isLocal
      setBadge(place, number, push.id)
    }

    var asked: NotificationKinds = []
    if push.message != nil { asked.insert(.alert) }
    if push.sound != .none { asked.insert(.sound) }
    if push.badge.number != nil { asked.insert(.badge) }
    let app = apps[place]
    // Rule L4: a local notification needs no registration.
    if !isLocal { asked.formIntersection(app.registeredKinds) }
    let allowed = asked.intersection(app.wantedKinds).intersection(wish)
    guard settings.notifications else { return emit(.notPresented(.handsetNotificationsOff), id, push.id) }
    guard app.settings.allowNotifications else { return emit(.notPresented(.appNotAllowed), id, push.id) }
    guard !asked.isEmpty else { return emit(.notPresented(.kindNotRegistered), id, push.id) }
    guard !asked.intersection(wish).isEmpty else { return emit(.notPresented(.foreground), id, push.id) }
    let isFocused = isSilencedByFocus(push.level, app, push.options?.filterCriteria)
    let isQuiet = isFocused || app.registeredKinds.contains(.provisional)
    let shown = isQuiet || app.settings.style == .none ? allowed.subtracting(.alert) : allowed
    let isListed = allowed.contains(.alert) && app.settings.showInNotificationCenter
    guard !shown.isEmpty || isListed else { return emit(.notPresented(isFocused ? .focus : .switchedOff), id, push.id) }

    var presented = Event.Presented()
    presented.isListed = isListed
    if allowed.contains(.alert) && !isQuiet { presented.style = app.settings.style }
    if push.message != nil {
      presented.replaces = show(push, place, presented, hasSound: allowed.contains(.sound), isLocal)
    }
    if allowed.contains(.sound) {
      presented.rung = group == nil ? ring(push, app) : Rung(silenced: .grouped)
      group?.append(ModelMember(push: push, app: id, event: events.count))
    }
    let rung = presented.rung
    if presented.style != .none || presented.isListed || rung.sound != nil || rung.vibration != nil {
      emit(.presented(presented), id, push.id)
    } else if let silenced = rung.silenced {
      emit(.notPresented(silenced), id, push.id)
    }
  }

  /// Lists the notification, and shows its banner or alert.
  /// - Returns: the push of the notification that it replaces (rule N8).
  mutating func show(
    _ push: Push, _ place: Int, _ presented: Event.Presented, hasSound: Bool, _ isLocal: Bool
  ) -> PushID? {
    guard presented.isListed || presented.style != .none else { return nil }
    let id = apps[place].id
    var hasAction = true
    if case ActionTitle.none? = push.message?.actionTitle { hasAction = false }
    var notice = ModelNotice(
      app: id, push: push.id, level: push.level, collapseID: push.collapseID, isListed: presented.isListed,
      isSeen: !presented.isListed, alertNumber: nil, hasAction: hasAction, place: 0)
    if hasSound {
      notice.sound = push.sound
      if presented.isListed { notice.again = again(push, apps[place]) }
    }
    notice.isLocal = isLocal
    notice.options = push.options
    if let name = push.options?.category, !(apps[place].manifest.categories ?? []).contains(where: { $0.id == name }) {
      notice.options?.category = nil
      if notice.options == NotificationOptions() { notice.options = nil }
    }
    if let lamp = (push.tags ?? []).compactMap({ LampPattern(named: $0) }).first {
      notice.options = notice.options ?? NotificationOptions()
      notice.options?.lamp = lamp
    }
    let older = notices.firstIndex { $0.app == id && push.collapseID != nil && $0.collapseID == push.collapseID }
    if presented.style == .alert { notice.alertNumber = nextNumber() }
    let replaced = older.map { notices[$0].push }
    notice.place = nextNumber()
    if let older {
      let gone = notices[older]
      dismiss { $0 == gone }
      notices.remove(at: older)
    }
    notices.append(notice)
    if presented.style == .banner { banner = (push.id, notice.place, id, now.uptime + .seconds(5)) }
    let alerts = notices.indices.filter { notices[$0].alertNumber != nil }
    if alerts.count > 32, let oldest = alerts.min(by: { notices[$0].alertNumber! < notices[$1].alertNumber! }) {
      notices[oldest].alertNumber = nil
      emit(.alertDropped(.alertLimit), notices[oldest].app, notices[oldest].push)
    }
    if notice.again != nil { limitAgain(sparing: notice.place) }
    return replaced
  }

  /// Returns the reason for silence (rules S5, N9 and N12); nil if it sounds.
  func silence(_ push: Push, _ app: ModelApp) -> Event.NotPresented? {
    let isCritical = push.level == .critical && app.settings.critical
    let isTimeSensitive = push.level == .timeSensitive && app.settings.timeSensitive
    if push.level == .passive { return .passive }
    if isCritical, case .critical(_, let volume) = push.sound, volume == 0 { return .criticalVolumeZero }
    if isSilencedByFocus(push.level, app, push.options?.filterCriteria) { return .focus }
    if isSnoozed(push.level, app) { return .snoozed }
    if conditions.contains(.silent) && !isCritical { return .silentSwitch }
    if app.settings.volume == 0 && !isCritical { return .volumeZero }
    if volume == 0 && !isCritical { return .handsetVolumeZero }
    return isQuietHour && !isCritical && !isTimeSensitive ? .quietHours : nil
  }

  /// Applies rules A1, A6 and D3.
  mutating func ring(_ push: Push, _ app: ModelApp) -> Rung {
    var rung = Rung(silenced: silence(push, app))
    if [.passive, .snoozed, .focus].contains(rung.silenced) { return rung }
    if rung.silenced == nil {
      let choice = sound(push, app, push.level == .critical && app.settings.critical)
      rung.sound = choice.name
      effects.append(.play(choice))
    }
    let vibrates = rung.silenced == nil ? settings.vibrateOnRing : settings.vibrateOnSilent
    if vibrates {
      let pattern: VibrationPattern =
        switch push.level {
        case .critical: .triple
        case .timeSensitive: .double
        default: .pulse
        }
      rung.vibration = pattern.name
      let isCritical = rung.silenced == nil && push.level == .critical && app.settings.critical
      effects.append(.vibrate(pattern, push: push.id, isCritical: isCritical))
    }
    return rung
  }

  private func sound(_ push: Push, _ app: ModelApp, _ isCritical: Bool) -> SoundChoice {
    var name: String?
    var volume: Double?
    switch push.sound {
    case .none, .system: break
    case .named(let text): name = text
    case .critical(let text, let loudness): (name, volume) = (text, loudness)
    }
    let bare = name.map { $0.contains(".") ? String($0[..<$0.lastIndex(of: ".")!]) : $0 }
    let own = [name, bare].compactMap { $0 }.first { app.manifest.sounds.contains($0) }
    let shipped = [name, bare].compactMap { $0 }.first { Self.shipped.contains($0) }
    var source = SoundChoice.Source.system
    if let chosen = settings.defaultSound { source = .shipped(chosen) }
    if let chosen = app.settings.defaultSound { source = .shipped(chosen) }
    if let shipped { source = .shipped(ShippedSound(rawValue: shipped)!) }
    if let own { source = .bundle(app.id, name: own) }
    return SoundChoice(
      source: source, push: push.id,
      volume: isCritical ? min(max(volume ?? 1, 0), 1) : Double(self.volume * app.settings.volume) / 10_000,
      isCritical: isCritical)
  }

  private var volume: Int {
    guard let hours = settings.nightHours, isIn(hours) else { return settings.volume }
    return settings.nightVolume ?? settings.volume
  }

  private static let shipped = [
    "bell", "chime", "glass", "harp", "knock", "marimba", "ping", "pulse", "radar", "wood",
  ]

  private var isQuietHour: Bool { settings.quietHours.map(isIn) ?? false }

  func isIn(_ hours: DailyHours) -> Bool {
    let minute = zone.secondOfDay(at: now.wall) / 60
    if hours.start < hours.end { return minute >= hours.start && minute < hours.end }
    return minute >= hours.start || minute < hours.end
  }

  // MARK: - Badges

  mutating func setBadge(_ place: Int, _ number: Int, _ push: PushID?) {
    apps[place].badge = number
    emit(.badge(number), apps[place].id, push)
    let id = apps[place].id
    overtakeBadges(of: id, number, push)
    // Rule B3.
    if number == 0 { takeOffTheList(.badgeZero, app: id, push: push) }
  }

  /// Applies rule B6.
  mutating func setOwnBadge(_ id: AppID, _ number: Int) -> Refusal? {
    guard let place = place(of: id) else { return .unknownApp(id) }
    guard number >= 0 else { return .badBadge(number) }
    guard apps[place].lifecycle.isRunning else { return .notRunning(id) }
    setBadge(place, number, nil)
    return nil
  }
}

extension BadgeRequest {
  var number: Int? {
    if case .number(let number) = self { return number }
    return nil
  }
}
