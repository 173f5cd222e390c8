// Plays a story's commands on a handset. Tests/Stories/README.md lists them.

@testable import HandsetCore

struct StoryPlayer {
  private(set) var rig = HandsetRig()
  private var pushes = 0
  private var tokens = 0
  private var lastPresentation = "= dark"

  /// Lets time pass, waking the handset where it wants to be woken, then carries out the command.
  /// - Returns: the transcript of both.
  mutating func play(_ text: some StringProtocol, at time: Duration) throws -> [String] {
    var lines: [String] = []
    var command = try StoryCommand(text)
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

    lines += try perform(name, &command)
    try command.finish()
    if lines.last == "at \(time.story)" { lines.removeLast() }
    return lines
  }

  /// What the turn did, and what can be seen since where that is something else.
  private mutating func after(_ turn: Turn) -> [String] {
    let presentation = rig.presentationText
    defer { lastPresentation = presentation }
    return rig.transcript(turn) + (presentation == lastPresentation ? [] : [presentation])
  }

  private mutating func submit(_ input: Input) -> [String] { after(rig.submit(input)) }

  private mutating func perform(_ name: String, _ command: inout StoryCommand) throws -> [String] {
    switch name {
    case "push": return submit(.push(try push(&command)))
    case "install":
      let manifest = try manifest(&command)
      return submit(.install(manifest, token: nextToken()))
    case "uninstall": return submit(.uninstall(try command.app()))
    case "register":
      let app = try command.app()
      let names = command.rest()
      let kinds = try required(NotificationKinds(names: names), "kinds are badge, sound, alert")
      return submit(.register(app, kinds, token: nextToken()))
    case "unregister": return submit(.unregister(try command.app()))
    case "launch", "background", "kill", "force-quit":
      let lifecycle = try required(LifecycleCommand(rawValue: name), "no lifecycle command '\(name)'")
      return submit(.lifecycle(try command.app(), lifecycle))
    case "listen":
      let (app, state) = (try command.app(), try command.next("a state"))
      return submit(.listening(app, try required(Lifecycle(rawValue: state), "no state '\(state)'")))
    case "disconnect": return submit(.disconnected(try command.app()))
    case "die": return submit(.died(try command.app()))
    case "complete":
      let (app, push) = (try command.app(), try self.push(named: &command))
      let result = try command.option("result").map { try required(DeliveryResult(rawValue: $0), "no result '\($0)'") }
      return submit(.completed(app, push, result ?? .newData))
    case "timeout":
      let (app, push) = (try command.app(), try self.push(named: &command))
      return submit(.timedOut(app, push))
    case "condition":
      let (name, value) = (try command.next("a condition"), try command.next("on or off"))
      return submit(.setCondition(try required(Condition(rawValue: name), "no condition '\(name)'"), value == "on"))
    case "badge": return submit(.setBadge(try command.app(), try command.integer("badge")))
    case "set": return submit(try setting(&command))
    case "press":
      let button = try command.next("a button")
      let length: PressLength = command.flag("long") ? .long : .short
      return submit(.press(try required(AlertButton(rawValue: button), "no button '\(button)'"), length))
    case "clear": return submit(try clearing(&command))
    case "foreground":
      let app = try command.app()
      let names = command.rest()
      return submit(
        .setForegroundPresentation(app, try required(NotificationKinds(names: names), "no kinds '\(names)'")))
    case "zone":
      let name = try command.next("a time zone")
      return after(rig.move(to: try required(StoryZone.named[name], "no time zone '\(name)'")))
    case "schedule": return submit(.schedule(try request(&command)))
    case "cancel":
      let app = try command.app()
      return submit(.cancel(app, identifier: command.rest().first))
    case "restart": return after(rig.restart(.daemon))
    case "boot": return after(rig.restart(.board))
    case "wake": return submit(.wake)
    case "wait": return []
    case "clock":
      let text = try command.next("a time")
      let back = text.hasPrefix("-")
      let step = try required(Duration(story: back ? text.dropFirst() : text[...]), "'\(text)' is no time")
      let isUnnoticed = command.flag("unnoticed")
      rig.stepWall(by: back ? .zero - step : step)
      return isUnnoticed ? [] : submit(.wake)
    case "refused": return submit(.refused(try refused(&command)))
    case "report": return submit(.report(try report(&command)))
    default: return try look(name, &command)
    }
  }

  // MARK: - Looking, which changes nothing

  private func look(_ name: String, _ command: inout StoryCommand) throws -> [String] {
    let handset = rig.handset
    switch name {
    case "center":
      let app = command.rest().first.flatMap { AppID($0) }
      let lines = handset.listed(of: app).map {
        ": \(rig.words(of: $0.id))\($0.isUnseen ? " unseen" : "")"
      }
      return lines.isEmpty ? [": empty"] : lines
    case "alerts":
      return handset.alerts.isEmpty ? [": none"] : handset.alerts.reversed().map { ": \(rig.words(of: $0.id))" }
    case "scheduled":
      let pending = handset.pending(of: try command.app(), at: rig.now)
      return pending.isEmpty
        ? [": nothing"]
        : pending.map {
          ": \($0.request.identifier) \(Label.text($0.request.push)) due \(rig.storyTime(wall: $0.dueWall).story)"
        }
    case "held":
      let app = try command.app()
      guard let update = handset.held(for: app) else { return [": nothing"] }
      let due = update.due.map { ", due \(rig.storyTime(uptime: $0).story)" } ?? ""
      return [": \(Label.text(update.push)) until \(rig.storyTime(wall: update.expires).story)\(due)"]
    case "offered":
      let lines = handset.offers(for: try command.app()).map { offer in
        let deadline = offer.deadline.map { ", to complete by \(rig.storyTime(uptime: $0).story)" } ?? ""
        return ": \(Label.text(offer.push)), attempt \(offer.attempt)\(deadline)\(offer.waits ? ", waits" : "")"
      }
      return lines.isEmpty ? [": nothing"] : lines
    case "kept":
      guard let kept = handset.kept(for: try command.app()) else { return [": nothing"] }
      return [": \(Label.text(kept.push.id)) until \(rig.storyTime(wall: kept.expires).story)"]
    case "explain":
      let rulings = rig.rulings[try push(named: &command)] ?? []
      return rulings.isEmpty ? [": nothing"] : rulings.map { ": \($0.rule?.rawValue ?? "?") \($0.outcome)" }
    case "budget":
      let budget = handset.budget(of: try command.app())
      let times = budget.deliveries.map { rig.storyTime(uptime: $0.uptime).story }.joined(separator: ", ")
      let free = budget.freeAt.map { "; free at \(rig.storyTime(uptime: $0).story)" } ?? ""
      return [": \(times.isEmpty ? "unused" : times)\(free)"]
    case "conditions":
      let names = Condition.allCases.filter { handset.record.conditions.contains($0) }.map(\.rawValue)
      return [": \(names.isEmpty ? "none" : names.joined(separator: ", "))"]
    case "state":
      let id = try command.app()
      guard let app = handset.apps[id] else { return [": not installed"] }
      let registration =
        switch app.state.registration {
        case .pending: "not registered yet"
        case .registered(let kinds): "registered for \(kinds.isEmpty ? "nothing" : kinds.names.joined(separator: ","))"
        case .unregistered(let since): "unregistered since \(rig.storyTime(wall: since).story)"
        }
      return [
        ": \(app.state.lifecycle.rawValue), \(registration), \(Label.text(app.state.token)), badge \(app.state.badge)"
      ]
    case "settings":
      guard let text = command.rest().first else {
        return HandsetSettings.Key.allCases.map { ": \($0.rawValue)=\(handset.record.settings[$0])" }
      }
      let settings = AppID(text).flatMap { handset.apps[$0]?.state.settings }
      return AppSettings.Key.allCases.map { ": \($0.rawValue)=\(settings?[$0] ?? "?")" }
    case "display":
      let width = try command.integer("width")
      let hasPoints = command.flag("points")
      let badge = handset.presentation(at: rig.now).badge
      return [": \(picture(SegmentText(badge: badge, width: width, hasDecimalPoints: hasPoints)))"]
    default:
      throw StoryError(description: "no command '\(name)'")
    }
  }

  // MARK: - Inputs

  private mutating func nextToken() -> DeviceToken {
    tokens += 1
    return Label.token(tokens)
  }

  private func push(named command: inout StoryCommand) throws -> PushID {
    let text = try command.next("a push")
    return try required(Label.push(named: text), "no push '\(text)'")
  }

  private mutating func push(_ command: inout StoryCommand) throws -> Push {
    let app = try command.app()
    pushes += 1
    let token =
      try command.option("token").map { try required(Label.token(named: $0), "no token '\($0)'") }
      ?? rig.handset.apps[app]?.state.token ?? Label.token(0)
    let topic = try command.option("topic").map { try required(AppID($0), "no app '\($0)'") } ?? app
    let typeName = command.flag("background") ? "background" : command.option("type") ?? "alert"
    let type = try required(PushType(rawValue: typeName), "no push type '\(typeName)'")
    let levelName = command.option("level") ?? "active"
    let expiration: Expiration
    switch command.option("expires") {
    case nil: expiration = .at(rig.now.wall.advanced(by: Policy.defaultExpiration))
    case "once"?: expiration = .once
    case let text?:
      expiration = .at(rig.now.wall.advanced(by: try required(Duration(story: text), "'\(text)' is no time")))
    }
    let faults = command.option("fault").map { text in
      let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
      return [PayloadFault(path: parts[0], problem: parts.count > 1 ? parts[1] : "")]
    }
    return Push(
      id: Label.push(pushes), token: token, topic: topic, type: type, message: try message(&command),
      badge: badge(&command), sound: try sound(&command),
      contentAvailable: command.flag("content-available") || type == .background,
      level: try required(InterruptionLevel(rawValue: levelName), "no level '\(levelName)'"),
      collapseID: command.option("collapse"), expiration: expiration, priority: type == .background ? 5 : 10,
      threadID: command.option("thread"), payload: Array("{\"push\":\(pushes)}".utf8), faults: faults ?? [])
  }

  /// `sound=bell`, and with `volume=` a critical one.
  private func sound(_ command: inout StoryCommand) throws -> SoundRequest {
    let name = command.option("sound")
    guard let text = command.option("volume") else {
      return name.map { $0 == "default" ? .system : .named($0) } ?? .none
    }
    let volume = try required(Double(text), "'\(text)' is no volume")
    return .critical(name: name == "default" ? nil : name, volume: volume)
  }

  /// `in=10m`, or `at=07:30` or `at=07:30:15` with `on=2026-*-29` and `weekday=1`; `repeat`.
  private mutating func request(_ command: inout StoryCommand) throws -> LocalNotification {
    let app = try command.app()
    let identifier = try command.next("an identifier")
    pushes += 1
    let repeats = command.flag("repeat")
    let trigger: LocalNotification.Trigger
    if let text = command.option("in") {
      trigger = .interval(try required(Duration(story: text), "'\(text)' is no time"), repeats: repeats)
    } else {
      let text = try required(command.option("at"), "expected in= or at=")
      let clock = text.split(separator: ":").map { Int($0) ?? -1 }
      let date = (command.option("on") ?? "*-*-*").split(separator: "-").map { Int($0) }
      guard clock.count >= 2, date.count == 3 else { throw StoryError(description: "'\(text)' is no calendar time") }
      let time = CalendarTime(
        year: date[0], month: date[1], day: date[2], weekday: command.option("weekday").flatMap { Int($0) },
        hour: clock[0], minute: clock[1], second: clock.count > 2 ? clock[2] : 0)
      trigger = .calendar(time, repeats: repeats)
    }
    let levelName = command.option("level") ?? "active"
    return LocalNotification(
      app: app, identifier: identifier, push: Label.push(pushes), trigger: trigger, message: try message(&command),
      badge: badge(&command), sound: try sound(&command),
      level: try required(InterruptionLevel(rawValue: levelName), "no level '\(levelName)'"),
      payload: Array("{\"local\":\(pushes)}".utf8))
  }

  private func badge(_ command: inout StoryCommand) -> BadgeRequest {
    guard let text = command.option("badge") else { return .absent }
    guard let number = Int(text), number >= 0 else { return .bad(text) }
    return .number(number)
  }

  private func message(_ command: inout StoryCommand) throws -> Message? {
    let arguments = command.list("args")
    func part(_ name: String) -> MessageText? {
      if let text = command.option(name) { return .literal(text) }
      return command.option(name + "-key").map { .localized(key: $0, arguments: arguments) }
    }
    let (title, subtitle, body) = (part("title"), part("subtitle"), part("alert"))
    let action: ActionTitle =
      command.flag("no-action") ? .none : command.option("action-key").map { .localized(key: $0) } ?? .standard
    guard title != nil || subtitle != nil || body != nil else { return nil }
    return Message(title: title, subtitle: subtitle, body: body, actionTitle: action)
  }

  private func manifest(_ command: inout StoryCommand) throws -> AppManifest {
    let app = try command.app()
    let foreground = command.list("foreground")
    return AppManifest(
      id: app, name: command.option("name") ?? app.text.prefix(1).uppercased() + app.text.dropFirst(),
      receivesBackgroundUpdates: command.flag("background"),
      actionTitle: command.option("action"),
      lampPattern: try command.option("lamp").map {
        try required(LampPattern(named: $0), "no pattern '\($0)'")
      },
      foregroundPresentation: try required(NotificationKinds(names: foreground), "no kinds '\(foreground)'"),
      sounds: Set(command.list("sounds")), strings: command.group("string"),
      hasHooks: command.flag("hooks"))
  }

  private func setting(_ command: inout StoryCommand) throws -> Input {
    let owner = try command.next("an app, or handset")
    let key = try command.next("a key")
    let value = try command.next("a value")
    if owner == "handset" {
      return .setHandsetSetting(try required(HandsetSettings.Key(rawValue: key), "no setting '\(key)'"), value)
    }
    return .setAppSetting(
      try required(AppID(owner), "no app '\(owner)'"),
      try required(AppSettings.Key(rawValue: key), "no setting '\(key)'"), value)
  }

  private func clearing(_ command: inout StoryCommand) throws -> Input {
    let what = try command.next("a push, an app, or all")
    if what == "all" { return .clearCenter }
    if let push = Label.push(named: what) {
      let id = rig.handset.center.notifications.values.first { $0.push == push }?.id
      return .clearNotification(id ?? NotificationID(number: 0))
    }
    return .clearSection(try required(AppID(what), "no app '\(what)'"))
  }

  private mutating func refused(_ command: inout StoryCommand) throws -> RefusedPush {
    pushes += 1
    return RefusedPush(
      id: command.flag("anonymous") ? nil : Label.push(pushes),
      topic: command.option("topic").flatMap { AppID($0) }, status: try command.integer("status"),
      reason: try command.next("a reason"), detail: command.option("detail") ?? "")
  }

  private func report(_ command: inout StoryCommand) throws -> DriverReport {
    let what = try command.next("a report")
    let push = command.option("push").flatMap { Label.push(named: $0) }
    let ago = try command.option("ago").map { try required(Duration(story: $0), "'\($0)' is no time") } ?? .zero
    let kind: DriverReport.Kind =
      switch what {
      case "lamp": .lamp(lit: try command.next("on or off") == "on")
      case "display": .display(try command.next("a text"))
      case "sound-started": .soundStarted(name: try command.next("a sound"))
      case "sound-ended": .soundEnded(name: try command.next("a sound"), reason: try command.next("a reason"))
      case "device-lost": .deviceLost(try command.next("a problem"))
      case "device-back": .deviceBack(try command.next("a device"))
      default: throw StoryError(description: "no report '\(what)'")
      }
    return DriverReport(kind, push: push, uptime: rig.now.uptime - ago)
  }
}

/// The digits as a reader sees them: `"  12"`, `"9.9.9.9."`.
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
