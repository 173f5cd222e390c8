import FoundationEssentials
import HandsetCore
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon

@Suite(.timeLimit(.minutes(10))) struct HandsetRoutesTests {
  /// Runs with the board's handset, with one app, and the kitchen's, with two.
  private static let kitchen = HandsetID(2)

  private func withTwo(_ body: (Asker, ControlRig) async throws -> Void) async throws {
    try await withServer(ControlRig(["1", "kitchen"])) { asker, rig async throws in
      await rig.installMail()
      await rig.installMail(on: Self.kitchen)
      await rig.installMail("com.example.news", on: Self.kitchen)
      try await body(asker, rig)
    }
  }

  @Test func listsThem() async throws {
    try await withTwo { asker, rig async throws in
      await rig.push(1, to: Self.kitchen)
      let reports = try await asker.client.handsets()
      #expect(reports.map(\.name) == ["1", "kitchen"])
      #expect(reports.map(\.number) == [1, 2])
      #expect(reports.map(\.isOnBoard) == [true, false])
      #expect(reports.map(\.apps) == [1, 2])
      #expect(Set(reports.map(\.deviceID)).count == 2)
    }
  }

  @Test("Every resource of a handset is below its name, and a wrong name is refused with the nearest")
  func everyRoute() async throws {
    let values = ["id": mail, "identifier": "tea", "name": "silent", "key": "style", "number": "1"]
    try await withTwo { asker, _ async throws in
      let scoped = asker.table.routes.filter { $0.pattern.hasPrefix("/v1/handsets/{handset}/") }
      #expect(scoped.count == 56)
      for route in scoped {
        let onBoard = "/v1/" + route.pattern.dropFirst("/v1/handsets/{handset}/".count)
        #expect(asker.table.routes.contains { $0.method == route.method && $0.pattern == onBoard }, "\(onBoard)")
        var target = route.pattern.replacing("{handset}", with: "kichen")
        for (name, value) in values { target = target.replacing("{\(name)}", with: value) }
        #expect(
          try await asker.refusal(route.method, target) == "404 there is no handset 'kichen' | did you mean 'kitchen'?",
          "\(route.method) \(target)")
      }
      try await asker.refuses(["GET /v1/handsets/attic/state": "404 there is no handset 'attic' | there are 1, kitchen"]
      )
    }
  }

  @Test func whatIsDoneToOneLeavesTheOtherAlone() async throws {
    try await withTwo { asker, _ async throws in
      let (board, kitchen) = (asker.client, ControlClient(socket: asker.socket, handset: "kitchen"))
      #expect(try await board.apps().map(\.id) == [mail])
      #expect(try await kitchen.apps().map(\.id) == [mail, "com.example.news"])
      #expect(try await board.state().name == "1")
      #expect(try await kitchen.state().name == "kitchen")
      #expect(try await kitchen.state().isOnBoard == false)
      _ = try await kitchen.setCondition("silent", to: "on")
      _ = try await kitchen.set("volume", to: "40%", of: mail)
      _ = try await kitchen.set("notifications", to: "off", of: nil)
      _ = try await kitchen.changeLifecycle(mail, "launch")
      _ = try await kitchen.schedule("tea", of: mail, LocalNotificationRequest(badge: 1, afterSeconds: 60))
      #expect(try await board.conditions().filter { $0.value == "on" }.isEmpty)
      #expect(try await kitchen.conditions().filter { $0.value == "on" }.map(\.key) == ["silent"])
      #expect(try await board.settings(of: mail).first { $0.key == "volume" }?.value == "100%")
      #expect(try await kitchen.settings(of: mail).first { $0.key == "volume" }?.value == "40%")
      #expect(try await board.settings(of: nil).first?.value == "on")
      #expect(try await kitchen.settings(of: nil).first?.value == "off")
      #expect(try await board.app(mail).lifecycle == "notRunning")
      #expect(try await kitchen.app(mail).lifecycle == "foreground")
      #expect(try await board.scheduled(of: nil).isEmpty)
      #expect(try await kitchen.scheduled(of: nil).count == 1)
      var lines = 0
      try await board.events(after: 0, follow: false) { _ in lines += 1 }
      #expect(lines == 3)
      try await kitchen.uninstall(mail)
      #expect(try await board.apps().map(\.id) == [mail])
    }
  }

  @Test func listsTokens() async throws {
    try await withTwo { asker, _ async throws in
      let kitchen = ControlClient(socket: asker.socket, handset: "kitchen")
      let all = try await asker.client.allTokens()
      #expect(all.map { "\($0.handset) \($0.app)" } == ["1 \(mail)", "kitchen \(mail)", "kitchen com.example.news"])
      #expect(all.map(\.isRegistered) == [true, true, true])
      #expect(try await asker.client.tokens() == [all[0]])
      #expect(try await kitchen.tokens() == Array(all.dropFirst()))
    }
  }

  @Test func installsOnAll() async throws {
    try await withTwo { asker, _ async throws in
      let path = "/v1/all-handsets/apps/org.example.post"
      let upload = BundleUpload(files: ["app.yaml": Data("id: org.example.post\nname: Post".utf8)])
      let reports = try await asker.client.installOnAll("org.example.post", upload)
      #expect(reports.map(\.handset) == ["1", "kitchen"])
      #expect(reports.map(\.app?.id) == ["org.example.post", "org.example.post"])
      #expect(try await asker.client.apps().count == 2)
      #expect(try await asker.client.of(handset: "kitchen").apps().count == 3)
      try await asker.refuses(["PUT \(path) \(AppRoutesTests.bundle(mail))": "400 the bundle is of '\(mail)'…"])
    }
  }

  @Test("A handset that refuses an installation keeps it from no other")
  func installsOnTheOthers() async throws {
    try await withTwo { asker, rig async throws in
      rig.breakStore(of: .first)
      let upload = BundleUpload(files: ["app.yaml": Data("id: org.example.post\nname: Post".utf8)])
      let reports = try await asker.client.installOnAll("org.example.post", upload)
      #expect(reports.map(\.handset) == ["1", "kitchen"])
      #expect(reports.map(\.app?.id) == [nil, "org.example.post"])
      #expect(reports[0].refusal?.status == 503 && reports[0].refusal?.hint == "try again")
      #expect(reports[1].refusal == nil)
      #expect(try await asker.client.of(handset: "kitchen").apps().count == 3)
    }
  }
}
