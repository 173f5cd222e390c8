import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon

@Suite("Q3: Focus modes over the API") struct FocusRoutesTests {
  @Test("A mode is made, turned on, seen in the state, and removed", .daemonWithMail)
  func modes() async throws {
    #expect(try await asker.client.focus() == FocusReport(modes: []))
    let made = try await asker.client.setFocusMode(
      "work", FocusModeReport(allow: [mail], filters: [mail: ["team"]]))
    let work = FocusModeReport(name: "work", allow: [mail], timeSensitive: true, filters: [mail: ["team"]])
    #expect(made == FocusReport(modes: [work]))
    _ = try await asker.client.set("focus", to: "work", of: nil)
    #expect(try await asker.client.focus() == FocusReport(mode: "work", modes: [work]))
    #expect(try await asker.client.state().focus == FocusState(mode: "work"))
    try await asker.client.removeFocusMode("work")
    #expect(try await asker.client.focus() == FocusReport(modes: []))
    #expect(try await asker.client.state().focus == FocusState())
  }

  @Test("What is wrong is named", .daemonWithMail)
  func refuses() async throws {
    try await asker.refuses([
      #"PUT /v1/focus/work {"allow":["no app!"]}"#: "400 'no app!' is no app's bundle identifier",
      #"PUT /v1/focus/work {"schedule":"22"}"#: "400 the schedule is '22' | two times that differ: 22:00-07:00",
      "DELETE /v1/focus/work": "404 there is no Focus mode 'work'; `deskbell focus list` lists those there are",
    ])
  }

  @Test("Q1: what is deferred is counted in the state", .daemonWithMail)
  func deferred() async throws {
    #expect(try await asker.client.state().deferred == 0)
    #expect(try await asker.client.state().summary == SummaryState())
  }
}
