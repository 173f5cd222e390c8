// Rules U1 to U10 and the table under them: held updates, offered updates, and their ends.

@testable import HandsetCore

extension HandsetModel {
  // MARK: - Holding

  /// Handles a background update, or the part of a notification that wakes its app.
  mutating func wake(_ place: Int, for push: Push) {
    let id = apps[place].id
    guard apps[place].manifest.receivesBackgroundUpdates else {
      return emit(.discarded(.noBackgroundMode), id, push.id)
    }
    guard apps[place].lifecycle != .forceQuit else { return emit(.discarded(.isForceQuit), id, push.id) }
    let expires = expiration(of: push)
    if let older = apps[place].held {
      apps[place].held = nil
      emit(.discarded(.replaced, newer: push.id), id, older.push)
    }
    if apps[place].lifecycle == .foreground && isReachable(place) {
      return give(place, push.id, expires, isCharged: false)
    }
    apps[place].held = (push.id, expires)
    // Only an extension's answer comes while it is offline.
    if isOffline && isReachable(place) { return }
    if let why = obstacle(place) {
      emit(.held(why), id, push.id)
    } else {
      deliverHeld(place, isFree: false)
    }
  }

  func expiration(of push: Push) -> WallTime {
    switch push.expiration {
    case .once: now.wall.advanced(by: .seconds(30 * 24 * 3600))
    case .at(let time): now.wall < HandsetModel.earliest ? time : max(time, HandsetModel.earliest)
    }
  }

  /// Returns the reason why the app cannot be woken now; nil if it can.
  private func obstacle(_ place: Int) -> Event.Held? {
    let app = apps[place]
    if !isReachable(place) { return .notConnected }
    if conditions.contains(.lowPower) { return .lowPower }
    if deliveriesThatCount(app).count >= 3 { return .budget }
    return nil
  }

  /// Returns the deliveries of the last 60 minutes (rule U7).
  private func deliveriesThatCount(_ app: ModelApp) -> [Moment] {
    app.deliveries.filter { $0.uptime + .seconds(3600) > now.uptime }
  }

  /// Returns true if the app can receive now. A script plays an app that has neither programs nor ever had a connection.
  func isReachable(_ place: Int) -> Bool {
    apps[place].hasProgram || !apps[place].listens
  }

  /// Returns the time at which time alone lets the held update through; nil if it does not.
  func heldDue(_ app: ModelApp) -> Duration? {
    guard app.held != nil, !conditions.contains(.offline), !conditions.contains(.lowPower) else { return nil }
    if app.listens && !app.hasProgram { return nil }
    let counting = deliveriesThatCount(app).map(\.uptime).sorted()
    return counting.count >= 3 ? counting[counting.count - 3] + .seconds(3600) : now.uptime
  }

  /// Delivers the held update if the rules allow it.
  mutating func tryHeld(_ place: Int) {
    guard apps[place].held != nil else { return }
    if apps[place].lifecycle == .foreground { return deliverHeld(place, isFree: true) }
    if obstacle(place) == nil && !conditions.contains(.offline) { deliverHeld(place, isFree: false) }
  }

  mutating func deliverHeld(_ place: Int, isFree: Bool) {
    guard let held = apps[place].held else { return }
    guard isReachable(place) else { return }
    apps[place].held = nil
    give(place, held.push, held.expires, isCharged: !isFree)
  }

  mutating func dropHeld(_ place: Int, _ why: Event.Discarded) {
    guard let held = apps[place].held else { return }
    apps[place].held = nil
    emit(.discarded(why), apps[place].id, held.push)
  }

  // MARK: - Offers

  /// Gives the app a push, by its connection, else by its program; an app that has neither only has an event.
  mutating func give(
    _ place: Int, _ push: PushID, _ expires: WallTime, isCharged: Bool, for occasion: OfferOccasion? = nil
  ) {
    let id = apps[place].id
    guard isReachable(place) else { return wait(place, push, expires, for: occasion) }
    if isCharged { apps[place].deliveries.append(now) }
    guard apps[place].hasProgram else {
      if !apps[place].lifecycle.isRunning { become(place, .background) }
      emit(.delivered(apps[place].lifecycle), id, push)
      return emit(.completed(.noData), id, push)
    }
    let deadline = apps[place].isConnected ? now.uptime + time(for: occasion) : nil
    let offer = ModelOffer(
      push: push, attempt: 1, expires: expires, deadline: deadline, isCharged: isCharged, waits: false,
      occasion: occasion)
    hand(offer, to: place)
    add(offer, place)
  }

  /// Hands the offer to the app, which runs in the background from then on if it did not run.
  private mutating func hand(_ offer: ModelOffer, to place: Int) {
    if !apps[place].lifecycle.isRunning { become(place, .background) }
    let (id, state) = (apps[place].id, apps[place].lifecycle)
    emit(.delivered(state, attempt: offer.attempt), id, offer.push)
    effects.append(
      .deliver(Delivery(app: id, push: offer.push, state: state, attempt: offer.attempt, occasion: offer.occasion)))
  }

  /// Keeps the person's choice for an app that only listens until it connects (rule N15).
  private mutating func wait(_ place: Int, _ push: PushID, _ expires: WallTime, for occasion: OfferOccasion?) {
    if apps[place].lifecycle == .forceQuit { become(place, .notRunning) }
    emit(.held(.notConnected), apps[place].id, push)
    add(
      ModelOffer(
        push: push, attempt: 0, expires: expires, deadline: nil, isCharged: false, waits: true, occasion: occasion),
      place)
  }

  private mutating func add(_ offer: ModelOffer, _ place: Int) {
    let id = apps[place].id
    // A local notification that repeats has the same identifier each time.
    if let older = apps[place].offers.firstIndex(where: { $0.push == offer.push }) {
      apps[place].offers.remove(at: older)
      emit(.discarded(.replaced, newer: offer.push), id, offer.push)
    }
    apps[place].offers.append(offer)
    if apps[place].offers.count > 32 {
      let oldest = apps[place].offers.removeFirst()
      emit(.discarded(.tooManyOffered), id, oldest.push)
    }
  }

  mutating func complete(_ id: AppID, _ push: PushID, _ result: DeliveryResult, _ reason: String?) -> Refusal? {
    guard let place = place(of: id) else { return .unknownApp(id) }
    guard let offer = apps[place].offers.firstIndex(where: { $0.push == push && !$0.waits }) else {
      return .notOffered(id, push)
    }
    let done = apps[place].offers.remove(at: offer)
    if case .type(let type)? = done.occasion { noteAnswered(type, place) }
    emit(.completed(result, reason: reason), id, push)
    return nil
  }

  /// Ends the offer to a program whose time is over (rule U8). The host counted it and has stopped the process.
  mutating func timeOut(_ id: AppID, _ push: PushID) -> Refusal? {
    guard let place = place(of: id) else { return .unknownApp(id) }
    guard giveUp(place, push) else { return .notOffered(id, push) }
    let app = apps[place]
    if app.lifecycle == .background && app.offers.isEmpty && !app.isConnected { become(place, .notRunning) }
    return nil
  }

  /// Stops a listening app whose time is over, whatever else it is doing.
  mutating func stopLate(_ place: Int, _ push: PushID) {
    guard giveUp(place, push) else { return }
    dropOffers(place, .stopped)
    effects.append(.stopApp(apps[place].id))
    apps[place].isConnected = false
    become(place, .notRunning)
  }

  private mutating func giveUp(_ place: Int, _ push: PushID) -> Bool {
    guard let found = apps[place].offers.firstIndex(where: { $0.push == push && !$0.waits }) else { return false }
    let offer = apps[place].offers.remove(at: found)
    var isCall = false
    if case .type(let type)? = offer.occasion { isCall = HandsetModel.types[type]?.isCall ?? false }
    emit(.timedOut(isCall: isCall), apps[place].id, push)
    if case .type(let type)? = offer.occasion {
      noteUnanswered(type, place)
    } else if !offer.isCharged {
      apps[place].deliveries.append(now)
    }
    return true
  }

  mutating func dropOffers(_ place: Int, _ why: Event.Discarded) {
    let offers = apps[place].offers
    apps[place].offers = []
    for offer in offers { emit(.discarded(why), apps[place].id, offer.push) }
  }

  /// Gives the app, which is connected again, the pushes that it did not complete before the daemon ended.
  mutating func giveWaiting(_ place: Int) {
    for index in apps[place].offers.indices where apps[place].offers[index].waits {
      apps[place].offers[index].waits = false
      apps[place].offers[index].attempt += 1
      let time = time(for: apps[place].offers[index].occasion)
      apps[place].offers[index].deadline = apps[place].isConnected ? now.uptime + time : nil
      hand(apps[place].offers[index], to: place)
    }
  }

  /// Offers the pushes again, once, by the same identifier and at no cost.
  mutating func offerAgain(_ place: Int) {
    let id = apps[place].id
    let offers = apps[place].offers
    apps[place].offers = []
    for var offer in offers {
      guard offer.attempt < 2 else {
        emit(.discarded(.offeredTwice), id, offer.push)
        continue
      }
      guard offer.expires > now.wall else {
        emit(.discarded(.expired), id, offer.push)
        continue
      }
      offer.deadline = nil
      offer.waits = !apps[place].manifest.hasPrograms
      if !offer.waits { offer.attempt += 1 }
      apps[place].offers.append(offer)
      if !offer.waits { hand(offer, to: place) }
    }
  }
}
