// Rule U8 and the table under the rules: the pushes that an app is given, and the ends of offers.

extension Handset {
  /// Gives a push to an app that can receive it, and wakes the app if it does not run.
  /// - Parameters:
  ///   - isCharged: true if it uses the budget (rule U7).
  ///   - occasion: nil for an update, and for an app in the foreground. Only a response is given to an app that cannot
  ///     receive it now: it waits for the app's connection.
  mutating func deliver(
    _ push: PushID, to app: App, payload: OfferedPayload, expires: WallTime, isCharged: Bool,
    for occasion: OfferOccasion? = nil, _ turn: inout Turn
  ) {
    if isCharged { spendBudget(of: app.id, &turn) }
    guard !app.isScripted else {
      emit(.delivered(wake(app.id, &turn)), app: app.id, push: push, &turn)
      return emit(.completed(.noData), app: app.id, push: push, &turn)
    }
    let all = outbox.all(of: app.id)
    if let twin = outbox[app.id, push] {
      discard(twin, of: app.id, .replaced, newer: push, &turn)
    } else if all.count >= Policy.offerLimitPerApp, let oldest = all.first {
      discard(oldest, of: app.id, .tooManyOffered, &turn)
    }
    var offer = Offer(
      push: push, number: record.nextEvent, attempt: 0, expires: expires, deadline: nil, isCharged: isCharged,
      waits: false)
    offer.occasion = occasion
    guard isReachable(app) else {
      offer.waits = true
      commit(.offered(app.id, before: nil, after: offer, payload: payload), &turn)
      return emit(.held(.notConnected), app: app.id, push: push, &turn)
    }
    offerOnceMore(offer, before: nil, to: app.id, payload: payload, &turn)
  }

  private mutating func offerOnceMore(
    _ offer: Offer, before: Offer?, to app: AppID, payload: OfferedPayload, _ turn: inout Turn
  ) {
    let state = wake(app, &turn)
    var next = offer
    next.attempt += 1
    next.waits = false
    next.deadline = listeners.contains(app) ? turn.now.inWholeMicroseconds.uptime + offer.time : nil
    commit(.offered(app, before: before, after: next, payload: payload), &turn)
    emit(.delivered(state, attempt: next.attempt), app: app, push: offer.push, &turn)
    turn.effects.append(
      .deliver(
        Delivery(app: app, push: offer.push, state: state, attempt: next.attempt, occasion: offer.occasion)))
  }

  mutating func offerWaiting(to app: AppID, _ turn: inout Turn) {
    for offer in outbox.all(of: app) where offer.waits {
      offerOnceMore(offer, before: offer, to: app, payload: .unchanged, &turn)
    }
  }

  /// Starts the app in the background if it does not run, and returns its state then.
  private mutating func wake(_ id: AppID, _ turn: inout Turn) -> Lifecycle {
    guard apps[id]?.state.lifecycle == .notRunning else { return apps[id]?.state.lifecycle ?? .background }
    enter(.background, id, &turn)
    return .background
  }

  mutating func enter(_ lifecycle: Lifecycle, _ id: AppID, _ turn: inout Turn) {
    guard apps[id]?.state.lifecycle != lifecycle else { return }
    change(id, &turn) { $0.lifecycle = lifecycle }
    emit(.lifecycle(lifecycle), app: id, &turn)
  }

  // MARK: - Ends of offers

  mutating func complete(
    _ push: PushID, of app: App, _ result: DeliveryResult, _ reason: String?, _ turn: inout Turn
  ) -> Verdict {
    guard let offer = outbox[app.id, push], !offer.waits else { return .refused(.notOffered(app.id, push)) }
    commit(.offered(app.id, before: offer, after: nil, payload: .unchanged), &turn)
    if case .type(let type) = offer.occasion { countAnswered(type, of: app.id, &turn) }
    let reason = reason.map { excerpt($0, limit: Policy.eventReasonLimit) }
    emit(.completed(result, reason: reason), app: app.id, push: push, &turn)
    return .accepted
  }

  /// Ends the offer to a program that took too long. The host, which counted its seconds, stops only that program.
  mutating func programTimedOut(_ push: PushID, of app: App, _ turn: inout Turn) -> Verdict {
    guard let offer = outbox[app.id, push], !offer.waits else { return .refused(.notOffered(app.id, push)) }
    giveUp(offer, of: app.id, &turn)
    if apps[app.id]?.state.lifecycle == .background, outbox.offers[app.id] == nil, !listeners.contains(app.id) {
      enter(.notRunning, app.id, &turn)
    }
    settleHeld(of: app.id, &turn)
    return .accepted
  }

  /// Ends a listening app's late offer: the app is stopped and its other offers end. A held update stays held.
  mutating func timeOut(_ offer: Offer, of id: AppID, _ turn: inout Turn) {
    giveUp(offer, of: id, &turn)
    stop(id, &turn)
    enter(.notRunning, id, &turn)
    discardOffers(of: id, .stopped, &turn)
    settleHeld(of: id, &turn)
  }

  private mutating func giveUp(_ offer: Offer, of app: AppID, _ turn: inout Turn) {
    commit(.offered(app, before: offer, after: nil, payload: .unchanged), &turn)
    guard case .type(let type) = offer.occasion else {
      emit(.timedOut(), app: app, push: offer.push, &turn)
      if !offer.isCharged { spendBudget(of: app, &turn) }
      return
    }
    emit(.timedOut(isCall: type.rules.delivery?.isCall == true), app: app, push: offer.push, &turn)
    countUnanswered(type, of: app, &turn)
  }

  mutating func discard(
    _ offer: Offer, of app: AppID, _ reason: Event.Discarded, newer: PushID? = nil, _ turn: inout Turn
  ) {
    commit(.offered(app, before: offer, after: nil, payload: .unchanged), &turn)
    emit(.discarded(reason, newer: newer), app: app, push: offer.push, &turn)
  }

  mutating func discardOffers(of app: AppID, _ reason: Event.Discarded, _ turn: inout Turn) {
    for offer in outbox.all(of: app) { discard(offer, of: app, reason, &turn) }
  }

  mutating func discardUpdates(of app: AppID, _ reason: Event.Discarded, _ turn: inout Turn) {
    discardHeld(of: app, reason, &turn)
    discardOffers(of: app, reason, &turn)
  }

  /// Stops the processes that the app may have, and marks its connection as ended.
  mutating func stop(_ id: AppID, _ turn: inout Turn) {
    guard let app = apps[id], app.state.lifecycle.isRunning, app.manifest.hasPrograms || listeners.contains(id) else {
      return
    }
    turn.effects.append(.stopApp(id))
    disconnect(id, &turn)
  }

  // MARK: - Connections

  /// Connects an app to its socket, or takes a new state from a connected app.
  mutating func listen(_ app: App, as state: Lifecycle, _ turn: inout Turn) -> Verdict {
    guard state.isRunning else { return .refused(.notRunning(app.id)) }
    // Only the person or a boot starts it again (rule U5).
    if state == .background && app.state.lifecycle == .forceQuit { return .refused(.notRunning(app.id)) }
    if !listeners.contains(app.id) {
      commit(.listener(app.id, before: false, after: true), &turn)
      change(app.id, &turn) { $0.listens = true }
      startTime(of: app.id, &turn)
    }
    if state == .foreground { open(app.id, &turn) } else { enter(.background, app.id, &turn) }
    offerWaiting(to: app.id, &turn)
    settleHeld(of: app.id, &turn)
    return .accepted
  }

  /// Starts the time of a listening app for the pushes that the app was given before it connected.
  private mutating func startTime(of app: AppID, _ turn: inout Turn) {
    for before in outbox.all(of: app) where !before.waits {
      var after = before
      after.deadline = turn.now.inWholeMicroseconds.uptime + before.time
      commit(.offered(app, before: before, after: after, payload: .unchanged), &turn)
    }
  }

  /// Marks the app as killed after its connection or one of its processes ended, and Deskbell did not end it (rule U5).
  mutating func lose(_ app: App, _ reason: Event.Discarded, _ turn: inout Turn) -> Verdict {
    if reason == .disconnected && !listeners.contains(app.id) { return .refused(.notRunning(app.id)) }
    guard app.state.lifecycle.isRunning else { return .refused(.notRunning(app.id)) }
    // Other programs of the app may still run.
    if app.manifest.hasPrograms { turn.effects.append(.stopApp(app.id)) }
    disconnect(app.id, &turn)
    enter(.notRunning, app.id, &turn)
    discardUpdates(of: app.id, reason, &turn)
    return .accepted
  }

  mutating func disconnect(_ id: AppID, _ turn: inout Turn) {
    if listeners.contains(id) { commit(.listener(id, before: true, after: false), &turn) }
  }

  // MARK: - Restarts

  /// Returns true if the app's process ended with the daemon, or with the board.
  func ended(_ app: App, with start: Start) -> Bool {
    switch start {
    case .daemon: app.state.lifecycle.isRunning && !app.isScripted
    case .board: app.state.lifecycle != .notRunning
    }
  }

  /// Offers the pushes again that were not completed. A listening app has to connect first.
  mutating func offerAgain(_ turn: inout Turn) {
    for id in outbox.offers.keys.sorted() {
      renewOffers(of: id, &turn)
      for offer in outbox.all(of: id) where !offer.waits {
        if offer.attempt >= Policy.offerAttempts {
          discard(offer, of: id, .offeredTwice, &turn)
        } else if offer.expires <= turn.now.wall {
          discard(offer, of: id, .expired, &turn)
        } else if apps[id]?.manifest.hasPrograms == true {
          offerOnceMore(offer, before: offer, to: id, payload: .unchanged, &turn)
        } else {
          var waiting = offer
          waiting.waits = true
          waiting.deadline = nil
          commit(.offered(id, before: offer, after: waiting, payload: .unchanged), &turn)
        }
      }
    }
  }
}
