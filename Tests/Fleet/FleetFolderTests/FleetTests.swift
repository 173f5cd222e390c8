import FleetLink
import HandsetCore
import Testing

@testable import FleetFolder

@Suite("A fleet")
struct FleetTests {
  @Test(arguments: [
    ("a=10.0.0.1", Fleet.Server(name: "a", host: "10.0.0.1", port: 4222, clusterPort: 6222)),
    ("b=n.example.org:4300", Fleet.Server(name: "b", host: "n.example.org", port: 4300, clusterPort: 6222)),
    ("c=[fd00::3]:4300:6300", Fleet.Server(name: "c", host: "fd00::3", port: 4300, clusterPort: 6300)),
    ("d=[::1]", Fleet.Server(name: "d", host: "::1", port: 4222, clusterPort: 6222)),
  ])
  func aServerIsRead(_ text: String, _ server: Fleet.Server) throws {
    #expect(try Fleet.Server(text) == server)
  }

  @Test(arguments: [
    "a", "a=", "=x", "A=10.0.0.1", "a=10.0.0.1:0", "a=10.0.0.1:65536", "a=h:1:2:3", "a=h:", "a=[::1", "a=[::1]x",
    "a=-h",
    "a=fd00::3",
  ])
  func whatIsNoServerIsRefused(_ text: String) {
    #expect(throws: FleetError.self) { try Fleet.Server(text) }
  }

  @Test func thereAreThreeServersOrOne() throws {
    try Fleet.check(servers)
    try Fleet.check([servers[0]])
    func problem(_ servers: [Fleet.Server]) -> String? {
      do { try Fleet.check(servers) } catch { return error.message }
      return nil
    }
    #expect(problem([]) == "no server is named")
    #expect(
      problem(Array(servers[..<2]))
        == "a fleet of two servers stores nothing while one of them is down: a majority of two is two")
    let fourth = Fleet.Server(name: "d", host: "10.0.0.4", port: 4222, clusterPort: 6222)
    #expect(
      problem(servers + [fourth])
        == "a fleet has three servers, not 4: each push is stored on three, and more would only wait")
    var twice = servers
    twice[1].name = "a"
    #expect(problem(twice) == "two servers are named 'a'")
    twice = servers
    twice[1].host = "10.0.0.1"
    #expect(problem(twice) == "the servers 'a' and 'b' have a host and a port in common")
    (twice[1].port, twice[1].clusterPort) = (4223, 6223)
    #expect(problem(twice) == nil)
    twice[1].clusterPort = 4223
    #expect(problem(twice) == "the server 'b' has the port 4223 twice")
  }

  @Test func theSizeOfAStoreHasRoomForTheStreams() throws {
    try Fleet.checkStore("2GB")
    try Fleet.checkStore("2048MB")
    try Fleet.checkStore("1TB")
    for size in ["", "GB", "1GB", "2047MB", "-4GB", "20", "20 GB", "99999999999TB"] {
      #expect(throws: FleetError.self, "\(size)") { try Fleet.checkStore(size) }
    }
  }

  @Test func aDeskMayUseItsOwnSubjectsOnly() {
    func consumer(_ name: String, _ subjects: String, readers: [String]) -> [String] {
      ["$JS.API.CONSUMER.INFO.\(name)"]
        + readers.flatMap { reader in
          [
            "$JS.API.CONSUMER.CREATE.\(name)\(reader).\(subjects)", "$JS.API.CONSUMER.DELETE.\(name)\(reader)",
            "$JS.API.CONSUMER.MSG.NEXT.\(name)\(reader)",
          ]
        }
    }
    var publish = consumer("BELL_PUSH.reception", "bell.push.reception.>", readers: ["_1", "_2", "_3"])
    publish += consumer("KV_BELL_PROVIDERS.reception", "$KV.BELL_PROVIDERS.reception.*", readers: [""]).dropFirst()
    publish += [
      "$KV.BELL_TOKENS.reception.*", "$KV.BELL_PROVIDERS.reception.*", "bell.events.reception",
      "bell.alive.reception", "bell.clear.front",
    ]
    publish += consumer("BELL_CLEAR.reception_front", "bell.clear.front", readers: ["_1", "_2", "_3"])
    #expect(
      FleetPermissions.desk("reception", groups: ["front"])
        == FleetPermissions(
          publish: publish, subscribe: ["_INBOX_reception.>", "bell.now.reception.>", "bell.roll"]))
  }

  @Test func aGatewayMayPushAndReadTheRegistry() {
    #expect(
      FleetPermissions.gateway("door")
        == FleetPermissions(
          publish: [
            "bell.push.>", "bell.now.>", "bell.alive.door", "bell.events.door", "$JS.API.INFO",
            "$KV.BELL_CHANNELS.>", "$JS.API.STREAM.INFO.KV_BELL_TOKENS", "$JS.API.CONSUMER.CREATE.KV_BELL_TOKENS.>",
            "$JS.API.CONSUMER.DELETE.KV_BELL_TOKENS.>", "$JS.API.CONSUMER.INFO.KV_BELL_TOKENS.>",
            "$JS.API.CONSUMER.MSG.NEXT.KV_BELL_TOKENS.>", "$JS.ACK.KV_BELL_TOKENS.>",
            "$JS.API.STREAM.INFO.KV_BELL_PROVIDERS", "$JS.API.CONSUMER.CREATE.KV_BELL_PROVIDERS.>",
            "$JS.API.CONSUMER.DELETE.KV_BELL_PROVIDERS.>", "$JS.API.CONSUMER.INFO.KV_BELL_PROVIDERS.>",
            "$JS.API.CONSUMER.MSG.NEXT.KV_BELL_PROVIDERS.>", "$JS.ACK.KV_BELL_PROVIDERS.>",
            "$JS.API.STREAM.INFO.KV_BELL_CHANNELS", "$JS.API.CONSUMER.CREATE.KV_BELL_CHANNELS.>",
            "$JS.API.CONSUMER.DELETE.KV_BELL_CHANNELS.>", "$JS.API.CONSUMER.INFO.KV_BELL_CHANNELS.>",
            "$JS.API.CONSUMER.MSG.NEXT.KV_BELL_CHANNELS.>", "$JS.ACK.KV_BELL_CHANNELS.>",
          ],
          subscribe: ["_INBOX_door.>", "bell.roll"]))
  }

  @Test func theUsersAreWrittenAsTheServerReadsThem() {
    var fleet = Fleet(servers: servers, admin: "UADMIN")
    fleet.desks = [Fleet.User(name: "reception", key: "UDESK")]
    let permissions = FleetPermissions.desk("reception", groups: [])
    func list(_ subjects: [String]) -> String { subjects.map { "        \"\($0)\"" }.joined(separator: "\n") }
    let expected = """
      # Who may do what. 'deskbell fleet' writes this file: what is changed here is lost.
      users: [
        # desk reception
        { nkey: "UDESK", permissions: {
            publish: { allow: [
      \(list(permissions.publish))
            ] }
            subscribe: { allow: [
      \(list(permissions.subscribe))
            ] }
        } }
      ]

      """
    #expect(ServerFiles.users(of: fleet) == expected)
  }

  @Test func oneServerHasNoClusterAndLoopbackIsNotOpened() {
    let alone = Fleet.Server(name: "one", host: "127.0.0.1", port: 4222, clusterPort: 6222)
    let text = ServerFiles.configuration(of: alone, in: Fleet(servers: [alone], admin: "U"))
    #expect(text.contains("\nlisten: \"127.0.0.1:4222\"\n"))
    #expect(!text.contains("cluster"))
    #expect(text.contains("\n  sync_interval: always\n}\n"))
    let three = ServerFiles.configuration(of: servers[2], in: Fleet(servers: servers, admin: "U"))
    #expect(three.contains("\nlisten: \"0.0.0.0:4300\"\nclient_advertise: \"[fd00::3]:4300\"\n"))
    #expect(three.contains("    \"tls://10.0.0.1:6222\"\n    \"tls://n2.example.org:6222\"\n  ]\n"))
    #expect(three.contains("  verify: false\n"))
    #expect(three.contains("    verify: true\n"))
  }

  @Test func aGroupKeepsHalfOfItsTokensHash() throws {
    var fleet = Fleet(servers: servers, admin: "U")
    fleet.desks = ["a", "b"].map { Fleet.User(name: $0, key: "U") }
    let token = try #require(DeviceToken(bytes: Array("abc".utf8)))
    try fleet.addGroup(
      "front", app: "com.example.shop", environment: "production", members: ["a", "b/2"], token: token, since: 5)
    let group = Fleet.Group(
      name: "front", app: "com.example.shop", environment: "production",
      desks: [.init(desk: "a", handset: nil), .init(desk: "b", handset: "2")],
      // The first half of SHA-256's own test vector.
      token: "ba7816bf8f01cfea414140de5dae2223", since: 5)
    #expect(fleet.groups == [group])
    #expect(fleet.groups(of: "b") == [group])
    #expect(fleet.groups(of: "c") == [])
    #expect(try fleet.removeGroup("front") == group)
    #expect(fleet.groups == [])
    #expect(throws: FleetError("there is no group 'front'", hint: "there is none at all")) {
      try fleet.removeGroup("front")
    }
  }

  @Test(arguments: [
    ("Front", "com.x", ["a"], "'Front' is no name of a group"),
    ("front", "x y", ["a"], "'x y' is no app"),
    ("front", "com.x", [], "the group has no desk"),
    ("front", "com.x", ["a", "a"], "'a' is named twice"),
    ("front", "com.x", ["z"], "the fleet has no desk 'z'"),
    ("front", "com.x", ["a/b/c"], "'a/b/c' is no desk"),
    ("front", "com.x", ["a/B"], "'a/B' is no desk"),
    ("old", "com.x", ["a"], "there is a group 'old' already"),
  ])
  func whatIsNoGroupIsRefused(_ name: String, _ app: String, _ members: [String], _ message: String) throws {
    var fleet = Fleet(servers: servers, admin: "U")
    fleet.desks = [Fleet.User(name: "a", key: "U")]
    let token = try #require(DeviceToken(bytes: [1]))
    try fleet.addGroup("old", app: "com.x", environment: "production", members: ["a"], token: token, since: 0)
    let before = fleet
    let error = #expect(throws: FleetError.self) {
      try fleet.addGroup(name, app: app, environment: "production", members: members, token: token, since: 0)
    }
    #expect(error?.message == message)
    #expect(error?.hint != nil)
    #expect(fleet == before)
  }
}
