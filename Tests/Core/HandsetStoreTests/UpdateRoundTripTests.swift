import Foundation
import TestSupport
import Testing

@testable import HandsetCore
@testable import HandsetStore

@Suite final class UpdateRoundTripTests: MailTests {
  @Test func `An offered update takes over the payload of the held one, and keeps it through restarts (U8)`() throws {
    try rig.commit(.setCondition(.lowPower, true), .push(update(1, payload: [7, 0, 8])))
    #expect(try rig.store.heldPayload(of: Rig.mail, handset: 1) == [7, 0, 8])
    #expect(try rig.store.offeredPayload(of: Rig.mail, push: pushID(1), handset: 1) == nil)
    try rig.commitAndReload(.setCondition(.lowPower, false))
    #expect(try rig.store.heldPayload(of: Rig.mail, handset: 1) == nil)
    #expect(try rig.store.offeredPayload(of: Rig.mail, push: pushID(1), handset: 1) == [7, 0, 8])
    #expect(
      rig.handset.offers(for: Rig.mail) == [
        Offer(
          // The event before the delivery's says that the app was woken.
          push: pushID(1), number: rig.handset.record.nextEvent - 2, attempt: 1,
          expires: rig.now.wall.advanced(by: Policy.defaultExpiration - .milliseconds(10)),
          deadline: nil, isCharged: true, waits: false)
      ])

    rig.handset = try rig.reloaded()
    try rig.commitAndReload(.start(.daemon))
    #expect(rig.handset.offers(for: Rig.mail).map(\.attempt) == [2])
    #expect(try rig.store.offeredPayload(of: Rig.mail, push: pushID(1), handset: 1) == [7, 0, 8])

    try rig.commitAndReload(.completed(Rig.mail, pushID(1), .newData))
    #expect(try rig.store.offeredPayload(of: Rig.mail, push: pushID(1), handset: 1) == nil)
  }

  @Test func `What the person chose comes back with the notification's payload, which has gone (N15)`() throws {
    var hooked = manifest(Rig.mail)
    hooked.hasNotificationProgram = true
    try rig.commit(.install(hooked, token: token(9)))
    #expect(try rig.reloaded().apps[Rig.mail]?.manifest == hooked)
    var asking = push(1, payload: [9, 0, 8])
    asking.options = NotificationOptions(category: "ASK")
    try rig.commitAndReload(.push(asking))
    #expect(rig.handset.offers(for: Rig.mail).map(\.occasion) == [.notification])
    try rig.commit(.completed(Rig.mail, pushID(1), .newData))
    let id = try #require(rig.handset.listed().first?.id)

    try rig.commitAndReload(.respond(id, action: "REPLY", text: "Yes"))
    var response = NotificationResponse(notification: id, push: pushID(1), action: "REPLY", text: "Yes")
    #expect(rig.handset.offers(for: Rig.mail).map(\.occasion) == [.response(response)])
    #expect(rig.handset.listed() == [])
    #expect(try rig.store.offeredPayload(of: Rig.mail, push: pushID(1), handset: 1) == [9, 0, 8])

    // In the batch in which it came, for an app that listens and is not connected.
    var bare = manifest(Rig.mail)
    bare.hasPrograms = false
    try rig.commit(
      .install(bare, token: token(3)), .listening(Rig.mail, .background), .disconnected(Rig.mail))
    var calling = push(2, payload: [7])
    calling.options = NotificationOptions(actions: [NotificationAction(id: "1", title: "Tell")])
    try rig.commitAndReload(.push(calling), .respond(NotificationID(number: id.number + 1), action: "Tell"))
    response = NotificationResponse(
      notification: NotificationID(number: id.number + 1), push: pushID(2), action: "1")
    let offer = try #require(rig.handset.offers(for: Rig.mail).first { $0.push == pushID(2) })
    #expect(offer.waits && offer.attempt == 0 && offer.occasion == .response(response))
    #expect(try rig.store.offeredPayload(of: Rig.mail, push: pushID(2), handset: 1) == [7])
  }

  @Test func `What a service extension has comes back with its payload, and is asked for once more (X1)`() throws {
    var extending = manifest(Rig.mail)
    extending.hasServiceExtension = true
    extending.pushTypes = [.voip]
    try rig.commit(.install(extending, token: token(9)))
    #expect(try rig.reloaded().apps[Rig.mail]?.manifest == extending)
    var sealed = push(1, payload: [9, 0, 8])
    sealed.mutableContent = true
    try rig.commitAndReload(.push(sealed))
    let number = rig.handset.record.nextEvent - 1
    #expect(rig.handset.extending == [Rig.mail: [ExtendingPush(push: sealed, number: number, attempt: 1)]])
    rig.handset = try rig.reloaded()
    try rig.commitAndReload(.start(.daemon))
    #expect(rig.handset.extending[Rig.mail]?.map(\.attempt) == [2])
    try rig.commitAndReload(.extended(Rig.mail, pushID(1), .timedOut))
    #expect(rig.handset.extending == [:])
    #expect(rig.handset.listed().map(\.push) == [pushID(1)])
    #expect(try sql(directory, "SELECT count(*) FROM extending") == "0")
  }

  @Test func `What is counted of an app's pushes by type comes back (T2, T3)`() throws {
    var call = push(1, payload: [7])
    call.type = .voip
    try rig.commitAndReload(.push(call), .timedOut(Rig.mail, pushID(1)))
    #expect(rig.handset.apps[Rig.mail]?.state.count(of: .voip)?.count == 1)
  }

  @Test func `A push sent again in another spelling takes the offered one's place (U8)`() throws {
    try rig.commit(.push(update(1, payload: [1])))
    var shouted = update(1, payload: [2])
    shouted.id = PushID(pushID(1).description.uppercased())!
    try rig.commitAndReload(.push(shouted))
    #expect(try rig.store.offeredPayload(of: Rig.mail, push: pushID(1), handset: 1) == [2])
    #expect(try sql(directory, "SELECT count(*) FROM offered") == "1")
    #expect(try rig.reloaded().offers(for: Rig.mail).map(\.push.description) == [shouted.id.description])
  }

  @Test func `A listening app's offers and deadlines come back, its connection does not (U8)`() throws {
    rig = try Rig.inNewFolder()
    let loaded = try rig.commitAndReload(
      .install(AppManifest(id: Rig.chat, name: "Chat", receivesBackgroundUpdates: true), token: token(1)),
      .register(Rig.chat, .all, token: token(2)), .listening(Rig.chat, .background),
      .push(update(1, to: Rig.chat, payload: [1])))
    #expect(rig.handset.listeners == [Rig.chat])
    #expect(loaded.listeners == [])
    #expect(loaded.apps[Rig.chat]?.state.listens == true)
    #expect(loaded.offers(for: Rig.chat).map(\.deadline) == [rig.uptime + .seconds(30)])

    rig.handset = loaded
    try rig.commitAndReload(.start(.daemon))
    #expect(rig.handset.offers(for: Rig.chat).map(\.waits) == [true])
  }

  @Test func `The budget, the conditions, the fetch mode and what is due come back (U7, S3)`() throws {
    for number in UInt64(1)...4 { try rig.commit(.push(update(number, payload: [UInt8(number)]))) }
    #expect(rig.handset.budget(of: Rig.mail).deliveries.count == 3)
    #expect(try rig.reloaded() == rig.handset.stored)
    let loaded = try rig.commitAndReload(
      .setHandsetSetting(.fetchMode, "fetch"), .setHandsetSetting(.fetchInterval, "2h"))
    // The service fetches; an update that the handset holds waits for the budget alone.
    let first = try #require(rig.handset.budget(of: Rig.mail).deliveries.first).uptime
    #expect(loaded.held(for: Rig.mail)?.due == first + .seconds(3600))
    #expect(try rig.store.heldPayload(of: Rig.mail, handset: 1) == [4])

    for condition in Condition.allCases { try rig.commit(.setCondition(condition, true)) }
    #expect(try rig.reloaded().record.conditions == Set(Condition.allCases))
    try rig.commitAndReload(.setCondition(.locked, false))
  }

  @Test func `What the service keeps comes back whole, with every word of the push (F1)`() throws {
    try rig.commit(.setCondition(.offline, true))
    var sent = Push(
      id: PushID("AbCdEf00-1234-5678-9aBc-DEF012345678")!, token: token(1), topic: Rig.mail, type: .voip,
      message: Message(
        title: .literal("T\u{0}"), subtitle: .localized(key: "K", arguments: ["a", ""]), body: .literal(""),
        actionTitle: .localized(key: "A")),
      badge: .number(.max), sound: .named("chime"), contentAvailable: true, level: .critical, collapseID: "c",
      expiration: .at(WallTime(seconds: 1_900_000_000)), priority: 1, threadID: "t", payload: [0, 0xFF],
      faults: [PayloadFault(path: "p", problem: "q")])
    let kept = try rig.commitAndReload(.push(sent)).waiting(for: Rig.mail).first?.kept.push
    #expect(kept == sent)
    #expect(kept?.id.description == sent.id.description)

    sent.message = nil
    sent.badge = .bad("\"3\"")
    sent.sound = .named("")
    (sent.collapseID, sent.threadID, sent.faults, sent.payload) = (nil, nil, [], [])
    #expect(try rig.commitAndReload(.push(sent)).waiting(for: Rig.mail).first?.kept.push == sent)
    sent.message = Message(body: .literal("x"), actionTitle: .none)
    sent.badge = .absent
    for sound in [
      SoundRequest.system, .critical(name: "chime", volume: 0.25), .critical(name: nil, volume: 0), .none,
    ] {
      sent.sound = sound
      #expect(try rig.commitAndReload(.push(sent)).waiting(for: Rig.mail).first?.kept.push == sent)
    }
    #expect(try sql(directory, "SELECT count(*) FROM kept") == "1")

    try rig.commitAndReload(.setCondition(.offline, false))
    #expect(try sql(directory, "SELECT count(*) FROM kept") == "0")
    // A call is the app's, and not presented (T1).
    #expect(rig.handset.offers(for: Rig.mail).map(\.push) == [sent.id])
  }

  @Test func `What 0.9 stored comes back, without what only later versions store (F1, T1, L4)`() throws {
    for number in UInt64(1)...4 { try rig.commit(.push(update(number, payload: [UInt8(number)]))) }
    try rig.commit(
      .schedule(
        LocalNotification(
          app: Rig.mail, identifier: "tea", push: pushID(5), trigger: .interval(.seconds(60), repeats: false),
          message: Message(body: .literal("Tea")))),
      .setCondition(.offline, true), .push(lasting(push(6, payload: [6]))))
    var contents = rig.handset.stored.contents
    #expect(contents.held[Rig.mail]?.type == .background)
    #expect(contents.kept[.app(Rig.mail)]?.since == rig.now.wall)
    contents.held[Rig.mail]?.type = nil
    contents.kept[.app(Rig.mail)]?.since = nil
    let directory = directory
    try rig.restart { try downgrade(directory, to: 3) }
    let loaded = try rig.reloaded()
    #expect(loaded == Handset(contents))
    #expect(loaded.apps[Rig.mail]?.state.hasScheduled == true)
    rig.handset = loaded
    try rig.commitAndReload(.start(.daemon), .setCondition(.offline, false))
    #expect(rig.handset.listed().map(\.push) == [pushID(6)])
  }

  @Test func `A deferred push and a Focus mode come back whole (Q1, Q3)`() throws {
    try rig.commit(.setCondition(.lowPower, true))
    var sent = Push(
      id: PushID("AbCdEf00-1234-5678-9aBc-DEF012345678")!, token: token(1), topic: Rig.mail,
      message: Message(body: .literal("Later")), badge: .number(3), sound: .named("chime"), collapseID: "c",
      expiration: .at(WallTime(seconds: 1_900_000_000)), priority: 5, payload: [0, 0xFF])
    sent.options = NotificationOptions()
    sent.options?.relevance = 0.25
    sent.options?.filterCriteria = "team"
    let deferred = try rig.commitAndReload(.push(sent)).deferredPushes
    #expect(deferred.map(\.push) == [sent])
    #expect(deferred.map(\.reason) == [.lowPower])

    var mode = FocusMode(name: "work")
    (mode.allow, mode.timeSensitive, mode.schedule) = ([Rig.mail], false, DailyHours("22:00-07:00"))
    mode.filters = [Rig.mail.text: ["team", ""]]
    #expect(try rig.commitAndReload(.setFocusMode("work", mode)).focusModes == rig.handset.focusModes)
    #expect(rig.handset.focusModes["work"]?.filters == mode.filters)
    #expect(try rig.commitAndReload(.setHandsetSetting(.focus, "work")).record.settings.focus == "work")
    #expect(try rig.commitAndReload(.setFocusMode("work", nil)).focusModes == [:])
    try rig.commitAndReload(.setCondition(.lowPower, false))
    #expect(try sql(directory, "SELECT count(*) FROM deferred") == "0")
    #expect(rig.handset.listed().map(\.push) == [sent.id])
  }

  @Test(arguments: [
    ("UPDATE offered SET attempt = 3", "offered", "attempt", "it is 3, and there are 2"),
    ("UPDATE offered SET number = 999", "offered", "number", "its number was never given out: the next is 9"),
    ("UPDATE kept SET number = 999", "kept", "number", "its number was never given out: the next is 9"),
    (
      "UPDATE offered SET waits = 1, deadline_uptime = 1", "offered", "deadline_uptime",
      "it waits for its app, and has a deadline all the same"
    ),
    (
      "UPDATE app SET has_hooks = 0", "offered", "app",
      "the app has no hooks and never listened: it cannot complete anything"
    ),
    (
      "UPDATE app SET receives_background_updates = 0; \(holdingWhatIsOffered)", "held", "app",
      "the app does not receive background updates: none is held for it"
    ),
    (
      "UPDATE app_state SET lifecycle = 'forceQuit'; \(holdingWhatIsOffered)", "held", "app",
      "the app was force-quit, which discards what is held for it"
    ),
    ("UPDATE kept SET request = '{'", "kept", "request", "it is not a push in this version's JSON"),
    (
      "UPDATE kept SET request = replace(request, 'active', 'loud')", "kept", "request",
      "it is not a push in this version's JSON"
    ),
    (
      "INSERT INTO handset_condition VALUES (1, 'asleep')", "handset_condition", "condition",
      "'asleep' is not a condition"
    ),
    ("UPDATE delivery SET app = '-'", "delivery", "app", "'-' is not an app's identifier"),
    (
      "INSERT INTO extending SELECT handset, app, 1, 3, request, payload FROM kept", "extending", "attempt",
      "it is 3, and there are 2"
    ),
    (
      "INSERT INTO extending SELECT handset, app, 1, 1, '{', payload FROM kept", "extending", "request",
      "it is not a push in this version's JSON"
    ),
  ])
  func `A row that cannot be read is left out`(
    script: String, table: String, column: String, problem: String
  ) throws {
    try rig.commit(
      .push(update(2, payload: [1])), .setCondition(.offline, true), .push(lasting(push(3))))
    let (contents, damage) = try rig.load(after: script)
    let keys = [
      "offered": "\(Rig.mail) \(pushID(2))", "handset_condition": "asleep", "delivery": "- 0",
      "extending": "\(Rig.mail) 1",
    ]
    let key = keys[table] ?? Rig.mail.text
    #expect(damage == ["table '\(table)', row '\(key)', column '\(column)': \(problem)"])
    var handset = Handset(contents)
    _ = handset.handle(.start(.daemon), at: rig.now)
    #expect(handset.brokenInvariants() == [])
  }
}

private let holdingWhatIsOffered = """
  INSERT INTO held (handset, app, push, expires, payload) SELECT handset, app, push, expires, payload FROM offered;
  DELETE FROM offered
  """
