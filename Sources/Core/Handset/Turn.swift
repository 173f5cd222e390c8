/// The result of one input. The visible state is not part of it: `Handset.presentation(at:)` has that.
public struct Turn: Sendable {
  public var now: Moment
  public var verdict = Verdict.accepted
  /// The changes in the order in which they were applied. The record's, if there is one, is the last.
  public var changes: [Change] = []
  public internal(set) var changesTokens = false
  public var effects: [Effect] = []
  public var events: [Event] = []
  /// The rulings on each push that was decided about.
  public var rulings: [PushRulings] = []
  /// Empty: the memory for the next push's rulings.
  var spareRulings: [Ruling] = []
  /// True while pushes that waited are presented together: at most one of them sounds, after all of them.
  var isGrouped = false

  public init(now: Moment) {
    self.now = now
  }

  /// Removes all results. The memory for those of another turn is kept, unless it is large.
  public mutating func removeAll() {
    (verdict, changesTokens) = (.accepted, false)
    let isSmall = max(changes.capacity, effects.capacity, events.capacity) <= 32
    changes.removeAll(keepingCapacity: isSmall)
    effects.removeAll(keepingCapacity: isSmall)
    events.removeAll(keepingCapacity: isSmall)
    if let last = rulings.indices.last { swap(&spareRulings, &rulings[last].rulings) }
    spareRulings.removeAll(keepingCapacity: isSmall)
    rulings.removeAll(keepingCapacity: isSmall)
  }

  /// Records the ruling if it is on the push that this turn decides about. Later turns have events instead.
  mutating func rule(_ ruling: Ruling, on push: PushID) {
    guard let last = rulings.indices.last, rulings[last].push == push else { return }
    rulings[last].rulings.append(ruling)
  }

  /// Records the ruling that decides an outcome.
  /// - Returns: `outcome`, which the ruling decides.
  mutating func rule<Outcome>(_ ruling: Ruling, on push: PushID, so outcome: Outcome) -> Outcome {
    rule(ruling, on: push)
    return outcome
  }

  mutating func rule(_ kinds: NotificationKinds, badge: Ruling, sound: Ruling, alert: Ruling, on push: PushID) {
    if kinds.contains(.badge) { rule(badge, on: push) }
    if kinds.contains(.sound) { rule(sound, on: push) }
    if kinds.contains(.alert) { rule(alert, on: push) }
  }

  /// Removes the first sound of that push, which only the host knows will not be played: a newer one of the same commit
  /// replaces it (rule A4), or the speaker is lost (rule A5). Its event says so.
  public mutating func dropSound(of push: PushID, _ reason: Event.NotPresented) {
    guard let effect = effects.firstIndex(where: { $0.sound?.push == push }) else { return }
    effects.remove(at: effect)
    for index in events.indices where events[index].push == push && events[index].kind.dropSound(reason) { return }
  }
}

public enum Verdict: Hashable, Sendable {
  case accepted
  case refused(Refusal)
}

/// The reason why an input was refused and changed nothing.
public enum Refusal: Error, Hashable {
  case badDeviceToken
  case deviceTokenNotForTopic
  /// The token is the app's, and for pushes of another use (rule LA2).
  case tokenOfAnotherUse
  /// The token was valid until then (rules R3, R4).
  case unregistered(since: WallTime)
  /// The token was valid until then. Its app has registered again and has another token (rule R4).
  case expiredToken(since: WallTime)
  case unknownApp(AppID)
  /// The app is unregistered since then (rule R2).
  case goneApp(AppID, since: WallTime)
  case unknownNode(NodeID)
  /// Its app has been uninstalled or unregistered since then (rules R3, R4).
  case goneNode(NodeID, since: WallTime)
  case tooManyNodes(AppID)
  case tooManyApps
  case badSetting(SettingError)
  /// The app has to run for that (rules B6, U5).
  case notRunning(AppID)
  case badBadge(Int)
  /// The app was not given that push, or has completed it.
  case notOffered(AppID, PushID)
  case unknownNotification(NotificationID)
  case noAlert
  /// The alert has only the button OK.
  case noAction
  case badLocalNotification(LocalNotificationProblem)
  /// The app has no pending notification with that identifier (rule L1).
  case unknownLocalNotification(String)
  /// A snooze is within `Policy.snoozeTimes` (rule N12).
  case badSnooze
  case notSnoozed(AppID)
  /// A call is within the limits of `Policy` (rule N13).
  case badCall
  case unknownCall(UInt64)
  case unknownFocusMode(String)
  /// A Focus mode is within the limits of `Policy` (rule Q3).
  case badFocusMode
  case tooManyFocusModes
  /// The notification has no action with that identifier (rule N14).
  case unknownAction(String)
  /// The action has no text input, or needs a text, or the text is not within `Policy.responseTextLimit`.
  case takesNoText(String)
  case needsText(String)
  case badText
  case locked
  case unknownActivity(ActivityID?)
  case tooManyActivities(AppID)
  /// Live Activities are off for the app, or it is not registered.
  case activitiesOff(AppID)
  /// Its state is too large, or its time stamp is older than the newest.
  case badActivity
  /// The service cannot be reached (rule F4).
  case offline

  public var explanation: String {
    switch self {
    case .badDeviceToken, .deviceTokenNotForTopic, .tokenOfAnotherUse, .unregistered, .expiredToken:
      answer.ruling.outcome
    case .goneApp(let id, _): "'\(id)' is no longer registered"
    case .unknownApp(let id): "no app '\(id)' is installed"
    case .unknownNode(let id): "there is no node \(id)"
    case .goneNode(let id, _): "'\(id.app)', whose node it is, is uninstalled or unregistered"
    case .tooManyNodes(let id): "'\(id)' has \(Policy.nodeLimitPerApp) nodes, which is the most there can be"
    case .tooManyApps: "\(Policy.appLimit) apps are installed, which is the most there can be"
    case .badSetting(let error): error.description
    case .notRunning(let id): "'\(id)' is not running"
    case .badBadge(let number): "a badge is 0 or more, not \(number)"
    case .notOffered(let id, let push): "'\(id)' has no push \(push) to complete"
    case .unknownNotification(let id): "there is no notification \(id)"
    case .noAlert: "no alert is up"
    case .noAction: "the alert has no action button, only OK"
    case .badLocalNotification(let problem): "the notification was not scheduled: \(problem.explanation)"
    case .unknownLocalNotification(let identifier): "the app has no notification '\(identifier)' scheduled"
    case .badSnooze:
      "a snooze lasts \(intervalText(Policy.snoozeTimes.lowerBound)) to \(intervalText(Policy.snoozeTimes.upperBound))"
    case .notSnoozed(let id): "'\(id)' is not snoozed"
    case .badCall:
      "a call has a method of capital letters, an address of 1 to \(Policy.callURLLimit) bytes, at most "
        + "\(Policy.callHeaderLimit) header fields that are not HTTP's own, and \(Policy.callBytesLimit) bytes of each"
    case .unknownCall(let number): "no call \(number) waits"
    case .unknownFocusMode(let name):
      "there is no Focus mode '\(excerpt(name))'; `deskbell focus list` lists those there are"
    case .badFocusMode:
      "a Focus mode has a name of 1 to \(Policy.focusNameLimit) letters, digits, dots, dashes and underscores other than "
        + "off, at most \(Policy.focusAppLimit) apps, and for each at most \(Policy.focusCriteriaLimit) criteria of "
        + "\(Policy.filterCriteriaLimit) bytes"
    case .tooManyFocusModes: "there are \(Policy.focusModeLimit) Focus modes, which is the most there can be"
    case .unknownAction(let action): "the notification has no action '\(excerpt(action))'"
    case .takesNoText(let action): "the action '\(excerpt(action))' takes no text"
    case .needsText(let action): "the action '\(excerpt(action))' needs a text"
    case .badText: "a text has 1 to \(Policy.responseTextLimit) bytes"
    case .locked: "the handset is locked"
    case .unknownActivity(let id):
      id.map { "the app has no Live Activity \($0) that goes on" } ?? "an update names its Live Activity"
    case .tooManyActivities(let id):
      "'\(id)' may have \(Policy.activityLimitPerApp) Live Activities, and all apps \(Policy.activityLimit)"
    case .activitiesOff(let id): "'\(id)' is not registered, or its Live Activities are off"
    case .badActivity:
      "a Live Activity's state has at most \(Policy.activityContentLimit) bytes, and an update's time stamp is not "
        + "older than the newest"
    case .offline: "the handset is offline and can fetch nothing; what waits stays in the service"
    }
  }

  /// The answer to the provider, which is an HTTP status and the protocol's reason [APNs], and the ruling that decides
  /// it.
  var answer: (status: Int, reason: String, ruling: Ruling) {
    switch self {
    case .badDeviceToken: (400, "BadDeviceToken", .tokenUnknown)
    case .deviceTokenNotForTopic: (400, "DeviceTokenNotForTopic", .tokenOfAnother)
    case .tokenOfAnotherUse: (400, "DeviceTokenNotForTopic", .tokenOfAnotherUse)
    case .unregistered: (410, "Unregistered", .tokenGone)
    case .goneApp: (410, "Unregistered", .unregistered)
    case .unknownApp: (404, "UnknownApp", .appUnknown)
    case .expiredToken: (410, "ExpiredToken", .tokenExpired)
    case .unknownNode: (404, "UnknownNode", .nodeUnknown)
    case .goneNode: (410, "Gone", .nodeGone)
    default: (400, "Refused", .tokenUnknown)
    }
  }
}

/// Something to do once.
public enum Effect: Hashable, Sendable {
  case play(SoundChoice)
  /// A sound ends when its notification is dismissed (rule A4).
  case stopSound(push: PushID)
  /// Give the app a push (rules U8, U10, N2).
  case deliver(Delivery)
  /// Give a push to the app's service extension, whose answer is `Input.extended` (rule X1).
  indirect case extend(AppID, Push, attempt: Int)
  /// The person opened the app: run its launch program, or notify it over its connection. With a response, the person
  /// opened that notification, and the app may be open already (rule N14).
  case launchApp(AppID, NotificationResponse? = nil)
  /// The connected app left the foreground, and not by its own request (rule N17).
  case leftForeground(AppID)
  /// Send the app its notifications in Notification Center, over its connection (rule N17).
  case tellDelivered(AppID)
  /// Make a token for that use of the app, and submit it as `Input.mintedToken`.
  case mint(TokenPurpose, AppID)
  /// Stop the app's processes, with SIGTERM and then SIGKILL, and close its connection.
  case stopApp(AppID)
  /// Stops the sound that plays, of any app, and the motor.
  case silence(Silence)
  /// Runs the motor if one is fitted (rule D3). `stopSound` of the push also stops the motor. Critical if its sound is.
  case vibrate(VibrationPattern, push: PushID, isCritical: Bool = false)

  public enum Silence: String, Hashable, Sendable {
    case all
    /// A critical sound passes the ring/silent switch (rule N9).
    case allButCritical = "all but critical"
  }
}

extension Effect {
  public var sound: SoundChoice? { if case .play(let choice) = self { choice } else { nil } }
}

/// A sound to play (rule A1).
public struct SoundChoice: Hashable, Sendable {
  public enum Source: Hashable, Sendable {
    case system
    /// A sound of an app's bundle, by its name without extension.
    case bundle(AppID, name: String)
    case shipped(ShippedSound)
  }

  public var source: Source
  public var push: PushID
  /// The factor for its amplitude, 0 to 1: a critical sound's own (rule N9), or the app's setting (rule S1).
  public var volume = 1.0
  /// True if it passes the ring/silent switch (rule N9).
  public var isCritical = false

  /// Its name in events and for people.
  public var name: String {
    switch source {
    case .system: "default"
    case .bundle(_, let name): name
    case .shipped(let sound): sound.rawValue
    }
  }
}
