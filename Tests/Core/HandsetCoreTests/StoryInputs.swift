@testable import HandsetCore

enum StoryStep {
  case input(Input)
  case restart(Start)
  case move(TimeZoneTable)
  /// A person sets the wall clock, ahead if `by` is positive.
  case setClock(by: Duration, isNoticed: Bool)
  case wait
}

struct StoryInputs {
  private var pushes = 0
  private var tokens = 0

  /// Returns the step; nil if the command only looks, which changes nothing.
  mutating func step(
    _ name: String, _ command: inout StoryCommand, on handset: Handset, at now: Moment
  ) throws -> StoryStep? {
    switch name {
    case "push":
      let app = try command.app()
      return .input(.push(try push(&command, to: app, on: handset, at: now)))
    case "keep":
      let app = try command.app()
      return .input(.keep(try push(&command, to: app, on: handset, at: now)))
    case "forward": return .input(.forward)
    case "publish":
      let node = try StoryInputs.node(&command)
      var push = try push(&command, to: node.app, on: handset, at: now)
      push.token = nil
      push.hasProviderID = false
      return .input(.publish(push, through: node, propertyList: Array("<plist \(pushes)>".utf8)))
    case "retract":
      let (app, id) = (try command.app(), try command.next("a collapse identifier"))
      let how = try command.next("seen or removed")
      return .input(.retract(app, collapseID: id, try required(Retraction(rawValue: how), "no retraction '\(how)'")))
    case "create": return .input(.createNode(try StoryInputs.node(&command)))
    case "delete": return .input(.deleteNode(try StoryInputs.node(&command)))
    case "install":
      let manifest = try manifest(&command)
      return .input(.install(manifest, token: nextToken()))
    case "uninstall": return .input(.uninstall(try command.app()))
    case "register":
      let app = try command.app()
      let names = command.rest()
      let kinds = try required(NotificationKinds(names: names), "kinds are badge, sound, alert, provisional")
      return .input(.register(app, kinds, token: nextToken()))
    case "unregister": return .input(.unregister(try command.app()))
    case "launch", "background", "kill", "force-quit":
      let lifecycle = try required(LifecycleCommand(rawValue: name), "no lifecycle command '\(name)'")
      return .input(.lifecycle(try command.app(), lifecycle))
    case "listen":
      let (app, state) = (try command.app(), try command.next("a state"))
      return .input(.listening(app, try required(Lifecycle(rawValue: state), "no state '\(state)'")))
    case "disconnect": return .input(.disconnected(try command.app()))
    case "die": return .input(.died(try command.app()))
    case "complete":
      let (app, push) = (try command.app(), try StoryInputs.push(named: &command))
      let result = try command.option("result").map { try required(DeliveryResult(rawValue: $0), "no result '\($0)'") }
      return .input(.completed(app, push, result ?? .newData))
    case "timeout":
      let (app, push) = (try command.app(), try StoryInputs.push(named: &command))
      return .input(.timedOut(app, push))
    case "extended": return .input(try extended(&command))
    case "mint", "broadcast", "activity", "dismiss-activity":
      return try stepOfAnActivity(name, &command, on: handset, at: now)
    default: return try stepOfAPerson(name, &command, on: handset, at: now)
    }
  }

  private mutating func stepOfAnActivity(
    _ name: String, _ command: inout StoryCommand, on handset: Handset, at now: Moment
  ) throws -> StoryStep? {
    switch name {
    case "mint":
      let (app, purpose) = (try command.app(), try command.next("a token's use"))
      // The newest activity of the app that has no token.
      let owned = handset.purposeTokens(of: app)
      let lacking = handset.liveActivities.last { $0.app == app && owned[.activity($0.id)] == nil }?.id
      let use = purpose == "activity" ? .activity(lacking ?? ActivityID(0)) : TokenPurpose(coded: purpose)
      return .input(.mintedToken(app, try required(use, "no use '\(purpose)'"), nextToken()))
    case "broadcast":
      let (app, channel) = (try command.app(), try command.next("a channel"))
      var push = try push(&command, to: app, on: handset, at: now)
      (push.token, push.type) = (nil, .liveactivity)
      return .input(.broadcast(push, channel: try required(ChannelID(channel), "no channel '\(channel)'")))
    case "activity":
      let app = try command.app()
      let event = try command.next("start, update or end")
      let activity = try StoryInputs.newestActivity(of: app, unless: event == "start", on: handset)
      let update = try required(
        StoryInputs.activity(&command, try required(ActivityUpdate.Event(rawValue: event), "no '\(event)'"), at: now),
        "no activity")
      return .input(.changeActivity(app, activity, update))
    case "dismiss-activity":
      return .input(
        .dismissActivity(try StoryInputs.newestActivity(of: try command.app(), on: handset) ?? ActivityID(0)))
    default: return nil
    }
  }

  /// Returns the step of a command of the person, of the clocks, or of the daemon itself.
  private mutating func stepOfAPerson(
    _ name: String, _ command: inout StoryCommand, on handset: Handset, at now: Moment
  ) throws -> StoryStep? {
    switch name {
    case "condition":
      let (name, value) = (try command.next("a condition"), try command.next("on or off"))
      return .input(.setCondition(try required(Condition(rawValue: name), "no condition '\(name)'"), value == "on"))
    case "focus": return .input(try focusMode(&command))
    case "badge": return .input(.setBadge(try command.app(), try command.integer("badge")))
    case "set": return .input(try setting(&command))
    case "press":
      let button = try command.next("a button")
      let length: PressLength = command.flag("long") ? .long : .short
      return .input(.press(try required(AlertButton(rawValue: button), "no button '\(button)'"), length))
    case "open":
      let push = try StoryInputs.push(named: &command)
      let id = StoryInputs.notification(of: push, on: handset)
      return .input(
        .respond(id, action: command.option("action") ?? NotificationResponse.open, text: command.option("text")))
    case "delivered": return .input(.listDelivered(try command.app()))
    case "remove":
      let app = try command.app()
      let words = command.rest()
      if words == ["all"] { return .input(.removeDelivered(app, nil)) }
      let pushes = try words.map { try required(Label.push(named: $0), "no push '\($0)'") }
      return .input(.removeDelivered(app, pushes.map { StoryInputs.notification(of: $0, app: app, on: handset) }))
    case "clear": return .input(try clearing(&command, on: handset))
    case "foreground":
      let app = try command.app()
      let names = command.rest()
      return .input(
        .setForegroundPresentation(app, try required(NotificationKinds(names: names), "no kinds '\(names)'")))
    case "zone":
      let name = try command.next("a time zone")
      return .move(try required(StoryZone.named[name], "no time zone '\(name)'"))
    case "schedule": return .input(.schedule(try request(&command)))
    case "cancel": return .input(.cancel(try command.app(), identifier: command.rest().first))
    case "action":
      let (app, push) = (try command.app(), try StoryInputs.push(named: &command))
      let url = try command.next("an address")
      return .input(.call(app, push, WebCall(method: "PUT", url: url)))
    case "called":
      let push = try StoryInputs.push(named: &command)
      let number = handset.queuedCalls.first { $0.push == push }?.number ?? 0
      let attempts = try command.option("attempts").map { try required(Int($0), "'\($0)' is no number") } ?? 1
      if let problem = command.option("failed") { return .input(.called(number, .failed(problem))) }
      if let problem = command.option("gave-up") { return .input(.called(number, .gaveUp(problem))) }
      return .input(.called(number, .delivered(status: 204, attempts: attempts)))
    case "fetch": return .input(.fetch(try StoryInputs.appOrAll(&command)))
    case "snooze":
      let app = try StoryInputs.appOrAll(&command)
      let length = try command.rest().first.map { try required(Duration(story: $0), "'\($0)' is no time") }
      return .input(.snooze(app, for: length))
    case "end-snooze": return .input(.endSnooze(try StoryInputs.appOrAll(&command)))
    case "restart": return .restart(.daemon)
    case "boot": return .restart(.board)
    case "wake": return .input(.wake)
    case "wait": return .wait
    case "clock":
      let text = try command.next("a time")
      let back = text.hasPrefix("-")
      let step = try required(Duration(story: back ? text.dropFirst() : text[...]), "'\(text)' is no time")
      let isUnnoticed = command.flag("unnoticed")
      return .setClock(by: back ? .zero - step : step, isNoticed: !isUnnoticed)
    case "refused": return .input(.refused(try refused(&command)))
    case "report": return .input(.report(try report(&command, at: now)))
    default: return nil
    }
  }

  private mutating func nextToken() -> DeviceToken {
    tokens += 1
    return Label.token(tokens)
  }

  static func push(named command: inout StoryCommand) throws -> PushID {
    let text = try command.next("a push")
    return try required(Label.push(named: text), "no push '\(text)'")
  }

  /// Returns the app; nil for `all`.
  private static func appOrAll(_ command: inout StoryCommand) throws -> AppID? {
    let text = try command.next("an app, or all")
    return text == "all" ? nil : try required(AppID(text), "no app '\(text)'")
  }

  static func node(_ command: inout StoryCommand) throws -> NodeID {
    let (app, name) = (try command.app(), try command.next("a node"))
    return try required(NodeID(app: app, name: name), "no node can be called '\(name)'")
  }

  private mutating func push(
    _ command: inout StoryCommand, to app: AppID, on handset: Handset, at now: Moment
  ) throws -> Push {
    pushes += 1
    let token =
      try command.option("token").map { name in
        // `start` and `live`: the app's token to start activities, and that of its newest activity.
        let purposes = handset.purposeTokens(of: app)
        if name == "start" { return purposes[.pushToStart] ?? Label.token(0) }
        if name == "live" {
          let newest = handset.liveActivities.last { $0.app == app && $0.ended == nil }?.id
          return newest.flatMap { purposes[.activity($0)] } ?? Label.token(0)
        }
        return try required(Label.token(named: name), "no token '\(name)'")
      }
      ?? handset.apps[app]?.state.token ?? Label.token(0)
    let topic = try command.option("topic").map { try required(AppID($0), "no app '\($0)'") } ?? app
    let typeName = command.flag("background") ? "background" : command.option("type") ?? "alert"
    let type = try required(PushType(rawValue: typeName), "no push type '\(typeName)'")
    let levelName = command.option("level") ?? "active"
    let expiration: Expiration
    switch command.option("expires") {
    case nil: expiration = .at(now.wall.advanced(by: Policy.defaultExpiration))
    case "once"?: expiration = .once
    case let text?:
      expiration = .at(now.wall.advanced(by: try required(Duration(story: text), "'\(text)' is no time")))
    }
    let faults = command.option("fault").map { text in
      let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
      return [PayloadFault(path: parts[0], problem: parts.count > 1 ? parts[1] : "")]
    }
    let again = try command.option("again").map { try required(Label.push(named: $0), "no push '\($0)'") }
    let named = try command.option("id").map { try required(Label.push(named: $0), "no push '\($0)'") }
    var push = Push(
      id: named ?? again ?? Label.push(pushes), token: token, topic: topic, type: type, message: try message(&command),
      badge: badge(&command), sound: try sound(&command),
      contentAvailable: command.flag("content-available") || type == .background,
      level: try required(InterruptionLevel(rawValue: levelName), "no level '\(levelName)'"),
      collapseID: command.option("collapse"), expiration: expiration, priority: type == .background ? 5 : 10,
      threadID: command.option("thread"), payload: Array("{\"push\":\(again?.low ?? UInt64(pushes))}".utf8),
      faults: faults ?? [])
    push.hasProviderID = !command.flag("made-id")
    if command.flag("key") { push.token = nil }
    push.tags = command.option("tags").map { $0.split(separator: ",").map(String.init) }
    push.levelWhereNotCritical = command.option("else-level").flatMap { InterruptionLevel(rawValue: $0) }
    push.options = StoryInputs.options(&command)
    if let text = command.option("priority") { push.priority = try required(Int(text), "'\(text)' is no priority") }
    if let text = command.option("activity") {
      push.type = .liveactivity
      push.activity = try StoryInputs.activity(
        &command, try required(ActivityUpdate.Event(rawValue: text), "no '\(text)'"), at: now)
    }
    push.mutableContent = command.flag("mutable")
    if let text = command.option("relevance") {
      push.options = push.options ?? NotificationOptions()
      push.options?.relevance = try required(Double(text), "'\(text)' is no relevance")
    }
    if let criteria = command.option("criteria") {
      push.options = push.options ?? NotificationOptions()
      push.options?.filterCriteria = criteria
    }
    if let text = command.option("priority") { push.priority = try required(Int(text), "'\(text)' is no priority") }
    if command.flag("repeat") {
      push.repetition = RepeatRequest(
        every: try command.option("every").map { try required(Duration(story: $0), "'\($0)' is no time") },
        times: try command.option("times").map { try required(Int($0), "'\($0)' is no number") })
    }
    return push
  }

  /// Reads `sound=bell`; with `volume=`, a critical one.
  private func sound(_ command: inout StoryCommand) throws -> SoundRequest {
    let name = command.option("sound")
    guard let text = command.option("volume") else {
      return name.map { $0 == "default" ? .system : .named($0) } ?? .none
    }
    let volume = try required(Double(text), "'\(text)' is no volume")
    return .critical(name: name == "default" ? nil : name, volume: volume)
  }

  /// Reads `in=10m`, or `at=07:30` or `at=07:30:15` with `on=2026-*-29` and `weekday=1`; `repeat`.
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

  /// Reads the answer of a service extension: `timed-out`, `failed=`, or the words of a push.
  private func extended(_ command: inout StoryCommand) throws -> Input {
    let (app, id) = (try command.app(), try StoryInputs.push(named: &command))
    if command.flag("timed-out") { return .extended(app, id, .timedOut) }
    if let reason = command.option("failed") { return .extended(app, id, .failed(reason)) }
    let levelName = command.option("level") ?? "active"
    var changed = Push(
      id: id, token: nil, topic: app, message: try message(&command), badge: badge(&command),
      sound: try sound(&command), contentAvailable: command.flag("content-available"),
      level: try required(InterruptionLevel(rawValue: levelName), "no level '\(levelName)'"),
      threadID: command.option("thread"), payload: Array("{\"changed\":\(id.low)}".utf8))
    changed.faults = command.option("fault").map { [PayloadFault(path: $0, problem: "it is wrong")] } ?? []
    changed.options = StoryInputs.options(&command)
    return .extended(app, id, .changed(changed))
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
    var manifest = AppManifest(
      id: app, name: command.option("name") ?? app.text.prefix(1).uppercased() + app.text.dropFirst(),
      receivesBackgroundUpdates: command.flag("background"),
      actionTitle: command.option("action"),
      lampPattern: try command.option("lamp").map {
        try required(LampPattern(named: $0), "no pattern '\($0)'")
      },
      foregroundPresentation: try required(NotificationKinds(names: foreground), "no kinds '\(foreground)'"),
      sounds: Set(command.list("sounds")), strings: command.group("string"),
      hasPrograms: command.flag("hooks"))
    manifest.acknowledge = command.option("acknowledge")
    manifest.categories = StoryInputs.categories(&command)
    manifest.hasNotificationProgram = command.flag("notification-hook")
    let (display, countdown) = (command.option("display"), command.option("countdown"))
    let light = command.option("activity-lamp").flatMap { LampPattern(named: $0) }
    if command.flag("live-activity") || display != nil || countdown != nil || light != nil {
      manifest.liveActivity = LiveActivityManifest(display: display, countdown: countdown, lamp: light)
    }
    manifest.pushTypes = try command.option("modes").map { names in
      try names.split(separator: ",").filter { $0 != "none" }.map {
        try required(PushType(backgroundMode: String($0)), "no background mode '\($0)'")
      }
    }
    manifest.hasServiceExtension = command.flag("extension")
    return manifest
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

  /// Reads `NAME allow=a,b filter.a=x,y hours=22:00-07:00 no-time-sensitive`, or `NAME remove`.
  private func focusMode(_ command: inout StoryCommand) throws -> Input {
    let name = try command.next("a mode's name")
    if command.flag("remove") { return .setFocusMode(name, nil) }
    var mode = FocusMode(name: name)
    mode.allow = try command.list("allow").map { try required(AppID($0), "'\($0)' is no app") }
    mode.timeSensitive = !command.flag("no-time-sensitive")
    mode.filters = command.group("filter").mapValues { $0.split(separator: ",").map(String.init) }
    mode.schedule = try command.option("hours").map { try required(DailyHours($0), "'\($0)' are no hours") }
    return .setFocusMode(name, mode)
  }

  private func clearing(_ command: inout StoryCommand, on handset: Handset) throws -> Input {
    let what = try command.next("a push, an app, or all")
    if what == "all" { return .clearCenter }
    if let push = Label.push(named: what) {
      return .clearNotification(StoryInputs.notification(of: push, on: handset))
    }
    return .clearSection(try required(AppID(what), "no app '\(what)'"))
  }

  /// Reads `category=ID`, `launch-image=NAME`, and the push's own actions by title: `action.Gate=https://gate/` makes a
  /// call, `action.Look=view` opens the app, which gets `action.Tell=app` in the background; with `,keep` the notification
  /// stays.
  private static func options(_ command: inout StoryCommand) -> NotificationOptions? {
    let category = command.option("category")
    let actions = command.group("action").sorted { $0.key < $1.key }.enumerated().map { index, entry in
      let parts = entry.value.split(separator: ",").map(String.init)
      let kind = parts.first ?? ""
      var action = NotificationAction(id: "\(index + 1)", title: entry.key, opensApp: kind == "view")
      if kind.hasPrefix("https:") { action.call = WebCall(url: kind) }
      if kind == "view" { action.url = "https://example.com/" }
      action.keepsNotification = parts.contains("keep")
      return action
    }
    let target = command.option("target")
    let launchImage = command.option("launch-image")
    guard category != nil || launchImage != nil || !actions.isEmpty || target != nil else { return nil }
    var options = NotificationOptions(category: category, actions: actions.isEmpty ? nil : actions)
    options.targetContentID = target
    options.launchImage = launchImage
    return options
  }

  /// Reads `category.ID=ACCEPT*,REPLY?,DELETE#`: an action with an asterisk opens the app, with a question mark takes a
  /// text, with a number sign needs the handset unlocked.
  static func categories(_ command: inout StoryCommand) -> [NotificationCategory]? {
    let categories = command.group("category").sorted { $0.key < $1.key }.map { id, list in
      NotificationCategory(
        id: id,
        actions: list.split(separator: ",").map { word in
          let name = String(word.filter(\.isLetter))
          var action = NotificationAction(id: name, title: name.capitalized, opensApp: word.contains("*"))
          if word.contains("?") { action.textInput = .init(button: "Send") }
          action.needsUnlock = word.contains("#")
          return action
        })
    }
    return categories.isEmpty ? nil : categories
  }

  /// Returns a number that no notification has if there is none for that push.
  /// - Parameter app: nil for that of the oldest one.
  private static func notification(of push: PushID, app: AppID? = nil, on handset: Handset) -> NotificationID {
    let found = handset.center.notifications.filter { $0.push == push && (app == nil || $0.app == app) }
    return found.map(\.id).min() ?? NotificationID(number: 0)
  }

  private mutating func refused(_ command: inout StoryCommand) throws -> RefusedPush {
    pushes += 1
    return RefusedPush(
      id: command.flag("anonymous") ? nil : Label.push(pushes),
      topic: command.option("topic").flatMap { AppID($0) }, status: try command.integer("status"),
      reason: try command.next("a reason"), detail: command.option("detail") ?? "")
  }

  private func report(_ command: inout StoryCommand, at now: Moment) throws -> DriverReport {
    let what = try command.next("a report")
    let push = command.option("push").flatMap { Label.push(named: $0) }
    let ago = try command.option("ago").map { try required(Duration(story: $0), "'\($0)' is no time") } ?? .zero
    let kind: DriverReport.Kind =
      switch what {
      case "lamp": .lamp(lit: try command.next("on or off") == "on")
      case "display": .display(text: try command.next("a text"))
      case "display-overflow": .displayOverflow(text: try command.next("a text"))
      case "sound-started": .soundStarted(name: try command.next("a sound"))
      case "sound-ended": .soundEnded(name: try command.next("a sound"), reason: try command.next("a reason"))
      case "device-lost": .deviceLost(problem: try command.next("a problem"))
      case "device-back": .deviceBack(device: try command.next("a device"))
      case "fault-struck": .faultStruck(name: try command.next("a fault"))
      default: throw StoryError(description: "no report '\(what)'")
      }
    return DriverReport(kind, push: push, uptime: now.uptime - ago)
  }
}

// MARK: - Live Activities

extension StoryInputs {
  /// Reads `state.home=2 state.teams.away=1 stamp=5s stale=1h dismissal=2h relevance=50 channel=dHN0`. Times are of the
  /// story's wall clock, in whole seconds; the time stamp is now unless it is given.
  static func activity(
    _ command: inout StoryCommand, _ event: ActivityUpdate.Event, at now: Moment
  ) throws -> ActivityUpdate {
    func whole(_ wall: WallTime) -> WallTime { WallTime(seconds: wall.microseconds / 1_000_000) }
    func time(_ name: String) throws -> WallTime? {
      guard let text = command.option(name) else { return nil }
      let isBefore = text.hasPrefix("-")
      let length = try required(Duration(story: isBefore ? text.dropFirst() : text[...]), "'\(text)' is no time")
      return whole(now.wall.advanced(by: isBefore ? .zero - length : length))
    }
    var update = ActivityUpdate(event, timestamp: try time("stamp") ?? whole(now.wall), content: "{}")
    let members = command.group("state").sorted { $0.key < $1.key }
    func json(_ value: String) -> String { Double(value) == nil ? "\"\(value)\"" : value }
    let flat = members.filter { !$0.key.contains(".") }.map { "\"\($0.key)\": \(json($0.value))" }
    let nested = members.filter { $0.key.contains(".") }.map { key, value in
      let parts = key.split(separator: ".")
      return "\"\(parts[0])\": {\"\(parts[1])\": \(json(value))}"
    }
    update.content = "{\((flat + nested).joined(separator: ", "))}"
    if event == .start { update.attributesType = "Match" }
    (update.staleDate, update.dismissalDate) = (try time("stale"), try time("dismissal"))
    update.relevance = command.option("relevance").flatMap { Double($0) }
    update.channel = command.option("channel").flatMap { ChannelID($0) }
    return update
  }

  /// Returns the newest activity of the app that goes on.
  static func newestActivity(of app: AppID, unless isNone: Bool = false, on handset: Handset) throws -> ActivityID? {
    isNone
      ? nil
      : handset.liveActivities.last { $0.app == app && $0.ended == nil }?.id
        ?? handset.liveActivities.last { $0.app == app }?.id
  }
}
