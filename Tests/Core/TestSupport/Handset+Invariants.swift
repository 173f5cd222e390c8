// The invariants of the handset, checked after every input.

@testable import HandsetCore

extension Handset {
  /// Returns the broken invariants, as text; empty if all hold.
  public func brokenInvariants() -> [String] {
    var broken: [String] = []
    func hold(_ condition: Bool, _ words: @autoclosure () -> String) {
      if !condition { broken.append(words()) }
    }

    let visible = apps.values.reduce(Int128(0)) { sum, app in
      let unseen = center.notifications.count { $0.app == app.id && $0.isUnseen }
      return sum + Int128(app.state.number(unseen: unseen))
    }
    hold(badgeSum == visible, "the badge sum is \(badgeSum), the icons add up to \(visible)")
    let inForeground = apps.values.filter { $0.state.lifecycle == .foreground }.map(\.id)
    hold(
      inForeground == (foreground.map { [$0] } ?? []),
      "in the foreground: \(inForeground), noted: \(foreground as Any)")
    for app in apps.values {
      hold(app.state.badge >= 0, "\(app.id) has badge \(app.state.badge)")
      let token = tokens[app.state.token]
      if case .unregistered(let since) = app.state.registration {
        let gone = TokenRecord(app: app.id, goneSince: since)
        hold(token == gone, "\(app.id) is unregistered since \(since), its token \(token as Any)")
      } else {
        hold(token == TokenRecord(app: app.id), "\(app.id)'s token is \(token as Any)")
      }
    }

    broken += brokenExtensionInvariants()
    broken += brokenCenterInvariants()
    broken += brokenActivityInvariants()

    for (app, nodes) in nodes.byApp {
      let living = nodes.values.filter { $0.goneSince == nil }
      hold(living.isEmpty || apps[app] != nil, "\(app) is not installed and has nodes to publish through")
      hold(living.count <= Policy.nodeLimitPerApp, "\(app) has \(living.count) nodes")
      hold(nodes.values.allSatisfy { $0.goneSince == nil || $0.lastPush == nil }, "\(app)'s gone nodes give back")
    }
    hold(nodes.gone.count <= Policy.goneNodeLimit, "\(nodes.gone.count) nodes are remembered as gone")

    for app in holds.slots.keys {
      hold(apps[app]?.manifest.receivesBackgroundUpdates == true, "\(app) holds an update it cannot receive")
      hold(apps[app]?.state.lifecycle != .forceQuit, "\(app) is force-quit and holds an update")
    }
    broken += brokenUpdateInvariants()
    for app in schedule.pending.keys { hold(apps[app] != nil, "\(app) is not installed and has a schedule") }
    broken += schedule.brokenInvariants()
    broken += recent.brokenInvariants()
    hold(recent.all.allSatisfy { $0.number < record.nextEvent }, "a remembered push has no event")
    if let id = record.settings.badgeShows {
      hold(apps[id] != nil, "the display shows the badge of \(id), not installed")
    }
    if let banner {
      hold(center.notifications[banner.notification]?.app == banner.app, "\(banner) shows no notification of its app")
    }
    hold((center.alerts.last?.time ?? 0) < record.nextAlert, "\(center.alerts.last as Any) never took its place")
    hold(
      lamp?.notification == newestToLight,
      "the lamp shows \(lamp as Any), not \(newestToLight as Any)")
    broken += brokenDeferralInvariants()
    let forgettable = tokens.filter { $0.value.goneSince != nil && apps[$0.value.app]?.state.token != $0.key }
    hold(Set(goneTokens.map(\.item)) == Set(forgettable.keys), "the tokens to forget are not those that are gone")
    var copy = Handset(contents)
    // Only the lamp's pattern starts again.
    copy.undo([.lamp(before: lamp, after: copy.lamp)])
    hold(copy == self, "a handset made of its contents is another one")
    return broken
  }
}

extension Handset {
  /// Returns the broken invariants of deferred pushes and Focus modes.
  private func brokenDeferralInvariants() -> [String] {
    var broken: [String] = []
    func hold(_ condition: Bool, _ words: @autoclosure () -> String) {
      if !condition { broken.append(words()) }
    }

    for waiting in deferredPushes {
      let app = apps[waiting.push.topic]
      hold(app != nil, "\(waiting.push.topic) is not installed and has a deferred push")
      hold(app?.state.lifecycle != .foreground, "\(waiting.push.topic) is in the foreground and has a deferred push")
      hold(waiting.number < record.nextEvent, "\(waiting.push.id) is deferred without an event")
      hold(waiting.reason != .lowPower || record.conditions.contains(.lowPower), "low power is over")
      hold(waiting.reason != .summary || record.settings.summary != nil, "\(waiting.push.id) waits for no summary")
    }
    hold(deferredPushes.count <= Policy.deferredLimit, "\(deferredPushes.count) pushes are deferred")
    hold(record.settings.focus.map { focusModes[$0] != nil } ?? true, "a mode is on that does not exist")
    return broken
  }
}

extension Handset {
  /// Returns the broken invariants of notifications, calls and snoozes.
  private func brokenCenterInvariants() -> [String] {
    var broken: [String] = []
    func hold(_ condition: Bool, _ words: @autoclosure () -> String) {
      if !condition { broken.append(words()) }
    }

    for notification in center.notifications {
      hold(apps[notification.app] != nil, "notification \(notification.id) is of \(notification.app), not installed")
      hold(notification.isListed || notification.isSeen, "notification \(notification.id) is unseen and not listed")
      hold(notification.id.number < record.nextNotification, "notification \(notification.id) was never numbered")
      hold(
        notification.isListed || notification.alertOrder != nil || banner?.notification == notification.id,
        "notification \(notification.id) is nowhere to be seen")
    }
    let byNumber = center.notifications.sorted()
    hold(center.notifications.elementsEqual(byNumber), "the notifications are not in order")
    hold(center.notifications.count == byNumber.count, "the notifications are \(byNumber.count), not so many as noted")
    hold(center.listed.elementsEqual(byNumber.filter(\.isListed).map(\.id)), "the list is not what is listed")
    for level in InterruptionLevel.allCases {
      hold(
        center.unseen[level.rank].elementsEqual(byNumber.filter { $0.isUnseen && $0.level == level }.map(\.id)),
        "unseen \(level.rawValue) are not those that are unseen")
    }
    hold(
      center.repeats.map { $0 }
        == byNumber.compactMap { one in one.repetition.map { Due(time: $0.due, item: one.id) } }.sorted(),
      "those that sound again are not those that are unseen and repeat")
    hold(queue.calls.count <= Policy.callLimit, "\(queue.calls.count) calls wait")
    hold(
      queue.apps.mapValues { $0.map { $0 } }
        == Dictionary(grouping: queuedCalls, by: \.app).mapValues { $0.map(\.number) },
      "the calls of an app are not its own")
    hold(center.repeats.count <= Policy.repeatLimit, "\(center.repeats.count) notifications sound again")
    hold(
      snoozes.map { $0 }
        == apps.values.compactMap { app in app.state.snooze.map { Due(time: $0.until, item: app.id) } }
        .sorted(), "the snoozes are not those of the apps")
    hold(
      center.alerts.map(\.item)
        == byNumber.filter { $0.alertOrder != nil }.sorted { ($0.alertOrder ?? 0) < ($1.alertOrder ?? 0) }.map(\.id),
      "the alerts are not those that wait")
    for (app, section) in center.sections {
      hold(!section.isEmpty, "\(app) has an empty section")
      hold(section.listed.count <= Policy.centerLimitPerApp, "\(app) has \(section.listed.count) notifications")
      hold(
        section.size == center.all(of: app).reduce(0) { $0 + $1.size },
        "\(app)'s sizes do not add up to \(section.size)")
      hold(
        center.all(of: app) == byNumber.filter { $0.app == app }, "\(app)'s section is not what \(app) has")
      for (key, id) in section.collapsed {
        hold(
          center.notifications[id].flatMap(\.collapseID).map(ExactText.init) == key,
          "\(app)'s collapse identifier \(key.text) leads elsewhere")
      }
    }
    hold(center.size == byNumber.reduce(0) { $0 + $1.size }, "the sizes do not add up to \(center.size)")
    hold(center.listed.count <= Policy.centerLimit, "\(center.listed.count) notifications are listed")
    hold(center.alerts.count <= Policy.alertQueueLimit, "\(center.alerts.count) alerts wait")
    return broken
  }

  /// Returns the broken invariants of updates, offers and slots.
  private func brokenUpdateInvariants() -> [String] {
    var broken: [String] = []
    func hold(_ condition: Bool, _ words: @autoclosure () -> String) {
      if !condition { broken.append(words()) }
    }

    for (id, update) in holds.slots {
      guard let app = apps[id] else { continue }
      let isBlocked = !record.conditions.isDisjoint(with: [.offline, .lowPower])
      hold(
        app.state.lifecycle != .foreground || !isReachable(app), "\(id) is in the foreground and holds an update")
      hold(
        (update.due == nil) == (isBlocked || !isReachable(app)), "\(id)'s update is due at \(update.due as Any)")
      if let due = update.due {
        hold(due == budgets[id]?.freeAt, "\(id)'s update is due at \(due), its budget is \(budgets[id] as Any)")
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
        hold(offer.deadline == nil || listeners.contains(id), "\(push) has a deadline, and its app is not connected")
        hold(offer.deadline != nil || !listeners.contains(id), "\(id) is connected and has no deadline for \(push)")
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
    for (slot, kept) in slots.pushes {
      let name = slot.coded
      hold(apps[slot.app] != nil && kept.push.topic == slot.app, "a push to \(kept.push.topic) is kept for \(name)")
      hold(kept.number < record.nextEvent, "the push kept for \(name) has no event")
      hold(SlotKey(coded: name) == slot, "'\(name)' is not the slot that it is read as")
      hold(waiting(for: slot.app).contains { $0.slot == slot }, "\(name) is not among its app's slots")
      if case .activity(let app, let id) = slot {
        hold(activities[id]?.app == app && activities[id]?.ended == nil, "the activity of \(name) is over")
      }
    }
    return broken
  }
}

extension Schedule {
  /// Returns the broken invariants, as text.
  fileprivate func brokenInvariants() -> [String] {
    let all = pending.values.flatMap(\.values)
    var broken: [String] = []
    for (app, section) in pending {
      if section.isEmpty { broken.append("\(app) has an empty schedule") }
      if section.count > Policy.localPendingLimit { broken.append("\(app) has \(section.count) pending") }
      for (identifier, entry) in section
      where entry.request.app != app || ExactText(entry.request.identifier) != identifier {
        broken.append("\(app)'s \(identifier.text) is \(entry)")
      }
    }
    let uptimes = all.compactMap(\.due.onUptime).sorted()
    let walls = all.compactMap(\.due.onWall).sorted()
    if byUptime.map(\.time) != uptimes || byWall.map(\.time) != walls {
      broken.append("the order of the pending is not theirs")
    }
    return broken
  }
}

extension RecentPushes {
  /// Returns the broken invariants, as text.
  fileprivate func brokenInvariants() -> [String] {
    var broken: [String] = []
    if order.map(\.number) != byID.values.joined().map(\.number).sorted() {
      broken.append("the order of the recent pushes is not theirs")
    }
    if apps.mapValues({ $0.map(\.number) }) != Dictionary(grouping: all, by: \.app).mapValues({ $0.map(\.number) }) {
      broken.append("the recent pushes of an app are not its own")
    }
    if sizes.map({ $0 }) != apps.map({ RecentPushes.Size(count: $1.count, app: $0) }).sorted() {
      broken.append("how many recent pushes an app has is not so")
    }
    if count > Policy.recentPushLimit { broken.append("\(count) pushes are remembered") }
    for (id, pushes) in byID {
      if pushes.isEmpty || pushes.count > Policy.recentPushLimitPerID {
        broken.append("\(pushes.count) pushes of \(id) are remembered")
      }
      if Set(pushes.map(\.digest)).count != pushes.count { broken.append("a push of \(id) is remembered twice") }
      if pushes.contains(where: { $0.id != id }) { broken.append("\(id) leads to another push") }
    }
    return broken
  }
}

extension Handset {
  fileprivate func brokenExtensionInvariants() -> [String] {
    var broken: [String] = []
    func hold(_ condition: Bool, _ words: @autoclosure () -> String) {
      if !condition { broken.append(words()) }
    }
    for (app, pushes) in extending {
      hold(apps[app] != nil, "\(app) extends pushes and is not installed")
      hold(
        (1...Policy.extendingLimitPerApp).contains(pushes.count), "\(pushes.count) pushes wait for \(app)'s extension")
      hold(pushes.map(\.number) == Set(pushes.map(\.number)).sorted(), "\(app)'s extension has pushes out of order")
      hold(pushes.allSatisfy { $0.number < record.nextEvent }, "\(app)'s extension has a push without an event")
    }
    return broken
  }

  fileprivate func brokenActivityInvariants() -> [String] {
    var broken: [String] = []
    func hold(_ condition: Bool, _ words: @autoclosure () -> String) {
      if !condition { broken.append(words()) }
    }
    hold(activities.count <= Policy.activityLimit, "\(activities.count) Live Activities")
    for (id, own) in Dictionary(grouping: activities.values, by: \.app) {
      hold(own.count <= Policy.activityLimitPerApp, "\(id) has \(own.count) Live Activities")
      hold(apps[id]?.state.settings.liveActivities == true, "\(id) may not have a Live Activity")
    }
    for activity in activities.values {
      hold(activity.id.number < record.nextEvent, "activity \(activity.id) has no event")
      hold((activity.state == .ended) == (activity.ended != nil), "\(activity.id) is \(activity.state)")
      hold(activity.content.utf8.count <= Policy.activityContentLimit, "\(activity.id) is too large")
    }
    let valid = tokens.filter { $0.value.purpose != nil && $0.value.goneSince == nil }
    hold(purposeTokens.values.reduce(0) { $0 + $1.count } == valid.count, "\(valid.count) tokens have a purpose")
    for (token, record) in valid {
      guard let purpose = record.purpose else { continue }
      hold(purposeTokens[record.app]?[purpose] == token, "\(purpose.coded) of \(record.app) has another token")
      hold(
        apps[record.app].map { tokenPurposes(of: $0).contains(purpose) } ?? false,
        "\(record.app) needs no \(purpose.coded) token")
    }
    return broken
  }
}
