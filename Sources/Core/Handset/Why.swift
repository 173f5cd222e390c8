// The one table of why: the code, the rule and the sentence of each ruling and of each reason of an event. Programs
// read codes and people read sentences. Codes are stored and sent, so a code never changes; a sentence may.

public struct Why: Hashable, Sendable {
  /// A stable word, as in `quiet-hours`.
  public let code: String
  /// The rule by its number in docs/handset.md, as in `S5`; nil if no rule applies.
  public let rule: String?
  /// A sentence for a person to read.
  public let text: String
  /// The stored number of the code; nil if it is one of `RecordWords.plain`, which has all codes of 0.7.
  let number: UInt16?

  init(_ code: String, _ rule: String?, _ text: String, number: UInt16? = nil) {
    self.code = code
    self.rule = rule
    self.text = text
    self.number = number
  }

  /// Creates the reason of an event that a ruling decided: rule and sentence are the ruling's.
  init(_ code: String, _ ruling: Ruling, number: UInt16? = nil) {
    self.init(code, ruling.why.rule, ruling.why.text, number: number)
  }
}

// MARK: - Rulings

/// One rule that applied to a push, and its outcome. The branch that decides records it, so an explanation never has to
/// apply the rules again and cannot disagree with them. The raw value is the stored number of its code: a new one takes
/// the number behind all words, `RecordWords.all.count`, so that no stored word gets another number.
// swift-format-ignore: OneCasePerLine
public enum Ruling: UInt16, Hashable, Sendable, CaseIterable {
  // Its arrival.
  case tokenGood = 53, tokenUnknown = 54, tokenOfAnother = 55, tokenGone = 56, tokenExpired = 57, nodeGood = 58,
    nodeUnknown = 59, nodeGone = 60, reusedID = 61, localDue = 62, online = 63, keptOffline = 64, tookServiceSlot = 65,
    notKept = 66, registered = 67, notRegisteredYet = 68, unregistered = 69
  // Its kind.
  case forPerson = 70, forPersonAndApp = 71, forApp = 72, forNobody = 73, quietType = 74
  // The badge.
  case badgeAbsent = 75, badgeSet = 76, badgeBad = 77, badgeClears = 78, badgeLeft = 79, badgeHidden = 80,
    badgeNotChosen = 81, badgeUnseen = 284
  // Its presentation.
  case handsetOn = 82, handsetOff = 83, allowed = 84, notAllowed = 85, kindsRegistered = 86, badgeNotRegistered = 87,
    soundNotRegistered = 88, alertNotRegistered = 89, badgeOff = 90, soundOff = 91, alertOff = 92, styleNone = 93,
    notListed = 94, bySystem = 95, inForeground = 96, foregroundAsked = 97, soundNotAsked = 98, alertNotAsked = 99
  // The message.
  case replacesEarlier = 100, listed = 101, banner = 102, alert = 103, alertOverOthers = 104, lampLit = 105,
    lampOfAnother = 106
  // The sound.
  case soundAbsent = 107, passive = 108, critical = 109, criticalOff = 110, criticalVolumeZero = 111,
    silentSwitch = 112, quietHours = 113, timeSensitive = 114, timeSensitiveOff = 115, audible = 116, volumeZero = 117,
    soundOwn = 118, soundDefault = 119, soundMissing = 120, vibrates = 121, vibrationOff = 122,
    handsetVolumeZero = 285
  // The kinds of a local notification.
  case localKinds = 322
  // Its delivery to the app.
  case backgroundMode = 123, noBackgroundMode = 124, forceQuit = 125, replacesHeld = 126, budgetLeft = 127,
    budgetSpent = 128, lowPower = 129, fetchInterval = 130, fetchManual = 131, notConnected = 132, atOnce = 133,
    givenInForeground = 134, notListening = 135
  // With an access key.
  case keyGood = 270, appUnknown = 271
  // Its repetition until the person sees it.
  case repeats = 256, repeatOff = 257, snoozed = 258
  // Its actions, and its app's notification program.
  case actionsOffered = 275, categoryUnknown = 276, programRuns = 277, programForceQuit = 278, lampByTag = 279
  // The sounds that come with Deskbell.
  case soundShipped = 282, soundChosen = 283
  // Its Live Activity.
  case tokenOfAnotherUse = 323, activityStarts = 324, activityUpdates = 325, activityEnds = 326, activityOlder = 327,
    activityBudgetSpent = 328, activityUnknown = 329, activitiesOff = 330, activityLimit = 331
  // Its delivery by its type, and its app's service extension.
  case typeTaken = 332, typeNotTaken = 333, callsUnanswered = 334, spentToday = 335, typeUnchanged = 336,
    extensionRuns = 337, extensionBusy = 338, extensionChanged = 339, extensionTimedOut = 340, extensionFailed = 341
  // What fetched it.
  case fetchedAtInterval = 342, fetchedByPerson = 343, fetchedByOpening = 344
  // Its deferral, Focus, and its app's provisional authorization.
  case deferredLowPower = 345, deferredSummary = 346, released = 347, grouped = 348, priorityOne = 349, focus = 350,
    provisional = 351

  /// The code that is stored and sent: the rule, a dot, the outcome.
  public var code: String { "\(rule).\(why.code)" }

  /// The number of its rule: a key of `Rule.titles`.
  public var rule: String { why.rule ?? "" }

  public var outcome: String { why.text }

  public init?(code: String) {
    guard let ruling = Ruling.byCode[code] else { return nil }
    self = ruling
  }

  private static let byCode = Dictionary(uniqueKeysWithValues: allCases.map { ($0.code, $0) })

  var why: Why {
    switch self {
    case .tokenGood: Why("good", "R4", "the token is the app's")
    case .tokenUnknown: Why("unknown", "R4", "no app has that device token")
    case .tokenOfAnother: Why("another", "R4", "the device token is another app's")
    case .tokenGone: Why("gone", "R4", "the app of that device token is no longer registered")
    case .tokenExpired: Why("expired", "R4", "the app of that device token has another one now")
    case .nodeGood: Why("node", "R1", "the publishing node is the app's")
    case .nodeUnknown: Why("no-node", "R1", "there is no such publishing node")
    case .nodeGone: Why("gone-node", "R1", "the publishing node's app is uninstalled or unregistered")
    case .reusedID: Why("reused", "P1", "another push had its apns-id within the last hour: this one is new")
    case .localDue: Why("due", "L1", "its time has come")
    case .online: Why("online", "F1", "the handset is online: it arrives")
    case .keptOffline: Why("kept", "F1", "the handset was unreachable")
    case .tookServiceSlot: Why("replaced", "F1", "it replaced an older push that the service kept")
    case .notKept: Why("once", "F1", "it could not be delivered at once, and the push allows only one attempt")
    case .registered: Why("registered", "R1", "the app is registered")
    case .notRegisteredYet: Why("pending", "R1", "the app has not registered yet")
    case .unregistered: Why("unregistered", "R2", "the app unregistered")
    case .forPerson: Why("person", "U2", "it is a notification for the person")
    case .forPersonAndApp: Why("both", "U2", "it is a notification for the person that also wakes the app")
    case .forApp: Why("update", "U2", "it is a background update, with nothing for a person")
    case .forNobody: Why("empty", "U2", "it contains nothing for a person and no update")
    case .quietType: Why("quiet", "U3", "a push of type background presents nothing")
    case .badgeAbsent: Why("absent", "B4", "it has no badge: the badge is unchanged")
    case .badgeSet: Why("set", "B1", "its number is the app's badge")
    case .badgeBad: Why("bad", "B2", "its badge is not a whole number of zero or more and is ignored")
    case .badgeClears: Why("cleared", "B3", "zero cleared the app's notifications")
    case .badgeLeft: Why("badge", "N2", "the app is in the foreground: the system leaves the badge")
    case .badgeHidden: Why("hidden", "S4", "a setting hides the badge; its number is kept")
    case .badgeNotChosen: Why("another", "B5", "the display shows another app's badge")
    case .badgeUnseen: Why("unseen", "B5", "the display shows how many of the app's notifications are unseen")
    case .handsetOn: Why("on", "S2", "notifications are on")
    case .handsetOff: Why("off", "S2", "notifications are off for the whole handset")
    case .allowed: Why("allowed", "S1", "notifications are allowed for the app")
    case .notAllowed: Why("not-allowed", "S1", "notifications are off for this app")
    case .kindsRegistered: Why("registered", "S6", "the app registered for every kind in it")
    case .badgeNotRegistered: Why("badge", "S6", "the app did not register for badges")
    case .soundNotRegistered: Why("sound", "S6", "the app did not register for sounds")
    case .alertNotRegistered: Why("alert", "S6", "the app did not register for alerts")
    case .localKinds: Why("all", "L4", "a local notification shows all its kinds, whatever the app registered for")
    case .badgeOff: Why("badge-off", "S1", "the app's badge is switched off")
    case .soundOff: Why("sound-off", "S1", "the app's sound is switched off")
    case .alertOff: Why("alert-off", "S1", "the app's alerts are switched off")
    case .styleNone: Why("style-none", "S1", "the app's style is none: no banner, no alert")
    case .notListed: Why("not-listed", "S1", "the app is not shown in Notification Center")
    case .bySystem: Why("system", "N1", "the app is not in the foreground: the system presents it")
    case .inForeground: Why("foreground", "N2", "the app is in the foreground")
    case .foregroundAsked: Why("asked", "N2", "the app is in the foreground, and asked for presentation")
    case .soundNotAsked: Why("sound", "N2", "in the foreground the app asked for no sound")
    case .alertNotAsked: Why("alert", "N2", "in the foreground the app asked for no alert")
    case .replacesEarlier: Why("replaced", "N8", "it replaced the notification with its collapse identifier")
    case .listed: Why("listed", "S1", "it is listed in Notification Center")
    case .banner: Why("banner", "N3", "a banner shows it for a few seconds")
    case .alert: Why("alert", "N3", "an alert shows it, until it is acted on")
    case .alertOverOthers: Why("over", "N7", "its alert is on top of others")
    case .lampLit: Why("lit", "D1", "the lamp shows it")
    case .lampOfAnother: Why("another", "D1", "the lamp does not show it")
    case .soundAbsent: Why("none", "A1", "it has no sound")
    case .passive: Why("passive", "N9", "a passive notification makes no sound")
    case .critical: Why("critical", "N9", "critical notifications are allowed: it passes silence and quiet hours")
    case .criticalOff: Why("critical-off", "S1", "critical notifications are not allowed for the app")
    case .criticalVolumeZero: Why("volume-zero", "N9", "the push gives its critical sound the volume 0")
    case .silentSwitch: Why("silent", "S5", "the ring/silent switch is on silent")
    case .quietHours: Why("quiet-hours", "S5", "these are quiet hours")
    case .timeSensitive: Why("time-sensitive", "N9", "time-sensitive: it passes quiet hours")
    case .timeSensitiveOff:
      Why("time-sensitive-off", "S1", "time-sensitive notifications are not allowed for the app: quiet hours apply")
    case .audible: Why("audible", "S5", "neither silence nor quiet hours: its sound is played")
    case .volumeZero: Why("volume-zero", "S1", "the app's volume is 0%")
    case .soundOwn: Why("own", "A1", "the app has the sound")
    case .soundDefault: Why("default", "A1", "it asks for the default sound")
    case .soundMissing: Why("missing", "A1", "the app does not have the sound: the default sound is played")
    case .vibrates: Why("vibrates", "D3", "the motor vibrates, if one is fitted")
    case .vibrationOff: Why("vibration-off", "S1", "vibrating is switched off")
    case .handsetVolumeZero: Why("handset-volume-zero", "S1", "the handset's volume is 0% at this hour")
    case .tokenOfAnotherUse: Why("use", "LA2", "the device token is for other pushes of the app")
    case .activityStarts: Why("starts", "LA1", "it starts a Live Activity")
    case .activityUpdates: Why("updates", "LA3", "it is the newest state of the Live Activity")
    case .activityEnds: Why("ends", "LA5", "it ends the Live Activity")
    case .activityOlder: Why("older", "LA3", "its timestamp is older than that of the Live Activity's state")
    case .activityBudgetSpent:
      Why("budget", "LA6", "the Live Activity's updates of priority 10 are used up for this hour: the newest waits")
    case .activityUnknown: Why("none", "LA2", "the app has no such Live Activity that goes on")
    case .activitiesOff: Why("off", "LA1", "Live Activities are off for this app")
    case .activityLimit:
      Why(
        "limit", "LA1", "the app has \(Policy.activityLimitPerApp) Live Activities, or all have \(Policy.activityLimit)"
      )
    case .backgroundMode: Why("mode", "U1", "the app takes background updates")
    case .noBackgroundMode: Why("no-mode", "U1", "the app has no remote-notification background mode")
    case .forceQuit: Why("force-quit", "U5", "the app is force-quit and is not woken")
    case .replacesHeld: Why("replaced", "U4", "it replaced the held update")
    case .budgetLeft: Why("free", "U7", "budget and conditions allow the delivery")
    case .budgetSpent: Why("spent", "U7", "three updates were delivered in the last 60 minutes")
    case .lowPower: Why("low-power", "U7", "the handset saves power")
    case .fetchInterval: Why("interval", "S3", "it waits in the service for the fetch interval")
    case .fetchManual: Why("manual", "S3", "it waits in the service until somebody fetches or opens the app")
    case .notConnected: Why("not-connected", "U8", "the app listens and is not connected")
    case .atOnce: Why("at-once", "U10", "the app is in the foreground: it gets the update at once, outside the budget")
    case .givenInForeground: Why("given", "N2", "the app is in the foreground: it gets the push")
    case .notListening: Why("not-listening", "N2", "the app is in the foreground without a connection and ignores it")
    case .keyGood: Why("key", "R1", "an access key, or the settings, let it push to the app")
    case .appUnknown: Why("no-app", "R1", "the access key's app is not installed")
    case .repeats: Why("repeats", "N11", "it sounds again, until it is seen or has sounded often enough")
    case .repeatOff: Why("off", "N11", "it asks to sound again, which is switched off for the app")
    case .snoozed: Why("snoozed", "N12", "its app, or all, are snoozed")
    case .actionsOffered: Why("actions", "N15", "it offers actions")
    case .categoryUnknown: Why("unknown", "N15", "the app has no category of that name: it offers none of its actions")
    case .programRuns: Why("runs", "N16", "the app's notification hook gets it")
    case .programForceQuit: Why("force-quit", "N16", "the app is force-quit: its notification hook does not run")
    case .lampByTag: Why("tag", "D1", "a tag names the lamp's pattern")
    case .soundShipped: Why("shipped", "A1", "the sound comes with Deskbell")
    case .soundChosen: Why("chosen", "A6", "the person chose the default sound")
    case .typeTaken: Why("taken", "T1", "the app takes pushes of its type, of which nothing is presented")
    case .typeNotTaken: Why("no-mode", "T1", "the app names background modes, and none for its type")
    case .callsUnanswered:
      Why(
        "unanswered", "T2", "the app left \(Policy.unansweredCalls) calls in a row unanswered, and was not opened since"
      )
    case .spentToday: Why("spent", "T3", "the app has had as many pushes of its type as it may have in a day")
    case .typeUnchanged: Why("unchanged", "T4", "its aps does not say that the content changed")
    case .extensionRuns: Why("runs", "X1", "the app's service extension has it, before it is presented")
    case .extensionBusy:
      Why("busy", "X1", "too many wait for the app's service extension: it is presented as it was sent")
    case .extensionChanged: Why("changed", "X1", "the app's service extension changed it")
    case .extensionTimedOut:
      Why("timed-out", "X1", "the app's service extension was late: it is presented as it was sent")
    case .extensionFailed:
      Why("failed", "X1", "the app's service extension gave no answer: it is presented as it was sent")
    case .fetchedAtInterval: Why("interval", "F4", "the fetch interval ended: it arrives")
    case .fetchedByPerson: Why("person", "F4", "somebody fetched it: it arrives")
    case .fetchedByOpening: Why("opened", "F4", "its app was opened, which fetched it: it arrives")
    case .deferredLowPower: Why("deferred", "Q1", "its priority is below 10, and the handset saves power: it waits")
    case .deferredSummary: Why("deferred", "Q2", "its app's notifications wait for the summary")
    case .released: Why("released", "Q1", "it was deferred: it goes on now")
    case .grouped: Why("grouped", "Q1", "it is presented with others that waited: at most one of them sounds")
    case .priorityOne: Why("priority-1", "Q1", "its priority is 1: it is treated as passive")
    case .focus: Why("silenced", "Q3", "the Focus mode does not allow it: it is only listed")
    case .provisional: Why("provisional", "Q4", "the app's authorization is provisional: it is only listed")
    }
  }

  /// The kinds that it keeps from the person.
  public var stops: NotificationKinds {
    switch self {
    case .appUnknown, .tokenUnknown, .tokenOfAnother, .tokenGone, .tokenExpired, .nodeUnknown, .nodeGone, .keptOffline,
      .fetchInterval, .fetchManual, .notKept, .notRegisteredYet, .unregistered, .forApp, .forNobody, .quietType,
      .handsetOff, .notAllowed, .inForeground, .typeTaken, .typeNotTaken, .extensionRuns, .deferredLowPower,
      .deferredSummary, .provisional, .tokenOfAnotherUse, .activityOlder, .activityBudgetSpent, .activityUnknown,
      .activitiesOff,
      .activityLimit:
      .all
    case .focus: [.sound, .alert]
    case .badgeAbsent, .badgeBad, .badgeLeft, .badgeHidden, .badgeNotChosen, .badgeUnseen, .badgeNotRegistered,
      .badgeOff:
      .badge
    case .soundNotRegistered, .soundOff, .soundNotAsked, .soundAbsent, .passive, .silentSwitch, .quietHours,
      .volumeZero, .handsetVolumeZero, .criticalVolumeZero, .snoozed, .grouped:
      .sound
    case .alertNotRegistered, .alertOff, .styleNone, .alertNotAsked: .alert
    default: []
    }
  }
}

/// The rulings on one push in one turn, in the order of the decisions.
public struct PushRulings: Hashable, Sendable {
  /// The number of the event that they explain: one that `isExplained`, or `refused`. They are stored with the
  /// event and deleted with it.
  public var event: UInt64
  public var push: PushID
  public var rulings: [Ruling] = []
}

// MARK: - Reasons of events

extension Why {
  /// The reasons of each kind of event that has reasons.
  public static var table: [(event: Event.Name, reasons: [Why])] {
    func ended(_ reasons: Event.Ended...) -> [Why] { reasons.map(\.reason) }
    return [
      (.notPresented, Event.NotPresented.allCases.map(\.reason)),
      (.unscheduled, ended(.cancelled, .pendingLimit, .uninstalled, .retracted)),
      (.cleared, Event.Cleared.allCases.map(\.reason)), (.held, Event.Held.allCases.map(\.reason)),
      (.deferred, Event.Deferred.allCases.map(\.reason)),
      (.discarded, Event.Discarded.allCases.map(\.reason)),
      (.alertDropped, ended(.alertLimit, .alertNotAllowed)), (.kept, Event.Kept.allCases.map(\.reason)),
      (.fetched, Event.Fetched.allCases.map(\.reason)), (.timedOut, [timedOut, callTimedOut]),
      (.duplicate, [duplicate]), (.reusedID, [reusedID]),
      (.repeatEnded, ended(.times, .repeatLimit, .repeatNotAllowed)),
      (.activity, ActivityChange.allCases.map(\.reason)), (.snoozeEnded, ended(.over, .byPerson)),
      (.callEnded, ended(.gaveUp, .callLimit, .uninstalled)),
    ]
  }

  static let duplicate = Why("came-again", "P1", "it came within the last hour and counts once")
  static let reusedID = Why("id-in-use", .reusedID)
  static let timedOut = Why("not-completed", "U8", "the app did not complete it within 30 seconds and was stopped")
  static let callTimedOut = Why(
    "call-not-completed", "T2", "the app did not complete the call within 5 seconds and was stopped")
}

extension Event {
  public enum NotPresented: Error, Hashable, Sendable, CaseIterable {
    case handsetNotificationsOff, appNotAllowed, kindNotRegistered, switchedOff, foreground, nothingToShow, passive
    case silentSwitch, quietHours, volumeZero, handsetVolumeZero, criticalVolumeZero, snoozed
    /// Set by `Turn.dropSound`.
    case soundReplaced, speakerLost
    case focus, grouped, provisional

    public var reason: Why {
      switch self {
      case .handsetNotificationsOff: Why("handset-off", .handsetOff)
      case .appNotAllowed: Why("app-not-allowed", .notAllowed)
      case .kindNotRegistered: Why("not-registered-for", "S6", "the app did not register for any kind in it")
      case .switchedOff: Why("switched-off", "S1", "every kind in it is switched off for this app")
      case .foreground: Why("foreground", .inForeground)
      case .nothingToShow: Why("nothing-to-show", nil, "it contains nothing for a person")
      case .passive: Why("passive", .passive)
      case .silentSwitch: Why("silent-switch", .silentSwitch)
      case .quietHours: Why("quiet-hours", .quietHours)
      case .volumeZero: Why("volume-zero", .volumeZero)
      case .handsetVolumeZero: Why("handset-volume-zero", .handsetVolumeZero)
      case .criticalVolumeZero: Why("critical-volume-zero", .criticalVolumeZero)
      case .snoozed: Why("snoozed", .snoozed)
      case .focus: Why("focus", .focus)
      case .grouped: Why("grouped", .grouped)
      case .provisional: Why("provisional", .provisional)
      case .soundReplaced: Why("replaced", "A4", "a newer sound replaced it before it began")
      case .speakerLost: Why("speaker-lost", "A5", "the speaker does not work, and is not tried again yet")
      }
    }
  }

  /// The reason why something ended that would have gone on: a repetition, a snooze, a call, a local notification, or
  /// an alert that was not acted on.
  public enum Ended: Hashable, Sendable {
    case times, repeatLimit, repeatNotAllowed, over, byPerson, gaveUp, callLimit, cancelled, pendingLimit, alertLimit
    case alertNotAllowed, uninstalled, retracted

    public var reason: Why {
      switch self {
      case .times: Why("times", "N11", "it has sounded as often as it may, and nobody came")
      case .repeatLimit: Why("repeat-limit", "N11", "too many others sound again")
      case .repeatNotAllowed: Why("not-allowed", "S1", "it may no longer sound again")
      case .over: Why("over", "N12", "its time is over")
      case .byPerson: Why("by-person", "N12", "the person ended it")
      case .gaveUp: Why("gave-up", "N13", "its receiver did not take it")
      case .callLimit: Why("call-limit", "N13", "too many newer calls wait")
      case .cancelled: Why("cancelled", "L1", "the app cancelled it")
      case .pendingLimit: Why("pending-limit", "L2", "\(Policy.localPendingLimit) that are due sooner are pending")
      case .alertLimit: Why("alert-limit", "N7", "\(Policy.alertQueueLimit) newer alerts are up")
      case .alertNotAllowed: Why("not-allowed", "S1", "alerts of this app are no longer allowed")
      case .uninstalled: Discarded.uninstalled.reason
      case .retracted: Discarded.retracted.reason
      }
    }
  }

  public enum Cleared: Hashable, Sendable, CaseIterable {
    case badgeZero, opened, notificationOpened, byPerson, byProvider, notAllowed, unregistered, limit, responded, byApp

    public var reason: Why {
      switch self {
      case .badgeZero: Why("badge-zero", "B3", "the badge was set to zero")
      case .opened: Why("opened", "N10", "the app was opened")
      case .notificationOpened: Why("notification-opened", "N10", "the notification was opened")
      case .byProvider: Why("by-provider", "N8", "the provider took it back")
      case .byPerson: Why("by-person", "N10", "the person cleared them")
      case .byApp: Why("by-app", "N17", "the app removed them")
      case .responded: Why("responded", "N15", "an action of it was chosen")
      case .notAllowed: Why("not-allowed", "S1", "they are no longer allowed")
      case .unregistered: Discarded.unregistered.reason
      case .limit: Why("center-full", nil, "Notification Center was full")
      }
    }

    /// True if all of the app's notifications in the list are removed for it.
    public var emptiesSection: Bool {
      switch self {
      case .badgeZero, .opened, .notAllowed, .unregistered: true
      case .notificationOpened, .byPerson, .byProvider, .limit, .responded, .byApp: false
      }
    }
  }

  /// The reason why the service keeps a push. The raw value is its code.
  public enum Kept: String, Hashable, Sendable, CaseIterable {
    case offline
    case fetchInterval = "fetch-interval"
    case manual = "fetch-manual"

    var ruling: Ruling {
      switch self {
      case .offline: .keptOffline
      case .fetchInterval: .fetchInterval
      case .manual: .fetchManual
      }
    }

    public var reason: Why { Why(rawValue, ruling) }
  }

  /// The cause of a fetch. The raw value is its code.
  public enum Fetched: String, Hashable, Sendable, CaseIterable {
    case interval = "fetch-interval"
    case byPerson = "by-person"
    case opened

    var ruling: Ruling {
      switch self {
      case .interval: .fetchedAtInterval
      case .byPerson: .fetchedByPerson
      case .opened: .fetchedByOpening
      }
    }

    public var reason: Why {
      switch self {
      case .interval: Why(rawValue, "F4", "the fetch interval ended")
      case .byPerson: Why(rawValue, "F4", "somebody fetched")
      case .opened: Why(rawValue, "F4", "the app was opened")
      }
    }
  }

  /// The reason why a background update is not delivered yet, or a notification not presented. The raw value is its code. Before 0.10, fetch modes held
  /// updates on the handset: their reasons are in old records only.
  public enum Held: String, Hashable, Sendable, CaseIterable {
    case budget
    case lowPower = "low-power"
    case fetchInterval = "fetch-interval"
    case manual = "fetch-manual"
    case notConnected = "not-connected"
    case activityBudget = "activity-budget"
    case serviceExtension = "service-extension"

    var ruling: Ruling {
      switch self {
      case .budget: .budgetSpent
      case .lowPower: .lowPower
      case .fetchInterval: .fetchInterval
      case .manual: .fetchManual
      case .notConnected: .notConnected
      case .activityBudget: .activityBudgetSpent
      case .serviceExtension: .extensionRuns
      }
    }

    public var reason: Why { Why(rawValue, ruling) }
  }

  /// The reason why a background update, or a push that its app cannot receive, was discarded.
  public enum Discarded: Hashable, Sendable, CaseIterable {
    case replaced, replacedOffline, replacedInService, notRegisteredYet, noBackgroundMode, killed, forceQuit,
      isForceQuit, died
    case disconnected, stopped, offeredTwice, tooManyOffered, noReceiver, notListening, expired, expiredOffline
    case notKept, uninstalled, unregistered, retracted
    case olderTimestamp, updateReplaced, noActivity, activitiesOff, activityLimit
    case noTypeMode, callsUnanswered, spentToday, unchanged, collapsed, replacedDeferred, expiredDeferred,
      tooManyDeferred, badgeZero

    public var reason: Why {
      switch self {
      case .olderTimestamp: Why("older-timestamp", .activityOlder)
      case .updateReplaced: Why("update-replaced", "LA3", "a newer update of the Live Activity replaced it")
      case .noActivity: Why("no-activity", .activityUnknown)
      case .activitiesOff: Why("activities-off", .activitiesOff)
      case .activityLimit: Why("activity-limit", .activityLimit)
      case .replaced: Why("replaced", "U4", "a newer update replaced it")
      case .replacedOffline:
        Why("replaced-offline", "F1", "a newer push replaced it while the handset was unreachable")
      case .notRegisteredYet: Why("not-registered", .notRegisteredYet)
      case .noBackgroundMode: Why("no-background-mode", .noBackgroundMode)
      case .killed: Why("killed", "U5", "the app was killed")
      case .forceQuit: Why("force-quit", "U5", "the app was force-quit")
      case .isForceQuit: Why("is-force-quit", .forceQuit)
      case .died: Why("died", "U5", "a process of the app ended, which counts as killed")
      case .disconnected: Why("disconnected", "U5", "the app's connection ended, which counts as killed")
      case .stopped: Why("stopped", "U8", "the app was stopped because it did not complete another push in time")
      case .offeredTwice: Why("offered-twice", "U8", "it was offered again after a restart and not completed either")
      case .tooManyOffered:
        Why("too-many-offered", "U8", "the app has \(Policy.offerLimitPerApp) newer ones to complete")
      case .noReceiver: Why("no-receiver", "U8", "the app's new bundle has no hooks to receive it")
      case .notListening: Why("not-listening", .notListening)
      case .expired: Why("expired", "U9", "it expired")
      case .replacedInService:
        Why("replaced-in-service", "F1", "a newer push replaced it while it waited in the service")
      case .expiredOffline: Why("expired-offline", "F1", "it expired while it waited in the service")
      case .retracted: Why("retracted", "N8", "the provider took it back")
      case .noTypeMode: Why("no-type-mode", .typeNotTaken)
      case .callsUnanswered: Why("calls-unanswered", .callsUnanswered)
      case .spentToday: Why("spent-today", .spentToday)
      case .unchanged: Why("unchanged", .typeUnchanged)
      case .collapsed: Why("collapsed", "N8", "a newer push with its collapse identifier came before it was presented")
      case .notKept: Why("not-kept", .notKept)
      case .replacedDeferred: Why("replaced-deferred", "Q1", "a newer push replaced it while it was deferred")
      case .expiredDeferred: Why("expired-deferred", "Q1", "it expired while it was deferred")
      case .tooManyDeferred: Why("too-many-deferred", "Q1", "too many newer ones are deferred")
      case .badgeZero: Cleared.badgeZero.reason
      case .uninstalled: Why("uninstalled", "R3", "the app was uninstalled")
      case .unregistered: Why("unregistered", .unregistered)
      }
    }
  }
}
