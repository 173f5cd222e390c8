import FoundationEssentials
import HandsetCore
import Testing

@testable import InputRecording

private let mail = AppID("com.example.mail")!
private let token = DeviceToken(bytes: [0, 1, 255])!
private let inbox = NodeID(app: mail, name: "Inbox")!
private let start = Moment(uptime: .seconds(100), wall: WallTime(seconds: 1_800_000_000))
private let pushID = PushID("01234567-89AB-cdef-0123-456789ABCDEF")!

@Suite struct RecordedLineTests {
  static let manifest = AppManifest(
    id: mail, name: "Mäil", receivesBackgroundUpdates: true, actionTitle: "Sort", lampPattern: .sos,
    foregroundPresentation: [.badge, .alert], sounds: ["b", "a"], strings: ["K": "a \"b\" %@\n"])

  static let push = Push(
    id: pushID, token: token, topic: mail, type: .liveactivity,
    message: Message(
      title: .literal("T/ü"), subtitle: .localized(key: "K", arguments: ["x", ""]), body: nil,
      actionTitle: .localized(key: "A")),
    badge: .number(.max), sound: .named("s"), contentAvailable: true, level: .critical, collapseID: "c",
    expiration: .at(WallTime(microseconds: .min)), priority: 1, threadID: "t", payload: [0, 10, 13, 255],
    faults: [PayloadFault(path: "aps.alert", problem: "expected a string")])

  /// Returns an action with every part that one can have.
  private static func action(_ call: WebCall) -> NotificationAction {
    var action = NotificationAction(
      id: "REPLY", title: "Reply", opensApp: true, textInput: .init(button: "Send", placeholder: "Message"), call: call)
    (action.isDestructive, action.needsUnlock, action.keepsNotification) = (true, true, true)
    action.url = "https://a.example/"
    return action
  }

  /// A manifest with every part that only some apps have.
  private static var wholeManifest: AppManifest {
    var whole = manifest
    (whole.hasNotificationProgram, whole.hasServiceExtension, whole.hasBroadcasts) = (true, true, true)
    whole.categories = [NotificationCategory(id: "ASK", actions: [action(WebCall(method: "GET", url: "/"))])]
    whole.liveActivity = LiveActivityManifest(display: "a", countdown: "b", lamp: .sos)
    whole.pushTypes = [.voip, .widgets]
    return whole
  }

  private static var deferralInputs: [Input] {
    var mode = FocusMode(name: "work")
    (mode.allow, mode.filters) = ([mail], [mail.text: ["team", ""]])
    (mode.timeSensitive, mode.schedule, mode.isInHours) = (false, DailyHours("22:00-07:00"), true)
    var options = NotificationOptions()
    (options.isLocal, options.launchImage) = (true, "dawn")
    (options.relevance, options.filterCriteria) = (0.25, "team")
    var summarized = push
    (summarized.uniqueID, summarized.isGrouped, summarized.isLocal) = (pushID, true, true)
    summarized.options = options
    return Retraction.allCases.map { .retract(mail, collapseID: "c", $0) } + [
      .setFocusMode("work", mode), .setFocusMode("work", nil), .push(summarized),
    ]
  }

  private static var activityInputs: [Input] {
    var update = ActivityUpdate(.start, timestamp: WallTime(seconds: 5), content: #"{"a":1}"#)
    (update.attributesType, update.attributes, update.relevance) = ("Match", "{}", 0.5)
    (update.staleDate, update.dismissalDate) = (WallTime(seconds: 6), WallTime(seconds: 7))
    update.channel = ChannelID("dHN0")
    var broadcast = Push(id: pushID, token: nil, topic: mail, type: .liveactivity)
    broadcast.activity = update
    let channel = ChannelID("dHN0")!
    let purposes: [TokenPurpose] = [.pushToStart, .activity(ActivityID(41)), .widgets, .controls]
    return purposes.map { .mintedToken(mail, $0, token) } + [
      .broadcast(broadcast, channel: channel), .changeActivity(mail, nil, update),
      .changeActivity(mail, ActivityID(41), ActivityUpdate(.end, timestamp: WallTime(seconds: 5), content: "{}")),
      .dismissActivity(ActivityID(41)),
    ]
  }

  static let inputs: [Input] = {
    var pushes = [push, Push(id: pushID, token: token, topic: mail)]
    for (badge, sound, action) in [
      (BadgeRequest.bad("\"x\""), SoundRequest.system, ActionTitle.none), (.absent, .none, .standard),
    ] {
      var other = push
      (other.badge, other.sound) = (badge, sound)
      other.message = Message(body: .literal(""), actionTitle: action)
      pushes.append(other)
    }
    let kinds: [DriverReport.Kind] = [
      .lamp(lit: true), .display(text: "  12"), .displayOverflow(text: "9999"), .soundStarted(name: "a"),
      .soundEnded(name: "a", reason: "finished"), .deviceLost(problem: "lamp: gone"), .deviceBack(device: "lamp"),
      .faultStruck(name: "busy"),
    ]
    var inputs = pushes.map(Input.push) + pushes.map(Input.keep) + [.forward]
    inputs += kinds.map {
      .report(
        DriverReport($0, push: pushID, uptime: Duration(secondsComponent: -3, attosecondsComponent: -999_999_999_999)))
    }
    inputs += [
      .report(DriverReport(.lamp(lit: false), uptime: .seconds(1_000_000_000) / 44_100)),
      .refused(RefusedPush(id: nil, topic: nil, status: 400, reason: "R", detail: "d")),
      .refused(RefusedPush(id: pushID, topic: mail, status: 413, reason: "R", detail: "d")),
      .install(manifest, token: token), .install(AppManifest(id: mail, name: "M"), token: token), .uninstall(mail),
      .register(mail, [.sound, .alert], token: token), .unregister(mail), .setBadge(mail, -1), .press(.view),
      .clearNotification(NotificationID(number: .max)), .clearSection(mail), .clearCenter, .start(.board), .wake,
    ]
    inputs += [.listening(mail, .background), .disconnected(mail), .died(mail), .timedOut(mail, pushID)]
    inputs += DeliveryResult.allCases.map { .completed(mail, pushID, $0) }
    inputs.append(.completed(mail, pushID, .failed, reason: "ended with exit status 1"))
    inputs += Condition.allCases.flatMap { [.setCondition($0, true), .setCondition($0, false)] }
    var critical = push
    critical.sound = .critical(name: "s", volume: 0.25)
    critical.hasProviderID = true
    var criticalDefault = push
    criticalDefault.sound = .critical(name: nil, volume: 1)
    inputs += [.push(critical), .push(criticalDefault), .press(.close, .long)]
    inputs += [.setForegroundPresentation(mail, []), .setForegroundPresentation(mail, .all)]
    let time = CalendarTime(year: 2027, month: 2, day: 29, weekday: 7, hour: 23, minute: 59, second: 58)
    for trigger in [
      LocalNotification.Trigger.interval(.milliseconds(1_500), repeats: false), .calendar(time, repeats: true),
      .calendar(CalendarTime(hour: 7), repeats: false),
    ] {
      inputs.append(
        .schedule(
          LocalNotification(
            app: mail, identifier: "tea", push: pushID, trigger: trigger, message: push.message, badge: .number(3),
            sound: .critical(name: nil, volume: 0.5), level: .passive, threadID: "t", payload: [1, 2])))
    }
    let publication = Push(
      id: pushID, token: nil, topic: mail, message: push.message, badge: .number(1), payload: [1])
    inputs += [
      .publish(publication, through: inbox, propertyList: [60, 0, 255]), .createNode(inbox), .deleteNode(inbox),
    ]
    inputs += [.cancel(mail, identifier: nil), .cancel(mail, identifier: "tea")]
    let zone = TimeZoneTable(
      name: "Test/Zone", initialOffset: -3_600,
      transitions: [.init(time: -5, offset: 0), .init(time: 7, offset: 7_200)])!
    inputs += [.setTimeZone(zone), .setTimeZone(.utc)]
    var repeating = push
    repeating.repetition = RepeatRequest(every: .seconds(60), times: 30)
    inputs.append(.push(repeating))
    repeating.repetition = RepeatRequest()
    inputs += [.push(repeating), .snooze(mail, for: .seconds(600)), .snooze(nil, for: nil)]
    inputs += [.endSnooze(mail), .endSnooze(nil), .fetch(mail), .fetch(nil)]
    let call = WebCall(method: "PUT", url: "https://a.example/", headers: ["X": "y"], body: [1, 2])
    inputs += [
      .call(mail, pushID, call), .called(9, .delivered(status: 204, attempts: 2)), .called(9, .failed("status 503")),
      .called(9, .gaveUp("status 410")),
    ]
    var offering = push
    offering.options = NotificationOptions(category: "ASK", actions: [action(call)])
    offering.options?.lamp = .sos
    offering.options?.targetContentID = "letters/1"
    inputs += [
      .respond(NotificationID(number: 7), action: "REPLY", text: "Yes"),
      .respond(nil, action: NotificationResponse.open), .removeDelivered(mail, [NotificationID(number: 7)]),
      .removeDelivered(mail, nil), .listDelivered(mail), .push(offering),
    ]
    var sealed = push
    (sealed.type, sealed.mutableContent) = (.voip, true)
    inputs += [
      .push(sealed), .extended(mail, pushID, .changed(push)), .extended(mail, pushID, .timedOut),
      .extended(mail, pushID, .failed("busy")),
    ]
    inputs += deferralInputs + activityInputs
    inputs.append(.install(wholeManifest, token: token))
    inputs += LifecycleCommand.allCases.map { .lifecycle(mail, $0) }
    inputs += AppSettings.Key.allCases.map { .setAppSetting(mail, $0, "on") }
    inputs += HandsetSettings.Key.allCases.map { .setHandsetSetting($0, "off") }
    return inputs
  }()

  static let moment = Moment(
    uptime: Duration(secondsComponent: 5, attosecondsComponent: 1), wall: WallTime(microseconds: -7))

  @Test("Every input comes back as it was, with its moment", arguments: inputs.indices)
  func inputComesBack(_ index: Int) throws {
    let input = RecordedLineTests.inputs[index]
    let line = try RecordedLine.encoder().encode(RecordedLine(.input(input, RecordedLineTests.moment)))
    #expect(!line.contains(UInt8(ascii: "\n")))
    guard case .input(let back, let moment) = try JSONDecoder().decode(RecordedLine.self, from: line).entry else {
      Issue.record("not an input: \(String(decoding: line, as: UTF8.self))")
      return
    }
    #expect(moment == RecordedLineTests.moment)
    // Word for word, to the last field; except the order of unordered values.
    #expect(described(back) == described(input))
    if case .push(let one) = back, case .push(let other) = input {
      #expect(one == other)
      #expect(one.id.description == other.id.description, "the provider's own spelling")
    }
    if case .install(let one, _) = back, case .install(let other, _) = input { #expect(one == other) }
  }

  /// Returns the output of `dump`, which shows every stored property.
  private func described(_ input: Input) -> String {
    if case .install(let manifest, let token) = input {
      return "\(manifest.id) \(manifest.name) \(manifest.sounds.sorted()) \(manifest.strings) \(token)"
    }
    var text = ""
    dump(input, to: &text)
    return text
  }

  private func text(_ entry: RecordedLine.Entry, of handset: HandsetID = .first) throws -> String {
    String(decoding: try RecordedLine.encoder().encode(RecordedLine(entry, of: handset)), as: UTF8.self)
  }

  @Test("A line is as a person can read and write it")
  func lines() throws {
    func line(_ input: Input) throws -> String { try text(.input(input, start)) }
    let end = #","uptime":[100,0],"wall":1800000000000000}"#
    #expect(try line(.wake) == #"{"input":{"wake":{}}"# + end)
    #expect(try line(.forward) == #"{"input":{"forward":{}}"# + end)
    #expect(try line(.keep(Push(id: pushID, token: token, topic: mail))).hasPrefix(#"{"input":{"keep":{"content":{"#))
    #expect(
      try line(.lifecycle(mail, .forceQuit))
        == #"{"input":{"lifecycle":{"app":"com.example.mail","command":"force-quit"}}"# + end)
    #expect(
      try line(.report(DriverReport(.lamp(lit: true), uptime: .milliseconds(1_500))))
        == #"{"input":{"report":{"content":{"kind":{"lamp":{"lit":true}},"uptime":[1,500000000000000000]}}}"# + end)
  }

  @Test("A line names its handset where it is not the first")
  func handset() throws {
    let text = try text(.input(.wake, start), of: HandsetID(500))
    #expect(text == #"{"handset":500,"input":{"wake":{}},"uptime":[100,0],"wall":1800000000000000}"#)
  }

  @Test("After the last number of an event comes the first, and no trap")
  func lastNumbers() throws {
    var contents = Handset.Contents()
    (contents.record.nextEvent, contents.record.nextNotification, contents.record.nextAlert) = (.max, .max, .max)
    var handset = Handset(contents)
    let inputs: [Input] = [
      .install(RecordedLineTests.manifest, token: token), .register(mail, .all, token: token),
      .setAppSetting(mail, .style, "alert"),
      .push(Push(id: pushID, token: token, topic: mail, message: Message(body: .literal("x")))),
    ]
    let events = inputs.flatMap { handset.handle($0, at: start).events }
    #expect(events.prefix(3).map(\.sequence) == [.max, 0, 1])
    #expect(handset.record.nextNotification == 0)
    #expect(handset.record.nextAlert == 0)
  }

  @Test(
    "Sizes and offsets beyond their limits are refused",
    arguments: [
      (#""size":7"#, #""size":9223372036854775807"#), (#""size":7"#, #""size":-1"#),
      (#""initialOffset":0"#, #""initialOffset":-9223372036854775808"#),
    ])
  func numbers(_ good: String, _ bad: String) throws {
    var contents = Handset.Contents()
    contents.notifications.insert(
      Notification(
        id: NotificationID(number: 0), app: mail, push: pushID, level: .active, collapseID: nil, isListed: true,
        isSeen: true, alertOrder: nil, hasAction: true, size: 7))
    let line = try text(.contents(contents))
    #expect(line.contains(good))
    _ = try JSONDecoder().decode(RecordedLine.self, from: Data(line.utf8))
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(RecordedLine.self, from: Data(line.replacing(good, with: bad).utf8))
    }
  }

  @Test(arguments: [
    #"{"input":{"wake":{}},"uptime":[1,0]}"#, #"{"input":{"dance":{}},"uptime":[1,0],"wall":1}"#, "{}", "[]",
    #"{"input":{"uninstall":{"app":"not an app"}},"uptime":[1,0],"wall":1}"#,
    #"{"input":{"setAppSetting":{"app":"a","key":"color","value":"red"}},"uptime":[1,0],"wall":1}"#,
    #"{"input":{"register":{"app":"a","kinds":["smell"],"token":"00"}},"uptime":[1,0],"wall":1}"#,
    #"{"input":{"wake":{}},"upti"#,
  ])
  func refusesWhatItDoesNotKnow(_ line: String) {
    #expect(throws: (any Error).self) { try JSONDecoder().decode(RecordedLine.self, from: Data(line.utf8)) }
  }
}
