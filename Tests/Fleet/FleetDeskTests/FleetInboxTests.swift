import HandsetCore
import HandsetStore
import NATSClient
import PushPort
import Testing

@testable import FleetDesk
@testable import Host

@Suite struct FleetInboxTests {
  private let inbox = FleetInbox(desk: "hall", handsets: [.first: "1"])
  private let app: AppID
  private let token: DeviceToken
  private let now = Moment(uptime: .seconds(60), wall: WallTime(seconds: 1_800_000_000))

  init() throws {
    app = try #require(AppID("com.example.mailroom"))
    token = try #require(DeviceToken(bytes: [1]))
  }

  /// Rings a push for each collapse identifier, and clears all of them as a person does.
  private func clear(_ collapseIDs: String..., on id: HandsetID = .first) throws {
    var handset = Handset()
    for input: Input in [
      .install(AppManifest(id: app, name: "Mailroom"), token: token), .register(app, .all, token: token),
    ] { _ = handset.handle(input, at: now) }
    for collapseID in collapseIDs {
      let body = Array(#"{"aps":{"alert":"A letter"}}"#.utf8)
      let push = try Push(
        acceptedAs: .random(), token: token, topic: app, type: .alert, priority: 10,
        expiration: .at(WallTime(seconds: 1_900_000_000)), collapseID: collapseID, payload: body)
      #expect(handset.handle(.push(push), at: now).verdict == .accepted)
    }
    let turn = handset.handle(.clearCenter, at: now)
    inbox.publish(CommittedBatch(turns: [HandsetTurn(handset: id, turn: turn)], presentations: [:]))
  }

  private func published(_ group: String) -> [String] {
    var published: [String] = []
    while let next = inbox.nextClear(of: group) {
      published.append(next.id)
      inbox.published(group)
    }
    return published
  }

  @Test func whatIsClearedOfAGroupIsToldIt() throws {
    inbox.follow(["doors", "letters"])
    try clear("doors/visitor", "letters/one", "letters/two/three", "other/one", "one")
    #expect(inbox.beginPublishing() == ["doors", "letters"])
    // Each is published only once at a time.
    #expect(inbox.beginPublishing() == [])
    #expect(published("doors") == ["visitor"])
    #expect(published("letters").sorted() == ["one", "two/three"])
    #expect(inbox.beginPublishing() == [])
    try clear("doors/again")
    #expect(inbox.beginPublishing() == ["doors"])
    let next = ClearRecord(desk: "hall", handset: "1", app: app.text, id: "again", removed: true)
    #expect(inbox.nextClear(of: "doors") == next)
  }

  @Test func otherDesksHandsetsAreNotThisOnes() throws {
    inbox.follow(["doors"])
    try clear("doors/visitor", on: HandsetID(2))
    #expect(inbox.beginPublishing() == [])
  }

  /// A daemon that starts while the servers are away gets its groups later.
  @Test func whatIsClearedBeforeTheGroupsAreKnownIsTold() throws {
    try clear("doors/visitor", "letters/one")
    #expect(inbox.beginPublishing() == [])
    inbox.follow(["doors"])
    #expect(inbox.beginPublishing() == ["doors"])
    #expect(published("doors") == ["visitor"])
    #expect(published("letters") == [])
  }

  /// The servers refuse clearings of a group that was removed.
  @Test func aGroupThatIsGoneIsToldNothingMore() throws {
    inbox.follow(["doors"])
    try clear("doors/visitor")
    #expect(inbox.beginPublishing() == ["doors"])
    inbox.follow([])
    #expect(inbox.nextClear(of: "doors") == nil)
    inbox.published("doors")
    try clear("doors/visitor")
    #expect(inbox.beginPublishing() == [])
  }

  @Test func theOldest1024Wait() throws {
    inbox.follow(["doors", "letters"])
    for number in 0..<1_024 { try clear("doors/\(number)") }
    try clear("letters/one")
    #expect(inbox.beginPublishing() == ["doors"])
    #expect(published("doors") == (0..<1_024).map(String.init))
  }

  @Test func aClearingSaysWhereItWas() throws {
    func read(_ text: String) -> (input: Input, doer: (desk: String, handset: String))? {
      FleetDesk.clearing(NATSMessage(subject: "bell.clear.doors", payload: Array(text.utf8)), of: "doors")
    }
    let known = #"{"app":"com.example.mailroom","desk":"hall","handset":"2","id":"visitor","removed":false}"#
    let found = try #require(read(known))
    #expect(found.doer == ("hall", "2"))
    guard case .retract(app, collapseID: "doors/visitor", .seen) = found.input else {
      return #expect(Bool(false), "it is another input")
    }
    #expect(read(known.replacing("com.example.mailroom", with: ".")) == nil)
    #expect(read("{}") == nil)
    #expect(read(known + String(repeating: " ", count: 4_096)) == nil)
  }
}
