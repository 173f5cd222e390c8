import FleetLink
import Foundation
import HandsetCore
import ServerIdentity
import Testing

@testable import FleetFolder

private let serverFiles = ["authority.pem", "nats-server.conf", "server.key", "server.pem", "users.conf"]

@Suite("The administrator's folder")
struct FleetFolderTests {
  @Test func aNewOneHasTheFilesOfEachServer() throws {
    let place = try Place()
    let folder = try place.make()
    #expect(
      try place.files()
        == ["admin.seed", "authority.key", "authority.pem", "fleet.json"]
        + ["a", "b", "c"].flatMap { server in serverFiles.map { "nodes/\(server)/\($0)" } })
    #expect(try place.mode("") == 0o700)
    for secret in ["admin.seed", "authority.key", "nodes/a/server.key"] { #expect(try place.mode(secret) == 0o600) }
    #expect(folder.fleet.servers == servers)
    #expect(try NKey(seed: place.text("admin.seed"))?.publicKey == folder.fleet.admin)
    let all = try place.contents()
    #expect(Set(["a", "b", "c"].map { all["nodes/\($0)/authority.pem"] }) == [all["authority.pem"]])
    #expect(Set(["a", "b", "c"].map { all["nodes/\($0)/users.conf"] }).count == 1)
  }

  @Test func aServersCertificateIsGoodUnderItsHostForBothSidesUntilTheAuthorityEnds() throws {
    let place = try Place()
    let folder = try place.make()
    let authority = try #require(
      CertifiedKey(certificatePEM: place.text("authority.pem"), keyPEM: place.text("authority.key")))
    for known in servers {
      let server = try #require(
        CertifiedKey(
          certificatePEM: place.text("nodes/\(known.name)/server.pem"),
          keyPEM: place.text("nodes/\(known.name)/server.key")))
      #expect(authority.issued(server))
      #expect(server.covers(try CertificateNames([known.host])))
      #expect(!server.covers(try CertificateNames(["10.0.0.9"])))
      #expect(server.end == folder.end)
    }
    #expect(folder.end == now.advanced(by: CertificateAuthority.authorityLifetime))
    #expect(
      try authority.hostsNotPermitted(of: CertificateNames(["n2.example.org", "shop.example"])) == ["shop.example"])
  }

  @Test func openingAndUpdatingWritesNothing() throws {
    let place = try Place()
    do { _ = try place.make() }
    let before = try place.contents()
    var folder = try FleetFolder(opening: place.fleet, now: now.advanced(by: .seconds(86_400)))
    #expect(try folder.update(servers: [], maxStore: nil) == [])
    #expect(try folder.update(servers: servers, maxStore: nil) == [])
    #expect(try place.contents() == before)
  }

  @Test func aLostFileOfAServerIsMadeAnew() throws {
    let place = try Place()
    do { _ = try place.make() }
    let before = try place.contents()
    try FileManager.default.removeItem(atPath: place.fleet + "/nodes/b/users.conf")
    var folder = try FleetFolder(opening: place.fleet, now: now)
    #expect(try folder.update(servers: [], maxStore: nil) == ["nodes/b/users.conf"])
    #expect(try place.contents() == before)
  }

  @Test func aServerThatMovesHasANewCertificateAndKeepsItsKey() throws {
    let place = try Place()
    var folder = try place.make()
    let before = try place.contents()
    var moved = servers
    moved[0].host = "10.0.0.7"
    #expect(
      try folder.update(servers: moved, maxStore: "20GB") == [
        "nodes/a/nats-server.conf", "nodes/a/server.pem", "nodes/b/nats-server.conf", "nodes/c/nats-server.conf",
        "fleet.json",
      ])
    #expect(try place.text("nodes/a/server.key") == before["nodes/a/server.key"])
    #expect(try place.text("nodes/a/nats-server.conf").contains("  max_file_store: 20GB\n"))
    #expect(folder.fleet.servers == moved)
    moved[1].host = "elsewhere.example.com"
    let after = try place.contents()
    #expect(
      throws: FleetError(
        "the fleet's authority may not certify elsewhere.example.com",
        hint:
          "it may certify the hosts that the fleet began with, and what is below them; an address is always permitted")
    ) { try folder.update(servers: moved, maxStore: nil) }
    #expect(
      throws: FleetError(
        "the servers of this fleet are a, b, c, and stay so",
        hint: "name these to give them other hosts or ports, or make another fleet with --fleet")
    ) { try folder.update(servers: [servers[0]], maxStore: nil) }
    #expect(try place.contents() == after)
  }

  @Test func aDeskHasItsCredentialsAndTheLinesOfItsSettings() throws {
    let place = try Place()
    var folder = try place.make()
    let users = ["a", "b", "c"].map { "nodes/\($0)/users.conf" }
    let written = try folder.add("reception", .desk)
    #expect(
      written == ["desks/reception/seed"] + users
        + ["desks/reception/authority.pem", "desks/reception/fleet.yaml", "fleet.json"])
    #expect(try place.mode("desks/reception/seed") == 0o600)
    #expect(try place.mode("desks/reception") == 0o700)
    #expect(try NKey(seed: place.text("desks/reception/seed"))?.publicKey == folder.fleet.desks[0].key)
    #expect(try place.text("desks/reception/authority.pem") == place.text("authority.pem"))
    #expect(
      try place.text("desks/reception/fleet.yaml") == """
        # Add these lines to /etc/deskbell/deskbell.yaml.
        fleet:
          servers: [tls://10.0.0.1:4222, tls://n2.example.org:4222, tls://[fd00::3]:4300]
          desk: reception
          seed: /etc/deskbell/fleet/seed
          ca: /etc/deskbell/fleet/authority.pem

        """)
    #expect(try folder.add("reception", .desk) == [])
    #expect(throws: FleetError("'reception' is a desk of this fleet", hint: "take another name")) {
      try folder.add("reception", .gateway)
    }
    #expect(
      throws: FleetError(
        "'Reception' is no name of a desk", hint: "a name is 1 to 32 of a-z, 0-9 and -, such as reception or desk-2")
    ) { try folder.add("Reception", .desk) }
    try folder.add("door", .gateway)
    #expect(
      try place.text("gateways/door/gateway.yaml") == """
        # The settings that a gateway needs.
        fleet:
          servers: [tls://10.0.0.1:4222, tls://n2.example.org:4222, tls://[fd00::3]:4300]
          gateway: door
          seed: /etc/deskbell/gateway/seed
          ca: /etc/deskbell/gateway/authority.pem

        """)
  }

  @Test func removingADeskTakesItsFolderAndItsRights() throws {
    let place = try Place()
    var folder = try place.make()
    let before = try place.contents()
    try folder.add("reception", .desk)
    #expect(try folder.remove("reception") == ["a", "b", "c"].map { "nodes/\($0)/users.conf" } + ["fleet.json"])
    #expect(try place.contents() == before)
    #expect(!FileManager.default.fileExists(atPath: place.fleet + "/desks/reception"))
    #expect(
      throws: FleetError(
        "the fleet has no desk or gateway 'reception'", hint: "add one: deskbell fleet add reception")
    ) { try folder.remove("reception") }
  }

  @Test func whatIsDamagedIsRefusedWithItsName() throws {
    let place = try Place()
    #expect(
      throws: FleetError(
        "there is no fleet in \(place.fleet)",
        hint: "name its folder with --fleet, or make one: deskbell fleet init --server NAME=HOST …")
    ) { try FleetFolder(opening: place.fleet, now: now) }
    do { _ = try place.make() }
    let good = try place.text("fleet.json")
    func problem(_ json: String) throws -> String? {
      try Data(json.utf8).write(to: URL(fileURLWithPath: place.fleet + "/fleet.json"))
      do { _ = try FleetFolder(opening: place.fleet, now: now) } catch { return error.message }
      return nil
    }
    let file = place.fleet + "/fleet.json"
    #expect(try problem("{") == "\(file) cannot be read: it is no JSON")
    #expect(try problem(good.replacing("\"nodes\"", with: "\"knots\"")) == "\(file) cannot be read: 'nodes' is missing")
    #expect(
      try problem(good.replacing("\"version\" : 1", with: "\"version\" : 2"))
        == "\(file) has version 2, and this program knows 1")
    #expect(try problem(good) == nil)
    try Data("SUA\n".utf8).write(to: URL(fileURLWithPath: place.fleet + "/admin.seed"))
    #expect(try problem(good) == "\(place.fleet)/admin.seed is not the administrator's seed")
    try FileManager.default.removeItem(atPath: file)
    #expect(throws: FleetError.self) { try FleetFolder(making: place.fleet, servers: servers, maxStore: nil, now: now) }
  }

  @Test func twoCommandsDoNotChangeItAtOnce() throws {
    let place = try Place()
    let folder = try place.make()
    #expect(
      throws: FleetError(
        "another command is changing \(place.fleet)", hint: "wait until it has ended, and try again")
    ) {
      errno = 0
      defer {
        // A second close of its descriptor would close the file of another thread that has the number by then.
        #expect(errno != EBADF)
      }
      return try FleetFolder(opening: place.fleet, now: now)
    }
    withExtendedLifetime(folder) {}
  }

  /// Uses a folder in the place of a draft, because no mode keeps root from writing.
  @Test func aChangeThatCannotBeWrittenLeavesAllAsItWas() throws {
    let place = try Place()
    var folder = try place.make()
    let before = try place.contents()
    try FileManager.default.createDirectory(
      atPath: place.fleet + "/nodes/c/users.conf.new", withIntermediateDirectories: false)
    #expect(throws: FleetError.self) { try folder.add("reception", .desk) }
    #expect(folder.fleet.desks == [])
    #expect(try place.contents() == before)
  }
}
