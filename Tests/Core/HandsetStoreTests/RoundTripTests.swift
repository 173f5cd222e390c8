import Foundation
import Testing

@testable import HandsetCore
@testable import HandsetStore

@Suite final class RoundTripTests: MailTests {
  @Test func `A new store holds an empty handset`() throws {
    try withDirectory { directory in
      let store = try HandsetStore(directory: directory)
      let (contents, damage) = try store.load(handset: 1)
      #expect(Handset(contents) == Handset())
      #expect(damage == [])
      #expect(try store.events(of: 1, naming: pushID(1), after: 0, limit: 1) == nil)
      #expect(try store.events(of: 1, after: 0, limit: 10) == [])
      #expect(try store.content(of: NotificationID(number: 1), handset: 1) == nil)
      #expect(try store.heldPayload(of: Rig.mail, handset: 1) == nil)
    }
  }

  @Test func `An installed app comes back with its bundle, and is pending (R1)`() throws {
    rig = try Rig.inNewFolder()
    let loaded = try rig.commitAndReload(.install(manifest(Rig.mail), token: token(1)))
    #expect(loaded.apps[Rig.mail] == App(manifest: manifest(Rig.mail), state: AppState(token: token(1))))
    #expect(loaded.tokens == [token(1): TokenRecord(app: Rig.mail)])

    // An empty bundle replaces the one that had everything.
    let empty = AppManifest(id: Rig.mail, name: "M")
    #expect(try rig.commitAndReload(.install(empty, token: token(9))).apps[Rig.mail]?.manifest == empty)
  }

  @Test func `Registration, lifecycle, badge and settings come back (R1, R4, S1, S2)`() throws {
    try rig.commitAndReload(
      .register(Rig.mail, [.badge, .alert], token: token(2)), .push(push(1, badge: .max)),
      .setAppSetting(Rig.mail, .style, "alert"), .setAppSetting(Rig.mail, .sound, "off"),
      .setHandsetSetting(.badgeShows, Rig.mail.text), .setHandsetSetting(.vibrateOnSilent, "off"),
      .lifecycle(Rig.mail, .forceQuit))
    // Back to the default, which is not the same as never set.
    let loaded = try rig.commitAndReload(.setAppSetting(Rig.mail, .sound, "on"), .setHandsetSetting(.badgeShows, "sum"))
    #expect(loaded.apps[Rig.mail]?.state.settings.sound == true)
    #expect(loaded.record.settings.badgeShows == nil)

    try rig.commitAndReload(.unregister(Rig.mail))
    #expect(try rig.reloaded().tokens[token(1)]?.goneSince == rig.now.wall)
    try rig.commitAndReload(.register(Rig.mail, .all, token: token(3)))
  }

  @Test func `Cleared notifications leave the table, and those between them stay`() throws {
    try rig.commit(.install(manifest(Rig.chat), token: token(3)), .register(Rig.chat, .all, token: token(4)))
    for number in UInt64(1)...6 {
      try rig.commit(.push(number == 4 ? push(number, to: Rig.chat, token: 3) : push(number)))
    }
    try rig.commitAndReload(.push(push(7)), .clearSection(Rig.mail), .push(push(8)))
    let numbers = "SELECT key & 0xFFFF AS number FROM notification ORDER BY key"
    #expect(try sql(directory, "SELECT group_concat(number) FROM (\(numbers))") == "4,8")
  }

  @Test func `Of an uninstalled app only its token remains (R3)`() throws {
    try rig.commit(
      .setAppSetting(Rig.mail, .sound, "off"), .push(push(1, badge: 3)), .push(update(2, payload: [1])),
      .setHandsetSetting(.badgeShows, Rig.mail.text), .setCondition(.offline, true),
      .push(lasting(push(3))))
    try rig.commitAndReload(.uninstall(Rig.mail))
    let tables = [
      "app", "app_state", "app_setting", "notification", "held", "offered", "delivery", "kept", "local_notification",
    ]
    for table in tables {
      #expect(try sql(directory, "SELECT count(*) FROM \(table)") == "0", "\(table)")
    }
    #expect(try sql(directory, "SELECT count(*) FROM token") == "1")
    // The person's settings for it do not come back with it.
    try rig.commit(.install(manifest(Rig.mail), token: token(5)))
    #expect(try rig.reloaded().apps[Rig.mail]?.state.settings == AppSettings())
  }

  @Test func `A notification comes back with its facts, its words and the spelling of its id`() throws {
    var sent = push(1, collapseID: "e\u{301}\u{0}x")
    sent.id = PushID("AbCdEf00-1234-5678-9aBc-DEF012345678")!
    sent.level = .timeSensitive
    sent.threadID = "thread"
    sent.payload = [0, 0xFF, 0x22]
    sent.message = Message(
      title: .literal("Title"), subtitle: .literal(""), body: .localized(key: "NEW", arguments: ["Ann", "x"]))
    let loaded = try rig.commitAndReload(.setAppSetting(Rig.mail, .style, "alert"), .push(sent))
    let notification = try #require(loaded.listed().first)
    #expect(notification.push.description == "AbCdEf00-1234-5678-9aBc-DEF012345678")
    #expect(notification.collapseID.map { Array($0.utf8) } == Array("e\u{301}\u{0}x".utf8))
    #expect(notification.level == .timeSensitive)
    #expect(loaded.alerts == [notification])
    let expected = NotificationContent(
      arrived: rig.now.wall, appName: "Møil \"quoted\" 📬", title: "Title", subtitle: "",
      body: "Ann sent \"x\"\n", actionTitle: "Read", threadID: "thread", payload: [0, 0xFF, 0x22])
    #expect(try rig.store.content(of: notification.id, handset: 1) == expected)

    // Once seen, it keeps its words.
    try rig.commitAndReload(.press(.close))
    #expect(try rig.reloaded().listed().first?.isSeen == true)
    #expect(try rig.store.content(of: notification.id, handset: 1) == expected)

    // Replaced (N8), it is another notification.
    var second = push(2, body: "Second", collapseID: sent.collapseID, payload: [])
    second.message?.actionTitle = .none
    try rig.commitAndReload(.push(second))
    #expect(try rig.store.content(of: notification.id, handset: 1) == nil)
    let replacement = try #require(try rig.reloaded().listed().first?.id)
    let content = try #require(try rig.store.content(of: replacement, handset: 1))
    #expect(content.body == "Second")
    #expect(content.title == nil && content.threadID == nil && content.actionTitle == nil)
    #expect(content.payload == [])

    try rig.commitAndReload(.clearCenter)
    #expect(try rig.store.content(of: replacement, handset: 1) == nil)
  }

  @Test func `A held update comes back with its payload, the newest only (U4, U9)`() throws {
    try rig.commit(.setCondition(.lowPower, true))
    var later = update(2, payload: [7, 0, 8])
    later.expiration = .at(WallTime(seconds: 1_900_000_000))
    try rig.commitAndReload(.push(update(1, payload: [1, 2, 3])), .push(later))
    var held = HeldUpdate(push: pushID(2), expires: .init(seconds: 1_900_000_000))
    held.type = .background
    #expect(try rig.reloaded().held(for: Rig.mail) == held)
    #expect(try rig.store.heldPayload(of: Rig.mail, handset: 1) == [7, 0, 8])
    try rig.commit(.push(update(3, payload: [])))
    #expect(try rig.store.heldPayload(of: Rig.mail, handset: 1) == [])
    try rig.commitAndReload(.lifecycle(Rig.mail, .launch))
    #expect(try rig.store.heldPayload(of: Rig.mail, handset: 1) == nil)
  }

  @Test func `What came within the hour is known again after a restart, and forgotten in its time (P1)`() throws {
    var first = named(push(1, badge: 1))
    first.id = PushID("FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF")!
    let loaded = try rig.commitAndReload(.push(first), .push(named(push(2))), .push(push(3)))
    #expect(try sql(directory, "SELECT count(*) FROM recent_push") == "2")
    #expect(loaded.recent.all.map(\.id) == [first.id, pushID(2)])

    rig.handset = loaded
    try rig.commitAndReload(.start(.daemon), .push(first), .push(named(push(2))))
    #expect(rig.handset.listed().count == 3)

    // A boot with an implausible clock restamps them; an hour later they are forgotten.
    rig.uptime = .seconds(7)
    try rig.commitAndReload(.start(.board))
    rig.uptime += .seconds(3600)
    try rig.commitAndReload(.push(named(push(4))))
    #expect(try sql(directory, "SELECT count(*) FROM recent_push") == "1")
  }

  @Test func `What is scheduled comes back, every word of it (L1, L3)`() throws {
    let plain = LocalNotification(
      app: Rig.mail, identifier: "plain", push: pushID(1), trigger: .interval(.seconds(60), repeats: true),
      badge: .number(3))
    let full = LocalNotification(
      app: Rig.mail, identifier: "/full \u{0}\"é", push: PushID("AbCdEf00-1234-5678-9aBc-DEF012345678")!,
      trigger: .calendar(
        CalendarTime(year: 2030, month: 2, day: 28, weekday: 4, hour: 23, minute: 59, second: 58), repeats: false),
      message: Message(
        title: .literal(""), subtitle: .localized(key: "NEW", arguments: ["Ann", ""]), body: .literal("B\n"),
        actionTitle: .localized(key: "K")),
      badge: .number(.max), sound: .critical(name: "chime", volume: 0.1), level: .critical, threadID: "t",
      payload: [0, 0xFF])
    var none = plain
    none.identifier = "none"
    none.content.message = Message(body: .literal("x"), actionTitle: .none)
    none.content.sound = .critical(name: nil, volume: 1)
    none.trigger = .calendar(CalendarTime(hour: 7), repeats: true)
    var named = plain
    named.identifier = "named"
    named.content.sound = .named("chime")
    named.content.message = Message(title: .literal("x"))
    try rig.commitAndReload(.schedule(plain), .schedule(full), .schedule(none), .schedule(named))
    let requests = try rig.reloaded().pending(of: Rig.mail, at: rig.now).map(\.request)
    #expect(Set(requests) == [plain, full, none, named])

    // A repeating one has been presented, and this is stored.
    rig.uptime += .seconds(2 * 86_400)
    try rig.commitAndReload(.wake)
    #expect(rig.handset.listed().count == 2)

    try rig.commitAndReload(.cancel(Rig.mail, identifier: "plain"))
    #expect(try sql(directory, "SELECT count(*) FROM local_notification") == "3")
    var second = Rig(rig.store, handset: 2)
    try second.installMail()
    try second.commit(.schedule(full))
    try rig.commitAndReload(.uninstall(Rig.mail))
    #expect(try sql(directory, "SELECT group_concat(handset) FROM local_notification") == "2")
    #expect(try second.reloaded() == second.handset.stored)
  }

  @Test func `An app that schedules without a registration comes back with its badge and its settings (L4)`() throws {
    let other = Rig.chat
    try rig.commitAndReload(.install(manifest(other), token: token(3)))
    #expect(rig.handset.apps[other]?.state.hasSettings == false)
    let local = LocalNotification(
      app: other, identifier: "tea", push: pushID(1), trigger: .interval(.seconds(60), repeats: false),
      message: Message(body: .literal("Tea")), badge: .number(3))
    try rig.commitAndReload(.schedule(local))
    #expect(try rig.reloaded().apps[other]?.state.hasSettings == true)
    rig.uptime += .seconds(60)
    try rig.commitAndReload(.wake)
    let loaded = try rig.reloaded()
    #expect(loaded.apps[other]?.state.hasLocalBadge == true)
    #expect(loaded.listed(of: other).map(\.isLocal) == [true])
    try rig.commitAndReload(.unregister(other))
    #expect(try sql(directory, "SELECT local FROM app_state WHERE app = '\(other)'") == "0")
  }

  @Test func `What a notification is about comes back (N14)`() throws {
    var about = push(1)
    about.options = NotificationOptions()
    about.options?.targetContentID = "letters/1"
    try rig.commitAndReload(.push(about))
    #expect(try rig.reloaded().listed().map(\.options?.targetContentID) == ["letters/1"])
  }

  @Test func `What an app asked for in the foreground comes back (N2)`() throws {
    try rig.commitAndReload(.lifecycle(Rig.mail, .launch), .setForegroundPresentation(Rig.mail, [.sound]))
    #expect(try rig.reloaded().apps[Rig.mail]?.foregroundPresentation == [.sound])
    try rig.commit(.setForegroundPresentation(Rig.mail, []))
    #expect(try rig.reloaded().apps[Rig.mail]?.state.foregroundPresentation == [])
    try rig.commit(.install(manifest(Rig.mail), token: token(9)))
    #expect(try rig.reloaded().apps[Rig.mail]?.state.foregroundPresentation == nil)
  }

  @Test func `A scheduled notification that cannot be read is left out and reported`() throws {
    for name in ["a", "b", "c", "d"] {
      try rig.commit(
        .schedule(
          LocalNotification(
            app: Rig.mail, identifier: name, push: pushID(1),
            trigger: .calendar(CalendarTime(hour: 7), repeats: true),
            badge: .number(1))))
    }
    try sql(directory, "UPDATE local_notification SET pending = '{}' WHERE identifier = 'a'")
    try sql(directory, "UPDATE local_notification SET identifier = 'e' WHERE identifier = 'b'")
    try sql(
      directory,
      """
      UPDATE local_notification SET pending = json_set(pending, '$.due.wall.presentedFrom', 2,
        '$.due.wall.presentedTo', 1) WHERE identifier = 'c'
      """)
    let (contents, damage) = try rig.store.load(handset: 1)
    #expect(contents.pending.map(\.request.identifier) == ["d"])
    #expect(damage.map(\.key) == ["\(Rig.mail) a", "\(Rig.mail) c", "\(Rig.mail) e"])
    #expect(Set(damage.map(\.column)) == ["pending"])
  }

  @Test func `A state that a batch changes several times is stored as it was last, with its settings`() throws {
    var larger = manifest(Rig.mail)
    larger.name = "Larger"
    try rig.commitAndReload(
      .push(push(1, badge: 1)), .setAppSetting(Rig.mail, .style, "alert"), .install(larger, token: token(8)),
      .push(push(2, badge: 2)), .setAppSetting(Rig.mail, .sound, "off"), .push(push(3, badge: 3)))
    #expect(try rig.reloaded().apps[Rig.mail]?.state.badge == 3)
    try rig.commitAndReload(.push(push(4, badge: 4)), .uninstall(Rig.mail), .install(larger, token: token(9)))
  }

  @Test func `Two handsets in one database do not see each other`() throws {
    try withDirectory { directory in
      var first = try Rig(directory)
      var second = Rig(first.store, handset: 2)
      try first.installMail()
      try second.installMail()
      try first.commit(.push(update(4, payload: [1])), .setCondition(.lowPower, true))
      try second.commit(.push(update(4, payload: [2])), .setCondition(.lowPower, true), .setCondition(.silent, true))
      #expect(try first.store.offeredPayload(of: Rig.mail, push: pushID(4), handset: 1) == [1])
      #expect(try first.store.offeredPayload(of: Rig.mail, push: pushID(4), handset: 2) == [2])
      try first.commit(.push(push(1, body: "one", badge: 1)), .push(update(2, payload: [1])))
      try second.commit(.push(push(1, body: "two", badge: 2)), .push(update(2, payload: [2])))
      try first.commitAndReload(.setAppSetting(Rig.mail, .badge, "off"), .setHandsetSetting(.notifications, "off"))
      #expect(try second.reloaded() == second.handset.stored)
      #expect(try first.store.content(of: NotificationID(number: 1), handset: 2)?.body == "two")
      #expect(try first.store.heldPayload(of: Rig.mail, handset: 1) == [1])
      try second.commit(.setCondition(.offline, true), .push(lasting(push(3))))
      try first.commit(.uninstall(Rig.mail))
      #expect(try first.reloaded() == first.handset.stored)
      #expect(try second.reloaded() == second.handset.stored)
      #expect(second.handset.waiting(for: Rig.mail).first?.kept.push.id == pushID(3))
      #expect(try first.store.events(of: 2, after: 0, limit: 1).first?.sequence == 1)
    }
  }
}
