// The handset and its model side by side: both get every input, and their visible states must be the same.

import TestSupport

@testable import HandsetCore

struct ModelRig {
  private(set) var handset = Handset()
  private(set) var model = HandsetModel()
  private(set) var clock = StoryClock()
  private var inputs = StoryInputs()
  /// The differences between the two, and the handset's failed checks; empty if there are none.
  private(set) var problems: [String] = []

  var now: Moment { clock.now }

  /// Plays a line of a story.
  mutating func play(_ line: some StringProtocol) throws {
    let word = line.prefix { $0 != " " }
    let time = try required(Duration(story: word), "expected a time, not '\(word)'")
    try play(line[word.endIndex...], at: time)
  }

  mutating func play(_ text: some StringProtocol, at time: Duration) throws {
    for text in StoryCommand.all(in: text) where problems.isEmpty { try carryOut(text, at: time) }
  }

  /// Lets time pass, waking the handset when it is due, then carries out the command.
  private mutating func carryOut(_ text: String, at time: Duration) throws {
    var command = try StoryCommand(text)
    let name = try command.next("a command")
    let wasAsleep = (name == "restart" || name == "boot") && command.flag("late")
    while !wasAsleep, let due = handset.wakeAt(after: now).flatMap(clock.storyTime), due <= time {
      clock.time = max(clock.time, due)
      submit(.wake)
      guard problems.isEmpty else { return }
      if let again = handset.wakeAt(after: now).flatMap(clock.storyTime), again <= clock.time {
        problems.append("woken at \(clock.time.story), it wants to be woken at \(again.story) again")
        return
      }
    }
    clock.time = max(clock.time, time)
    switch try inputs.step(name, &command, on: handset, at: now) {
    case .input(let input): submit(input)
    case .restart(let start): restart(start)
    case .move(let zone): submit(.setTimeZone(zone))
    case .setClock(let step, let isNoticed):
      clock.wallStep += step
      if isNoticed { submit(.wake) }
    case .wait: break
    case nil: return
    }
    try command.finish()
  }

  /// Drops the values that are not stored.
  private mutating func restart(_ start: Start) {
    var contents = handset.contents
    contents.listeners = []
    contents.banner = nil
    contents.soundedAgain = nil
    contents.selection = nil
    contents.clockSkew = nil
    handset = Handset(contents)
    model.clocks = nil
    if start == .board { clock.boot() }
    submit(.start(start))
  }

  private mutating func submit(_ input: Input) {
    let verdict: Verdict
    var nextEvent = handset.record.nextEvent
    if case .clearNotification(let id) = input {
      verdict = model.handle(.clear(handset.notification(id)?.push, id), at: now)
    } else if case .respond(let id?, let action, let text) = input {
      verdict = model.handle(.respond(handset.notification(id)?.push, id, action, text), at: now)
    } else if case .removeDelivered(let app, let ids?) = input {
      // Notifications of two apps may have one push's identifier: a provider chose it for both.
      let named = ids.compactMap { handset.notification($0) }.filter { $0.app == app }
      verdict = model.handle(.remove(app, named.map(\.push)), at: now)
    } else if case .called(let number, let outcome) = input {
      let call = handset.queuedCalls.first { $0.number == number }
      verdict = model.handle(.called(call?.app, call?.push, number, outcome), at: now)
    } else {
      verdict = model.handle(.input(input), at: now)
    }
    let turn = handset.handle(input, at: now)
    problems += handset.brokenInvariants()
    for event in turn.events {
      if event.sequence != nextEvent { problems.append("event \(event.sequence) came where \(nextEvent) was due") }
      nextEvent = event.sequence + 1
    }
    compare("verdict", turn.verdict, verdict)
    let events = turn.events.map { ModelEvent(app: $0.app, push: $0.push, kind: $0.kind) }
    compareInAnyOrder("events", events, model.events)
    compareInAnyOrder("effects", turn.effects.map(withoutNumber), model.effects)
    for (place, effect) in turn.effects.enumerated() {
      guard case .play(let choice) = effect else { continue }
      if turn.effects[place...].contains(.stopSound(push: choice.push)) {
        problems.append("the sound of \(choice.push) is stopped as it starts (A4)")
      }
    }
    compareLevels()
  }

  /// Removes the notification's number, which only the handset knows.
  private func withoutNumber(_ effect: Effect) -> Effect {
    switch effect {
    case .launchApp(let app, var response?):
      response.notification = NotificationID(number: 0)
      return .launchApp(app, response)
    case .deliver(var delivery):
      delivery.occasion = delivery.occasion.map(withoutNumber)
      return .deliver(delivery)
    default: return effect
    }
  }

  private func withoutNumber(_ occasion: OfferOccasion) -> OfferOccasion {
    guard case .response(var response) = occasion else { return occasion }
    response.notification = NotificationID(number: 0)
    return .response(response)
  }

  // MARK: - Comparing

  private mutating func compare<Value: Equatable>(_ what: @autoclosure () -> String, _ handset: Value, _ model: Value) {
    guard handset != model else { return }
    problems.append("\(what()): the handset says\n  \(handset)\nthe model\n  \(model)")
  }

  private mutating func compareInAnyOrder<Value: Hashable>(_ what: String, _ handset: [Value], _ model: [Value]) {
    guard handset != model else { return }
    var counts: [Value: Int] = [:]
    for value in handset { counts[value, default: 0] += 1 }
    for value in model { counts[value, default: 0] -= 1 }
    for (value, count) in counts where count != 0 {
      problems.append("\(what): \(count > 0 ? "only the handset" : "only the model") has \(value)")
    }
  }

  private mutating func compareLevels() {
    let shown = handset.presentation(at: now)
    let visible = ModelPresentation(
      badge: shown.badge, lamp: shown.lamp,
      banner: shown.banner.map { .init(push: push($0.notification), app: $0.app, until: $0.until) },
      alert: shown.alert.map {
        .init(
          push: push($0.notification), app: $0.app, hasAction: $0.hasAction, isLocked: $0.isLocked, below: $0.below,
          selected: $0.selected)
      }, isDimmed: shown.isDimmed, activity: shown.activity)
    compare("presentation", visible, model.visible)

    let listed = handset.listed()
    let expected = model.notices.filter(\.isListed).sorted { $0.place < $1.place }
    let isSame = listed.count == expected.count && zip(listed, expected).allSatisfy { $0.isAs($1) }
    if !isSame { compare("the list", listed.map(ModelNotice.init), expected.map(\.withoutNumbers)) }
    compare("alerts", handset.alerts.map(\.push), model.alerts.map(\.push))
    compare("conditions", handset.record.conditions, model.conditions)
    compare("settings", handset.record.settings, model.settings)
    compare("snooze", handset.record.snooze?.until, model.snooze?.until)
    let calls = handset.queuedCalls.map { ModelCall(app: $0.app, push: $0.push, answer: $0.answer) }
    compareInAnyOrder("calls", calls, model.calls)
    let waiting = handset.deferredPushes.map {
      ModelWaiting(app: $0.push.topic, push: $0.push, why: $0.reason, arrived: $0.arrived, expires: $0.expires)
    }
    compare("deferred", waiting, model.waiting)
    compare("focus modes", Set(handset.focusModes.keys), Set(model.modes.map(\.name)))
    compare("apps", handset.apps.count, model.apps.count)
    compare("listeners", handset.listeners, Set(model.apps.filter(\.isConnected).map(\.id)))
    compare("tokens", handset.tokens.count, model.apps.count + model.goneTokens.count + model.extraTokens.count)
    compare("activities", handset.liveActivities.map(\.id), model.activities.map(\.id))
    for (actual, expected) in zip(handset.liveActivities, model.activities) {
      compare("state of \(actual.id)", actual.state, expected.state)
      compare("content of \(actual.id)", actual.content, expected.content)
      compare("waiting for \(actual.id)", actual.waiting, expected.waiting)
    }
    for extra in model.extraTokens {
      compare("token of \(extra.app)", handset.purposeTokens(of: extra.app)[extra.purpose], extra.token)
    }
    compare("nodes", handset.contents.nodes.count, model.nodes.count)
    for node in model.nodes {
      compare(
        "\(node.id)", handset.node(node.id), PublishingNode(lastPush: node.last, goneSince: node.goneSince))
    }
    let recent = handset.contents.recentPushes.filter { now.uptime - $0.moment.uptime < .seconds(3600) }
    compare("recent pushes", recent.map(\.id), model.recentsThatCount.map(\.id))
    compare("wake-up by uptime", handset.wakeAt(after: now)?.uptime, model.uptimeDeadline)
    compare("wake-up by wall time", handset.wakeAt(after: now)?.wall, model.wallDeadline)
    for app in model.apps { compare(app) }
  }

  private mutating func compare(_ app: ModelApp) {
    let id = app.id
    guard let actual = handset.apps[id] else {
      problems.append("\(id) is not installed, says the handset")
      return
    }
    var state = AppState(token: app.token)
    (state.registration, state.lifecycle, state.settings) = (app.registration, app.lifecycle, app.settings)
    (state.badge, state.listens) = (app.badge, app.listens)
    (state.hasScheduled, state.hasLocalBadge) = (app.hasScheduled, app.badgeIsLocal)
    state.foregroundPresentation = app.ownForegroundPresentation
    state.pushTypeCounts = app.pushTypeCounts
    state.snooze = app.snooze.map { Snooze(since: $0.since, length: $0.length) }
    compare("\(id)", actual.state, state)
    let held = handset.held(for: id)
    compare("held for \(id)", held?.push, app.held?.push)
    compare("held for \(id) until", held?.expires, app.held?.expires)
    let kept = handset.waiting(for: id)
    compare("kept for \(id)", kept.map(\.kept.push), app.kept.map(\.push))
    compare("kept for \(id) until", kept.map(\.kept.expires), app.kept.map(\.expires))
    compare("kept for the activities of \(id)", kept.map { $0.slot.activity }, app.kept.map(\.activity))
    compare("kept for the nodes of \(id)", kept.map(\.slot.node), app.kept.map { $0.node?.name })
    // An app's offer expires only if it is offered again.
    let offers = handset.offers(for: id).map {
      ModelOffer(
        push: $0.push, attempt: $0.attempt, expires: $0.waits ? $0.expires : WallTime(seconds: 0),
        deadline: $0.deadline, isCharged: $0.isCharged,
        waits: $0.waits, occasion: $0.occasion.map(withoutNumber))
    }
    let expected = app.offers.map { offer in
      var offer = offer
      if !offer.waits { offer.expires = WallTime(seconds: 0) }
      return offer
    }
    compare("offered to \(id)", offers, expected)
    let extending = (handset.extending[id] ?? []).map { ModelExtending(push: $0.push, attempt: $0.attempt) }
    compare("extended by \(id)", extending, app.extending)
    compare("budget of \(id)", handset.budget(of: id).deliveries, app.deliveries.suffix(3))
    let pending = handset.pending(of: id, at: now)
    guard !pending.isEmpty || !app.pending.isEmpty else { return }
    let waiting = model.soonestFirst(app.pending)
    compare("scheduled by \(id)", pending.map(\.request), waiting.map(\.request))
    compare("scheduled by \(id) for", pending.map(\.dueWall), waiting.map(\.dueWall))
  }

  private func push(_ id: NotificationID) -> PushID? { handset.notification(id)?.push }
}

extension Notification {
  fileprivate func isAs(_ notice: ModelNotice) -> Bool {
    push == notice.push && app == notice.app && level == notice.level && collapseID == notice.collapseID
      && isSeen == notice.isSeen && sound == notice.sound && repetition.map(ModelAgain.init) == notice.againIfUnseen
      && hasAction == notice.hasAction
      && (alertOrder == nil) == (notice.alertNumber == nil)
  }
}

extension ModelAgain {
  fileprivate init(_ repetition: Repetition) {
    self.init(
      every: repetition.every, times: repetition.times, done: repetition.done, since: repetition.since)
  }
}

extension ModelNotice {
  fileprivate init(_ notification: Notification) {
    self.init(
      app: notification.app, push: notification.push, level: notification.level, collapseID: notification.collapseID,
      isListed: notification.isListed, isSeen: notification.isSeen,
      alertNumber: notification.alertOrder.map { _ in 0 }, hasAction: notification.hasAction, place: 0,
      sound: notification.sound, again: notification.repetition.map(ModelAgain.init))
  }

  fileprivate var againIfUnseen: ModelAgain? { isListed && !isSeen ? again : nil }

  fileprivate var withoutNumbers: ModelNotice {
    var notice = self
    notice.alertNumber = alertNumber.map { _ in 0 }
    notice.place = 0
    notice.again = againIfUnseen
    return notice
  }
}
