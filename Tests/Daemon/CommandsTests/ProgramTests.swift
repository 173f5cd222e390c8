import DeskbellDaemon
import HTTP
import ProviderClient
import Testing

@testable import CommandSupport
@testable import Commands

@Suite struct ProgramTests {
  private static let address = HTTPAddress.unixSocket(path: "/run/x.sock")

  @Test func noDaemonIsThree() async throws {
    let start =
      "start one with 'deskbell serve' ('deskbell serve --board simulated' needs no board), "
      + "or name its socket with --control"
    let deserted = Program.End(code: 3, message: "no daemon answers at /run/x.sock", hint: start)
    #expect(Program.end(of: HTTPClientError.noSocket(Self.address)) == deserted)
    #expect(Program.end(of: HTTPClientError.connectionRefused(Self.address)) == deserted)
    let folder = try Folder()
    #expect(await Program.run(["state", "--control", folder.path + "/control.sock"]) == 3)
  }

  @Test func aDaemonThatStopsUnderAFollowerIsThree() {
    #expect(
      Program.end(of: EventsCommand.daemonStopped(after: 433))
        == .init(
          code: 3, message: "the daemon stopped",
          hint: "when it runs again, continue with 'deskbell events --follow --since 433'"))
  }

  @Test func refusalsAreOne() {
    #expect(
      Program.end(of: HTTPClientError.refused(status: 404, error: "no app 'x' is installed", hint: "did you mean 'y'?"))
        == .init(code: 1, message: "no app 'x' is installed", hint: "did you mean 'y'?"))
    #expect(
      Program.end(of: HTTPClientError.refused(status: 409, error: "no alert is up", hint: nil))
        == .init(code: 1, message: "no alert is up"))
    // A daemon is running, but the caller has no permission.
    #expect(Program.end(of: HTTPClientError.noPermission(Self.address)).code == 1)
    #expect(Program.end(of: HTTPClientError.closedEarly(Self.address)).code == 1)
    #expect(
      Program.end(of: ProviderClientError.badKey(reason: "r")) == .init(code: 1, message: "the provider's key: r"))
    #expect(Program.end(of: DaemonError("no room")) == .init(code: 1, message: "no room"))
    #expect(Program.end(of: Failure("m", hint: "h")) == .init(code: 1, message: "m", hint: "h"))
    #expect(Program.end(of: Failure("m", hint: "h")).complaint == "deskbell: m\n  h")
    #expect(Program.end(of: Failure("m")).complaint == "deskbell: m")
  }

  @Test("With --json an error is JSON as well")
  func errorsAsJSON() {
    #expect(Program.End(code: 1, message: "m", hint: "h").json == "{\n  \"error\" : \"m\",\n  \"hint\" : \"h\"\n}")
    #expect(Program.End(code: 2, message: "m").json == "{\n  \"error\" : \"m\"\n}")
    #expect(Program.End(code: 1).json == nil)
  }

  @Test func namesTheCommandThatWasMeant() async {
    #expect(
      Program.unknownCommand(["pres", "view"])
        == Failure("there is no command 'pres'", hint: "did you mean 'press'?", code: 2))
    #expect(
      Program.unknownCommand(["provider", "x"])
        == Failure("there is no command 'x'", hint: "there are add, list, remove", code: 2))
    #expect(Program.unknownCommand(["app", "force-quit", "a.b", "extra"]) == nil)
    #expect(Program.unknownCommand(["--bogus"]) == nil)
    #expect(await Program.run(["app", "instal", "dir"]) == 2)
  }

  /// `deskbell events | head` is not a failure.
  @Test func aReaderThatLeavesIsNoFailure() {
    #expect(Program.end(of: OutputClosed()) == .init(code: 0))
  }
}
