// One past each limit of the handset's contents, and of Notification Center.

import TestSupport
import Testing

@testable import HandsetCore

@Suite struct PolicyLimitTests {
  private var handset = Handset()
  private let start = Moment(uptime: .seconds(1000), wall: HandsetRig.wallStart)

  private func later(_ duration: Duration) -> Moment {
    Moment(uptime: start.uptime + duration, wall: start.wall.advanced(by: duration))
  }

  @discardableResult
  private mutating func submit(_ input: Input, at moment: Moment? = nil) -> Turn {
    handset.handle(input, at: moment ?? start)
  }

  /// Installs and registers an app whose token has its number.
  private mutating func addApp(_ number: Int, style: PresentationStyle = .banner) -> AppID {
    let id = app(number)
    submit(.install(AppManifest(id: id, name: "App"), token: Label.token(number)))
    submit(.register(id, .all, token: Label.token(0)))
    submit(.setAppSetting(id, .style, style.rawValue))
    return id
  }

  private func app(_ number: Int) -> AppID { AppID("app\(number)")! }

  private func push(_ number: Int, to app: Int) -> Push {
    Push(
      id: Label.push(number), token: Label.token(app), topic: self.app(app), message: Message(body: .literal("Text")))
  }

  @Test("Of one alert too many the oldest leaves the queue and stays listed, unseen (N7)")
  mutating func alertQueue() {
    _ = addApp(1, style: .alert)
    for number in 1...Policy.alertQueueLimit { submit(.push(push(number, to: 1))) }
    #expect(handset.alerts.count == 32)
    #expect(handset.presentation(at: start).alert?.below == 31)

    let turn = submit(.push(push(33, to: 1)))
    #expect(turn.events.map(\.name) == ["accepted", "alert-dropped", "presented"])
    #expect(turn.events.map(\.push) == [Label.push(33), Label.push(1), Label.push(33)])
    #expect(handset.alerts.map(\.push) == (2...33).map { Label.push($0) })
    #expect(handset.listed().map(\.push) == (1...33).map { Label.push($0) })
    #expect(handset.unseenCount == 33)
    #expect(handset.brokenInvariants() == [])
  }

  @Test("A dropped alert that nothing lists is gone (N7)")
  mutating func alertQueueUnlisted() {
    let id = addApp(1, style: .alert)
    submit(.setAppSetting(id, .showInNotificationCenter, "off"))
    for number in 1...Policy.alertQueueLimit + 1 { submit(.push(push(number, to: 1))) }
    #expect(handset.alerts.map(\.push) == (2...33).map { Label.push($0) })
    #expect(handset.center.notifications.count == 32)
    #expect(handset.brokenInvariants() == [])
  }

  @Test("One app too many is refused, and changes nothing; a new bundle of one that is there is not")
  mutating func apps() {
    for number in 1...Policy.appLimit {
      submit(.install(AppManifest(id: app(number), name: "App"), token: Label.token(number)))
    }
    let before = handset
    let turn = submit(.install(AppManifest(id: app(10_001), name: "App"), token: Label.token(10_001)))
    #expect(turn.verdict == .refused(.tooManyApps))
    #expect(Refusal.tooManyApps.explanation == "10000 apps are installed, which is the most there can be")
    #expect(turn.changes.isEmpty)
    #expect(handset == before)
    #expect(submit(.install(AppManifest(id: app(1), name: "New"), token: Label.token(10_002))).verdict == .accepted)
    #expect(handset.apps.count == 10_000)
  }

  @Test("Of gone tokens the newest 10,000 are remembered (R3)")
  mutating func goneTokens() {
    for number in 1...Policy.goneTokenLimit + 1 {
      let moment = later(.seconds(number))
      submit(.install(AppManifest(id: app(number), name: "App"), token: Label.token(number)), at: moment)
      submit(.uninstall(app(number)), at: moment)
    }
    #expect(handset.tokens.count == 10_000)
    #expect(handset.goneTokens.count == 10_000)
    let moment = later(.seconds(10_002))
    #expect(submit(.push(push(1, to: 1)), at: moment).verdict == .refused(.badDeviceToken))
    let since = start.wall.advanced(by: .seconds(2))
    #expect(submit(.push(push(2, to: 2)), at: moment).verdict == .refused(.unregistered(since: since)))
    #expect(handset.brokenInvariants() == [])
  }

  @Test("An app has at most 16 nodes to publish through (R1)")
  mutating func nodes() throws {
    let id = addApp(1)
    for number in 1...Policy.nodeLimitPerApp { submit(.createNode(try node(id, number))) }
    let before = handset
    let turn = submit(.createNode(try node(id, 17)))
    #expect(turn.verdict == .refused(.tooManyNodes(id)))
    #expect(Refusal.tooManyNodes(id).explanation == "'\(id)' has 16 nodes, which is the most there can be")
    #expect(turn.changes.isEmpty && handset == before)
    #expect(submit(.createNode(try node(id, 16))).verdict == .accepted)
    submit(.deleteNode(try node(id, 1)))
    #expect(submit(.createNode(try node(id, 17))).verdict == .accepted)
    #expect(handset.brokenInvariants() == [])
  }

  @Test("A node's name has 64 bytes at most")
  func nodeNames() {
    #expect(NodeID(app: app(1), name: String(repeating: "n", count: 64)) != nil)
    for name in [String(repeating: "n", count: 65), "", "In box", "In/box", "Ä"] {
      #expect(NodeID(app: app(1), name: name) == nil)
    }
  }

  @Test("Of gone nodes the newest 10,000 are remembered (R3)")
  mutating func goneNodes() throws {
    for number in 1...Policy.goneNodeLimit + 1 {
      let moment = later(.seconds(number))
      submit(.install(AppManifest(id: app(number), name: "App"), token: Label.token(number)), at: moment)
      submit(.createNode(try node(app(number), 1)), at: moment)
      submit(.uninstall(app(number)), at: moment)
    }
    #expect(handset.nodes.gone.count == 10_000)
    #expect(handset.node(try node(app(1), 1)) == nil)
    #expect(
      handset.node(try node(app(2), 1)) == PublishingNode(goneSince: start.wall.advanced(by: .seconds(2))))
  }

  private func node(_ app: AppID, _ number: Int) throws -> NodeID {
    try #require(NodeID(app: app, name: "node\(number)"))
  }

  @Test("A token is remembered as gone for 30 days after its app is uninstalled, and no longer (R3)")
  mutating func goneTokenLifetime() {
    let id = addApp(1)
    submit(.uninstall(id))
    let last = later(Policy.goneTokenLifetime - .microseconds(1))
    #expect(submit(.push(push(1, to: 1)), at: last).verdict == .refused(.unregistered(since: start.wall)))
    let after = later(Policy.goneTokenLifetime)
    #expect(submit(.push(push(2, to: 1)), at: after).verdict == .refused(.badDeviceToken))
    #expect(handset.brokenInvariants() == [])
  }

  @Test("An app that only unregistered answers as gone for as long as it is installed (R4)")
  mutating func unregisteredTokenLifetime() {
    let id = addApp(1)
    submit(.unregister(id))
    let muchLater = later(Policy.goneTokenLifetime * 3)
    #expect(submit(.push(push(1, to: 1)), at: muchLater).verdict == .refused(.unregistered(since: start.wall)))
    submit(.register(id, .all, token: Label.token(2)), at: muchLater)
    #expect(handset.apps[id]?.state.token == Label.token(2))
    // Now it is a former token, and old enough.
    #expect(submit(.push(push(2, to: 1)), at: muchLater).verdict == .refused(.badDeviceToken))
    #expect(handset.brokenInvariants() == [])
  }

  @Test("A banner is up for five seconds to the microsecond, woken or not (N3)")
  mutating func bannerDuration() {
    _ = addApp(1)
    submit(.push(push(1, to: 1)))
    #expect(handset.wakeAt(after: start) == Deadline(uptime: .seconds(1005), wall: nil))
    #expect(handset.presentation(at: later(.microseconds(4_999_999))).banner?.until == .seconds(1005))
    #expect(handset.presentation(at: later(.seconds(5))).banner == nil)
    submit(.wake, at: later(.seconds(5)))
    #expect(handset.wakeAt(after: start) == nil)
  }

  @Test("Of one offer too many the oldest is discarded, with an event (U8)")
  mutating func offers() {
    let id = app(1)
    submit(.install(AppManifest(id: id, name: "App", hasPrograms: true), token: Label.token(1)))
    submit(.register(id, .all, token: Label.token(0)))
    submit(.lifecycle(id, .launch))
    for number in 1...Policy.offerLimitPerApp { submit(.push(push(number, to: 1))) }
    #expect(handset.offers(for: id).map(\.push) == (1...32).map { Label.push($0) })

    let turn = submit(.push(push(33, to: 1)))
    #expect(turn.events.map(\.name) == ["accepted", "not-presented", "discarded", "delivered"])
    #expect(turn.events[2].kind == .discarded(.tooManyOffered))
    #expect(turn.events[2].push == Label.push(1))
    #expect(Event.Discarded.tooManyOffered.reason.text == "the app has 32 newer ones to complete")
    #expect(handset.offers(for: id).map(\.push) == (2...33).map { Label.push($0) })

    // The same push once more takes its own place, not another's.
    let again = submit(.push(push(20, to: 1)))
    #expect(again.events[2].kind == .discarded(.replaced, newer: Label.push(20)))
    #expect(handset.offers(for: id).count == 32)
    #expect(handset.offers(for: id).last?.push == Label.push(20))
    #expect(handset.brokenInvariants() == [])
  }

  @Test("The reason why an app could not be run is cut after 512 bytes, between characters (U8)")
  mutating func failureReason() throws {
    let id = app(1)
    let manifest = AppManifest(id: id, name: "App", receivesBackgroundUpdates: true, hasPrograms: true)
    submit(.install(manifest, token: Label.token(1)))
    submit(.register(id, .all, token: Label.token(0)))
    for (number, reason) in [String(repeating: "x", count: 512), String(repeating: "x", count: 511) + "é"].enumerated()
    {
      let update = Push(
        id: Label.push(number), token: Label.token(1), topic: id, type: .background, contentAvailable: true, priority: 5
      )
      submit(.push(update))
      let events = submit(.completed(id, update.id, .failed, reason: reason)).events.map(\.kind)
      let expected = number == 0 ? reason : String(repeating: "x", count: 511) + "…"
      #expect(events == [.completed(.failed, reason: expected)])
    }
  }

  @Test("A boot's wall clock is believed on up to a year, to the microsecond, and not on less than nothing (U7)")
  func plausibleOffTime() {
    let stored = start
    func carried(_ elapsed: Duration) -> Duration {
      let boot = Moment(uptime: .seconds(7), wall: stored.wall.advanced(by: elapsed))
      return stored.afterStart(.board, at: boot).uptime
    }
    #expect(carried(.zero) == .seconds(7))
    #expect(carried(.seconds(3600)) == .seconds(7 - 3600))
    #expect(carried(Policy.plausibleOffTime) == .seconds(7) - .seconds(365 * 24 * 3600))
    #expect(carried(Policy.plausibleOffTime + .microseconds(1)) == .seconds(7))
    #expect(carried(.zero - .microseconds(1)) == .seconds(7))
    // The clocks at their ends do not overflow.
    let end = Moment(uptime: .zero, wall: WallTime(microseconds: .max))
    #expect(Moment(uptime: .seconds(9), wall: WallTime(microseconds: .min)).afterStart(.board, at: end) == end)
  }

  @Test("A daemon's start leaves the uptime as it is, but for one that is still to come: the board has booted (U7)")
  func uptimeToCome() {
    let now = Moment(uptime: .seconds(50), wall: start.wall.advanced(by: .seconds(10)))
    let past = Moment(uptime: .seconds(49), wall: start.wall)
    #expect(past.afterStart(.daemon, at: now) == past)
    #expect(start.afterStart(.daemon, at: now) == Moment(uptime: .seconds(40), wall: start.wall))
  }

  @Test("Of deliveries that a boot puts in another order the one that waits longest counts last (U7)")
  func budgetAfterBoot() {
    let early = Moment(uptime: .seconds(100), wall: start.wall.advanced(by: .seconds(500)))
    let late = Moment(uptime: .seconds(200), wall: start.wall)
    let boot = Moment(uptime: .seconds(5), wall: start.wall.advanced(by: .seconds(60)))
    let budget = DeliveryBudget(deliveries: [early, early, late]).afterStart(.board, at: boot)
    #expect(budget.deliveries.map(\.uptime) == [.seconds(-55), .seconds(5), .seconds(5)])
    #expect(budget.freeAt == .seconds(3545))
  }

  @Test("A delivery counts for 60 minutes to the microsecond, and three do (U7)")
  mutating func deliveryBudget() {
    let id = app(1)
    submit(.install(AppManifest(id: id, name: "App", receivesBackgroundUpdates: true), token: Label.token(1)))
    submit(.register(id, .all, token: Label.token(0)))
    func update(_ number: Int) -> Input {
      var push = push(number, to: 1)
      (push.type, push.message, push.contentAvailable) = (.background, nil, true)
      return .push(push)
    }
    for number in 1...Policy.deliveryBudget {
      #expect(submit(update(number)).events.map(\.name).suffix(2) == ["delivered", "completed"])
    }
    #expect(submit(update(4)).events.map(\.name) == ["accepted", "held"])
    #expect(handset.wakeAt(after: start)?.uptime == start.uptime + .seconds(3600))
    #expect(submit(.wake, at: later(.seconds(3600) - .microseconds(1))).events == [])
    // The host may be late by any time.
    #expect(submit(.wake, at: later(.seconds(3601))).events.map(\.name) == ["delivered", "completed"])
    #expect(handset.wakeAt(after: start) == nil)

    // The earlier three no longer count at the very microsecond at which the first is an hour old.
    let hour = later(.seconds(3601 + 3600))
    for number in 5...6 { submit(update(number), at: later(.seconds(3601))) }
    #expect(submit(update(7), at: hour).events.map(\.name) == ["accepted", "delivered", "completed"])
  }

  @Test("An interval that the host is late for is not missed (S3)")
  mutating func lateFetch() {
    let id = app(1)
    submit(.install(AppManifest(id: id, name: "App", receivesBackgroundUpdates: true), token: Label.token(1)))
    submit(.register(id, .all, token: Label.token(0)))
    submit(.setHandsetSetting(.fetchInterval, "1m"))
    submit(.setHandsetSetting(.fetchMode, "fetch"))
    var update = push(1, to: 1)
    (update.type, update.message, update.contentAvailable) = (.background, nil, true)
    update.expiration = .at(start.wall.advanced(by: .seconds(3600)))
    submit(.push(update))
    #expect(handset.wakeAt(after: start)?.uptime == start.uptime + .seconds(60))
    #expect(
      submit(.wake, at: later(.seconds(61))).events.map(\.name) == [
        "fetched", "arrived", "lifecycle", "delivered", "completed",
      ])
  }

  @Test(
    "What an event quotes is cut at a character that still fits",
    arguments: [
      (String(repeating: "a", count: 120), String(repeating: "a", count: 120)),
      (String(repeating: "a", count: 121), String(repeating: "a", count: 120) + "…"),
      (String(repeating: "a", count: 119) + "é", String(repeating: "a", count: 119) + "…"),
      (String(repeating: "👨‍👩‍👧‍👦", count: 5), String(repeating: "👨‍👩‍👧‍👦", count: 4) + "…"),
    ])
  mutating func eventQuote(text: String, quote: String) {
    _ = addApp(1)
    var bad = push(1, to: 1)
    bad.badge = .bad(text)
    #expect(submit(.push(bad)).events.map(\.kind).contains(.badBadge(quote)))
    let refused = RefusedPush(id: nil, topic: nil, status: 400, reason: "BadPath", detail: text)
    #expect(
      submit(.refused(refused)).events.map(\.kind) == [.refused(status: 400, reason: "BadPath", detail: quote)])
  }

  // MARK: - Notification Center

  @Test("Notification Center keeps the newest 1,000 of an app")
  mutating func centerPerApp() {
    _ = addApp(1)
    for number in 1...Policy.centerLimitPerApp { submit(.push(push(number, to: 1))) }
    #expect(handset.listed().count == 1_000)

    let turn = submit(.push(push(1_001, to: 1)))
    #expect(turn.events.map(\.name) == ["accepted", "cleared", "presented"])
    #expect(turn.events[1].kind == .cleared(.limit, count: 1))
    #expect(handset.listed().map(\.push) == (2...1_001).map { Label.push($0) })
    #expect(handset.brokenInvariants() == [])
  }

  @Test("Notification Center keeps the newest 50,000 of all apps")
  mutating func centerTotal() {
    for number in 1...51 { _ = addApp(number) }
    var number = 0
    for app in 1...50 {
      for _ in 1...Policy.centerLimitPerApp {
        number += 1
        submit(.push(push(number, to: app)))
      }
    }
    #expect(handset.listed().count == Policy.centerLimit)

    let turn = submit(.push(push(number + 1, to: 51)))
    #expect(turn.events.map(\.name) == ["accepted", "cleared", "presented"])
    #expect(turn.events[1].kind == .cleared(.limit, count: 1))
    #expect(turn.events[1].app == app(1))
    #expect(handset.listed().count == 50_000)
    #expect(handset.listed(of: app(1)).first?.push == Label.push(2))
    #expect(handset.listed(of: app(51)).map(\.push) == [Label.push(50_001)])
    #expect(handset.brokenInvariants() == [])
  }

  private func large(_ number: Int, to app: Int, bytes: Int = 1024 * 1024, collapseID: String? = nil) -> Input {
    var large = push(number, to: app)
    large.payload = [UInt8](
      repeating: 0x61,
      count: bytes - NotificationContent.overhead - "App".utf8.count - "View".utf8.count - "Text".utf8.count)
    large.collapseID = collapseID
    return .push(large)
  }

  @Test("Notification Center keeps the newest 32 MB of words and payloads of an app; others lose nothing by one more")
  mutating func centerSizePerApp() throws {
    let apps = [addApp(1), addApp(2)]
    submit(large(1, to: 2))
    for number in 2...33 { submit(large(number, to: 1)) }
    #expect(handset.center.sections[apps[0]]?.size == 32 * 1024 * 1024)
    let before = handset
    let turn = submit(large(34, to: 1, bytes: 1024 * 1024 + 600))
    #expect(turn.events.map(\.name) == ["accepted", "cleared", "presented"])
    #expect(turn.events[1].kind == .cleared(.limit, count: 2))
    #expect(turn.events[1].app == apps[0])
    #expect(handset.listed(of: apps[0]).map(\.push) == (4...34).map { Label.push($0) })
    #expect(handset.listed(of: apps[1]).map(\.push) == [Label.push(1)])
    #expect(handset.brokenInvariants() == [])
    handset.undo(turn.changes)
    #expect(handset == before)
  }

  @Test("Notification Center keeps the newest 96 MB of words and payloads; what came last stays")
  mutating func centerSize() throws {
    let apps = (1...15).map { addApp($0) }
    let megabyte = 1024 * 1024
    submit(large(1, to: 1, collapseID: "first"))
    for number in 2...96 { submit(large(number, to: number < 4 ? 1 : 2 + (number - 4) / 8)) }
    #expect(handset.center.size == Policy.centerSizeLimit)
    #expect(handset.listed().count == 96)

    // A byte too many: the oldest is removed.
    let before = handset
    var turn = submit(large(97, to: 14, bytes: 600))
    #expect(turn.events.map(\.name) == ["accepted", "cleared", "presented"])
    #expect(turn.events[1].kind == .cleared(.limit, count: 1))
    #expect(turn.events[1].app == apps[0])
    #expect(handset.listed().first?.push == Label.push(2))
    #expect(handset.center.size == Policy.centerSizeLimit - megabyte + 600)
    handset.undo(turn.changes)
    #expect(handset == before)

    // As many as needed, with one event for consecutive ones of an app.
    turn = submit(large(98, to: 15, bytes: 4 * megabyte))
    #expect(
      turn.events.map(\.kind).filter { if case .cleared = $0 { true } else { false } }
        == [.cleared(.limit, count: 3), .cleared(.limit, count: 1)])
    #expect(handset.listed().first?.push == Label.push(5))
    #expect(handset.brokenInvariants() == [])

    // An update is no longer the oldest: the others are removed first.
    handset = before
    turn = submit(large(99, to: 1, bytes: 2 * megabyte, collapseID: "first"))
    #expect(handset.listed().first?.push == Label.push(3))
    #expect(handset.listed().last?.push == Label.push(99))
    #expect(handset.listed().count == 95)
    #expect(handset.center.size == Policy.centerSizeLimit)
    #expect(handset.brokenInvariants() == [])

    // A start brings the contents of an earlier version within the limit.
    var contents = before.contents
    for var notification in before.contents.notifications {
      notification.size *= 2
      contents.notifications.update(notification)
    }
    handset = Handset(contents)
    turn = submit(.start(.daemon))
    #expect(
      turn.events.map(\.kind)
        == [.started(.daemon)] + [3, 8, 8, 8, 8, 8, 5].map { .cleared(.limit, count: $0) })
    #expect(handset.center.size == Policy.centerSizeLimit)
  }
}
