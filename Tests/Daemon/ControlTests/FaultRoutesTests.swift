// Faults through the control API of a test bench, and that a desk has none.

import Clocks
import FoundationEssentials
import HTTP
import HandsetCore
import PushPort
import Synchronization
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon
@testable import WebPanel

/// The answer of a desk's daemon on every route of a test bench.
let notABench = "404 NotABench: this daemon is a desk's, and no test bench | start one with 'deskbell bench'"

@Suite(.timeLimit(.minutes(10))) struct FaultRoutesTests {
  private func withBench(
    _ names: [String] = ["1"], _ body: (Asker, ControlRig, BenchFaults) async throws -> Void
  ) async throws {
    try await withServer(ControlRig(names, isBench: true)) { asker, rig async throws in
      try await body(asker, rig, #require(rig.bench).faults)
    }
  }

  private func request(app: String = mail) -> RecordedRequest {
    var request = RecordedRequest(
      connection: 1, stream: 1, frontEnd: "apns", method: "POST", path: "/3/device/00", headers: [])
    request.app = app
    return request
  }

  @Test(.daemon) func noFaultCanBeReachedOnADesk() async throws {
    try await asker.refuses([
      "GET /v1/faults": notABench, #"POST /v1/faults {"answer":503}"#: notABench, "DELETE /v1/faults": notABench,
      "DELETE /v1/faults/busy": notABench, "GET /v1/faults/presets": notABench,
    ])
    #expect(rig.parts.bench == nil)
    #expect(!PanelRoutes.offered.contains { $0.contains("fault") || $0.contains("/v1/bench") })
    // Every other route, asked with a fault's words, leaves the daemon a desk.
    for route in rig.routes.routes where !route.pattern.contains("/v1/events") && !route.pattern.contains("/audio") {
      let path = route.pattern.replacing(#/\{[a-z]+\}/#, with: "busy")
      let query = route.method == "GET" ? "?fault=busy&bench=true" : ""
      _ = try await asker.ask(route.method, path + query, #"{"name":"busy","answer":503,"bench":true}"#)
      #expect(rig.parts.bench == nil, "\(route.method) \(path)")
    }
    try await asker.refuses(["GET /v1/faults": notABench])
  }

  @Test func addsListsAndRemoves() async throws {
    try await withBench { asker, _, faults in
      let busy = try await asker.client.addFault(["name": "busy", "answer": "503", "pushes": "1-2", "app": mail])
      #expect(busy.name == "busy" && busy.armed && busy.hits == 0 && busy.app == mail && busy.more == nil)
      #expect(busy.words == ["name": "busy", "answer": "503", "pushes": "1-2", "app": mail])
      // Numbers and flags of JSON are the same as their texts.
      let added = try await asker.ask("POST", "/v1/faults", #"{"silent":true,"pushes":1,"share":null,"for":0.5}"#)
      #expect(added.status == 200 && added.body.contains(#""name":"fault-2""#))
      #expect(faults.fault(at: .beforeCommit, of: request())?.name == "busy")
      #expect(faults.fault(at: .beforeCommit, of: request(app: "com.example.other")) == nil)
      var list = try await asker.client.faults()
      #expect(list.faults.map(\.hits) == [1, 0] && list.faults.map(\.seen) == [1, 0])
      #expect(list.unfired == ["fault-2"])
      try await asker.client.removeFault("busy")
      try await asker.refuses(["DELETE /v1/faults/fault": "404 there is no fault 'fault' | …"])
      try await asker.client.removeFaults()
      list = try await asker.client.faults()
      #expect(list == FaultList(faults: [], unfired: []))
    }
  }

  @Test func refusesWhatIsNoFault() async throws {
    try await withBench { asker, _, _ in
      _ = try await asker.client.addFault(["name": "busy", "answer": "503"])
      try await asker.refuses([
        #"POST /v1/faults {"anwser":503}"#: "400 unknown key 'anwser' | did you mean 'answer'?",
        #"POST /v1/faults {"answer":99}"#: "400 answer: '99' is not valid | expected a number from 200 to 599",
        #"POST /v1/faults {"answer":503,"name":"busy"}"#:
          "409 name: there is a fault 'busy' already | expected another name",
        #"POST /v1/faults {"condition":"offline","handset":"2"}"#: "404 there is no handset '2' | …",
        #"POST /v1/faults {"preset":"shutdown","name":"busy"}"#: "409 name: …",
      ])
      // A preset is added as a whole, or not at all.
      #expect(try await asker.client.faults().faults.map(\.name) == ["busy"])
    }
  }

  @Test func presets() async throws {
    try await withBench { asker, _, _ in
      let presets = try await asker.client.faultPresets()
      #expect(presets.map(\.name) == FaultPreset.all.map(\.name))
      let burst = try await asker.client.addFault(["preset": "expired-token-in-a-burst", "app": mail])
      #expect(burst.preset == burst.name && burst.more == ["\(burst.name)-2", "\(burst.name)-3"])
      #expect(try await asker.client.faults().faults.map(\.app) == [mail, mail, mail])
    }
  }

  @Test func aConditionLastsAsLongAsItsFault() async throws {
    try await withBench(["1", "2"]) { asker, _, _ in
      func isOn(_ name: String, _ handset: String) async throws -> Bool {
        try await asker.client.of(handset: handset).conditions().first { $0.key == name }?.value == "on"
      }
      let fault = try await asker.client.addFault(["condition": "offline", "handset": "2"])
      #expect(fault.hits == 1)
      #expect(try await isOn("offline", "2"))
      #expect(try await !isOn("offline", "1"))
      try await asker.client.removeFault(fault.name)
      #expect(try await !isOn("offline", "2"))
      // On a virtual clock it ends at its own moment.
      _ = try await asker.client.addFault(["name": "weak", "condition": "low-power", "for": "30s"])
      _ = try await asker.client.advanceClock(bySeconds: 29)
      #expect(try await isOn("low-power", "1"))
      _ = try await asker.client.advanceClock(bySeconds: 1)
      #expect(try await !isOn("low-power", "1"))
      #expect(try await asker.client.faults().faults.map(\.armed) == [false])
    }
  }

  @Test("A condition of two faults is on until the second ends; its handset's reset removes both")
  func twoFaultsWithOneCondition() async throws {
    try await withBench(["1", "2"]) { asker, rig, _ in
      func isOn() async throws -> Bool {
        try await asker.client.conditions().first { $0.key == "offline" }?.value == "on"
      }
      // Without a handset it is the condition of the one on the board.
      let first = try await asker.client.addFault(["name": "first", "condition": "offline"])
      #expect(first.handset == "1")
      _ = try await asker.client.addFault(["name": "second", "condition": "offline", "handset": "1", "for": "30s"])
      _ = try await asker.client.addFault(["name": "other", "condition": "offline", "handset": "2"])
      try await asker.client.removeFault("first")
      #expect(try await isOn())
      _ = try await asker.client.addFault(["name": "third", "condition": "offline"])
      _ = try await asker.client.advanceClock(bySeconds: 30)
      #expect(try await isOn())
      try await #require(rig.setup).reset(rig.parts.handsets.board.id, of: rig.parts.handsets, on: rig.host)
      #expect(try await !isOn())
      #expect(try await asker.client.faults().faults.map(\.name) == ["other"])
      #expect(try await asker.client.of(handset: "2").conditions().first { $0.key == "offline" }?.value == "on")
    }
  }

  @Test("A condition that cannot be switched on leaves no fault, and none of its preset's")
  func aConditionThatFails() async throws {
    struct Full: Error {}
    let faults = BenchFaults(clock: VirtualClock(startingAt: ControlRig.now))
    let turns = Mutex<[String]>([])
    let added =
      try Fault.read(["name": "a", "condition": "locked", "handset": "1"])
      + Fault.read(["name": "b", "condition": "offline", "handset": "1"])
    await #expect(throws: Full.self) {
      try await faults.add(added) { condition, _ in
        { isOn in
          turns.withLock { $0.append("\(condition.rawValue) \(isOn)") }
          if condition == .offline { throw Full() }
        }
      }
    }
    #expect(faults.all.isEmpty)
    #expect(turns.withLock { $0 } == ["locked true", "offline true", "locked false", "offline false"])
    // Its name is free again.
    #expect(try await faults.add(Fault.read(["name": "b", "answer": .integer(503)])) { _, _ in { _ in } } == ["b"])
  }

  @Test("After the commit a fault knows the app and the handset of a message that had no device token")
  func aFaultAfterTheCommit() async throws {
    try await withServer(ControlRig(["1", "2"], isBench: true)) { asker, rig async throws in
      let bench = try #require(rig.bench)
      _ = try await asker.client.addFault([
        "name": "late", "answer": "500", "handset": "2", "app": mail, "at": "after-commit",
      ])
      let message = RecordedRequest(
        connection: 1, stream: 1, frontEnd: "ntfy", method: "POST", path: "/door", headers: [])
      let begun = bench.requestBegan(message)
      #expect(begun.handset == nil)
      #expect(bench.fault(at: .beforeAnswer, of: begun) == nil)
      bench.became(begun.number, push: nil, app: mail, handset: "2")
      #expect(bench.fault(at: .beforeAnswer, of: begun)?.name == "late")
    }
  }

  @Test func aStruckRequestNamesItsFaults() async throws {
    try await withServer(ControlRig(isBench: true)) { asker, rig async throws in
      let bench = try #require(rig.bench)
      _ = try await asker.client.addFault(["preset": "shutdown"])
      let struck = bench.requestBegan(request())
      let fault = try #require(bench.fault(at: .beforeCommit, of: struck))
      #expect(fault.name == "shutdown-2" && fault.names == ["shutdown", "shutdown-2"])
      #expect(try await asker.client.requests().map(\.faults) == [["shutdown", "shutdown-2"]])
    }
  }
}
