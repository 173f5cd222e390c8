// A handset with its two clocks and a store's view of its changes. Every input goes through `submit`, which checks what
// must hold for all of them: invariants, exact before-images, undo, and that the same input gives the same turn.

import TestSupport

@testable import HandsetCore

struct HandsetRig {
  private(set) var handset = Handset()
  private(set) var stored = StoredContents()
  /// The rulings on each push, from the last time that rules were applied to it.
  private(set) var rulings: [PushID: [Ruling]] = [:]
  /// All rulings so far.
  private(set) var everyRuling: Set<Ruling> = []
  /// The failed checks so far; empty if all passed.
  private(set) var problems: [String] = []

  /// A turn that is used again for each input, as the host does.
  private var again = Turn(now: Moment(uptime: .zero, wall: WallTime(microseconds: 0)))

  /// The turns that a failed commit of several turns would have to undo.
  private var batch: (before: Handset, turns: Int, changes: [Change])?
  private static let batchLimit = 16

  private(set) var clock = StoryClock()
  /// The handset's time zone.
  private var zone = TimeZoneTable.utc
  static let wallStart = StoryClock.wallStart

  var time: Duration { clock.time }
  var now: Moment { clock.now }
  func storyTime(uptime: Duration) -> Duration { clock.storyTime(uptime: uptime) }
  func storyTime(wall: WallTime) -> Duration { clock.storyTime(wall: wall) }
  /// The time at which the handset next needs to be woken, since the story began.
  var due: Duration? { handset.wakeAt(after: now).flatMap(clock.storyTime) }

  mutating func advance(to time: Duration) {
    if time < clock.time { problems.append("time went back from \(clock.time.story) to \(time.story)") }
    clock.time = time
  }

  mutating func stepWall(by step: Duration) { clock.wallStep += step }

  mutating func move(to zone: TimeZoneTable) -> Turn {
    self.zone = zone
    return submit(.setTimeZone(zone))
  }

  @discardableResult
  mutating func submit(_ input: Input) -> Turn {
    let before = handset
    let turn = handset.handle(input, at: now)

    var problems = handset.brokenInvariants()
    for change in turn.changes { problems += stored.apply(change) }
    problems += differences(live: handset, rebuilt: Handset(stored.contents)).map { "not stored: \($0)" }

    var undone = handset
    undone.undo(turn.changes)
    if undone != before { problems.append("undoing the turn does not give back what was there") }
    var redone = undone
    redone.undo(turn.changes.reversed().map(\.reversed))
    if redone != handset { problems.append("redoing the turn gives something else") }
    again.removeAll()
    again.now = now
    undone.handle(input, &again)
    if undone != handset || again.changes != turn.changes || again.events != turn.events
      || again.effects != turn.effects || again.verdict != turn.verdict || again.rulings != turn.rulings
    {
      problems.append("the same input came to another turn")
    }
    if undone.presentation(at: now) != handset.presentation(at: now) {
      problems.append("the same handset presents something else")
    }

    problems += unexplained(turn) + unexpectedHeads(of: input, turn) + unexpectedVibrations(turn)
    for push in turn.rulings {
      rulings[push.push] = push.rulings
      everyRuling.formUnion(push.rulings)
    }

    var expected = before.record.nextEvent
    for event in turn.events {
      if event.sequence != expected { problems.append("event \(event.sequence) came where \(expected) was due") }
      expected = event.sequence + 1
    }
    if case .wake = input, let due, due <= time {
      problems.append("woken at \(time.story), it wants to be woken at \(due.story) again")
    }
    if case .push(let push) = input, turn.verdict == .accepted {
      let saysMore = turn.events.contains { event in
        event.push == push.id && !["accepted", "ignored", "bad-badge"].contains(event.name)
      }
      if !saysMore { problems.append("\(Label.text(push.id)) was accepted, and no event says what became of it (F3)") }
    }
    problems += undoneBatch(turn, before: before)
    self.problems += problems.map { "at \(time.story): \($0)" }
    return turn
  }

  private static let ofArrival: Set<Ruling> = [.online, .fetchedAtInterval, .fetchedByPerson, .fetchedByOpening]

  /// Returns the faults of the turn's rulings: they are for no event of the same push, or repeated, or do not explain
  /// the push's result.
  private func unexplained(_ turn: Turn) -> [String] {
    var problems: [String] = []
    let explained = turn.events.filter { event in
      // A refusal by the handset follows a rule; a refusal by a front end does not.
      if case .refused = event.kind { return turn.verdict != .accepted }
      return event.push != nil && event.kind.isExplained
    }
    if explained.map(\.sequence) != turn.rulings.map(\.event) || explained.map(\.push) != turn.rulings.map(\.push) {
      problems.append("the rulings are not those of the events that they explain")
    }
    for (place, push) in turn.rulings.enumerated() {
      let end = place + 1 < turn.rulings.count ? turn.rulings[place + 1].event : .max
      let name = Label.text(push.push)
      if Set(push.rulings).count != push.rulings.count { problems.append("a ruling on \(name) stands twice") }
      // A broadcast arrives at each activity, and alerts at one.
      guard push.rulings.contains(where: { !HandsetRig.ofArrival.contains($0) }) else { continue }
      let events = turn.events.filter { $0.push == push.push && (push.event..<end).contains($0.sequence) }
      let rang = events.contains { if case .presented(let shown) = $0.kind { shown.rung.sound != nil } else { false } }
      let isSilenced = push.rulings.contains { $0.stops.contains(.sound) }
      if rang == isSilenced { problems.append("\(name) rang or did not, and its rulings say otherwise") }
      let isHeld = events.contains { if case .held = $0.kind { true } else { false } }
      let holds = [Event.Held.budget, .lowPower, .notConnected, .activityBudget, .serviceExtension].map(\.ruling)
      if isHeld == push.rulings.allSatisfy({ !holds.contains($0) }) {
        problems.append("\(name) is held or is not, and its rulings say otherwise")
      }
    }
    return problems
  }

  /// Returns the faults of the events by which the input begins: a push that is not refused has one, and so has a start.
  private func unexpectedHeads(of input: Input, _ turn: Turn) -> [String] {
    let heads = turn.events.filter(\.isHead)
    switch input {
    case .push(let push), .keep(let push), .publish(let push, _, _), .broadcast(let push, _):
      let duplicate = Event.Kind.duplicate(unique: push.uniqueID)
      let isDuplicate = heads.first?.kind == duplicate
      let kind = isDuplicate ? duplicate : .accepted(push.type, unique: push.uniqueID)
      let isOwn = heads.allSatisfy { $0.push == push.id && $0.app == push.topic }
      if isOwn && heads.map(\.kind) == (turn.verdict == .accepted ? [kind] : []) { return [] }
    case .start(let start): if heads.map(\.kind) == [.started(start)] { return [] }
    default: if heads.isEmpty { return [] }
    }
    return ["the input begins with the events \(heads)"]
  }

  /// Returns the fault if the motor does not run as the events say.
  private func unexpectedVibrations(_ turn: Turn) -> [String] {
    var ran: [String] = []
    for case .vibrate(let pattern, let push, _) in turn.effects {
      ran.append("\(pattern.name) for \(Label.text(push))")
    }
    var told: [String] = []
    for event in turn.events {
      let vibration: String? =
        switch event.kind {
        case .presented(let presented): presented.rung.vibration
        case .repeated(let repeated): repeated.rung.vibration
        default: nil
        }
      if let vibration, let push = event.push { told.append("\(vibration) for \(Label.text(push))") }
    }
    return ran == told ? [] : ["the motor runs \(ran), and the events say \(told)"]
  }

  /// Undoes several turns at once, every few turns.
  private mutating func undoneBatch(_ turn: Turn, before: Handset) -> [String] {
    var batch = self.batch ?? (before: before, turns: 0, changes: [])
    batch.turns += 1
    batch.changes += turn.changes
    guard batch.turns == HandsetRig.batchLimit else {
      self.batch = batch
      return []
    }
    self.batch = nil
    var undone = handset
    undone.undo(batch.changes)
    return undone == batch.before ? [] : ["undoing \(batch.turns) turns does not give back what was there"]
  }

  /// Ends the daemon and starts it from the stored contents.
  mutating func restart(_ start: Start) -> Turn {
    stored.forgetWhatIsNotStored(zone)
    handset = Handset(stored.contents)
    batch = nil
    if start == .board { clock.boot() }
    return submit(.start(start))
  }

  /// Returns the differences between the live handset and one made from the stored contents.
  private func differences(live: Handset, rebuilt: Handset) -> [String] {
    var differing: [String] = []
    if live.record != rebuilt.record { differing.append("the record") }
    if live.apps != rebuilt.apps { differing.append("the apps") }
    if live.tokens != rebuilt.tokens { differing.append("the tokens") }
    if live.center != rebuilt.center { differing.append("Notification Center") }
    if live.holds != rebuilt.holds { differing.append("the held updates") }
    if live.outbox != rebuilt.outbox { differing.append("the offers") }
    if live.budgets != rebuilt.budgets { differing.append("the budgets") }
    if live.slots != rebuilt.slots { differing.append("what the service keeps") }
    if live.recent != rebuilt.recent { differing.append("the recent pushes") }
    if live.extending != rebuilt.extending { differing.append("what service extensions have") }
    if live.deferred != rebuilt.deferred { differing.append("what is deferred") }
    if live.focusModes != rebuilt.focusModes { differing.append("the Focus modes") }
    if live.queue != rebuilt.queue { differing.append("the calls") }
    if live.schedule != rebuilt.schedule { differing.append("the schedule") }
    if live.foreground != rebuilt.foreground { differing.append("the foreground") }
    if live.badgeSum != rebuilt.badgeSum { differing.append("the badge sum") }
    if live.goneTokens != rebuilt.goneTokens { differing.append("the gone tokens") }
    return differing
  }
}
