// A handset is made of its contents in bulk. It must be the one that the same rows make one after the other.

import TestSupport
import Testing

@testable import HandsetCore

@Suite struct BulkTests {
  private static let apps = [AppID("mail")!, AppID("chat")!, AppID("gone")!]
  private static let now = Moment(uptime: .seconds(1000), wall: HandsetRig.wallStart)

  /// Returns the contents of a handset with two apps, and notifications and pushes of these and of one that is missing.
  private static func contents(_ random: inout SplitMix64) -> Handset.Contents {
    var handset = Handset()
    for (number, app) in apps.dropLast().enumerated() {
      _ = handset.handle(.install(AppManifest(id: app, name: "App"), token: Label.token(2 * number)), at: now)
      _ = handset.handle(.register(app, .all, token: Label.token(2 * number + 1)), at: now)
    }
    _ = handset.handle(.setAppSetting(apps[0], .badgeShows, "unseen"), at: now)
    var contents = handset.contents
    for number in 1...1_000 where Int.random(in: 0..<4, using: &random) > 0 {
      let isListed = Int.random(in: 0..<4, using: &random) > 0
      let id = NotificationID(number: UInt64(number))
      var notification = Notification(
        id: id, app: apps.randomElement(using: &random)!, push: Label.push(number),
        level: InterruptionLevel.allCases.randomElement(using: &random)!,
        collapseID: Bool.random(using: &random) ? "c\(number)" : nil, isListed: isListed,
        isSeen: !isListed || Bool.random(using: &random),
        alertOrder: Bool.random(using: &random) ? UInt64(2_000 - number) : nil, hasAction: number % 2 == 0, size: number
      )
      notification.sound = number % 3 == 0 ? .named("letter") : .system
      if notification.isUnseen && number % 5 == 0 {
        notification.repetition = Repetition(every: .seconds(number % 7 + 60), times: 3, since: now)
      }
      if number % 6 == 0 { notification.options = NotificationOptions(category: "ASK") }
      contents.notifications.insert(notification)
    }
    contents.recentPushes = (1...600).map { number in
      RecentPush(
        id: Label.push(number % 400), digest: UInt64(number), number: UInt64(number), moment: now,
        app: number % 7 == 0 ? nil : UInt32(number % 5))
    }
    return contents
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `A handset made in bulk is the one that its rows make one by one, in any order`(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let contents = BulkTests.contents(&random)
    let bulk = Handset(contents)
    var rest = contents
    rest.notifications = SortedSet()
    rest.recentPushes = []
    var single = Handset(rest)
    for notification in contents.notifications.shuffled(using: &random) {
      single.undo([.removed(notification)])
    }
    for push in contents.recentPushes.shuffled(using: &random) { single.undo([.recent(before: push, after: nil)]) }
    #expect(single == bulk)
    #expect(
      bulk.presentation(at: BulkTests.now).badge
        == Int128(bulk.contents.notifications.count { $0.isUnseen && $0.app == BulkTests.apps[0] }))

    // The same one by one away, and a handset shares nothing with its contents.
    for notification in contents.notifications.shuffled(using: &random) {
      single.undo([.added(notification)])
    }
    for push in contents.recentPushes.shuffled(using: &random) { single.undo([.recent(before: nil, after: push)]) }
    #expect(single == Handset(rest))
    #expect(Handset(contents) == bulk)
  }

  @Test func `A set of notifications is what a dictionary is`() {
    var random = SplitMix64(state: 1)
    var table = SortedSet<Notification>()
    var dictionary: [NotificationID: Notification] = [:]
    for step in 0..<3_000 {
      let id = NotificationID(number: .random(in: 0..<500, using: &random))
      let isIn = Int.random(in: 0..<3_000, using: &random) > step
      let notification = Notification(
        id: id, app: BulkTests.apps[0], push: Label.push(step), level: .active, collapseID: nil, isListed: true,
        isSeen: true, alertOrder: nil, hasAction: false)
      #expect(table[id] == dictionary[id])
      if isIn { table.update(notification) } else { table.remove(notification) }
      dictionary[id] = isIn ? notification : nil
    }
    #expect(table.count == dictionary.count)
    #expect(Array(table) == dictionary.values.sorted { $0.id < $1.id })
    #expect(table == SortedSet(ascending: dictionary.values.sorted()))
    for notification in dictionary.values { table.remove(notification) }
    #expect(table == SortedSet())
  }
}
