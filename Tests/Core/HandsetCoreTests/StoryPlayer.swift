// Plays a story's commands on a handset. Tests/Core/Stories/README.md lists them.

@testable import HandsetCore

struct StoryPlayer {
  private(set) var rig = HandsetRig()
  private var inputs = StoryInputs()
  private var lastPresentation = "= dark"

  /// Lets time pass, waking the handset when it is due, then carries out the commands of the line.
  /// - Returns: the transcript of the time that passed and of the last command; of given ones only the visible state.
  mutating func play(_ text: some StringProtocol, at time: Duration) throws -> [String] {
    var lines: [String] = []
    let commands = StoryCommand.all(in: text)
    var command = try StoryCommand(commands[0])
    let name = try command.next("a command")
    let wasAsleep = (name == "restart" || name == "boot") && command.flag("late")
    guard time >= rig.time else { throw StoryError(description: "time goes back to \(time.story)") }
    while !wasAsleep, let due = rig.due, due <= time {
      if due > rig.time { rig.advance(to: due) }
      lines.append("at \(rig.time.story)")
      lines += after(rig.submit(.wake))
      guard rig.problems.isEmpty else { return lines }
    }
    if !lines.isEmpty && rig.time < time { lines.append("at \(time.story)") }
    rig.advance(to: time)

    let isGiven = StoryCommand.isGiven(text)
    let shown = lastPresentation
    var transcript = try carryOut(name, &command, isGiven: isGiven)
    for text in commands.dropFirst() {
      command = try StoryCommand(text)
      let name = try command.next("a command")
      transcript = try carryOut(name, &command, isGiven: isGiven)
    }
    if isGiven { transcript = lastPresentation == shown ? [] : [lastPresentation] }
    lines += transcript
    if lines.last == "at \(time.story)" { lines.removeLast() }
    return lines
  }

  /// Returns the transcript of the turn, and of the visible state if it has changed.
  private mutating func after(_ turn: Turn) -> [String] {
    let presentation = rig.presentationText
    defer { lastPresentation = presentation }
    return rig.transcript(turn) + (presentation == lastPresentation ? [] : [presentation])
  }

  /// - Parameter isGiven: true if its transcript may have no more than an event, which the command says itself.
  private mutating func carryOut(
    _ name: String, _ command: inout StoryCommand, isGiven: Bool
  ) throws -> [String] {
    let transcript = try perform(name, &command)
    try command.finish()
    let told = transcript.filter { !$0.hasPrefix("=") }
    let isPlain = StoryCommand.plain.contains(name) && told.count <= 1 && !told.contains { $0.hasPrefix("!") }
    guard isPlain || !isGiven else { throw StoryError(description: "'\(name)' has more to tell than its event") }
    return transcript
  }

  private mutating func perform(_ name: String, _ command: inout StoryCommand) throws -> [String] {
    switch try inputs.step(name, &command, on: rig.handset, at: rig.now) {
    case .input(let input): return after(rig.submit(input))
    case .restart(let start): return after(rig.restart(start))
    case .move(let zone): return after(rig.move(to: zone))
    case .setClock(let step, let isNoticed):
      rig.stepWall(by: step)
      return isNoticed ? after(rig.submit(.wake)) : []
    case .wait: return []
    case nil: return try look(name, &command)
    }
  }

  // MARK: - Queries, which change nothing

  private func look(_ name: String, _ command: inout StoryCommand) throws -> [String] {
    let handset = rig.handset
    switch name {
    case "center":
      let app = command.rest().first.flatMap { AppID($0) }
      let lines = handset.listed(of: app).map { "\(rig.words(of: $0.id))\($0.facts)" }
      return list(lines, or: "empty")
    case "alerts": return list(handset.alerts.reversed().map { rig.words(of: $0.id) }, or: "none")
    case "scheduled":
      return list(
        handset.pending(of: try command.app(), at: rig.now).map {
          "\($0.request.identifier) \(Label.text($0.request.content.id)) due \(rig.storyTime(wall: $0.dueWall).story)"
        })
    case "held":
      guard let update = handset.held(for: try command.app()) else { return list([]) }
      let due = update.due.map { ", due \(rig.storyTime(uptime: $0).story)" } ?? ""
      return [": \(Label.text(update.push)) until \(rig.storyTime(wall: update.expires).story)\(due)"]
    case "offered":
      let lines = handset.offers(for: try command.app()).map { offer in
        let deadline = offer.deadline.map { ", to complete by \(rig.storyTime(uptime: $0).story)" } ?? ""
        let occasion = rig.text(offer.occasion)
        let given = "\(Label.text(offer.push)), attempt \(offer.attempt)\(occasion)"
        return "\(given)\(deadline)\(offer.waits ? ", waits" : "")"
      }
      return list(lines)
    case "kept": return list(waiting(for: try command.app()))
    case "published":
      let node = try StoryInputs.node(&command)
      guard let bytes = rig.stored.published[node] else { return [": nothing"] }
      let push = handset.node(node)?.lastPush.map(Label.text) ?? "nobody"
      return [": \(push), \(String(decoding: bytes, as: UTF8.self))"]
    case "explain":
      let rulings = rig.rulings[try StoryInputs.push(named: &command)] ?? []
      guard command.flag("unlike") else { return list(rulings.map { "\($0.rule) \($0.outcome)" }) }
      let others = rig.rulings[try StoryInputs.push(named: &command)] ?? []
      let missing = others.filter { !rulings.contains($0) }.map { "- \($0.rule) \($0.outcome)" }
      return list(missing + rulings.filter { !others.contains($0) }.map { "+ \($0.rule) \($0.outcome)" })
    case "budget":
      let budget = handset.budget(of: try command.app())
      let times = budget.deliveries.map { rig.storyTime(uptime: $0.uptime).story }.joined(separator: ", ")
      let free = budget.freeAt.map { "; free at \(rig.storyTime(uptime: $0).story)" } ?? ""
      return [": \(times.isEmpty ? "unused" : times)\(free)"]
    case "calls": return list(calls, or: "none")
    case "activities", "tokens": return list(name == "tokens" ? tokens(of: try command.app()) : activities, or: "none")
    case "deferred": return list(deferred)
    case "modes": return list(modes, or: "none")
    case "snoozes": return list(snoozes, or: "none")
    case "conditions":
      let names = Condition.allCases.filter { handset.record.conditions.contains($0) }.map(\.rawValue)
      return [": \(names.isEmpty ? "none" : names.joined(separator: ", "))"]
    case "state": return state(of: try command.app())
    case "settings":
      guard let text = command.rest().first else {
        return HandsetSettings.Key.allCases.map { ": \($0.rawValue)=\(handset.record.settings[$0])" }
      }
      let settings = AppID(text).flatMap { handset.apps[$0]?.state.settings }
      return AppSettings.Key.allCases.map { ": \($0.rawValue)=\(settings?[$0] ?? "?")" }
    case "display":
      let (width, hasPoints) = (try command.integer("width"), command.flag("points"))
      let badge = handset.presentation(at: rig.now).badge
      return [": \(picture(SegmentText(badge: badge, width: width, hasDecimalPoints: hasPoints)))"]
    default: return try lookAtTypes(name, &command)
    }
  }

  private func list(_ lines: [String], or none: String = "nothing") -> [String] {
    lines.isEmpty ? [": \(none)"] : lines.map { ": \($0)" }
  }

  /// Returns what waits for service extensions, and what is counted of pushes by type.
  private func lookAtTypes(_ name: String, _ command: inout StoryCommand) throws -> [String] {
    let handset = rig.handset
    switch name {
    case "extending":
      return list(
        (handset.extending[try command.app()] ?? []).map { "\(Label.text($0.push.id)), attempt \($0.attempt)" })
    case "counted":
      let counts = handset.apps[try command.app()]?.state.pushTypeCounts ?? []
      return list(
        counts.map { "\($0.count) \($0.type.rawValue) since \(rig.storyTime(uptime: $0.since.uptime).story)" })
    default: throw StoryError(description: "no command '\(name)'")
    }
  }

  private func tokens(of app: AppID) -> [String] {
    rig.handset.purposeTokens(of: app).map { "\($0.key.coded) \(Label.text($0.value))" }.sorted()
  }

  private var activities: [String] {
    rig.handset.liveActivities.map { activity in
      let top = rig.handset.topActivity?.id == activity.id ? ", on top" : ""
      let waiting = activity.waiting.map { ", \(Label.text($0.id)) waits" } ?? ""
      return "\(activity.id) \(activity.app) \(activity.state.rawValue) \(activity.content)\(top)\(waiting)"
    }
  }

  private func waiting(for app: AppID) -> [String] {
    let due = rig.handset.fetchesAt.map { ", fetched at \(rig.storyTime(uptime: $0).story)" } ?? ""
    return rig.handset.waiting(for: app).map { slot, kept in
      let node = slot.node.map { ", of \($0)" } ?? ""
      return "\(Label.text(kept.push.id)) until \(rig.storyTime(wall: kept.expires).story)\(node)\(due)"
    }
  }

  private var calls: [String] {
    rig.handset.queuedCalls.map { "\($0.app) \(Label.text($0.push)) \($0.answer.rawValue) \($0.call.url)" }
  }

  private var deferred: [String] {
    rig.handset.deferredPushes.map {
      let end = rig.storyTime(wall: $0.expires).story
      return "\($0.push.topic) \(Label.text($0.push.id)) \($0.reason.rawValue) until \(end)"
    }
  }

  private var modes: [String] {
    let end = rig.handset.focusEnd(at: rig.now).map { " until \(rig.storyTime(wall: $0).story)" } ?? ""
    let current = rig.handset.record.settings.focus
    return rig.handset.focusModes.keys.sorted().map { $0 == current ? "\($0) on\(end)" : $0 }
  }

  private var snoozes: [String] {
    let all = rig.handset.record.snooze.map { ["all until \(rig.storyTime(uptime: $0.until).story)"] } ?? []
    let apps = rig.handset.snoozedApps.compactMap { id in
      rig.handset.apps[id]?.state.snooze.map { "\(id) until \(rig.storyTime(uptime: $0.until).story)" }
    }
    return all + apps
  }

  private func state(of id: AppID) -> [String] {
    guard let app = rig.handset.apps[id] else { return [": not installed"] }
    let registration =
      switch app.state.registration {
      case .pending: "not registered yet"
      case .registered(let kinds): "registered for \(kinds.isEmpty ? "nothing" : kinds.names.joined(separator: ","))"
      case .unregistered(let since): "unregistered since \(rig.storyTime(wall: since).story)"
      }
    let icon = rig.handset.visibleBadge(of: app)
    let hidden = icon == app.state.badge ? "" : ", icon \(icon)"
    return [
      ": \(app.state.lifecycle.rawValue), \(registration), \(Label.text(app.state.token)), badge \(app.state.badge)"
        + hidden + (app.state.hasScheduled ? ", has scheduled" : "") + (app.state.hasSettings ? "" : ", no settings")
    ]
  }
}

/// Returns the digits as a reader sees them: `"  12"`, `"9.9.9.9."`.
func picture(_ text: SegmentText) -> String {
  let seen: [UInt8: Character] = [
    0b000_0000: " ", 0b011_1111: "0", 0b000_0110: "1", 0b101_1011: "2", 0b100_1111: "3", 0b110_0110: "4",
    0b110_1101: "5", 0b111_1101: "6", 0b000_0111: "7", 0b111_1111: "8", 0b110_1111: "9",
  ]
  let digits = text.digits.map { segments in
    "\(seen[segments & 0x7F] ?? "?")\(segments & 0x80 != 0 ? "." : "")"
  }
  return "\"\(digits.joined())\"\(text.blinks ? " blinking" : "")"
}

extension Notification {
  /// What the list of Notification Center says of it besides its words: ` unseen image Splash`.
  fileprivate var facts: String {
    (isUnseen ? " unseen" : "") + (options?.launchImage.map { " image \($0)" } ?? "")
  }
}
