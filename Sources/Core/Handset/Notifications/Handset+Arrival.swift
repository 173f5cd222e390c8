// The arrival of a push: its app, its duplicates, and its receivers (rules R1, R3, R4, P1, F1, F4, N2, U10).

extension Handset {
  /// Receives a push at the service, which delivers it at once if the handset is online and fetches nothing.
  /// - Parameters:
  ///   - node: nil if it was sent to a token.
  ///   - isKept: true if the service has kept it.
  mutating func receive(
    _ push: Push, through node: NodeID? = nil, isKept: Bool = false, _ turn: inout Turn
  ) -> Verdict {
    let app: App
    do {
      app = if let node { try addressee(of: node) } else { try addressee(of: push) }
    } catch {
      let answer = error.answer
      turn.rulings.append(PushRulings(event: record.nextEvent, push: push.id, rulings: [answer.ruling]))
      let kind = Event.Kind.refused(
        status: answer.status, reason: answer.reason, detail: error.explanation, provider: push.provider)
      emit(kind, app: push.topic, push: push.id, &turn)
      return .refused(error)
    }
    let recent = push.remembered(number: record.nextEvent, at: turn.now)
    let others = recent == nil ? [] : self.recent[push.id]
    if let recent, recent.isDuplicate(of: others, at: turn.now) {
      emit(.duplicate(unique: push.uniqueID), app: app.id, push: push.id, &turn)
      return .accepted
    }
    turn.changes.reserveCapacity(8)
    turn.events.reserveCapacity(4)
    turn.effects.reserveCapacity(4)
    emit(.accepted(push.type, unique: push.uniqueID), app: app.id, push: push.id, &turn)
    turn.rule(node != nil ? .nodeGood : push.token != nil ? .tokenGood : .keyGood, on: push.id)
    if let recent { remember(recent, besides: others, of: app.id, &turn) }
    for fault in push.faults {
      emit(.ignored(fault), app: app.id, push: push.id, &turn)
    }
    if push.type == .widgets || push.type == .controls { noteTokenOfAnotherUse(push, &turn) }
    if case .bad(let quote) = push.badge {
      turn.rule(.badgeBad, on: push.id)
      emit(.badBadge(excerpt(quote)), app: app.id, push: push.id, &turn)
    }
    if isKept || reasonToWait != nil {
      let slot = node.map { .node($0) } ?? (push.type == .liveactivity ? activitySlot(of: push, app.id) : nil)
      keep(push, in: slot ?? .app(app.id), isKept: isKept, &turn)
    } else {
      turn.rule(.online, on: push.id)
      arrive(push, at: app, &turn)
    }
    return .accepted
  }

  /// Handles a push that has reached the handset, or a local notification that is due.
  mutating func arrive(_ push: Push, at app: App, _ turn: inout Turn) {
    guard isRegistered(app, for: push, &turn) else { return }
    if push.type != .alert && push.type != .background, let delivery = push.type.rules.delivery {
      return deliver(push, by: delivery, to: app, &turn)
    }
    if push.type == .liveactivity, let update = push.activity { return arrive(update, by: push, at: app, &turn) }
    if mayDefer(push, of: app), `defer`(push, of: app, &turn) { return }
    proceed(push, at: app, &turn)
  }

  /// Records whether the app is registered, and discards the push if it is not.
  mutating func isRegistered(_ app: App, for push: Push, _ turn: inout Turn) -> Bool {
    switch app.state.registration {
    case .registered:
      turn.rule(.registered, on: push.id)
      return true
    case _ where push.isLocal && app.state.hasScheduled: return true
    case .pending:
      turn.rule(.notRegisteredYet, on: push.id)
      emit(.discarded(.notRegisteredYet), app: app.id, push: push.id, &turn)
    case .unregistered:
      turn.rule(.unregistered, on: push.id)
      emit(.discarded(.unregistered), app: app.id, push: push.id, &turn)
    }
    return false
  }

  /// Presents the push and gives it to its app, as the rules allow.
  mutating func show(_ push: Push, at app: App, _ turn: inout Turn) {
    let kinds = push.kinds
    let asksForPerson = push.asksForPerson
    if asksForPerson {
      turn.rule(push.contentAvailable ? .forPersonAndApp : .forPerson, on: push.id)
      present(push, kinds, of: app, &turn)
    } else {
      if !kinds.isEmpty { turn.rule(.quietType, on: push.id) }
      turn.rule(push.contentAvailable ? .forApp : .forNobody, on: push.id)
    }
    let isDropped = push.contentAvailable && !asksForPerson && !app.manifest.receivesBackgroundUpdates
    if app.state.lifecycle == .foreground && !isDropped && isReachable(app) {
      // The app gets every push (rules N2, U10), except an update that it does not take (rule U1).
      turn.rule(push.contentAvailable ? .atOnce : .givenInForeground, on: push.id)
      deliver(
        push.id, to: app, payload: .bytes(push.payload), expires: push.keptUntil(at: turn.now), isCharged: false, &turn)
    } else if push.contentAvailable {
      hold(push, for: app, &turn)
    } else if app.state.lifecycle == .foreground && !isDropped {
      turn.rule(.notListening, on: push.id)
      emit(.discarded(.notListening), app: app.id, push: push.id, &turn)
    } else if !asksForPerson {
      emit(.notPresented(.nothingToShow), app: app.id, push: push.id, &turn)
    }
    let isForProgram = !push.contentAvailable || (asksForPerson && !app.manifest.receivesBackgroundUpdates)
    if isForProgram && app.manifest.hasNotificationProgram && app.state.lifecycle != .foreground {
      giveToProgram(push, of: app, &turn)
    }
  }

  /// Gives the push to the app's program (rule N16), unless the app gets it as an update or in the foreground.
  private mutating func giveToProgram(_ push: Push, of app: App, _ turn: inout Turn) {
    guard app.state.lifecycle != .forceQuit else { return turn.rule(.programForceQuit, on: push.id) }
    turn.rule(.programRuns, on: push.id)
    deliver(
      push.id, to: app, payload: .bytes(push.payload), expires: push.keptUntil(at: turn.now), isCharged: false,
      for: .notification, &turn)
  }

  /// Returns the app that the push is for (rules R3, R4).
  private mutating func addressee(of push: Push) throws(Refusal) -> App {
    guard let deviceToken = push.token else {
      guard let app = apps[push.topic] else { throw .unknownApp(push.topic) }
      if case .unregistered(let since) = app.state.registration { throw .goneApp(push.topic, since: since) }
      return app
    }
    guard let token = tokens[deviceToken] else { throw .badDeviceToken }
    guard token.app == push.topic else { throw .deviceTokenNotForTopic }
    let app = app(receiving: token.app)
    if let since = token.goneSince {
      guard case .registered = app?.state.registration, !token.isOfActivity else { throw .unregistered(since: since) }
      throw .expiredToken(since: since)
    }
    guard let app else { throw .badDeviceToken }
    if push.type == .liveactivity || token.purpose != nil { try checkUse(of: token, by: push) }
    return app
  }
}

extension Push {
  /// True if there is something in it for the person. A push of type `background` never contains anything (rule U3).
  var asksForPerson: Bool { !kinds.isEmpty && type != .background }

  /// The kinds of notification in it.
  var kinds: NotificationKinds {
    var kinds: NotificationKinds = []
    if case .some = message { kinds.insert(.alert) }
    if case .number = badge { kinds.insert(.badge) }
    if sound != .none { kinds.insert(.sound) }
    return kinds
  }
}
