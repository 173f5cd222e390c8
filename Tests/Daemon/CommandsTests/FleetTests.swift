// The administrator's commands without servers; Tests/Fleet tests them with servers.

import Foundation
import HandsetCore
import Testing

@testable import CommandSupport
@testable import Commands
@testable import FleetCommands
@testable import FleetFolder

@Suite("deskbell fleet")
struct FleetTests {
  private static let servers = ["--server", "a=10.0.0.1", "--server", "b=10.0.0.2", "--server", "c=10.0.0.3"]

  @Test func theFolderIsMadeAndFilledWithoutServers() async throws {
    let place = try Folder()
    let fleet = ["--fleet", "\(place.path)/fleet/"]
    func run(_ words: String...) async -> Int32 { await Program.run(["fleet"] + words + fleet) }
    #expect(await run("list") == 1)
    #expect(await Program.run(["fleet", "init", "--node", "a=10.0.0.1", "--server", "b=10.0.0.2"] + fleet) == 1)
    #expect(await Program.run(["fleet", "init"] + Self.servers + fleet) == 0)
    #expect(await run("init", "--offline") == 0)
    #expect(await run("add", "reception") == 0)
    #expect(await run("add", "reception", "--json") == 0)
    #expect(await run("add", "Office") == 1)
    #expect(await run("add", "reception", "--gateway") == 1)
    #expect(await run("add", "door", "--gateway") == 0)
    #expect(await run("group", "add", "front", "--app", "com.example.shop", "reception") == 0)
    #expect(await run("group", "add", "back", "--app", "com.example.shop", "office") == 1)
    #expect(await run("list", "--json") == 0)
    #expect(await run("remove", "reception") == 1)
    #expect(place.names("fleet/desks") == ["reception"])
    #expect(await run("group", "remove", "front") == 0)
    #expect(await run("remove", "reception") == 0)
    #expect(await run("remove", "reception") == 1)
    #expect(place.names("fleet/desks") == [])
    #expect(place.names("fleet/gateways/door") == ["authority.pem", "gateway.yaml", "seed"])
  }

  @Test func aNewFolderSaysHowToInstallIt() throws {
    let place = try Folder()
    let folder = try FleetFolder(
      making: place.path + "/f", servers: [try Fleet.Server("one=127.0.0.1")], maxStore: nil,
      now: WallTime(seconds: 1_795_248_000))
    #expect(
      FleetWords.made(folder).replacing(place.path, with: "/x") == """
        The fleet of one server is in /x/f. Its keys open everything: keep a backup, and show it to nobody.

        Next:
        1. Install nats-server 2.10.23 or later on each server (Debian 13: apt install nats-server).
        2. Copy each server's folder to it as /etc/nats, and start the server with it:
             tar -C /x/f/nodes/one -c --owner=nats --group=nats . | \\
                 ssh root@127.0.0.1 'mkdir -p /etc/nats && tar -C /etc/nats -xp && install -d -o nats -g nats -m 700 /var/lib/nats &&
                 echo include nats/nats-server.conf >/etc/nats-server.conf && systemctl restart nats-server'
        3. Make the streams: deskbell fleet init --fleet /x/f
        4. Add desks and gateways: deskbell fleet add NAME --fleet /x/f
        """)
  }

  @Test func theListSaysWhoIsThere() {
    var report = FleetReport(of: Fleet(servers: [], admin: "U"))
    #expect(FleetList.list(report, isAsked: true) == "The fleet has no desk yet: deskbell fleet add NAME")
    var alive = FleetReport.Desk(name: "a", groups: ["front"])
    (alive.isAlive, alive.behind, alive.tokens, alive.version) = (true, 0, 3, "0.7.2")
    var away = FleetReport.Desk(name: "b", groups: [])
    (away.behind, away.tokens, away.seen) = (12, 1, "2026-11-23T16:05:41.272194468Z")
    report.desks = [alive, away, .init(name: "c", groups: [])]
    var gateway = FleetReport.Gateway(name: "door")
    (gateway.isAlive, gateway.isReady, gateway.tokens, gateway.version) = (true, false, 4, "0.7.2")
    report.gateways = [gateway]
    report.groups = [.init(name: "front", app: "com.x", environment: "production", desks: ["a/2"])]
    #expect(
      FleetList.list(report, isAsked: true) == """
        DESK  STATE                                    BEHIND  TOKENS  VERSION  GROUPS
        a     alive                                    0       3       0.7.2    front
        b     away, seen 2026-11-23T16:05:41Z          12      1       -        -
        c     not on the servers: deskbell fleet init  -       -       -        -

        GATEWAY  STATE                 TOKENS  VERSION
        door     loading the registry  4       0.7.2

        GROUP  APP    ENVIRONMENT  DESKS
        front  com.x  production   a/2
        """)
  }

  @Test func aCheckEndsWithItsCount() {
    var findings = FleetFindings()
    findings.good = ["server a: nats-server 2.10.27, TLS"]
    #expect(FleetCheck.findings(findings) == "ok       server a: nats-server 2.10.27, TLS\nNothing is wrong.")
    findings.notices = ["n"]
    findings.problems = [.init(problem: "p", hint: "do q"), .init(problem: "r", hint: nil)]
    #expect(
      FleetCheck.findings(findings) == """
        ok       server a: nats-server 2.10.27, TLS
        note     n
        problem  p
                 do q
        problem  r
        2 problems.
        """)
  }

  @Test func aPushIsExplainedAcrossDesks() throws {
    var found = FleetPushReport()
    found.stored = [
      .init(
        desk: "reception", handset: "_", app: "com.x", sequence: 7, accepted: 1_795_248_000_000_000, gateway: "door",
        isWaiting: false),
      .init(desk: "b", handset: "2", app: "com.x", sequence: 8, accepted: nil, gateway: nil, isWaiting: true),
    ]
    #expect(
      try FleetExplain.explanation(found, "ID", ClockFace(isUTC: true)) == """
        push ID

        DESK       HANDSET       APP    ACCEPTED             GATEWAY  STATE
        reception  on the board  com.x  2026-11-21 08:00:00  door     taken
        b          2             com.x  -                    -        waits
        """)
    found.events = [(desk: "b", line: "{\"event\":\"presented\"}")]
    found.stored = []
    #expect(
      try FleetExplain.json(found, "ID") == """
        {
          "push" : "ID",
          "stored" : [

        ],
          "events" : [
            {"event":"presented"}
          ]
        }
        """)
  }
}
