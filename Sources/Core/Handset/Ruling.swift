// The outcomes of rules for one push. The branch that decides records the ruling, so an explanation never has to apply
// the rules again and cannot disagree with them.

/// One rule that applied to a push, and its outcome.
public enum Ruling: UInt8, Hashable, Sendable, CaseIterable {
  // Its arrival.
  case tokenGood, tokenUnknown, tokenOfAnother, tokenGone, tokenExpired, nodeGood, nodeUnknown, nodeGone, reusedID,
    localDue, online, keptOffline, tookServiceSlot, notKept, registered, notRegisteredYet, unregistered
  // Its kind.
  case forPerson, forPersonAndApp, forApp, forNobody, quietType
  // The badge.
  case badgeAbsent, badgeSet, badgeBad, badgeClears, badgeLeft, badgeHidden, badgeNotChosen,
    badgeUnseen
  // Its presentation.
  case handsetOn, handsetOff, allowed, notAllowed, kindsRegistered, badgeNotRegistered, soundNotRegistered,
    alertNotRegistered, badgeOff, soundOff, alertOff, styleNone, notListed, bySystem, inForeground, foregroundAsked,
    soundNotAsked, alertNotAsked
  // The message.
  case replacesEarlier, listed, banner, alert, alertOverOthers, lampLit, lampOfAnother
  // The sound.
  case soundAbsent, passive, critical, criticalOff, criticalVolumeZero, silentSwitch, quietHours, timeSensitive,
    timeSensitiveOff, audible, volumeZero, handsetVolumeZero, soundOwn, soundDefault, soundMissing, vibrates,
    vibrationOff
  // Its delivery to the app.
  case backgroundMode, noBackgroundMode, forceQuit, replacesHeld, budgetLeft, budgetSpent, lowPower, fetchInterval,
    fetchManual, notConnected, atOnce, givenInForeground, notListening
  // With an access key.
  case keyGood, appUnknown
  // Its repetition until the person sees it.
  case repeats, repeatOff, snoozed
  // Its actions, and its app's notification hook.
  case actionsOffered, categoryUnknown, hookRuns, hookForceQuit, lampByTag
  // The sounds that come with Deskbell.
  case soundShipped, soundChosen

  /// The code that is stored and sent: the rule, a dot, the outcome.
  public var code: String { words.code }

  /// The outcome, for a person to read.
  public var outcome: String { words.outcome }

  /// The number of its rule: a key of `Rule.titles`.
  public var rule: String { String(code.prefix { $0 != "." }) }

  /// Nil if this version has no ruling with that code.
  public init?(code: String) {
    guard let ruling = Ruling.byCode[code] else { return nil }
    self = ruling
  }

  private static let byCode = Dictionary(uniqueKeysWithValues: allCases.map { ($0.code, $0) })

  private var words: (code: String, outcome: String) {
    switch self {
    case .tokenGood: ("R4.good", "the token is the app's")
    case .keyGood: ("R1.key", "an access key, or the settings, let it push to the app")
    case .appUnknown: ("R1.no-app", "the access key's app is not installed")
    case .tokenUnknown: ("R4.unknown", "no app has that token")
    case .tokenOfAnother: ("R4.another", "the token belongs to another app than the topic")
    case .tokenGone: ("R4.gone", "the token's app is no longer registered")
    case .tokenExpired: ("R4.expired", "the token's app has another one now")
    case .nodeGood: ("R1.node", "the publishing node is the app's")
    case .nodeUnknown: ("R1.no-node", "there is no such publishing node")
    case .nodeGone: ("R1.gone-node", "the publishing node's app is uninstalled or unregistered")
    case .reusedID: ("P1.reused", "another push had its apns-id within the last hour: this one is new")
    case .localDue: ("L1.due", "its time has come")
    case .online: ("F1.online", "the handset is online: it arrives")
    case .keptOffline: ("F1.kept", "the handset was unreachable: the service kept it")
    case .tookServiceSlot: ("F1.replaced", "it replaced an older push that the service kept")
    case .notKept: ("F1.once", "the handset was unreachable, and the push allows only one attempt")
    case .registered: ("R1.registered", "the app is registered")
    case .notRegisteredYet: ("R1.pending", "the app has not registered yet: the push is discarded")
    case .unregistered: ("R2.unregistered", "the app is unregistered: the push is discarded")
    case .forPerson: ("U2.person", "it is a notification for the person")
    case .forPersonAndApp: ("U2.both", "it is a notification for the person that also wakes the app")
    case .forApp: ("U2.update", "it is a background update, with nothing for a person")
    case .forNobody: ("U2.empty", "it contains nothing for a person and no update")
    case .quietType: ("U3.quiet", "a push of type background presents nothing")
    case .badgeAbsent: ("B4.absent", "it has no badge: the badge is unchanged")
    case .badgeSet: ("B1.set", "its number is the app's badge")
    case .badgeBad: ("B2.bad", "its badge is not a whole number of zero or more and is ignored")
    case .badgeClears: ("B3.cleared", "zero cleared the app's notifications")
    case .badgeLeft: ("N2.badge", "the app is in the foreground: the system leaves the badge")
    case .badgeHidden: ("S4.hidden", "a setting hides the badge; its number is kept")
    case .badgeNotChosen: ("B5.another", "the display shows another app's badge")
    case .badgeUnseen: ("B5.unseen", "the display shows how many of the app's notifications are unseen")
    case .handsetOn: ("S2.on", "notifications are on")
    case .handsetOff: ("S2.off", "notifications are off for the whole handset")
    case .allowed: ("S1.allowed", "notifications are allowed for the app")
    case .notAllowed: ("S1.not-allowed", "notifications are off for the app")
    case .kindsRegistered: ("S6.registered", "the app registered for every kind in it")
    case .badgeNotRegistered: ("S6.badge", "the app did not register for badges")
    case .soundNotRegistered: ("S6.sound", "the app did not register for sounds")
    case .alertNotRegistered: ("S6.alert", "the app did not register for alerts")
    case .badgeOff: ("S1.badge-off", "the app's badge is switched off")
    case .soundOff: ("S1.sound-off", "the app's sound is switched off")
    case .alertOff: ("S1.alert-off", "the app's alerts are switched off")
    case .styleNone: ("S1.style-none", "the app's style is none: no banner, no alert")
    case .notListed: ("S1.not-listed", "the app is not shown in Notification Center")
    case .bySystem: ("N1.system", "the app is not in the foreground: the system presents it")
    case .inForeground: ("N2.foreground", "the app is in the foreground: the system presents nothing")
    case .foregroundAsked: ("N2.asked", "the app is in the foreground, and asked for presentation")
    case .soundNotAsked: ("N2.sound", "in the foreground the app asked for no sound")
    case .alertNotAsked: ("N2.alert", "in the foreground the app asked for no alert")
    case .replacesEarlier: ("N8.replaced", "it replaced the notification with its collapse identifier")
    case .listed: ("S1.listed", "it is listed in Notification Center")
    case .banner: ("N3.banner", "a banner shows it for a few seconds")
    case .alert: ("N3.alert", "an alert shows it, until it is acted on")
    case .alertOverOthers: ("N7.over", "its alert is on top of others")
    case .lampLit: ("D1.lit", "the lamp shows it")
    case .lampOfAnother: ("D1.another", "the lamp does not show it")
    case .soundAbsent: ("A1.none", "it has no sound")
    case .passive: ("N9.passive", "passive: it makes no sound")
    case .critical: ("N9.critical", "critical notifications are allowed: it passes silence and quiet hours")
    case .criticalOff: ("S1.critical-off", "critical notifications are not allowed for the app")
    case .criticalVolumeZero: ("N9.volume-zero", "the push gives its critical sound the volume 0")
    case .silentSwitch: ("S5.silent", "the ring/silent switch is on silent")
    case .quietHours: ("S5.quiet-hours", "these are quiet hours")
    case .timeSensitive: ("N9.time-sensitive", "time-sensitive: it passes quiet hours")
    case .timeSensitiveOff:
      ("S1.time-sensitive-off", "time-sensitive notifications are not allowed for the app: quiet hours apply")
    case .audible: ("S5.audible", "neither silence nor quiet hours: its sound is played")
    case .volumeZero: ("S1.volume-zero", "the app's volume is 0%")
    case .handsetVolumeZero: ("S1.handset-volume-zero", "the handset's volume is 0% at this hour")
    case .soundOwn: ("A1.own", "the app has the sound")
    case .soundDefault: ("A1.default", "it asks for the default sound")
    case .soundMissing: ("A1.missing", "the app does not have the sound: the default sound is played")
    case .soundShipped: ("A1.shipped", "the sound comes with Deskbell")
    case .soundChosen: ("A6.chosen", "the person chose the default sound")
    case .vibrates: ("D3.vibrates", "the motor vibrates, if one is fitted")
    case .vibrationOff: ("S1.vibration-off", "vibrating is switched off")
    case .repeats: ("N11.repeats", "it sounds again, until it is seen or has sounded often enough")
    case .repeatOff: ("N11.off", "it asks to sound again, which is switched off for the app")
    case .snoozed: ("N12.snoozed", "its app, or all, are snoozed: it makes no sound until that is over")
    case .actionsOffered: ("N15.actions", "it offers actions")
    case .categoryUnknown: ("N15.unknown", "the app has no category of that name: it offers none of its actions")
    case .hookRuns: ("N16.runs", "the app's notification hook gets it")
    case .hookForceQuit: ("N16.force-quit", "the app is force-quit: its notification hook does not run")
    case .lampByTag: ("D1.tag", "a tag names the lamp's pattern")
    case .backgroundMode: ("U1.mode", "the app takes background updates")
    case .noBackgroundMode:
      ("U1.no-mode", "the app has no remote-notification background mode: the update is discarded")
    case .forceQuit: ("U5.force-quit", "the app is force-quit and is not woken")
    case .replacesHeld: ("U4.replaced", "it replaced the held update")
    case .budgetLeft: ("U7.free", "budget and conditions allow the delivery")
    case .budgetSpent: ("U7.spent", "three were delivered in the last 60 minutes: it is held")
    case .lowPower: ("U7.low-power", "the handset saves power: it is held")
    case .fetchInterval: ("S3.interval", "updates are fetched at an interval: it is held until then")
    case .fetchManual: ("S3.manual", "updates are fetched by hand: it is held until the app is opened")
    case .notConnected: ("U8.not-connected", "the app listens and is not connected: it is held")
    case .atOnce: ("U10.at-once", "the app is in the foreground: it gets the update at once, outside the budget")
    case .givenInForeground: ("N2.given", "the app is in the foreground: it gets the push")
    case .notListening: ("N2.not-listening", "the app is in the foreground without a connection and ignores it")
    }
  }

  /// The kinds that it keeps from the person.
  public var stops: NotificationKinds {
    switch self {
    case .appUnknown, .tokenUnknown, .tokenOfAnother, .tokenGone, .tokenExpired, .nodeUnknown, .nodeGone, .keptOffline,
      .notKept,
      .notRegisteredYet, .unregistered, .forApp, .forNobody, .quietType, .handsetOff, .notAllowed, .inForeground:
      .all
    case .badgeAbsent, .badgeBad, .badgeLeft, .badgeHidden, .badgeNotChosen, .badgeUnseen, .badgeNotRegistered,
      .badgeOff:
      .badge
    case .soundNotRegistered, .soundOff, .soundNotAsked, .soundAbsent, .passive, .silentSwitch, .quietHours,
      .volumeZero, .handsetVolumeZero, .criticalVolumeZero, .snoozed:
      .sound
    case .alertNotRegistered, .alertOff, .styleNone, .alertNotAsked: .alert
    default: []
    }
  }
}

extension Ruling {
  /// Returns the rulings of rule S6 for kinds in a push that its app did not register for.
  static func notRegistered(_ kinds: NotificationKinds) -> [Ruling] {
    kinds.isEmpty
      ? [.kindsRegistered]
      : kinds.rulings(badge: .badgeNotRegistered, sound: .soundNotRegistered, alert: .alertNotRegistered)
  }

  /// Returns the rulings of rule S1 for kinds that are switched off.
  static func switchedOff(_ kinds: NotificationKinds) -> [Ruling] {
    kinds.rulings(badge: .badgeOff, sound: .soundOff, alert: .alertOff)
  }

  /// Returns the rulings of rule N2 for kinds that an app in the foreground did not ask for, except the badge's.
  static func notAsked(_ kinds: NotificationKinds) -> [Ruling] {
    kinds.subtracting(.badge).rulings(badge: .badgeLeft, sound: .soundNotAsked, alert: .alertNotAsked)
  }

  init(_ held: Event.Held) {
    switch held {
    case .budget: self = .budgetSpent
    case .lowPower: self = .lowPower
    case .fetchInterval: self = .fetchInterval
    case .manual: self = .fetchManual
    case .notConnected: self = .notConnected
    }
  }

  init(_ refusal: Refusal) {
    switch refusal {
    case .deviceTokenNotForTopic: self = .tokenOfAnother
    case .unknownApp: self = .appUnknown
    case .goneApp: self = .unregistered
    case .unregistered: self = .tokenGone
    case .expiredToken: self = .tokenExpired
    case .unknownNode: self = .nodeUnknown
    case .goneNode: self = .nodeGone
    default: self = .tokenUnknown
    }
  }
}

extension NotificationKinds {
  fileprivate func rulings(badge: Ruling, sound: Ruling, alert: Ruling) -> [Ruling] {
    (contains(.badge) ? [badge] : []) + (contains(.sound) ? [sound] : []) + (contains(.alert) ? [alert] : [])
  }
}

/// The rulings on one push in one turn, in the order of the decisions.
public struct PushRulings: Hashable, Sendable {
  /// The number of the event that they explain: `accepted`, `refused`, `arrived` or `due`. They are stored with the
  /// event and deleted with it.
  public var event: UInt64
  public var push: PushID
  public var rulings: [Ruling] = []
}

extension Turn {
  /// Records the ruling if it is on the push that this turn decides about. Later turns have events instead.
  mutating func rule(_ ruling: Ruling, on push: PushID) {
    guard let last = rulings.indices.last, rulings[last].push == push else { return }
    rulings[last].rulings.append(ruling)
  }

  /// - Returns: `outcome`, which the ruling decides.
  mutating func rule<Outcome>(_ ruling: Ruling, on push: PushID, so outcome: Outcome) -> Outcome {
    rule(ruling, on: push)
    return outcome
  }

  mutating func rule(_ list: [Ruling], on push: PushID) {
    for ruling in list { rule(ruling, on: push) }
  }
}
