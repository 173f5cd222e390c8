// A second implementation of the rules of docs/handset.md, written without looking at the first: arrays, linear
// searches, everything checked in every step. If the two differ, one of them is wrong.

@testable import HandsetCore

struct HandsetModel {
  var apps: [ModelApp] = []
  /// Former tokens of apps, and the time since when they are invalid.
  var goneTokens: [(token: DeviceToken, app: AppID, since: WallTime)] = []
  /// The nodes of all providers, also the gone ones.
  var nodes: [ModelNode] = []
  /// The notices that are listed, or wait as an alert, or are shown as a banner; in the order of the list.
  var notices: [ModelNotice] = []
  var banner: (push: PushID, place: Int, app: AppID, until: Duration)?
  var lamp: (push: PushID, place: Int, pattern: LampPattern, since: Duration)?
  /// The pushes that were accepted under their provider's own identifier.
  var recents: [ModelRecent] = []
  var settings = HandsetSettings()
  var conditions: Set<Condition> = []
  var fetchStart = Moment(uptime: .zero, wall: WallTime(microseconds: 0))
  var zone = TimeZoneTable.utc
  /// The last comparison of the clocks, which detects that the wall clock was set; while something is scheduled.
  var clocks: Moment?
  /// The snooze of all apps.
  var snooze: ModelSnooze?
  /// The time on the uptime clock at which something sounded again last.
  var lastAgain: Duration?
  /// The action of the alert on top that View has selected.
  var selection: (place: Int, action: String, until: Duration)?
  /// The calls that wait, oldest first.
  var calls: [ModelCall] = []
  /// The pushes that wait, oldest first.
  var waiting: [ModelWaiting] = []
  /// The pushes that asked to sound, while a group is presented.
  var group: [ModelMember]?
  /// The pushes that service extensions have got.
  var extensions = 0
  var modes: [FocusMode] = []
  /// The modes whose hours it is.
  var inHours: Set<String> = []
  /// True if the wall clock was set just now.
  var wasSet = false
  /// The last number that was given out: numbers ascend.
  private var numbers = 0
  /// Oldest first.
  var activities: [ModelActivity] = []
  /// The valid tokens of apps besides their ordinary ones.
  var extraTokens: [(token: DeviceToken, app: AppID, purpose: TokenPurpose)] = []
  var goneActivityTokens: Set<DeviceToken> = []
  /// The number of events of all earlier steps.
  var eventsBefore = 0

  // The results of the current step.
  var now = Moment(uptime: .zero, wall: WallTime(microseconds: 0))
  var events: [ModelEvent] = []
  var effects: [Effect] = []

  mutating func nextNumber() -> Int {
    numbers += 1
    return numbers
  }

  /// Does everything that is due by now, then applies the input.
  mutating func handle(_ input: ModelInput, at now: Moment) -> Verdict {
    eventsBefore += events.count
    (events, effects) = ([], [])
    noticeClocks(now)
    let known = activities.map(\.id)
    var isStart = false
    if case .input(.start(let start)) = input {
      isStart = true
      restart(start)
    }
    doWhatIsDue(isStart: isStart)
    // One that a fetch has just started has asked already.
    if isStart { for app in apps { askForTokens(app.id, of: known) } }
    defer {
      forgetGoneTokens()
      forgetGoneNodes()
      forgetWhatIsNowhere()
      if !settings.notifications || alerts.last?.place != selection?.place { selection = nil }
      settleLamp()
      if apps.allSatisfy(\.pending.isEmpty) { clocks = nil } else { clocks = clocks ?? now }
    }
    switch input {
    case .clear(let push, let id): return clear(push, id)
    case .called(let app, let push, let number, let outcome): return settleCall(of: app, push, number, outcome)
    case .remove(let id, let pushes):
      if let refusal = remove(pushes, of: id) { return .refused(refusal) }
      return .accepted
    case .respond(let push, let id, let action, let text):
      if let refusal = respond(to: push, id, action, text) { return .refused(refusal) }
      return .accepted
    case .input(let input):
      if let refusal = obey(input) { return .refused(refusal) }
      return .accepted
    }
  }

  private mutating func obey(_ input: Input) -> Refusal? {
    switch input {
    case .push(let push): return take(push)
    case .keep(let push): return take(push, late: true)
    case .forward:
      sendKept()
      return nil
    case .publish(let push, let node, _): return publish(push, node)
    case .retract(let id, let collapseID, let how): return retract(id, collapseID, how)
    case .createNode(let id): return createNode(id)
    case .deleteNode(let id): return deleteNode(id)
    case .refused(let push):
      emit(
        .refused(status: push.status, reason: push.reason, detail: push.detail, source: push.source), push.topic,
        push.id)
      return nil
    case .report(let report):
      emit(.driver(report.kind), nil, report.push)
      return nil
    case .install(let manifest, let token): return install(manifest, token)
    case .uninstall(let id): return uninstall(id)
    case .register(let id, let kinds, let token): return register(id, kinds, token)
    case .unregister(let id): return unregister(id)
    case .mintedToken, .broadcast, .changeActivity, .dismissActivity: return obeyForActivity(input)
    case .lifecycle(let id, let command): return obey(command, of: id)
    case .listening(let id, let state): return listen(id, state)
    case .disconnected(let id): return end(id, .disconnected)
    case .died(let id): return end(id, .died)
    case .completed(let id, let push, let result, let reason): return complete(id, push, result, reason)
    case .timedOut(let id, let push): return timeOut(id, push)
    case .extended(let id, let push, let answer): return extended(id, push, answer)
    case .setBadge(let id, let number): return setOwnBadge(id, number)
    case .setForegroundPresentation(let id, let kinds): return setForegroundPresentation(id, kinds)
    case .schedule(let request): return schedule(request)
    case .cancel(let id, let identifier): return cancel(id, identifier)
    case .setAppSetting(let id, let key, let value): return set(id, key, value)
    case .setHandsetSetting(let key, let value): return set(key, value)
    case .setCondition(let condition, let isOn):
      set(condition, isOn)
      return nil
    case .setFocusMode(let name, let mode): return setMode(name, mode)
    case .press(let button, let length): return press(button, length)
    case .setTimeZone(let zone):
      move(to: zone)
      return nil
    case .clearSection(let id):
      guard place(of: id) != nil else { return .unknownApp(id) }
      clear(.byPerson, app: id) { $0.app == id }
      return nil
    case .clearCenter:
      clearAll()
      return nil
    case .clearNotification, .respond: return nil
    case .fetch(let id): return fetchByHand(id)
    case .snooze(let id, let length): return snooze(id, length)
    case .call(let id, let push, let call):
      guard place(of: id) != nil else { return .unknownApp(id) }
      guard call.isValid else { return .badCall }
      callBack([(id, push)], .action)
      return nil
    case .called: return nil
    case .endSnooze(let id): return endSnooze(id)
    case .removeDelivered(let id, _): return removeAllDelivered(id)
    case .listDelivered(let id): return listDelivered(id)
    case .start, .wake: return nil
    }
  }

  private mutating func setForegroundPresentation(_ id: AppID, _ kinds: NotificationKinds) -> Refusal? {
    guard let place = place(of: id) else { return .unknownApp(id) }
    guard apps[place].lifecycle.isRunning else { return .notRunning(id) }
    let asked = kinds.subtracting(.provisional)
    apps[place].ownForegroundPresentation = asked
    emit(.foregroundPresentation(asked), id, nil)
    return nil
  }

  private mutating func removeAllDelivered(_ id: AppID) -> Refusal? {
    guard let place = place(of: id) else { return .unknownApp(id) }
    guard apps[place].lifecycle.isRunning else { return .notRunning(id) }
    clear(.byApp, app: id) { $0.app == id }
    return nil
  }

  private mutating func listDelivered(_ id: AppID) -> Refusal? {
    guard let place = place(of: id) else { return .unknownApp(id) }
    guard apps[place].lifecycle.isRunning else { return .notRunning(id) }
    effects.append(.tellDelivered(id))
    return nil
  }

  func place(of id: AppID) -> Int? { apps.firstIndex { $0.id == id } }

  mutating func emit(_ kind: Event.Kind, _ app: AppID?, _ push: PushID?) {
    events.append(ModelEvent(app: app, push: push, kind: kind))
  }
}

/// An input that names notifications by their pushes, because only the handset numbers them.
enum ModelInput {
  case input(Input)
  case clear(PushID?, NotificationID)
  case called(AppID?, PushID?, UInt64, CallOutcome)
  case respond(PushID?, NotificationID, String, String?)
  case remove(AppID, [PushID])
}

struct ModelEvent: Hashable {
  var app: AppID?
  var push: PushID?
  var kind: Event.Kind
}

struct ModelNotice: Hashable {
  var app: AppID
  var push: PushID
  var level: InterruptionLevel
  var collapseID: String?
  var isListed: Bool
  var isSeen: Bool
  /// Its place among the alerts, ascending; nil if it is not one.
  var alertNumber: Int?
  var hasAction: Bool
  /// Its place in the list, ascending.
  var place: Int
  var sound = SoundRequest.none
  var again: ModelAgain?
  var options: NotificationOptions?
  var isLocal = false
}

/// An app, with everything that waits for it.
struct ModelApp {
  var manifest: AppManifest
  var token: DeviceToken
  var registration = Registration.pending
  var lifecycle = Lifecycle.notRunning
  var settings = AppSettings()
  var badge = 0
  /// True if it was ever connected; `isConnected` is the present state.
  var listens = false
  var isConnected = false
  var ownForegroundPresentation: NotificationKinds?
  var held: (push: PushID, expires: WallTime)?
  var offers: [ModelOffer] = []
  /// All deliveries that used the budget (rule U7).
  var deliveries: [Moment] = []
  var kept: [ModelKept] = []
  var pending: [ModelPending] = []
  var snooze: ModelSnooze?
  /// The pushes of each type since its day began; of calls, those in a row that were not answered.
  var counted: [PushType: [Moment]] = [:]
  var extending: [ModelExtending] = []
  /// True if it has scheduled something, and has not unregistered after that (rule L4).
  var hasScheduled = false
  /// True if the badge is a local notification's (rule L4).
  var badgeIsLocal = false

  var id: AppID { manifest.id }
  /// True if the app has processes of its own; a script plays the others.
  var hasProcesses: Bool { manifest.hasPrograms || listens }
  /// True if there is a program, or a connection, that can be given something now.
  var hasProgram: Bool { manifest.hasPrograms || isConnected }
  var foregroundPresentation: NotificationKinds { ownForegroundPresentation ?? manifest.foregroundPresentation }

  /// The kinds that it registered for (rule S6).
  var registeredKinds: NotificationKinds {
    if case .registered(let kinds) = registration { return kinds }
    return []
  }

  /// The kinds that the person allows (rule S1).
  var wantedKinds: NotificationKinds {
    var kinds: NotificationKinds = []
    guard settings.allowNotifications else { return kinds }
    if settings.badge { kinds.insert(.badge) }
    if settings.sound { kinds.insert(.sound) }
    if settings.alert { kinds.insert(.alert) }
    if registeredKinds.contains(.provisional) { kinds = kinds.contains(.alert) ? .alert : [] }
    return kinds
  }

  /// The kinds that are allowed in a push, or in a local notification (rules S1, S6 and L4).
  func allows(_ kind: NotificationKinds, isLocal: Bool) -> Bool {
    wantedKinds.contains(kind) && (isLocal || registeredKinds.contains(kind))
  }
}

/// A push that the app has and has not completed.
struct ModelOffer: Hashable {
  var push: PushID
  var attempt: Int
  var expires: WallTime
  var deadline: Duration?
  var isCharged: Bool
  var waits: Bool
  var occasion: OfferOccasion?
}
