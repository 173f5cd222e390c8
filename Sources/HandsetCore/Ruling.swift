// The outcomes of rules for one push. The branch that decides records the ruling, so an explanation never has to apply
// the rules again and cannot disagree with them.

/// One rule that applied to a push, and its outcome. The raw value is what is stored: the rule, a dot, the outcome.
public enum Ruling: String, Hashable, Sendable, CaseIterable {
  // Its arrival.
  case tokenGood = "R4.good"
  case tokenUnknown = "R4.unknown"
  case tokenOfAnother = "R4.another"
  case tokenGone = "R4.gone"
  case tokenExpired = "R4.expired"
  case nodeGood = "R1.node"
  case nodeUnknown = "R1.no-node"
  case nodeGone = "R1.gone-node"
  case reusedID = "P1.reused"
  case localDue = "L1.due"
  case online = "F1.online"
  case keptOffline = "F1.kept"
  case tookServiceSlot = "F1.replaced"
  case notKept = "F1.once"
  case registered = "R1.registered"
  case notRegisteredYet = "R1.pending"
  case unregistered = "R2.unregistered"

  // Its kind.
  case forPerson = "U2.person"
  case forPersonAndApp = "U2.both"
  case forApp = "U2.update"
  case forNobody = "U2.empty"
  case quietType = "U3.quiet"

  // The badge.
  case badgeAbsent = "B4.absent"
  case badgeSet = "B1.set"
  case badgeBad = "B2.bad"
  case badgeClears = "B3.cleared"
  case badgeLeft = "N2.badge"
  case badgeHidden = "S4.hidden"
  case badgeNotChosen = "B5.another"

  // Whether it is presented.
  case handsetOn = "S2.on"
  case handsetOff = "S2.off"
  case allowed = "S1.allowed"
  case notAllowed = "S1.not-allowed"
  case kindsRegistered = "S6.registered"
  case badgeNotRegistered = "S6.badge"
  case soundNotRegistered = "S6.sound"
  case alertNotRegistered = "S6.alert"
  case badgeOff = "S1.badge-off"
  case soundOff = "S1.sound-off"
  case alertOff = "S1.alert-off"
  case styleNone = "S1.style-none"
  case notListed = "S1.not-listed"
  case bySystem = "N1.system"
  case inForeground = "N2.foreground"
  case foregroundAsked = "N2.asked"
  case soundNotAsked = "N2.sound"
  case alertNotAsked = "N2.alert"

  // The message.
  case replacesEarlier = "N8.replaced"
  case listed = "S1.listed"
  case banner = "N3.banner"
  case alert = "N3.alert"
  case alertOverOthers = "N7.over"
  case lampLit = "D1.lit"
  case lampOfAnother = "D1.another"

  // The sound.
  case soundAbsent = "A1.none"
  case passive = "N9.passive"
  case critical = "N9.critical"
  case criticalOff = "S1.critical-off"
  case criticalVolumeZero = "N9.volume-zero"
  case silentSwitch = "S5.silent"
  case quietHours = "S5.quiet-hours"
  case timeSensitive = "N9.time-sensitive"
  case timeSensitiveOff = "S1.time-sensitive-off"
  case audible = "S5.audible"
  case volumeZero = "S1.volume-zero"
  case soundOwn = "A1.own"
  case soundDefault = "A1.default"
  case soundMissing = "A1.missing"
  case vibrates = "D3.vibrates"
  case vibrationOff = "S1.vibration-off"

  // Its delivery to the app.
  case backgroundMode = "U1.mode"
  case noBackgroundMode = "U1.no-mode"
  case forceQuit = "U5.force-quit"
  case replacesHeld = "U4.replaced"
  case budgetLeft = "U7.free"
  case budgetSpent = "U7.spent"
  case lowPower = "U7.low-power"
  case fetchInterval = "S3.interval"
  case fetchManual = "S3.manual"
  case notConnected = "U8.not-connected"
  case atOnce = "U10.at-once"
  case givenInForeground = "N2.given"
  case notListening = "N2.not-listening"

  /// The rule. Never nil: a test checks that every raw value begins with a rule.
  public var rule: Rule? { Rule(rawValue: String(rawValue.prefix { $0 != "." })) }

  /// The outcome, for a person to read.
  public var outcome: String {
    switch self {
    case .tokenGood: "the token is the app's"
    case .tokenUnknown: "no app has that token"
    case .tokenOfAnother: "the token belongs to another app than the topic"
    case .tokenGone: "the token's app is no longer registered"
    case .tokenExpired: "the token's app has another one now"
    case .nodeGood: "the publishing node is the app's"
    case .nodeUnknown: "there is no such publishing node"
    case .nodeGone: "the publishing node's app is uninstalled or unregistered"
    case .reusedID: "another push had its apns-id within the last hour: this one is new"
    case .localDue: "its time has come"
    case .online: "the handset is online: it arrives"
    case .keptOffline: "the handset is offline: the service keeps it"
    case .tookServiceSlot: "it replaced an older push that the service kept"
    case .notKept: "the handset is offline, and the push allows only one attempt"
    case .registered: "the app is registered"
    case .notRegisteredYet: "the app has not registered yet: the push is discarded"
    case .unregistered: "the app is unregistered: the push is discarded"
    case .forPerson: "it is a notification for the person"
    case .forPersonAndApp: "it is a notification for the person that also wakes the app"
    case .forApp: "it is a background update, with nothing for a person"
    case .forNobody: "it contains nothing for a person and no update"
    case .quietType: "a push of type background presents nothing"
    case .badgeAbsent: "it has no badge: the badge is unchanged"
    case .badgeSet: "its number is the app's badge"
    case .badgeBad: "its badge is not a whole number of zero or more and is ignored"
    case .badgeClears: "zero cleared the app's notifications"
    case .badgeLeft: "the app is in the foreground: the system leaves the badge"
    case .badgeHidden: "a setting hides the badge; its number is kept"
    case .badgeNotChosen: "the display shows another app's badge"
    case .handsetOn: "notifications are on"
    case .handsetOff: "notifications are off for the whole handset"
    case .allowed: "notifications are allowed for the app"
    case .notAllowed: "notifications are off for the app"
    case .kindsRegistered: "the app registered for every kind in it"
    case .badgeNotRegistered: "the app did not register for badges"
    case .soundNotRegistered: "the app did not register for sounds"
    case .alertNotRegistered: "the app did not register for alerts"
    case .badgeOff: "the app's badge is switched off"
    case .soundOff: "the app's sound is switched off"
    case .alertOff: "the app's alerts are switched off"
    case .styleNone: "the app's style is none: no banner, no alert"
    case .notListed: "the app is not shown in Notification Center"
    case .bySystem: "the app is not in the foreground: the system presents it"
    case .inForeground: "the app is in the foreground: the system presents nothing"
    case .foregroundAsked: "the app is in the foreground, and asked for presentation"
    case .soundNotAsked: "in the foreground the app asked for no sound"
    case .alertNotAsked: "in the foreground the app asked for no alert"
    case .replacesEarlier: "it replaced the notification with its collapse identifier"
    case .listed: "it is listed in Notification Center"
    case .banner: "a banner shows it for a few seconds"
    case .alert: "an alert shows it, until it is acted on"
    case .alertOverOthers: "its alert is on top of others"
    case .lampLit: "the lamp shows it"
    case .lampOfAnother: "the lamp does not show it"
    case .soundAbsent: "it has no sound"
    case .passive: "passive: it makes no sound"
    case .critical: "critical notifications are allowed: it passes silence and quiet hours"
    case .criticalOff: "critical notifications are not allowed for the app"
    case .criticalVolumeZero: "the push gives its critical sound the volume 0"
    case .silentSwitch: "the ring/silent switch is on silent"
    case .volumeZero: "the app's volume is 0%"
    case .quietHours: "these are quiet hours"
    case .timeSensitive: "time-sensitive: it passes quiet hours"
    case .timeSensitiveOff: "time-sensitive notifications are not allowed for the app: quiet hours apply"
    case .audible: "neither silence nor quiet hours: its sound is played"
    case .soundOwn: "the app has the sound"
    case .soundDefault: "it asks for the default sound"
    case .soundMissing: "the app does not have the sound: the default sound is played"
    case .vibrates: "the motor vibrates, if one is fitted"
    case .vibrationOff: "vibrating is switched off"
    case .backgroundMode: "the app takes background updates"
    case .noBackgroundMode: "the app has no remote-notification background mode: the update is discarded"
    case .forceQuit: "the app is force-quit and is not woken"
    case .replacesHeld: "it replaced the held update"
    case .budgetLeft: "budget and conditions allow the delivery"
    case .budgetSpent: "three were delivered in the last 60 minutes: it is held"
    case .lowPower: "the handset saves power: it is held"
    case .fetchInterval: "updates are fetched at an interval: it is held until then"
    case .fetchManual: "updates are fetched by hand: it is held until the app is opened"
    case .notConnected: "the app listens and is not connected: it is held"
    case .atOnce: "the app is in the foreground: it gets the update at once, outside the budget"
    case .givenInForeground: "the app is in the foreground: it gets the push"
    case .notListening: "the app is in the foreground without a connection and ignores it"
    }
  }

  /// The kinds that it keeps from the person.
  public var stops: NotificationKinds {
    switch self {
    case .tokenUnknown, .tokenOfAnother, .tokenGone, .tokenExpired, .nodeUnknown, .nodeGone, .keptOffline, .notKept,
      .notRegisteredYet, .unregistered, .forApp, .forNobody, .quietType, .handsetOff, .notAllowed, .inForeground:
      .all
    case .badgeAbsent, .badgeBad, .badgeLeft, .badgeHidden, .badgeNotChosen, .badgeNotRegistered, .badgeOff: .badge
    case .soundNotRegistered, .soundOff, .soundNotAsked, .soundAbsent, .passive, .silentSwitch, .quietHours,
      .volumeZero, .criticalVolumeZero:
      .sound
    case .alertNotRegistered, .alertOff, .styleNone, .alertNotAsked: .alert
    case .tokenGood, .nodeGood, .reusedID, .localDue, .online, .tookServiceSlot, .registered, .forPerson,
      .forPersonAndApp, .badgeSet,
      .badgeClears, .handsetOn, .allowed, .kindsRegistered, .notListed, .bySystem, .foregroundAsked, .replacesEarlier,
      .listed, .banner, .alert, .alertOverOthers, .lampLit, .lampOfAnother, .critical, .criticalOff, .timeSensitive,
      .timeSensitiveOff, .audible, .soundOwn, .soundDefault, .soundMissing, .vibrates, .vibrationOff, .backgroundMode,
      .noBackgroundMode, .forceQuit, .replacesHeld, .budgetLeft, .budgetSpent, .lowPower,
      .fetchInterval, .fetchManual, .notConnected, .atOnce, .givenInForeground, .notListening:
      []
    }
  }
}

extension Ruling {
  /// Rule S6: for kinds in a push that its app did not register for.
  static func notRegistered(_ kinds: NotificationKinds) -> [Ruling] {
    kinds.isEmpty
      ? [.kindsRegistered]
      : kinds.rulings(badge: .badgeNotRegistered, sound: .soundNotRegistered, alert: .alertNotRegistered)
  }

  /// Rule S1: for kinds that are switched off.
  static func switchedOff(_ kinds: NotificationKinds) -> [Ruling] {
    kinds.rulings(badge: .badgeOff, sound: .soundOff, alert: .alertOff)
  }

  /// Rule N2: for kinds that an app in the foreground did not ask for. The badge has its own ruling, where it is set.
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

  mutating func rule(_ list: [Ruling], on push: PushID) {
    for ruling in list { rule(ruling, on: push) }
  }
}
