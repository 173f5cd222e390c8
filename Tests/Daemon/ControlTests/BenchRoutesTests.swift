// A bench's daemon: apps that come to be, and resets. Pushes come over real sockets, from our own provider.

import Crypto
import FoundationEssentials
import HTTP
import HandsetCore
import ProviderClient
import PushPort
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon
@testable import Host

@Suite(.timeLimit(.minutes(10))) struct BenchRoutesTests {
  /// A bench, its port and a provider that is connected to it.
  private struct Bench {
    let asker: Asker
    let rig: ControlRig
    let port: Int
    let connection: ProviderConnection
    let bearer: String
    private let payload = #"{"aps":{"alert":"Hello","badge":3,"sound":"default"}}"#

    func push(
      _ token: String, _ topic: String = mail, id: String? = nil
    ) async throws -> String {
      let answer = try await connection.send(
        PushRequest(deviceToken: token, topic: topic, id: id, payload: Array(payload.utf8)), bearer: bearer)
      return answer.reason.map { "\(answer.status) \($0)" } ?? "\(answer.status)"
    }

    func apps(of handset: String) async throws -> [String] {
      try await asker.client.of(handset: handset).apps().map(\.id)
    }

    func events() async throws -> [EventReport] {
      var events: [EventReport] = []
      try await asker.client.events(after: 0, follow: false) { line in
        events.append(try JSONDecoder().decode(EventReport.self, from: Data(line.utf8)))
      }
      return events
    }

    func state(of handset: String = "1") async throws -> StateReport {
      try await asker.client.of(handset: handset).state()
    }
  }

  private func withBench(_ handsets: [String] = ["1"], _ body: (Bench) async throws -> Void) async throws {
    try await withServer(ControlRig(handsets, isBench: true)) { asker, rig async throws in
      let (server, port) = try await rig.startPort()
      let report = try await asker.client.bench()
      let key = try String(contentsOfFile: report.key, encoding: .utf8)
      let signer = try ProviderTokenSigner(privateKeyPEM: key, keyID: report.keyID, teamID: report.teamID) {
        ControlRig.now.wall.microseconds / 1_000_000
      }
      let authority = try #require(rig.tls.authorityPEM)
      let connection = try await ProviderConnection.connect(
        to: Endpoint(host: "127.0.0.1", port: port), trust: .authorities(pem: authority))
      do {
        try await body(
          Bench(asker: asker, rig: rig, port: port, connection: connection, bearer: signer.bearer()))
      } catch {
        await connection.close()
        await server.shutDown()
        throw error
      }
      await connection.close()
      await server.shutDown()
    }
  }

  @Test("A desk's daemon is no bench", .daemon) func desk() async throws {
    try await asker.refuses([
      "GET /v1/bench": notABench, "POST /v1/bench/reset": notABench, "POST /v1/handsets/1/bench/reset": notABench,
      #"POST /v1/bench/tokens {"app":"com.example.mail"}"#: notABench,
    ])
  }

  @Test func theReportNamesWhatAProviderNeeds() async throws {
    try await withBench(["1", "2"]) { bench in
      let report = try await bench.asker.client.bench()
      #expect(report.url == "https://127.0.0.1:1" && report.environment == "production")
      #expect((report.teamID, report.keyID) == ("BENCHTEAM1", "BENCHKEY01"))
      #expect(report.key.hasSuffix("/AuthKey_BENCHKEY01.p8"))
      #expect(report.tokens.map(\.handset) == ["1", "2"] && Set(report.tokens.map(\.token)).count == 2)
      let mode = try FileManager.default.attributesOfItem(atPath: report.key)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
  }

  @Test("An app comes to be with its first push: installed, registered, with background updates")
  func anAppComesToBe() async throws {
    try await withBench { bench in
      let token = ControlRig.token(7).hex
      #expect(try await bench.push(token) == "200")
      let app = try await bench.asker.client.app(mail)
      #expect(app.token == token && app.kinds == ["badge", "sound", "alert"])
      #expect(try await bench.state().presentation.badge == 3)
      #expect(try await bench.push(token, "org.example.other") == "400 DeviceTokenNotForTopic")
    }
  }

  @Test("Many first pushes at once keep their order, and make one app")
  func manyAtOnce() async throws {
    try await withBench { bench in
      let (one, two) = (ControlRig.token(7).hex, ControlRig.token(8).hex)
      try await withThrowingTaskGroup(of: String.self) { group in
        for number in 1...40 {
          group.addTask { try await bench.push(number % 2 == 0 ? one : two) }
        }
        for try await answer in group { #expect(answer == "200") }
      }
      let counts = try await bench.events().reduce(into: [String: Int]()) { $0[$1.event, default: 0] += 1 }
      #expect(counts["installed"] == 1 && counts["registered"] == 1 && counts["accepted"] == 40, "\(counts)")
    }
  }

  @Test("Tokens that were given out belong to their handset; unknown ones to the first")
  func handsets() async throws {
    try await withBench(["1", "2", "3"]) { bench in
      let tokens = try await bench.asker.client.bench().tokens
      #expect(try await bench.push(tokens[1].token) == "200")
      #expect(try await bench.push(ControlRig.token(9).hex) == "200")
      let third = try await bench.asker.client.of(handset: "3").benchToken(of: mail)
      #expect((third.handset, third.app) == ("3", mail))
      #expect(try await bench.asker.client.of(handset: "3").benchToken(of: mail).token == third.token)
      #expect(try await bench.push(third.token) == "200")
      for handset in ["1", "2", "3"] {
        #expect(try await bench.apps(of: handset) == [mail])
        #expect(try await bench.state(of: handset).unseen == 1)
      }
      let requests = try await bench.asker.client.requests()
      #expect(requests.map(\.handset) == ["2", "1", "3"] && requests.allSatisfy { $0.provider == "bench" })
    }
  }

  @Test(
    "A fault of a handset strikes the first push to a token of it, which belongs to the handset though it is refused")
  func aFaultOfAHandset() async throws {
    try await withBench(["1", "2"]) { bench in
      let tokens = try await bench.asker.client.bench().tokens.map(\.token)
      let (unknown, further) = (ControlRig.token(9).hex, ControlRig.token(8).hex)
      let words = ["name": "two", "answer": "503", "handset": "2", "pushes": "1"]
      #expect(try await bench.asker.client.addFault(words).handset == "2")
      _ = try await bench.asker.client.addFault(["name": "one", "answer": "500", "handset": "1", "pushes": "2"])
      #expect(try await bench.push(tokens[1]) == "503 ServiceUnavailable")
      #expect(try await bench.push(tokens[1]) == "200")
      #expect(try await bench.push(unknown) == "500 InternalServerError")
      #expect(try await bench.push(tokens[0]) == "500 InternalServerError")
      #expect(try await bench.push(unknown) == "200")
      // A further token of the app stands for the app's own.
      #expect(try await bench.push(further) == "200")
      _ = try await bench.asker.client.addFault(["name": "again", "answer": "429", "handset": "1", "app": mail])
      #expect(try await bench.push(further) == "429 TooManyRequests")
      #expect(try await bench.asker.client.requests().map(\.handset) == ["2", "2", "1", "1", "1", "1", "1"])
      try await bench.asker.client.of(handset: "2").resetBench()
      #expect(try await bench.asker.client.requests().allSatisfy { $0.handset == "1" })
      // Reading a handset stores the events of drivers and faults that wait for a commit.
      _ = try await bench.state()
      #expect(try await bench.events().count { $0.event == "fault-struck" } == 3)
    }
  }

  @Test("An app that its test unregisters answers 410, for all its tokens, until the next reset")
  func unregistered() async throws {
    try await withBench { bench in
      let (one, two) = (ControlRig.token(7).hex, ControlRig.token(8).hex)
      #expect(try await bench.push(one) == "200")
      #expect(try await bench.push(two) == "200")
      _ = try await bench.asker.client.unregister(mail)
      #expect(try await bench.push(one) == "410 Unregistered")
      #expect(try await bench.push(two) == "410 Unregistered")
      _ = try await bench.asker.client.register(mail, kinds: ["alert"])
      #expect(try await bench.push(one) == "410 ExpiredToken")
      try await bench.asker.client.resetBench()
      #expect(try await bench.push(one) == "200")
      #expect(try await bench.push(two) == "200")
    }
  }

  @Test("What a test registers an app for ends with the next reset")
  func registeredKinds() async throws {
    try await withBench { bench in
      let token = ControlRig.token(7).hex
      #expect(try await bench.push(token) == "200")
      _ = try await bench.asker.client.register(mail, kinds: ["alert"])
      #expect(try await bench.asker.client.app(mail).kinds == ["alert"])
      try await bench.asker.client.resetBench()
      #expect(try await bench.asker.client.app(mail).kinds == ["badge", "sound", "alert"])
      #expect(try await bench.push(token) == "200")
      #expect(try await bench.state().presentation.badge == 3)
    }
  }

  @Test("A reset forgets the tokens that pushes brought, but not those that were given out or are an app's own")
  func tokensAreForgotten() async throws {
    try await withBench(["1", "2"]) { bench in
      let apps = try #require(bench.rig.setup?.apps)
      let given = try await bench.asker.client.bench().tokens.map(\.token)
      #expect(apps.knownTokens == 2)
      for byte in 7...9 as ClosedRange<UInt8> { #expect(try await bench.push(ControlRig.token(byte).hex) == "200") }
      #expect(apps.knownTokens == 5)
      try await bench.asker.client.resetBench()
      // The first of them became the app's own.
      #expect(apps.knownTokens == 3)
      #expect(try await bench.push(given[1]) == "200")
      #expect(try await bench.asker.client.requests().map(\.handset) == ["2"])
    }
  }

  @Test("A token of the other environment is bad, until the next reset")
  func environments() async throws {
    try await withBench { bench in
      let token = try #require(DeviceToken(hex: ControlRig.token(7).hex))
      bench.rig.setup?.apps.set(.development, of: token)
      #expect(try await bench.push(token.hex) == "400 BadDeviceToken")
      try await bench.asker.client.resetBench()
      #expect(try await bench.push(token.hex) == "200")
    }
  }

  @Test("A reset leaves apps, tokens and the clock, and nothing else")
  func reset() async throws {
    try await withBench { bench in
      let (client, token) = (bench.asker.client, ControlRig.token(7).hex)
      let id = "123e4567-e89b-12d3-a456-426655440000"
      #expect(try await bench.push(token, id: id) == "200")
      #expect(try await bench.push("zz") == "400 BadDeviceToken")
      _ = try await client.advanceClock(bySeconds: 5)
      _ = try await client.setCondition("offline", to: "on")
      #expect(try await bench.push(token) == "200")
      let before = try await bench.state()
      try await client.resetBench()
      let after = try await bench.state()
      #expect(after.wallMicroseconds == before.wallMicroseconds && after.lastEvent == before.lastEvent)
      #expect(after.unseen == 0 && after.presentation.badge == 0 && after.presentation.lamp == nil)
      #expect(after.presentation.banner == nil && after.apps == 1)
      #expect(try await bench.events().isEmpty)
      #expect(try await client.requests().isEmpty)
      #expect(try await client.conditions().allSatisfy { $0.value == "off" })
      // The same push again is no duplicate of the one before the reset (rule P1).
      #expect(try await bench.push(token, id: id) == "200")
      #expect(try await bench.state().unseen == 1)
      #expect(try await bench.events().first?.sequence == before.lastEvent + 1)
    }
  }

  @Test("A reset of one handset leaves the others, and their requests")
  func resetOfOne() async throws {
    try await withBench(["1", "2"]) { bench in
      let tokens = try await bench.asker.client.bench().tokens.map(\.token)
      for token in tokens { #expect(try await bench.push(token) == "200") }
      try await bench.asker.client.of(handset: "2").resetBench()
      #expect(try await bench.state(of: "1").unseen == 1)
      #expect(try await bench.state(of: "2").unseen == 0)
      #expect(try await bench.asker.client.requests().map(\.handset) == ["1"])
      #expect(try await bench.push(tokens[1]) == "200")
      #expect(try await bench.asker.client.requests().map(\.handset) == ["1", "2"])
      try await bench.asker.refuses([
        "POST /v1/handsets/9/bench/reset": "404 there is no handset '9' | there are 1, 2"
      ])
    }
  }

  @Test("A reset that cannot be stored changes nothing")
  func failedReset() async throws {
    try await withBench { bench in
      #expect(try await bench.push(ControlRig.token(7).hex) == "200")
      bench.rig.runSQL(
        "CREATE TRIGGER no_state BEFORE INSERT ON app_state BEGIN SELECT RAISE(FAIL, 'on purpose'); END;")
      let refusal = try await bench.asker.refusal("POST", "/v1/bench/reset")
      #expect(refusal.hasPrefix("503 "))
      bench.rig.runSQL("DROP TRIGGER no_state;")
      #expect(try await bench.state().unseen == 1)
      #expect(try await bench.state().presentation.badge == 3)
    }
  }

  @Test func aTokenNeedsAnApp() async throws {
    try await withBench { bench in
      try await bench.asker.refuses([
        #"POST /v1/bench/tokens {"app":"a b"}"#:
          "400 'a b' is no bundle identifier | expected letters, digits, dots and dashes, as in com.example.mail",
        #"POST /v1/bench/tokens {"app":"com.example.mail","environment":"sandbox"}"#:
          "400 environment: 'sandbox' is no push environment | expected development or production",
      ])
    }
  }
}
