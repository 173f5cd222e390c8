// The delivery log and the counts in the words of Apple's console, over a real host.

import FoundationEssentials
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon
@testable import HandsetCore

@Suite(.timeLimit(.minutes(10))) struct DeliveryLogRoutesTests {
  private let id = PushID("8c072db2-12f5-4b70-b99f-73f50ac5525b")!
  private let uniqueID = PushID("0E8A38C6-BBA0-46C3-983F-729D3C96A48B")!

  private func push(_ unique: PushID?) -> Input {
    var push = Push(
      id: id, token: ControlRig.token(1), topic: AppID(mail)!, message: Message(body: .literal("Hello")),
      expiration: .at(ControlRig.now.wall.advanced(by: .seconds(60))))
    (push.hasProviderID, push.uniqueID) = (true, unique)
    return .push(push)
  }

  @Test("A push is found by either identifier, in letters of either case, by that of its retry too", .daemonWithMail)
  func identifiers() async throws {
    await rig.apply(.setCondition(.offline, true))
    await rig.apply(push(uniqueID))
    let again = PushID(high: 0, low: 9)
    await rig.apply(push(again))
    await rig.apply(.setCondition(.offline, false))
    let lines = try await asker.client.deliveryLog(of: id.description)
    #expect(
      lines.map(\.line) == [
        "received by APNS Server", "stored as device was offline", "successfully delivered to the target device",
      ])
    #expect(
      lines.map(\.status) == ["Received by APNs", "Stored – Device Offline", "Delivered to Device (From Storage)"])
    #expect(lines.map(\.isApples) == [true, false, true] && lines.map(\.rule) == [nil, "F1", nil])
    #expect(lines.allSatisfy { $0.push == id.description && $0.app == mail })
    #expect(lines.map(\.time) == lines.map { WallTime(microseconds: $0.wallMicroseconds).utc })
    for other in [uniqueID.description, uniqueID.description.lowercased(), again.description] {
      #expect(try await asker.client.deliveryLog(of: other) == lines)
      #expect(try await asker.client.explanation(of: other).push == id.description)
    }
  }

  @Test("An identifier that is none is refused, and one that the journal does not have", .daemonWithMail)
  func unknown() async throws {
    await rig.apply(.push(Push(id: id, token: ControlRig.token(9), topic: AppID(mail)!)))
    try await asker.refuses([
      // Its request was refused: it never was on its way.
      "GET /v1/pushes/\(id)/delivery-log": "404 …",
      "GET /v1/pushes/abc/delivery-log": "400 'abc' is no identifier of a push"
        + " | it is a UUID, the apns-id of the answer: 8C072DB2-12F5-4B70-B99F-73F50AC5525B",
      "GET /v1/delivery-statuses?byDay=2": "400 byDay is true or false, not '2'",
    ])
  }

  @Test("Statuses are counted by type, together and by day", .daemonWithMail)
  func statuses() async throws {
    #expect(try await asker.client.deliveryStatuses(byDay: false) == [])
    await rig.push(1)
    await rig.apply(.setCondition(.offline, true))
    await rig.apply(push(nil))
    let counts = try await asker.client.deliveryStatuses(byDay: false)
    #expect(counts.map(\.pushType) == ["alert", "alert", "alert"])
    #expect(counts.map(\.status) == ["Received by APNs", "Delivered to Device", "Stored – Device Offline"])
    #expect(counts.map(\.count) == [2, 1, 1] && counts.allSatisfy { $0.date == nil })
    let day = String(ControlRig.now.wall.utc.prefix(10))
    #expect(try await asker.client.deliveryStatuses(byDay: true).map(\.date) == [day, day, day])
  }
}
