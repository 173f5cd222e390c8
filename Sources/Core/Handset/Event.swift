/// One thing that happened. Events have all of them in order, with reasons: for tests, and for people who ask why
/// something rang or did not.
public struct Event: Hashable, Sendable {
  /// 1 for the handset's first event, then consecutive.
  public var sequence: UInt64
  public var moment: Moment
  public var app: AppID?
  public var push: PushID?
  public var kind: Kind

  /// The kind of an event, with its values. `Name.meaning` says what it is.
  public enum Kind: Hashable, Sendable {
    case started(Start)
    case installed
    case uninstalled
    case registered(NotificationKinds)
    case unregistered
    case nodeCreated(String)
    case nodeDeleted(String)
    case lifecycle(Lifecycle)
    case setting(key: String, value: String)
    case condition(Condition, Bool)

    /// `unique` is the development service's `apns-unique-id`.
    case accepted(PushType, unique: PushID? = nil)
    /// Refused by its front end or by the handset. `status` is the HTTP status of the answer, `source` the client's IP
    /// address; `provider` is nil if none has authenticated.
    case refused(status: Int, reason: String, detail: String, source: String? = nil, provider: String? = nil)
    case ignored(PayloadFault)
    case duplicate(unique: PushID? = nil)
    case reusedID
    /// Rule B2. The text quotes the bad badge.
    case badBadge(String)

    case presented(Presented)
    case notPresented(NotPresented)
    case badge(Int)
    case answered(AlertButton)
    case button(AlertButton, PressLength)
    case seen(Int)
    case alertDropped(Ended)
    case cleared(Cleared, count: Int)

    case repeated(Repeated)
    case repeatEnded(Ended)
    case snoozed(until: WallTime)
    case snoozeEnded(Ended)

    case callQueued(Answer)
    case called(status: Int, attempts: Int)
    case callFailed(String)
    /// Calls that are not made any more; `problem` is the last attempt's.
    case callEnded(Ended, count: Int = 1, problem: String? = nil)

    case kept(Kept)
    case fetched(Fetched, count: Int)
    case arrived
    case held(Held)
    /// Until the time of the summary; nil until low power ends.
    case deferred(Deferred, until: WallTime? = nil)
    /// A change of the Focus mode with that name.
    case focus(String, FocusChange)
    /// `newer` is the push that replaced it.
    case discarded(Discarded, newer: PushID? = nil)
    case delivered(Lifecycle, attempt: Int = 1)
    /// The app completed it (rule U8). `reason` is a text that says why it failed.
    case completed(DeliveryResult, reason: String? = nil)
    case timedOut(isCall: Bool = false)
    /// The app loads the content of its widgets or controls again (rule T4).
    case reload(PushType)
    /// What the app's service extension did (rule X1). `reason` is a text that says why it failed.
    case extended(Ruling, reason: String? = nil)

    case responded(action: String, hasText: Bool)
    case selected(action: String)

    case timeZone(String)
    case foregroundPresentation(NotificationKinds)
    case scheduled(String, due: WallTime)
    case unscheduled(String, Ended)
    case due(String)

    case activity(ActivityID, ActivityChange)
    /// The activity's token, by its first digits: events have no secrets.
    case activityToken(ActivityID, String)

    case driver(DriverReport.Kind)

    /// Notes why the sound of the notification is not played after all. Returns false if it was to make none.
    mutating func dropSound(_ reason: NotPresented) -> Bool {
      switch self {
      case .presented(var presented):
        defer { self = .presented(presented) }
        return presented.rung.drop(reason)
      case .repeated(var repeated):
        defer { self = .repeated(repeated) }
        return repeated.rung.drop(reason)
      default: return false
      }
    }

    public var silenced: NotPresented? {
      switch self {
      case .presented(let presented): presented.rung.silenced
      case .repeated(let repeated): repeated.rung.silenced
      default: nil
      }
    }

    /// True if the rules are applied after it and the rulings are stored with it.
    var isExplained: Bool {
      switch self {
      case .accepted, .arrived, .due, .extended: true
      default: false
      }
    }
  }

  /// The parts of a push that were presented to the person.
  public struct Presented: Hashable, Sendable {
    public var style: PresentationStyle = .none
    public var isListed = false
    public var rung = Rung()
    /// The push whose notification this one replaces (rule N8).
    public var replaces: PushID?

    /// True if nothing was presented, except perhaps the badge, which has its own event.
    var isEmpty: Bool { style == .none && !isListed && rung.sound == nil && rung.vibration == nil }
  }

  /// The outcome for a notification that was to sound again.
  public struct Repeated: Hashable, Sendable {
    public var rung: Rung
    /// The number of this repetition and the most there may be; nil if it sounded because a snooze ended.
    public var time: Int?
    public var times: Int?
    /// Less urgent or older notifications that were due at the same time.
    public var others = 0
  }

  /// The kinds of events. A name is stored and sent, so it never changes.
  public enum Name: String, Hashable, Sendable, CaseIterable {
    case started, installed, uninstalled, registered, unregistered
    case nodeCreated = "node-created"
    case nodeDeleted = "node-deleted"
    case lifecycle, setting, condition, accepted, refused, ignored, duplicate
    case reusedID = "reused-id"
    case badBadge = "bad-badge"
    case presented
    case notPresented = "not-presented"
    case badge, answered, button, seen
    case alertDropped = "alert-dropped"
    case repeated
    case repeatEnded = "repeat-ended"
    case snoozed
    case snoozeEnded = "snooze-ended"
    case callQueued = "call-queued"
    case called
    case callFailed = "call-failed"
    case callEnded = "call-ended"
    case cleared, kept, arrived, held, discarded, delivered, completed
    case timedOut = "timed-out"
    case timeZone = "time-zone"
    case foregroundPresentation = "foreground-presentation"
    case scheduled, unscheduled, due, lamp, display
    case soundStarted = "sound-started"
    case soundEnded = "sound-ended"
    case deviceLost = "device-lost"
    case deviceBack = "device-back"
    case responded, selected, unreadable, activity, extended, reload
    case faultStruck = "fault-struck"
    case fetched
    case deferred, focus

    public var meaning: String {
      switch self {
      case .started: "The daemon started."
      case .installed: "The app was installed, or got a new bundle."
      case .uninstalled: "The app was uninstalled."
      case .registered: "The app registered for notifications of these kinds (R1)."
      case .unregistered: "The app unregistered (R2)."
      case .nodeCreated: "A provider created the publishing node (R1)."
      case .nodeDeleted: "A provider deleted the publishing node (R1)."
      case .lifecycle: "The app is in another state."
      case .setting: "The person changed a setting of the handset or of the app."
      case .condition: "A condition was switched on or off."
      case .accepted: "The push was accepted."
      case .refused: "The push was refused by its front end or by the handset."
      case .ignored: "A part of the payload violates the protocol and is ignored; the rest is used."
      case .duplicate: "The same push came again and counts once (P1)."
      case .reusedID: "Another push had the identifier within the last hour; both count (P1)."
      case .badBadge: "The badge is not a whole number of zero or more and is ignored (B2)."
      case .presented: "The notification was presented, in this way."
      case .notPresented: "The push did not reach the person."
      case .badge: "The app has this badge now."
      case .answered: "The person pressed this button of the alert."
      case .button: "The person pressed a button of the board while no alert was up (D2)."
      case .seen: "The person has seen this number of notifications."
      case .alertDropped: "The alert was removed before the person answered it."
      case .repeated: "The notification sounded again, or would have (N11, N12)."
      case .repeatEnded: "The notification does not sound again any more (N11)."
      case .snoozed: "The app, or all of them, make no sound until then (N12)."
      case .snoozeEnded: "The snooze ended (N12)."
      case .callQueued: "A call waits to be made (N13)."
      case .called: "The receiver took the call (N13)."
      case .callFailed: "The first attempt of the call failed; others follow (N13)."
      case .callEnded: "This number of calls is not made any more (N13)."
      case .cleared: "This number of notifications left Notification Center."
      case .kept: "The service keeps the push: it cannot reach the handset (F1), or the handset fetches later (S3)."
      case .arrived: "What the service kept, or the handset deferred, goes on now (F1, F4, Q1, Q2)."
      case .held:
        "The background update, or the Live Activity's, waits (U7, LA6), or the notification not presented (X1)."
      case .discarded: "The push, or its background update, was discarded."
      case .delivered: "The app, which is in this state, was given the push (U8)."
      case .completed: "The app completed the push, with this result (U8)."
      case .timedOut: "The app did not complete the push in time and is stopped (U8)."
      case .timeZone: "The handset is in another time zone."
      case .foregroundPresentation: "The app chose what the system presents while it is in the foreground (N2)."
      case .scheduled: "The app scheduled a local notification (L1)."
      case .unscheduled: "The local notification will not be presented (L1)."
      case .due: "The time of the local notification has come (L1)."
      case .lamp: "The board's lamp was lit or went dark."
      case .display: "The board's digits show this text."
      case .soundStarted: "The sound is played."
      case .soundEnded: "The sound ended."
      case .deviceLost: "A device of the board, or the sound card, failed."
      case .deviceBack: "The device works again."
      case .responded: "The person opened the notification, or chose one of its actions (N14)."
      case .selected: "View selected this action of the alert on top (N15)."
      case .activity: "The Live Activity is in this state, or has a token (LA1 to LA5)."
      case .extended: "The app's service extension ended with this result (X1)."
      case .reload: "The content of the app's widgets or controls is to be loaded again (T4)."
      case .unreadable: "These stored events cannot be read."
      case .fetched: "The handset fetches this number of pushes from the service (F4)."
      case .deferred: "The push waits for the end of low power or for the summary (Q1, Q2)."
      case .focus: "The Focus mode was turned on or off, set or removed (Q3)."
      case .faultStruck: "A fault of the test bench struck this push, or a request or connection without one."
      }
    }
  }

  public enum Field: Hashable, Sendable, Codable {
    case text(String)
    case number(Int)
    case flag(Bool)
    case list([String])

    public init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let flag = try? container.decode(Bool.self) {
        self = .flag(flag)
      } else if let number = try? container.decode(Int.self) {
        self = .number(number)
      } else if let list = try? container.decode([String].self) {
        self = .list(list)
      } else {
        self = .text(try container.decode(String.self))
      }
    }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .text(let text): try container.encode(text)
      case .number(let number): try container.encode(number)
      case .flag(let flag): try container.encode(flag)
      case .list(let list): try container.encode(list)
      }
    }
  }

  /// A field's value before it is written out: a reason is three fields, a push a text.
  enum Value {
    case text(String)
    case number(Int)
    case flag(Bool)
    case list([String])
    case reason(Why)
    case push(PushID)

    func fields(named name: String) -> [(name: String, value: Field)] {
      switch self {
      case .text(let text): [(name, .text(text))]
      case .number(let number): [(name, .number(number))]
      case .flag(let flag): [(name, .flag(flag))]
      case .list(let list): [(name, .list(list))]
      case .reason(let reason):
        [(name, .text(reason.code))] + (reason.rule.map { [("rule", .text($0))] } ?? []) + [
          ("text", .text(reason.text))
        ]
      case .push(let push): [(name, .text(push.description))]
      }
    }
  }

  typealias NamedValue = (name: StaticString, value: Value)

  public var name: String { EventReport(self).event }

  /// Writes the name and the values that are stored and sent for the kind of event.
  func write(to values: inout some EventValues) {
    switch kind {
    case .started(let start): values.add(.started, ("after", .text(start.rawValue)))
    case .installed: values.add(.installed)
    case .uninstalled: values.add(.uninstalled)
    case .registered(let kinds): values.add(.registered, ("kinds", .list(kinds.names)))
    case .unregistered: values.add(.unregistered)
    case .nodeCreated(let name): values.add(.nodeCreated, ("node", .text(name)))
    case .nodeDeleted(let name): values.add(.nodeDeleted, ("node", .text(name)))
    case .lifecycle(let state): values.add(.lifecycle, ("state", .text(state.rawValue)))
    case .setting(let key, let value): values.add(.setting, ("key", .text(key)), ("value", .text(value)))
    case .condition(let condition, let isOn):
      values.add(.condition, ("condition", .text(condition.rawValue)), ("on", .flag(isOn)))
    case .accepted(let type, let unique):
      values.add(.accepted, ("type", .text(type.rawValue)), unique.map { ("uniqueID", .push($0)) })
    case .refused(let status, let reason, let detail, let source, let provider):
      // The provider precedes the texts that may be long, because the journal reads it alone.
      values.add(
        .refused, ("status", .number(status)), ("reason", .text(reason)), Event.text("provider", provider),
        ("detail", .text(detail)), Event.text("source", source))
    case .ignored(let fault): values.add(.ignored, ("path", .text(fault.path)), ("problem", .text(fault.problem)))
    case .duplicate(let unique):
      values.add(.duplicate, Event.reason(.duplicate), unique.map { ("uniqueID", .push($0)) })
    case .reusedID: values.add(.reusedID, Event.reason(.reusedID))
    case .badBadge(let quote): values.add(.badBadge, ("value", .text(quote)))
    case .presented(let presented): presented.write(to: &values)
    case .notPresented(let why): values.add(.notPresented, Event.reason(why.reason))
    case .badge(let number): values.add(.badge, ("number", .number(number)))
    case .answered(let button): values.add(.answered, ("button", .text(button.rawValue)))
    case .button(let button, let length):
      values.add(.button, ("button", .text(button.rawValue)), ("press", .text(length.rawValue)))
    case .seen(let count): values.add(.seen, ("count", .number(count)))
    case .alertDropped(let why): values.add(.alertDropped, Event.reason(why.reason))
    case .cleared(let why, let count): values.add(.cleared, Event.reason(why.reason), ("count", .number(count)))
    case .repeated(let repeated): repeated.write(to: &values)
    case .repeatEnded(let why): values.add(.repeatEnded, Event.reason(why.reason))
    case .snoozed(let until): values.add(.snoozed, Event.until(until))
    case .snoozeEnded(let why): values.add(.snoozeEnded, Event.reason(why.reason))
    case .callQueued, .called, .callFailed, .callEnded: writeCall(to: &values)
    case .kept(let why): values.add(.kept, Event.reason(why.reason))
    case .fetched(let why, let count): values.add(.fetched, Event.reason(why.reason), ("count", .number(count)))
    case .arrived: values.add(.arrived)
    case .held(let why): values.add(.held, Event.reason(why.reason))
    case .deferred(let why, let until): values.add(.deferred, Event.reason(why.reason), until.map { Event.until($0) })
    case .focus(let name, let change): values.add(.focus, ("mode", .text(name)), ("state", .text(change.rawValue)))
    case .discarded(let why, let newer):
      values.add(.discarded, Event.reason(why.reason), newer.map { ("replacedBy", .push($0)) })
    case .delivered(let state, let attempt):
      values.add(.delivered, ("state", .text(state.rawValue)), Event.number("attempt", attempt > 1 ? attempt : nil))
    case .completed(let result, let reason):
      values.add(.completed, ("result", .text(result.rawValue)), Event.text("detail", reason))
    case .timedOut(let isCall): values.add(.timedOut, Event.reason(isCall ? .callTimedOut : .timedOut))
    case .reload(let type): values.add(.reload, ("type", .text(type.rawValue)))
    case .extended(let ruling, let reason):
      values.add(.extended, ("result", .text(ruling.why.code)), Event.text("detail", reason))
    case .selected(let action): values.add(.selected, ("action", .text(excerpt(action))))
    case .responded(let action, let hasText):
      values.add(.responded, ("action", .text(excerpt(action))), hasText ? ("text", .flag(true)) : nil)
    case .timeZone(let name): values.add(.timeZone, ("name", .text(name)))
    case .foregroundPresentation(let kinds): values.add(.foregroundPresentation, ("kinds", .list(kinds.names)))
    case .scheduled(let identifier, let due):
      values.add(
        .scheduled, ("identifier", .text(identifier)), ("dueWallMicroseconds", .number(Int(due.microseconds))))
    case .unscheduled(let identifier, let why):
      values.add(.unscheduled, ("identifier", .text(identifier)), Event.reason(why.reason))
    case .due(let identifier): values.add(.due, ("identifier", .text(identifier)))
    case .activity, .activityToken: writeActivity(to: &values)
    case .driver(let kind): kind.write(to: &values)
    }
  }

  /// The owner of the share of the journal that it takes: the provider of a refusal, nil if none has authenticated; the
  /// app of other events, nil for the handset's own.
  public var share: String? { if case .refused(_, _, _, _, let provider) = kind { provider } else { app?.text } }

  fileprivate static func number(_ name: StaticString, _ value: Int?) -> NamedValue? {
    value.map { (name, .number($0)) }
  }

  fileprivate static func until(_ time: WallTime) -> NamedValue {
    ("untilWallMicroseconds", .number(Int(time.microseconds)))
  }

  fileprivate static func reason(_ reason: Why) -> NamedValue { ("reason", .reason(reason)) }

  fileprivate static func text(_ name: StaticString, _ value: String?) -> NamedValue? {
    value.map { (name, .text($0)) }
  }
}

extension DriverReport.Kind {
  fileprivate func write(to values: inout some EventValues) {
    switch self {
    case .lamp(let lit): values.add(.lamp, ("lit", .flag(lit)))
    case .display(let text): values.add(.display, ("text", .text(text)))
    case .displayOverflow(let text):
      values.add(.display, ("text", .text(text)), ("overflow", .flag(true)))
    case .soundStarted(let name): values.add(.soundStarted, ("name", .text(name)))
    case .soundEnded(let name, let reason):
      let isKnown = DriverReport.soundEndings.contains(reason)
      values.add(
        .soundEnded, ("name", .text(name)), ("reason", .text(isKnown ? reason : "failed")),
        Event.text("detail", isKnown ? nil : reason))
    case .deviceLost(let problem): values.add(.deviceLost, ("problem", .text(problem)))
    case .deviceBack(let device): values.add(.deviceBack, ("device", .text(device)))
    case .faultStruck(let name): values.add(.faultStruck, ("fault", .text(name)))
    }
  }
}

extension Event.Presented {
  fileprivate func write(to values: inout some EventValues) {
    values.add(
      .presented, ("style", .text(style.rawValue)), ("listed", .flag(isListed)), Event.text("sound", rung.sound),
      Event.text("vibration", rung.vibration), rung.silence, replaces.map { ("replaces", .push($0)) })
  }
}

extension Event.Repeated {
  fileprivate func write(to values: inout some EventValues) {
    values.add(
      .repeated, Event.number("time", time), Event.number("times", times),
      Event.number("others", others == 0 ? nil : others), Event.text("sound", rung.sound),
      Event.text("vibration", rung.vibration), rung.silence)
  }
}

extension Rung {
  fileprivate var silence: Event.NamedValue? { silenced.map { ("silenced", .reason($0.reason)) } }
}

/// A receiver of an event's name and then of its values, of which no kind has more than six. None of them is put into an
/// array or a tuple: a record is written from where they are.
protocol EventValues {
  mutating func begin(_ name: Event.Name)
  mutating func add(_ name: StaticString, _ value: Event.Value)
}

extension EventValues {
  @inline(__always)
  fileprivate mutating func add(
    _ name: Event.Name, _ first: Event.NamedValue? = nil, _ second: Event.NamedValue? = nil,
    _ third: Event.NamedValue? = nil, _ fourth: Event.NamedValue? = nil, _ fifth: Event.NamedValue? = nil,
    _ sixth: Event.NamedValue? = nil
  ) {
    begin(name)
    if let first { add(first.name, first.value) }
    if let second { add(second.name, second.value) }
    if let third { add(third.name, third.value) }
    if let fourth { add(fourth.name, fourth.value) }
    if let fifth { add(fifth.name, fifth.value) }
    if let sixth { add(sixth.name, sixth.value) }
  }
}

extension Event {
  /// Writes the values of an event about a Live Activity.
  @inline(never)
  fileprivate func writeCall(to values: inout some EventValues) {
    switch kind {
    case .callQueued(let answer): values.add(.callQueued, ("answer", .text(answer.rawValue)))
    case .called(let status, let attempts):
      values.add(.called, ("status", .number(status)), ("attempts", .number(attempts)))
    case .callFailed(let problem): values.add(.callFailed, ("problem", .text(problem)))
    case .callEnded(let why, let count, let problem):
      values.add(.callEnded, Event.reason(why.reason), ("count", .number(count)), Event.text("problem", problem))
    default: break
    }
  }

  fileprivate func writeActivity(to values: inout some EventValues) {
    switch kind {
    case .activity(let id, let change):
      values.add(
        .activity, ("activity", .number(Int(clamping: id.number))), ("state", .text(change.state.rawValue)),
        Event.reason(change.reason))
    case .activityToken(let id, let token):
      values.add(.activity, ("activity", .number(Int(clamping: id.number))), ("token", .text(token)))
    default: break
    }
  }
}
