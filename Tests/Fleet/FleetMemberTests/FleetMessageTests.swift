import FleetLink
import HandsetCore
import NATSClient
import PushPort
import Testing

@testable import FleetMember

@Suite struct FleetMessageTests {
  private let address = HandsetAddress(desk: "kitchen", handset: "2")
  private let now = WallTime(microseconds: 1_763_900_000_000_000)

  private func push(_ change: (inout Push) -> Void = { _ in }) throws -> Push {
    let body = Array(#"{"aps":{"alert":{"title":"A letter"},"badge":3,"sound":"default"},"room":7}"#.utf8)
    var push = try Push(
      acceptedAs: #require(PushID("8C072DB2-12F5-4B70-B99F-73F50AC5525B")), token: DeviceToken(bytes: [1, 2, 3]),
      topic: #require(AppID("com.example.mailroom")), type: .alert, priority: 10,
      expiration: .at(WallTime(seconds: 1_763_990_000)), collapseID: "letters", payload: body)
    push.hasProviderID = true
    push.provider = "shop"
    change(&push)
    return push
  }

  @Test func aPushComesOutAsItWentIn() throws {
    for push in [
      try push(), try push { ($0.collapseID, $0.provider) = (nil, nil) },
      try push { $0.expiration = .once }, try push { $0.uniqueID = PushID(high: 1, low: 2) },
    ] {
      let message = FleetMessage.push(push, to: address, group: nil, from: "front", at: now)
      let read = try FleetMessage(message, for: "kitchen")
      guard case .push(let found) = read.input else { return #expect(Bool(false), "it is no push") }
      #expect(found == push)
      #expect(read.handset == "2")
      #expect(message.payload == push.payload)
    }
  }

  @Test func aBroadcastComesOutAsItWentIn() throws {
    let body = Array(#"{"aps":{"event":"update","timestamp":1763900000,"content-state":{"home":2}}}"#.utf8)
    let channel = try #require(ChannelID("dHN0LXNyY2gtY2hubA=="))
    for expiration in [Expiration.once, .at(WallTime(seconds: 1_763_928_800))] {
      let push = try Push(
        broadcast: #require(PushID("8C072DB2-12F5-4B70-B99F-73F50AC5525B")),
        to: #require(AppID("com.example.match")), priority: 5, expiration: expiration, payload: body, provider: "shop")
      let message = FleetMessage.broadcast(push, on: channel, to: "kitchen", from: "front", at: now)
      #expect(message.subject.hasPrefix(expiration == .once ? "bell.now.kitchen." : "bell.push.kitchen."))
      let read = try FleetMessage(message, for: "kitchen")
      #expect(read.input == .broadcast(push, channel: channel))
      #expect(message.payload == body && message.fields["Bell-Channel"] == channel.text)
      // Rule P1 recognises the duplicate.
      #expect(FleetMessage.identifiedAnew(message)?.fields["Nats-Msg-Id"]?.hasSuffix("+") == true)
      #expect(throws: BadStoredPush.self) { try FleetMessage(message, for: "hall") }
      var other = message
      other.fields["Bell-Channel"] = "#"
      #expect(throws: BadStoredPush.self) { try FleetMessage(other, for: "kitchen") }
    }
  }

  /// Rule P1 at the desk recognises the duplicate, for which it needs the token.
  @Test func aPushToATokenMayHaveAnotherIdentifier() throws {
    let message = FleetMessage.push(try push(), to: address, group: nil, from: "front", at: now)
    let other = try #require(FleetMessage.identifiedAnew(message))
    #expect(other.fields["Nats-Msg-Id"] == (message.fields["Nats-Msg-Id"] ?? "") + "+")
    #expect(other.payload == message.payload)
    let toGroup = FleetMessage.push(try push(), to: address, group: "doors", from: "front", at: now)
    #expect(FleetMessage.identifiedAnew(toGroup) == nil)
  }

  /// A group may have two handsets of a desk, and each has a message.
  @Test func aPushToAGroupHasAnIdentifierForEachHandset() throws {
    let identifiers = try ["1", "2", nil].map { handset in
      let address = HandsetAddress(desk: "kitchen", handset: handset)
      return FleetMessage.push(try push(), to: address, group: "doors", from: "front", at: now).fields["Nats-Msg-Id"]
    }
    #expect(Set(identifiers).count == 3)
  }

  @Test func theSamePushHasTheSameIdentifier() throws {
    func identifier(_ push: Push, _ desk: String = "kitchen") -> String? {
      let address = HandsetAddress(desk: desk, handset: nil)
      return FleetMessage.push(push, to: address, group: nil, from: "front", at: now).fields["Nats-Msg-Id"]
    }
    let first = identifier(try push())
    #expect(first == identifier(try push()))
    #expect(first?.hasPrefix("8C072DB2-12F5-4B70-B99F-73F50AC5525B:kitchen:") == true)
    let others = [
      identifier(try push { $0.token = DeviceToken(bytes: [1, 2, 4]) }), identifier(try push { $0.payload += [32] }),
      identifier(try push { $0.id = .random() }), identifier(try push(), "hall"),
    ]
    #expect(!others.contains(first))
  }

  @Test func aPushToAGroupGoesToTheAppAndCollapsesWithinTheGroup() throws {
    for (collapseID, expected) in [
      ("letters", "doors/letters"), (nil, "doors/8C072DB2-12F5-4B70-B99F-73F50AC5525B"),
    ] {
      let message = FleetMessage.push(
        try push { $0.collapseID = collapseID }, to: address, group: "doors", from: "front", at: now)
      guard case .push(let found) = try FleetMessage(message, for: "kitchen").input else {
        return #expect(Bool(false), "it is no push")
      }
      #expect(found.token == nil)
      #expect(found.collapseID == expected)
    }
  }

  @Test func whatIsNotForTheDeskIsNoMessage() throws {
    let good = FleetMessage.push(try push(), to: address, group: nil, from: "front", at: now)
    func isRefused(_ change: (inout NATSMessage) -> Void) -> Bool {
      var message = good
      change(&message)
      return (try? FleetMessage(message, for: "kitchen")) == nil
    }
    #expect(!isRefused { _ in })
    #expect(isRefused { $0.fields["Bell-Desk"] = "hall" })
    #expect(isRefused { $0.fields["Bell-Desk"] = nil })
    #expect(isRefused { $0.subject = "bell.push.hall.2.com_example_mailroom" })
    #expect(isRefused { $0.fields["Bell-Token"] = "xyz" })
    #expect(isRefused { $0.fields["Bell-Id"] = nil })
    #expect(isRefused { $0.fields["Bell-Expires"] = "tomorrow" })
    #expect(isRefused { $0.payload = Array("{}".utf8) })
    #expect(isRefused { $0.fields["Bell-Form"] = "input" })
  }

  @Test func anInputOfAnAccessKeyIsOneOfThree() throws {
    let app = try #require(AppID("com.example.mailroom"))
    func sent(_ input: Input) throws -> NATSMessage {
      try FleetMessage.input(input, to: address, app: app, from: "front", at: now)
    }
    let read = try FleetMessage(sent(.retract(app, collapseID: "x", .seen)), for: "kitchen")
    guard case .retract(app, "x", .seen) = read.input else { return #expect(Bool(false), "\(read.input)") }
    guard case .push(let found) = try FleetMessage(sent(.push(push { $0.token = nil })), for: "kitchen").input else {
      return #expect(Bool(false), "it is no push")
    }
    #expect(found == (try push { $0.token = nil }))
    for other in [Input.push(try push()), .uninstall(app), .clearCenter] {
      #expect(throws: BadStoredPush.self) { try FleetMessage(sent(other), for: "kitchen") }
    }
  }
}
