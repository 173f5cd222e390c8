// Rules R1 to R4, N10 and U5: the apps, their permissions, and their states.

@testable import HandsetCore

extension HandsetModel {
  // MARK: - Registration

  mutating func install(_ manifest: AppManifest, _ token: DeviceToken) -> Refusal? {
    if let place = place(of: manifest.id) {
      apps[place].manifest = manifest
      apps[place].ownForegroundPresentation = nil
      emit(.installed, manifest.id, nil)
      if !manifest.receivesBackgroundUpdates { dropHeld(place, .noBackgroundMode) }
      let canReceive = manifest.hasPrograms || apps[place].listens
      if !canReceive { dropOffers(place, .noReceiver) }
      settleTokens(manifest.id)
      askForTokens(manifest.id)
      if !manifest.hasServiceExtension { endExtending(place) }
      if manifest.hasPrograms { giveWaiting(place) }
      tryHeld(place)
    } else {
      apps.append(ModelApp(manifest: manifest, token: token))
      emit(.installed, manifest.id, nil)
    }
    return nil
  }

  mutating func register(_ id: AppID, _ kinds: NotificationKinds, _ token: DeviceToken) -> Refusal? {
    guard let place = place(of: id) else { return .unknownApp(id) }
    // Rule R4: registering again gives a new token; the old one stays gone.
    if case .unregistered(let since) = apps[place].registration {
      goneTokens.append((apps[place].token, id, since))
      apps[place].token = token
    }
    var kinds = kinds
    if case .registered(let before) = apps[place].registration, !before.contains(.provisional) {
      kinds = kinds.subtracting(.provisional)
    }
    apps[place].registration = .registered(kinds)
    emit(.registered(kinds), id, nil)
    askForTokens(id)
    withdrawWhatIsNotAllowed(place)
    return nil
  }

  mutating func unregister(_ id: AppID) -> Refusal? {
    guard let place = place(of: id) else { return .unknownApp(id) }
    if case .unregistered = apps[place].registration {
      if !apps[place].hasScheduled { return nil }
    } else {
      apps[place].registration = .unregistered(since: now.wall)
    }
    apps[place].hasScheduled = false
    apps[place].badgeIsLocal = false
    emit(.unregistered, id, nil)
    dismissActivities(id, .unregistered)
    settleTokens(id)
    dropHeld(place, .unregistered)
    dropKept(place, .unregistered)
    dropWaiting(.unregistered) { $0.app == id }
    clear(.unregistered, app: id) { $0.app == id }
    return nil
  }

  mutating func uninstall(_ id: AppID) -> Refusal? {
    guard let place = place(of: id) else { return .unknownApp(id) }
    dropHeld(place, .uninstalled)
    dropOffers(place, .uninstalled)
    dropExtending(place, .uninstalled) { _ in true }
    dropKept(place, .uninstalled)
    dropWaiting(.uninstalled) { $0.app == id }
    for pending in apps[place].pending {
      emit(.unscheduled(pending.request.identifier, .uninstalled), id, pending.request.content.id)
    }
    dismissActivities(id, .uninstalled)
    dismiss { $0.app == id }
    notices.removeAll { $0.app == id }
    dropCalls(of: id)
    var since = now.wall
    if case .unregistered(let before) = apps[place].registration { since = before }
    goneTokens.append((apps[place].token, id, since))
    if apps[place].lifecycle.isRunning && apps[place].hasProgram {
      effects.append(.stopApp(id))
    }
    retireNodes(of: id)
    apps.remove(at: place)
    settleTokens(id)
    emit(.uninstalled, id, nil)
    if settings.badgeShows == id {
      settings.badgeShows = nil
      emit(.setting(key: "badge-shows", value: "sum"), nil, nil)
    }
    return nil
  }

  /// Applies rule R3: 30 days.
  mutating func forgetGoneTokens() {
    goneTokens.removeAll { now.wall >= $0.since.advanced(by: .seconds(30 * 24 * 3600)) }
  }

  // MARK: - Lifecycle

  mutating func obey(_ command: LifecycleCommand, of id: AppID) -> Refusal? {
    guard let place = place(of: id) else { return .unknownApp(id) }
    switch command {
    case .launch:
      open(place)
    case .background:
      // Rule U5: only the person opens an app that the person has ended.
      if apps[place].lifecycle == .forceQuit { return .notRunning(id) }
      tellThatItLeft(place)
      become(place, .background)
    case .kill:
      guard apps[place].lifecycle.isRunning else { return .notRunning(id) }
      stop(place, .killed)
      become(place, .notRunning)
    case .forceQuit:
      stop(place, .forceQuit)
      become(place, .forceQuit)
    }
    return nil
  }

  /// Opens the app for the person, itself or by one of its notifications (rule N14).
  mutating func open(_ place: Int, by response: NotificationResponse? = nil, removing opened: ModelNotice? = nil) {
    let id = apps[place].id
    let isNews = apps[place].lifecycle != .foreground || response != nil
    if apps[place].hasProgram && isNews { effects.append(.launchApp(id, response)) }
    comeToForeground(place)
    if let opened { clear(.notificationOpened, app: id) { $0.place == opened.place } }
  }

  mutating func comeToForeground(_ place: Int) {
    let id = apps[place].id
    for other in apps.indices where other != place && apps[other].lifecycle == .foreground {
      tellThatItLeft(other)
      become(other, .background)
    }
    presentWaiting(sounds: false) { $0.app == id }
    become(place, .foreground)
    if apps[place].settings.clearOnLaunch { clear(.opened, app: id) { $0.app == id } } else { seeAll(of: id) }
    for type in PushType.allCases { noteAnswered(type, place) }
    deliverHeld(place, isFree: true)
    fetchAsOpened(place)
  }

  private mutating func tellThatItLeft(_ place: Int) {
    let app = apps[place]
    if app.lifecycle == .foreground && app.isConnected { effects.append(.leftForeground(app.id)) }
  }

  mutating func become(_ place: Int, _ state: Lifecycle) {
    guard apps[place].lifecycle != state else { return }
    apps[place].lifecycle = state
    emit(.lifecycle(state), apps[place].id, nil)
  }

  /// Stops the app's processes on Deskbell's own initiative.
  private mutating func stop(_ place: Int, _ why: Event.Discarded) {
    dropHeld(place, why)
    let isThere = apps[place].lifecycle.isRunning && apps[place].hasProgram
    dropOffers(place, why)
    if isThere { effects.append(.stopApp(apps[place].id)) }
    apps[place].isConnected = false
  }

  /// Ends the app after a process or its connection ended, and Deskbell did not end it.
  mutating func end(_ id: AppID, _ why: Event.Discarded) -> Refusal? {
    guard let place = place(of: id) else { return .unknownApp(id) }
    if why == .disconnected {
      guard apps[place].isConnected else { return .notRunning(id) }
      apps[place].isConnected = false
    } else {
      guard apps[place].lifecycle.isRunning else { return .notRunning(id) }
    }
    dropHeld(place, why)
    dropOffers(place, why)
    if apps[place].lifecycle.isRunning {
      if apps[place].manifest.hasPrograms { effects.append(.stopApp(id)) }
      apps[place].isConnected = false
      become(place, .notRunning)
    }
    return nil
  }

  mutating func listen(_ id: AppID, _ state: Lifecycle) -> Refusal? {
    guard let place = place(of: id) else { return .unknownApp(id) }
    guard state.isRunning else { return .notRunning(id) }
    // Rule U5: it comes to the foreground if the person opens it.
    if apps[place].lifecycle == .forceQuit && state == .background { return .notRunning(id) }
    apps[place].listens = true
    let isNew = !apps[place].isConnected
    apps[place].isConnected = true
    if isNew {
      // Rule U8: earlier pushes have the time of a listening app from now on.
      for index in apps[place].offers.indices where !apps[place].offers[index].waits {
        apps[place].offers[index].deadline = now.uptime + time(for: apps[place].offers[index].occasion)
      }
    }
    if state == .foreground {
      comeToForeground(place)
    } else {
      become(place, .background)
    }
    if isNew { giveWaiting(place) }
    tryHeld(place)
    return nil
  }
}
