import Foundation
import Testing

@testable import Scenarios

@Suite struct ProcessRestTests {
  @Test func aProcessThatRunsIsNotAtRest() {
    // It is running this test.
    #expect(!ProcessRest.isAtRest(getpid()))
  }

  @Test func aProcessThatWaitsIsAtRestUnlessItsChildIsNot() async throws {
    let program = ScenarioProgram(
      "/bin/sh", ["sh", "-c", "echo ready; read line; (while :; do :; done) & echo busy; wait"], environment: [],
      folder: "/", log: nil)
    func isAtRest() async -> Bool? {
      await polled(within: .seconds(10)) { program.process.flatMap { ProcessRest.isAtRest($0) ? true : nil } }
    }
    func hasPrinted(_ line: String) async -> Bool? {
      await polled(within: .seconds(10)) { program.lines.contains(line) ? true : nil }
    }
    #expect(await hasPrinted("ready") == true)
    #expect(await isAtRest() == true)
    try program.write(line: "go")
    #expect(await hasPrinted("busy") == true)
    let process = try #require(program.process)
    for _ in 1...20 { #expect(!ProcessRest.isAtRest(process)) }
    await program.end()
    #expect(program.process == nil)
  }

  @Test func aProcessThatDoesNotExistIsAtRest() {
    #expect(ProcessRest.isAtRest(pid_t.max))
  }
}
