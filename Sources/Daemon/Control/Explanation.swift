// An explanation of one push from the journal: its events, and their meaning together. The rulings are as the handset
// recorded them; this code knows no rules.

import HandsetCore

/// The journal's events of one push, collected for an explanation.
struct Explanation: Sendable {
  private let push: PushID
  private var pushes = 0
  private var app: String?
  private var rulings: [RulingReport] = []
  private var events: [EventReport] = []
  private var leftOut = 0
  private var isListed = false

  init(of push: PushID) {
    self.push = push
  }

  /// Reads the next event of the journal; events that do not concern the push are skipped.
  /// - Parameter stored: the rulings that are stored with it.
  mutating func read(_ event: EventReport, rulings stored: [String]) {
    guard event.names(push) else {
      if isListed, event.app == app, event.clearsSection || event.marksSection { take(event) }
      return
    }
    if event.push.flatMap({ PushID($0) }) == push {
      if ["accepted", "refused", "due"].contains(event.event) {
        pushes += 1
        // If several pushes have the same identifier, the newest is explained.
        if pushes > 1 { (rulings, events, leftOut, isListed) = ([], [], 0, false) }
      }
      app = event.app ?? app
      if event.fields["listed"] == .flag(true) { isListed = true }
    }
    take(event)
    rulings += stored.map { RulingReport($0, event: event.sequence) }
  }

  private mutating func take(_ event: EventReport) {
    if event.clearsSection || event.text("reason") == Event.Cleared.notificationOpened.reason.code
      || event.text("replaces").flatMap({ PushID($0) }) == push
    {
      isListed = false
    }
    events.append(event)
    guard events.count > ControlLimits.explainedEvents else { return }
    events.remove(at: ControlLimits.explainedEvents / 2)
    leftOut += 1
  }

  /// Returns the explanation; nil if the journal has no event of the push.
  func report(_ handset: Handset, at now: Moment) -> ExplanationReport? {
    let own = events.filter { $0.push.flatMap { PushID($0) } == push }
    guard let last = own.last else { return nil }
    let outcome = PushOutcome(own, rulings)
    return ExplanationReport(
      push: last.push ?? push.description, app: app, pushes: pushes, rang: outcome.rang, summary: outcome.summary,
      decision: outcome.decision, rulings: rulings, events: events, eventsLeftOut: leftOut,
      now: app.flatMap { AppID($0) }.map { handset.whereabouts(of: push, in: $0, at: now) } ?? [])
  }
}

extension Explanation {
  /// The outcome in short; nil if there is no event of the push.
  var end: (push: String, rang: Bool, shown: [String], why: String)? {
    let own = events.filter { $0.push.flatMap { PushID($0) } == push }
    guard let last = own.last else { return nil }
    let outcome = PushOutcome(own, rulings)
    return (last.push ?? push.description, outcome.rang, outcome.shown, outcome.summary)
  }
}

extension EventReport {
  public func text(_ field: String) -> String? {
    if case .text(let text) = fields[field] { text } else { nil }
  }

  fileprivate var why: String { (text("text") ?? "") + (text("rule").map { " (\($0))" } ?? "") }

  /// True if the event removed all of an app's notifications from the list.
  fileprivate var clearsSection: Bool {
    let code = text("reason")
    return event == "cleared" && Event.Cleared.allCases.contains { $0.emptiesSection && $0.reason.code == code }
  }

  /// True if the event marked all of an app's notifications as seen (rule N10).
  fileprivate var marksSection: Bool { event == "seen" && push == nil }
}

private struct PushOutcome {
  var rang = false
  /// The ways in which it was presented.
  var shown: [String] = []
  var summary = ""
  /// The ruling that made it ring, or kept it from ringing; nil if no rule decided that.
  var decision: RulingReport?

  /// - Parameter events: the events of the push, in order; not empty.
  init(_ events: [EventReport], _ rulings: [RulingReport]) {
    // If it arrived twice, at the service and later at the handset, the second time counts.
    let final = rulings.filter { $0.event == rulings.last?.event }
    shown = PushOutcome.shown(events, final)
    let presented = PushOutcome.last("presented", events)
    rang = presented?.text("sound") != nil && presented?.text("silenced") == nil
    let sounding = [Ruling.critical, .timeSensitive, .audible].map(\.code)
    decision = rang ? final.last(where: { sounding.contains($0.code) }) : PushOutcome.refusal(final)
    if rang, let ending = PushOutcome.last("sound-ended", events), ending.text("reason") == "failed" {
      rang = false
      summary = "It should have rung, and its sound failed: \(ending.text("detail") ?? "")."
    } else if rang {
      summary = "It rang: \(shown.joined(separator: ", "))."
    } else {
      summary = "It did not ring: \(PushOutcome.reason(events, final))."
      if !shown.isEmpty { summary += " It showed: \(shown.joined(separator: ", "))." }
    }
    // A rule that is already in the text is not repeated.
    if let fate = PushOutcome.fate(events), fate.rule.map({ !summary.contains("(\($0))") }) ?? true {
      summary += " \(fate.sentence)."
    }
    if let again = PushOutcome.repetitions(events) { summary += " \(again)." }
    if PushOutcome.last("duplicate", events) != nil { summary += " It came again, and counts once (P1)." }
  }

  private static func last(_ name: String, _ events: [EventReport]) -> EventReport? {
    events.last { $0.event == name }
  }

  private static func shown(_ events: [EventReport], _ rulings: [RulingReport]) -> [String] {
    let codes = Set(rulings.map(\.code))
    var shown: [String] = []
    if case .number(let number) = last("badge", events)?.fields["number"],
      codes.isDisjoint(with: [Ruling.badgeHidden.code, Ruling.badgeNotChosen.code])
    {
      shown.append("badge \(number)")
    }
    guard let presented = last("presented", events) else { return shown }
    if let style = presented.text("style"), style != PresentationStyle.none.rawValue { shown.append(style) }
    if presented.fields["listed"] == .flag(true) { shown.append("Notification Center") }
    if codes.contains(Ruling.lampLit.code) { shown.append("the lamp") }
    if let pattern = presented.text("vibration") { shown.append("vibration \(pattern)") }
    if presented.text("silenced") == nil, let sound = presented.text("sound") { shown.append("sound \(sound)") }
    return shown
  }

  private static func reason(_ events: [EventReport], _ rulings: [RulingReport]) -> String {
    // The service kept it, and has discarded it.
    let waits = [Ruling.keptOffline, .fetchInterval, .fetchManual].map(\.code)
    if rulings.contains(where: { waits.contains($0.code) }), let end = last("discarded", events) {
      return end.why
    }
    if let ruling = refusal(rulings) { return "\(ruling.outcome) (\(ruling.rule))" }
    if let refused = last("refused", events) {
      var status = ""
      if case .number(let number) = refused.fields["status"] { status = "\(number) " }
      return "it was refused, \(status)\(refused.text("reason") ?? ""): \(refused.text("detail") ?? "")"
    }
    if let presented = last("presented", events), presented.text("silenced") != nil { return presented.why }
    if let unscheduled = last("unscheduled", events) { return unscheduled.why }
    if last("scheduled", events) != nil { return "its time has not come" }
    return "the journal does not have how the rules decided"
  }

  /// Returns the ruling that kept it silent. One that stops all kinds says more than one about the sound.
  private static func refusal(_ rulings: [RulingReport]) -> RulingReport? {
    rulings.first { $0.stops.count == NotificationKinds.all.names.count }
      ?? rulings.first { $0.stops.contains("sound") }
  }

  /// Returns how often it sounded again, and if that has ended (rules N11, N12).
  private static func repetitions(_ events: [EventReport]) -> String? {
    let again = events.filter { $0.event == "repeated" }
    guard !again.isEmpty else { return nil }
    func times(_ count: Int) -> String { "\(count) \(count == 1 ? "time" : "times")" }
    let heard = again.count { $0.text("sound") != nil && $0.text("silenced") == nil }
    let silent = again.count - heard
    let end = last("repeat-ended", events).map { "; then it stopped: \($0.why)" } ?? ""
    if heard == 0 { return "It was to sound again \(times(silent)), and was silent\(end)" }
    return "It sounded again \(times(heard))\(silent > 0 ? ", and was silent \(times(silent))" : "")\(end)"
  }

  private static func fate(_ events: [EventReport]) -> (sentence: String, rule: String?)? {
    let names: Set = ["held", "discarded", "delivered", "completed", "timed-out", "extended"]
    guard let event = events.last(where: { names.contains($0.event) }) else { return nil }
    return switch event.event {
    case "held": ("It is held: \(event.why)", event.text("rule"))
    case "discarded": ("It was discarded: \(event.why)", event.text("rule"))
    case "completed": ("The app completed it: \(event.text("result") ?? "")", nil)
    case "extended": ("The app's service extension had it: \(event.text("result") ?? "")", "X1")
    case "timed-out": ("The app did not complete it in time", nil)
    default: ("The app was given it", nil)
    }
  }
}

extension Handset {
  /// What ends the wait of the pushes in the service.
  private var endOfWaiting: String {
    if record.conditions.contains(.offline) { return "the handset is online" }
    return switch record.settings.fetchMode {
    case .push: "the handset is reached"
    case .fetch: "the fetch interval ends, or somebody fetches"
    case .manual: "somebody fetches or opens the app"
    }
  }

  fileprivate func whereabouts(of push: PushID, in app: AppID, at now: Moment) -> [String] {
    var places: [String] = []
    if pending(of: app, at: now).contains(where: { $0.request.content.id == push }) { places.append("scheduled") }
    if waiting(for: app).contains(where: { $0.kept.push.id == push }) {
      places.append("kept by the service until \(endOfWaiting)")
    }
    if held(for: app)?.push == push { places.append("held for the app") }
    if extending[app]?.contains(where: { $0.push.id == push }) == true {
      places.append("in the app's service extension")
    }
    if let waiting = deferredPushes.first(where: { $0.push.id == push && $0.push.topic == app }) {
      places.append(waiting.reason == .summary ? "waits for the summary" : "waits until low power ends")
    }
    if offers(for: app).contains(where: { $0.push == push }) {
      places.append("given to the app, which is not done with it")
    }
    if let banner = presentation(at: now).banner, notification(banner.notification)?.push == push {
      places.append("a banner that is up")
    }
    if alerts.contains(where: { $0.app == app && $0.push == push }) { places.append("an alert that waits") }
    if let listed = listed(of: app).last(where: { $0.push == push }) {
      places.append("in Notification Center, \(listed.isSeen ? "seen" : "unseen")")
      if let again = listed.repetition {
        let every = again.every.components.seconds
        places.append("sounds again every \(every) s, \(again.done) of \(again.times) times so far")
      }
    }
    return places
  }
}

public struct ExplanationReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "The reason why one push rang, or did not."

  public var push: String
  public var app: String?
  public var pushes: Int
  public var rang: Bool
  public var summary: String
  public var decision: RulingReport?
  public var rulings: [RulingReport]
  public var events: [EventReport]
  public var eventsLeftOut: Int
  public var now: [String]

  static let meanings: [String: Meaning] = [
    "push": "The identifier of the push, as its provider wrote it.",
    "app": "The app that it was for.",
    "pushes": .count("The number of pushes with this identifier in the journal; the newest is explained."),
    "rang": "True if its sound was played.",
    "summary": "A summary, in a sentence or two.",
    "decision": "The ruling that made it ring, or kept it from ringing; absent if no rule decided that.",
    "rulings": "The rules that applied, in order; empty for a push that its front end refused.",
    "events": "The events of the push, in order.",
    "eventsLeftOut": .count("The number of its events that are left out in the middle."),
    "now": "Its current places: `in Notification Center, unseen`; empty if it is gone.",
  ]
}

public struct RulingReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "A rule that applied to a push, and its outcome."

  public var event: UInt64
  public var rule: String
  public var title: String
  public var code: String
  public var outcome: String
  public var stops: [String]

  static let meanings: [String: Meaning] = [
    "event": .number(from: 1, "The number of the event at which it was decided."),
    "rule": "Its number in docs/handset.md: `S5`.",
    "title": "The subject of the rule.",
    "code": "The outcome, for a script: `S5.quiet-hours`.",
    "outcome": "The outcome, for the user.",
    "stops": .words(NotificationKinds.all.names, "The kinds that it kept from being presented."),
  ]

  /// - Parameter code: the stored code of a ruling; unknown ones are used as they are.
  init(_ code: String, event: UInt64) {
    let ruling = Ruling(code: code)
    self.event = event
    self.code = code
    rule = String(code.prefix { $0 != "." })
    title = ruling.flatMap { Rule.titles[$0.rule] } ?? ""
    outcome = ruling?.outcome ?? code
    stops = ruling?.stops.names ?? []
  }
}
