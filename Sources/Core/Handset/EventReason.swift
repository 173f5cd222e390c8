// Programs read codes and people read text. This is the only table that maps one to the other. Codes are stored and
// sent, so a code never changes; a text may.

/// The reason why something happened, or did not.
public struct EventReason: Hashable, Sendable {
  /// A stable word, as in `quiet-hours`.
  public var code: String
  /// The rule by its number in docs/handset.md, as in `S5`; nil if no rule applies.
  public var rule: String?
  /// The explanation for a person to read.
  public var text: String

  init(_ code: String, _ rule: String?, _ text: String) {
    self.code = code
    self.rule = rule
    self.text = text
  }

  /// The reasons of each kind of event that has reasons.
  public static var table: [(event: Event.Name, reasons: [EventReason])] {
    [
      (.notPresented, Event.NotPresented.allCases.map(\.reason)),
      (.unscheduled, Event.Unscheduled.allCases.map(\.reason)),
      (.cleared, Event.Cleared.allCases.map(\.reason)), (.held, Event.Held.allCases.map(\.reason)),
      (.discarded, Event.Discarded.allCases.map(\.reason)),
      (.alertDropped, Event.AlertDropped.allCases.map(\.reason)), (.kept, [kept]), (.timedOut, [timedOut]),
      (.duplicate, [duplicate]), (.reusedID, [reusedID]),
      (.repeatEnded, Event.RepeatEnded.allCases.map(\.reason)),
      (.snoozeEnded, Event.SnoozeEnded.allCases.map(\.reason)),
      (.callEnded, Event.CallEnded.allCases.map(\.reason)),
    ]
  }

  static let duplicate = EventReason("came-again", "P1", "it came within the last hour and counts once")
  static let reusedID = EventReason(
    "id-in-use", "P1", "another push had its apns-id within the last hour: this one is new")
  static let kept = EventReason("offline", "F1", "the handset was unreachable")
  static let timedOut = EventReason(
    "not-completed", "U8", "the app did not complete it within 30 seconds and was stopped")
}

extension Event.NotPresented {
  public var reason: EventReason {
    switch self {
    case .handsetNotificationsOff: .init("handset-off", "S2", "notifications are off for the whole handset")
    case .appNotAllowed: .init("app-not-allowed", "S1", "notifications are off for this app")
    case .kindNotRegistered: .init("not-registered-for", "S6", "the app did not register for any kind in it")
    case .switchedOff: .init("switched-off", "S1", "every kind in it is switched off for this app")
    case .foreground: .init("foreground", "N2", "the app is in the foreground")
    case .nothingToShow: .init("nothing-to-show", nil, "it contains nothing for a person")
    case .passive: .init("passive", "N9", "a passive notification makes no sound")
    case .silentSwitch: .init("silent-switch", "S5", "the ring/silent switch is set to silent")
    case .quietHours: .init("quiet-hours", "S5", "these are quiet hours")
    case .volumeZero: .init("volume-zero", "S1", "the app's volume is 0%")
    case .handsetVolumeZero: .init("handset-volume-zero", "S1", "the handset's volume is 0% at this hour")
    case .criticalVolumeZero: .init("critical-volume-zero", "N9", "the push gives its critical sound the volume 0")
    case .snoozed: .init("snoozed", "N12", "its app, or all, are snoozed")
    }
  }
}

extension Event.RepeatEnded {
  public var reason: EventReason {
    switch self {
    case .times: .init("times", "N11", "it has sounded as often as it may, and nobody came")
    case .limit: .init("repeat-limit", "N11", "too many others sound again")
    case .notAllowed: .init("not-allowed", "S1", "it may no longer sound again")
    }
  }
}

extension Event.CallEnded {
  public var reason: EventReason {
    switch self {
    case .gaveUp: .init("gave-up", "N13", "its receiver did not take it")
    case .limit: .init("call-limit", "N13", "too many newer calls wait")
    case .uninstalled: .init("uninstalled", "R3", "the app was uninstalled")
    }
  }
}

extension Event.SnoozeEnded {
  public var reason: EventReason {
    switch self {
    case .over: .init("over", "N12", "its time is over")
    case .byPerson: .init("by-person", "N12", "the person ended it")
    }
  }
}

extension Event.Unscheduled {
  public var reason: EventReason {
    switch self {
    case .cancelled: .init("cancelled", "L1", "the app cancelled it")
    case .limit: .init("pending-limit", "L2", "\(Policy.localPendingLimit) that are due sooner are pending")
    case .uninstalled: .init("uninstalled", "R3", "the app was uninstalled")
    case .retracted: .init("retracted", "N8", "the provider took it back")
    }
  }
}

extension Event.Cleared {
  public var reason: EventReason {
    switch self {
    case .badgeZero: .init("badge-zero", "B3", "the badge was set to zero")
    case .opened: .init("opened", "N10", "the app was opened")
    case .byProvider: .init("by-provider", "N8", "the provider took it back")
    case .byPerson: .init("by-person", "N10", "the person cleared them")
    case .byApp: .init("by-app", "N17", "the app removed them")
    case .responded: .init("responded", "N15", "an action of it was chosen")
    case .notAllowed: .init("not-allowed", "S1", "they are no longer allowed")
    case .unregistered: .init("unregistered", "R2", "the app unregistered")
    case .limit: .init("center-full", nil, "Notification Center was full")
    }
  }
}

extension Event.AlertDropped {
  public var reason: EventReason {
    switch self {
    case .limit: .init("alert-limit", "N7", "\(Policy.alertQueueLimit) newer alerts are up")
    case .notAllowed: .init("not-allowed", "S1", "alerts of this app are no longer allowed")
    }
  }
}

extension Event.Held {
  public var reason: EventReason {
    switch self {
    case .budget: .init("budget", "U7", "three updates were delivered in the last 60 minutes")
    case .lowPower: .init("low-power", "U7", "the handset saves power")
    case .fetchInterval: .init("fetch-interval", "S3", "updates are fetched at an interval")
    case .manual: .init("fetch-manual", "S3", "updates are fetched by hand")
    case .notConnected: .init("not-connected", "U8", "the app listens and is not connected")
    }
  }
}

extension Event.Discarded {
  public var reason: EventReason {
    switch self {
    case .replaced: .init("replaced", "U4", "a newer update replaced it")
    case .replacedOffline: .init("replaced-offline", "F1", "a newer push replaced it while the handset was unreachable")
    case .notRegisteredYet: .init("not-registered", "R1", "the app has not registered yet")
    case .noBackgroundMode: .init("no-background-mode", "U1", "the app has no remote-notification background mode")
    case .killed: .init("killed", "U5", "the app was killed")
    case .forceQuit: .init("force-quit", "U5", "the app was force-quit")
    case .isForceQuit: .init("is-force-quit", "U5", "the app is force-quit and is not woken")
    case .died: .init("died", "U5", "a process of the app ended, which counts as killed")
    case .disconnected: .init("disconnected", "U5", "the app's connection ended, which counts as killed")
    case .stopped: .init("stopped", "U8", "the app was stopped because it did not complete another push in time")
    case .offeredTwice: .init("offered-twice", "U8", "it was offered again after a restart and not completed either")
    case .tooManyOffered:
      .init("too-many-offered", "U8", "the app has \(Policy.offerLimitPerApp) newer ones to complete")
    case .noReceiver: .init("no-receiver", "U8", "the app's new bundle has no hooks to receive it")
    case .notListening: .init("not-listening", "N2", "the app is in the foreground without a connection and ignores it")
    case .expired: .init("expired", "U9", "it expired")
    case .expiredOffline: .init("expired-offline", "F1", "it expired while the handset was unreachable")
    case .retracted: .init("retracted", "N8", "the provider took it back")
    case .notKept: .init("not-kept", "F1", "it was good for one try, and the handset was unreachable")
    case .uninstalled: .init("uninstalled", "R3", "the app was uninstalled")
    case .unregistered: .init("unregistered", "R2", "the app unregistered")
    }
  }
}
