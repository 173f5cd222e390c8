// One past each limit of Notification Center.

import TestSupport
import Testing

@testable import HandsetCore

extension PolicyLimitTests {
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
    for index in contents.notifications.indices { contents.notifications[index].size *= 2 }
    handset = Handset(contents)
    turn = submit(.start(.daemon))
    #expect(
      turn.events.map(\.kind)
        == [.started(.daemon)] + [3, 8, 8, 8, 8, 8, 5].map { .cleared(.limit, count: $0) })
    #expect(handset.center.size == Policy.centerSizeLimit)
  }
}
