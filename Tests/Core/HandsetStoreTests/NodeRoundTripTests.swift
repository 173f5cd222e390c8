import Foundation
import Testing

@testable import HandsetCore
@testable import HandsetStore

@Suite final class NodeRoundTripTests: MailTests {
  private static let inbox = NodeID(app: Rig.mail, name: "Inbox")!

  private func publication(_ number: UInt64, expiration: Expiration = .once) -> Push {
    Push(id: pushID(number), token: nil, topic: Rig.mail, badge: .number(1), expiration: expiration)
  }

  @Test func `The last property list is kept byte for byte, and goes with its node (F2, R3)`() throws {
    let inbox = NodeRoundTripTests.inbox
    func published() throws -> [UInt8]? { try rig.store.published(through: inbox, handset: 1) }
    try rig.commit(.createNode(inbox))
    #expect(try published() == nil)
    #expect(try rig.reloaded().node(inbox) == PublishingNode())
    try rig.commit(
      .publish(publication(1), through: inbox, propertyList: [1]),
      .publish(publication(2), through: inbox, propertyList: [0, 255, 10]))
    #expect(try published() == [0, 255, 10])
    #expect(try rig.reloaded().node(inbox) == PublishingNode(lastPush: pushID(2)))
    // Created again, it stays as it is; deleted and created again, it begins empty.
    try rig.commit(.createNode(inbox))
    #expect(try published() == [0, 255, 10])
    try rig.commit(.deleteNode(inbox), .createNode(inbox))
    #expect(try published() == nil)
    try rig.commitAndReload(.publish(publication(3), through: inbox, propertyList: [3]), .uninstall(Rig.mail))
    #expect(try published() == nil)
    #expect(try rig.reloaded().node(inbox) == PublishingNode(goneSince: rig.now.wall))
    rig.uptime += Policy.goneTokenLifetime
    try rig.commit(.wake)
    #expect(try rig.reloaded().node(inbox) == nil)
    #expect(try sql(directory, "SELECT count(*) FROM node") == "0")
  }

  @Test func `What came through a node is kept in its own slot, with the time since when (F1)`() throws {
    let push = publication(1, expiration: .at(rig.now.wall.advanced(by: .seconds(60))))
    try rig.commitAndReload(
      .createNode(NodeRoundTripTests.inbox), .setCondition(.offline, true),
      .publish(push, through: NodeRoundTripTests.inbox, propertyList: [7]))
    let other = publication(2, expiration: push.expiration)
    let since = rig.now.wall
    try rig.commitAndReload(.push(other))
    let waiting = try rig.reloaded().waiting(for: Rig.mail)
    #expect(waiting.map(\.slot) == [.node(NodeRoundTripTests.inbox), .app(Rig.mail)])
    #expect(waiting.map(\.kept.push) == [push, other])
    #expect(waiting.map(\.kept.since) == [since, rig.now.wall])
    let damage = try rig.load(after: "UPDATE kept SET slot = 'com.example.mail/a b' WHERE slot LIKE '%/%'").damage
    #expect(damage.map { $0.contains("slot") } == [true])
  }

  @Test func `A node that cannot be read is left out, and one of an app that is not there`() throws {
    try rig.commit(.createNode(NodeRoundTripTests.inbox), .createNode(NodeID(app: Rig.mail, name: "Sport")!))
    try sql(
      directory,
      """
      UPDATE node SET name = 'two words' WHERE name = 'Sport';
      INSERT INTO node (handset, app, name) VALUES (1, 'org.example.ghost', 'Inbox');
      """)
    let (contents, damage) = try rig.store.load(handset: 1)
    #expect(contents.nodes == [NodeRoundTripTests.inbox: PublishingNode()])
    #expect(
      damage.map(\.description) == [
        "table 'node', row 'org.example.mail two words', column 'name': 'two words' is not a node's name",
        "table 'node', row 'org.example.ghost', column 'app': the app is not there, and 1 of its rows is left out",
      ])
  }
}
