import Foundation
import TestSupport
import Testing

@testable import HandsetCore
@testable import HandsetStore

@Suite struct RandomRoundTripTests {
  /// - Parameter latePages: if there are any, most batches are small, and another store reads a copy after each.
  @Test(arguments: [0, 2])
  func `Hundreds of random turns load as they live, batch by batch`(latePages: Int64) throws {
    let seed = ProcessInfo.processInfo.environment["DESKBELL_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max)
    print("HandsetStore random run: DESKBELL_SEED=\(seed)")
    var chance = SplitMix64(state: seed)
    var rig = try Rig.inNewFolder(eventLimit: 100, refusedEventLimit: 20, latePages: latePages)
    var written = (events: 0, refusals: 0)
    for batch in 0..<60 {
      var turns: [Turn] = []
      let most = latePages > 0 && Int.random(in: 0..<4, using: &chance) > 0 ? 2 : 12
      for _ in 0..<Int.random(in: 1...most, using: &chance) { turns.append(rig.take(chance.input(rig.handset))) }
      let durable = Bool.random(using: &chance)
      // One batch in six fails when all but its events is written, and must have no effect.
      let hasEvents = turns.contains { turn in turn.events.contains { $0.name != "refused" } }
      if Int.random(in: 0..<6, using: &chance) == 0, hasEvents {
        try rig.store.database.execute(
          """
          CREATE TEMP TRIGGER fault BEFORE INSERT ON main.event BEGIN SELECT RAISE(FAIL, 'on purpose'); END;
          CREATE TEMP TRIGGER late_fault BEFORE INSERT ON main.late BEGIN SELECT RAISE(FAIL, 'on purpose'); END
          """)
        #expect(throws: StoreError.self) { try rig.store.commit(turns, of: 1, durable: durable) }
        try rig.store.database.execute("DROP TRIGGER fault; DROP TRIGGER late_fault")
        rig.handset.undo(turns.flatMap(\.changes))
      } else {
        try rig.store.commit(turns, of: 1, durable: durable)
        let refusals = turns.flatMap(\.events).count { $0.name == "refused" }
        written.events += turns.flatMap(\.events).count - refusals
        written.refusals += refusals
      }
      var loaded = try latePages > 0 ? rig.reloadedFromCopy() : rig.reloaded()
      // A comparison in `require` would print two whole handsets; the seed is more useful.
      let isSame = loaded == rig.handset.stored
      try #require(isSame, "DESKBELL_SEED=\(seed), batch \(batch)")
      _ = loaded.handle(.start(.daemon), at: rig.now)
      try #require(loaded.brokenInvariants() == [], "DESKBELL_SEED=\(seed), batch \(batch)")
    }
    let kept = try rig.kept()
    #expect(kept.last == rig.handset.record.nextEvent - 1)
    // As many events and refusals as their limits, and above that those that are not worth a deletion (one event in
    // 64) or belong to a record that would take too many with it.
    try rig.store.completeTables()
    let parts: [(totals: StaticString, limit: Int64, written: Int)] = [
      ("SELECT coalesce(sum(events), 0), coalesce(max(events), 0) FROM event", 100, written.events),
      ("SELECT coalesce(sum(events), 0), coalesce(max(events), 0) FROM refused_event", 20, written.refusals),
    ]
    for part in parts {
      let found = try rig.store.database.first(part.totals, []) { (events: $0.integer(0), largest: $0.integer(1)) }
      let (events, largest) = try #require(found)
      let most = part.limit + max(part.limit / 64, largest - 1)
      #expect((min(part.limit, Int64(part.written))...most).contains(events), "DESKBELL_SEED=\(seed), \(part.totals)")
    }
  }
}

/// Inputs that are drawn with it.
extension SplitMix64 {
  fileprivate mutating func input(_ handset: Handset) -> Input {
    let app = [Rig.mail, Rig.chat, AppID("a")!].randomElement(using: &self)!
    let fresh = token(next())
    let state = handset.apps[app]?.state
    let offered = handset.offers(for: app).first?.push ?? pushID(1)
    let node = NodeID(app: app, name: Bool.random(using: &self) ? "Inbox" : "Sport")!
    switch Int.random(in: 0..<48, using: &self) {
    case 0, 1:
      var bundle = Bool.random(using: &self) ? manifest(app) : AppManifest(id: app, name: "Plain")
      bundle.receivesBackgroundUpdates = Bool.random(using: &self)
      bundle.hasPrograms = Bool.random(using: &self)
      bundle.hasNotificationProgram = bundle.hasPrograms && Bool.random(using: &self)
      bundle.hasBroadcasts = Bool.random(using: &self)
      bundle.hasServiceExtension = Bool.random(using: &self)
      bundle.pushTypes = [nil, [], [.voip, .complication]].randomElement(using: &self)!
      return .install(bundle, token: fresh)
    case 2: return Int.random(in: 0..<3, using: &self) == 0 ? .uninstall(app) : .wake
    case 3, 4: return .register(app, NotificationKinds(rawValue: Int.random(in: 0...7, using: &self)), token: fresh)
    case 5: return Int.random(in: 0..<3, using: &self) == 0 ? .unregister(app) : .wake
    case 6, 7: return .lifecycle(app, LifecycleCommand.allCases.randomElement(using: &self)!)
    case 8: return .setBadge(app, Int.random(in: -1...3, using: &self))
    case 9, 10:
      let key = AppSettings.Key.allCases.randomElement(using: &self)!
      return .setAppSetting(app, key, ["on", "off", "alert", "banner", "none"].randomElement(using: &self)!)
    case 11:
      let key = HandsetSettings.Key.allCases.randomElement(using: &self)!
      return .setHandsetSetting(key, ["on", "on", "off", "sum", app.text].randomElement(using: &self)!)
    case 12: return .press(AlertButton.allCases.randomElement(using: &self)!)
    case 13: return handset.listed().first.map { .clearNotification($0.id) } ?? .clearCenter
    case 14: return .clearSection(app)
    case 15: return lampReport
    case 16: return .refused(RefusedPush(id: nil, topic: app, status: 403, reason: "InvalidProviderToken", detail: "x"))
    case 17: return .completed(app, offered, DeliveryResult.allCases.randomElement(using: &self)!)
    case 18: return .timedOut(app, offered)
    case 19: return .listening(app, Bool.random(using: &self) ? .background : .foreground)
    case 20: return Bool.random(using: &self) ? .disconnected(app) : .died(app)
    case 21: return .setCondition(Condition.allCases.randomElement(using: &self)!, Bool.random(using: &self))
    case 22:
      return .setHandsetSetting(.fetchMode, FetchMode.allCases.randomElement(using: &self)!.rawValue)
    case 23: return .start(Bool.random(using: &self) ? .daemon : .board)
    case 24: return .schedule(localNotification(of: app))
    case 25: return .cancel(app, identifier: Bool.random(using: &self) ? "l1" : nil)
    case 26:
      return .setForegroundPresentation(app, NotificationKinds(rawValue: Int.random(in: 0...7, using: &self)))
    case 27, 28: return .createNode(node)
    case 29: return .deleteNode(node)
    case 30, 31:
      let expiration = Expiration.at(WallTime(seconds: 1_900_000_000))
      return .publish(
        Push(id: pushID(next()), token: nil, topic: node.app, badge: .number(1), expiration: expiration, payload: [1]),
        through: node, propertyList: [UInt8.random(in: 0...9, using: &self)])
    case 32:
      let length = Duration.seconds(Int.random(in: 59...70, using: &self))
      return .snooze(Bool.random(using: &self) ? app : nil, for: length)
    case 34: return .call(app, pushID(1), WebCall(method: "PUT", url: "https://a.example/", body: [1]))
    case 35: return .called(handset.queuedCalls.first?.number ?? 1, .delivered(status: 200, attempts: 1))
    case 36, 37:
      let action = ["REPLY", "OPEN", "1", NotificationResponse.open].randomElement(using: &self)!
      return .respond(
        handset.listed().randomElement(using: &self)?.id, action: action, text: action == "REPLY" ? "Yes" : nil)
    case 39...42: return activityInput(of: app, token: state?.token ?? fresh, fresh, handset)
    case 43, 44:
      let id = handset.extending[app]?.first?.push.id ?? pushID(1)
      let changed = Push(id: id, token: nil, topic: app, message: Message(body: .literal("Changed")), payload: [8])
      return .extended(app, id, [.changed(changed), .timedOut, .failed("busy")].randomElement(using: &self)!)
    case 38: return .removeDelivered(app, handset.listed(of: app).prefix(2).map(\.id))
    case 33: return .endSnooze(Bool.random(using: &self) ? app : nil)
    default: return .push(sentPush(to: app, token: state?.token ?? fresh))
    }
  }

  private mutating func activityInput(
    of app: AppID, token: DeviceToken, _ fresh: DeviceToken, _ handset: Handset
  ) -> Input {
    switch Int.random(in: 0...3, using: &self) {
    case 0:
      var update = ActivityUpdate(.start, timestamp: WallTime(seconds: 1_800_000_000), content: #"{"a": [1, "é"]}"#)
      (update.relevance, update.channel, update.attributesType) = (50.5, ChannelID("dHN0"), "Match")
      (update.staleDate, update.attributes) = (WallTime(seconds: 1_800_000_200), "{}")
      return .changeActivity(app, nil, update)
    case 1:
      let purposes = handset.liveActivities.map { TokenPurpose.activity($0.id) } + [.pushToStart]
      return .mintedToken(app, purposes.randomElement(using: &self)!, fresh)
    case 2:
      var sent = sentPush(to: app, token: token)
      (sent.token, sent.type) = (nil, .liveactivity)
      let event = ActivityUpdate.Event.allCases.randomElement(using: &self)!
      sent.activity = ActivityUpdate(event, timestamp: WallTime(seconds: 1_800_000_001), content: "{}")
      return .push(sent)
    default:
      let ids = handset.liveActivities.map(\.id)
      return .dismissActivity(ids.randomElement(using: &self) ?? ActivityID(0))
    }
  }

  private mutating func localNotification(of app: AppID) -> LocalNotification {
    let triggers: [LocalNotification.Trigger] = [
      .interval(.milliseconds(25), repeats: false), .interval(.seconds(60), repeats: true),
      .calendar(CalendarTime(hour: 7), repeats: true), .calendar(CalendarTime(weekday: 1, hour: 7), repeats: false),
    ]
    return LocalNotification(
      app: app, identifier: "l\(Int.random(in: 0...3, using: &self))", push: pushID(next()),
      trigger: triggers.randomElement(using: &self)!, message: Message(body: .literal("Local \(next())")),
      sound: Bool.random(using: &self) ? .critical(name: "chime", volume: 0.5) : .none)
  }

  private mutating func sentPush(to app: AppID, token: DeviceToken) -> Push {
    var sent = push(next(), to: app, body: Bool.random(using: &self) ? "Body \(next())" : nil)
    sent.token = token
    sent.contentAvailable = Bool.random(using: &self)
    sent.mutableContent = Bool.random(using: &self)
    if Int.random(in: 0..<4, using: &self) == 0 { sent.type = PushType.allCases.randomElement(using: &self)! }
    sent.sound = [
      .none, .system, .named("chime"), .critical(name: nil, volume: 0.5), .critical(name: "chime", volume: 1),
    ].randomElement(using: &self)!
    if Bool.random(using: &self) { sent.message?.title = .localized(key: "NEW", arguments: ["a", "\u{0}"]) }
    sent.message?.actionTitle = [.standard, .none, .localized(key: "/path")].randomElement(using: &self)!
    if Bool.random(using: &self) { sent.faults = [PayloadFault(path: "aps.x", problem: "is \"odd\"")] }
    if Bool.random(using: &self) { sent.badge = .number(Int.random(in: 0...2, using: &self)) }
    if Bool.random(using: &self) { sent.collapseID = "c\(Int.random(in: 0...2, using: &self))" }
    if Bool.random(using: &self) {
      sent.options = NotificationOptions(category: "ASK")
      sent.options?.targetContentID = "letters/1"
    }
    if Int.random(in: 0..<4, using: &self) == 0 {
      sent.options = sent.options ?? NotificationOptions()
      sent.options?.launchImage = "Sorting"
    }
    if Int.random(in: 0..<4, using: &self) == 0 {
      let call = WebCall(url: "https://a.example/", headers: ["X": "y"], body: [1])
      sent.options = NotificationOptions(actions: [NotificationAction(id: "1", title: "Call", call: call)])
      sent.tags = ["sos"]
    }
    if Bool.random(using: &self) { sent.repetition = RepeatRequest(every: .seconds(10), times: 2) }
    sent.level = InterruptionLevel.allCases.randomElement(using: &self)!
    sent.expiration = .at(WallTime(seconds: 1_800_000_000 + Int64.random(in: 90...110, using: &self)))
    return sent
  }
}
