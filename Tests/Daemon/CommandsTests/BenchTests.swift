// The command that starts a bench, up to the daemon's command line.

import ArgumentParser
import FoundationEssentials
import Testing

@testable import Commands
@testable import DeskbellDaemon

@Suite struct BenchTests {
  private func report(handsets: Int = 1, clock: String? = "/tmp/b/clock") -> BenchReport {
    BenchReport(
      url: "https://127.0.0.1:40001", certificateAuthority: "/tmp/b/ca.pem", key: "/tmp/b/AuthKey_BENCHKEY01.p8",
      keyID: "BENCHKEY01", teamID: "BENCHTEAM1", clock: clock, environment: "production", process: 4711,
      tokens: (1...handsets).map { BenchTokenReport(handset: "\($0)", token: "0\($0)") })
  }

  private func start(_ words: String...) throws -> BenchCommand.Start {
    try BenchCommand.Start.parse(words)
  }

  @Test func variablesAreLinesForAShellAndForAFile() throws {
    let variables = BenchVariables(report(), control: "/tmp/it's here/control.sock")
    #expect(
      variables.shellLines == """
        export BELL_URL=https://127.0.0.1:40001
        export BELL_CA=/tmp/b/ca.pem
        export BELL_KEY=/tmp/b/AuthKey_BENCHKEY01.p8
        export BELL_KEY_ID=BENCHKEY01
        export BELL_TEAM_ID=BENCHTEAM1
        export BELL_CONTROL='/tmp/it'\\''s here/control.sock'
        export BELL_CLOCK=/tmp/b/clock
        export BELL_TOKEN=01
        export BELL_PID=4711
        export DESKBELL_CONTROL='/tmp/it'\\''s here/control.sock'
        """)
    #expect(variables.fileLines.hasPrefix("BELL_URL=https://127.0.0.1:40001\nBELL_CA=/tmp/b/ca.pem\n"))
    #expect(variables.fileLines.hasSuffix("\nDESKBELL_CONTROL=/tmp/it's here/control.sock\n"))
    let json = try BenchCommand.json(variables)
    #expect(!json.contains("\n"))
    #expect(try JSONDecoder().decode([String: String].self, from: Data(json.utf8)) == variables.object)
  }

  @Test func severalHandsetsHaveATokenEach() {
    let names = BenchVariables(report(handsets: 3, clock: nil), control: "c").all.map(\.name)
    #expect(
      names.filter { $0.hasPrefix("BELL_TOKEN") } == ["BELL_TOKEN", "BELL_TOKEN_1", "BELL_TOKEN_2", "BELL_TOKEN_3"])
    #expect(!names.contains("BELL_CLOCK"))
  }

  @Test(arguments: [
    ("", "''"), ("a b", "'a b'"), ("$HOME", "'$HOME'"), ("a\nb", "'a\nb'"), ("é", "'é'"), ("a-1_/.:", "a-1_/.:"),
  ])
  func quoting(_ text: (String, String)) {
    #expect(BenchVariables.quoted(text.0) == text.1)
  }

  @Test func theFileIsAppendedTo() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/deskbell-env-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let variables = BenchVariables(report(), control: "c")
    for _ in 1...2 { try variables.append(to: folder) }
    let text = try String(contentsOfFile: folder, encoding: .utf8)
    #expect(text == variables.fileLines + variables.fileLines)
    #expect(try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int == 0o600)
  }

  @Test func theCommandIsAllThatFollowsRun() throws {
    let words = try start("--handsets", "3", "--run", "pytest", "-x", "--json", "reset").words
    #expect(words == ["pytest", "-x", "--json", "reset"])
    #expect(try BenchCommand.Start.parse([]).clock == .virtual)
  }

  @Test(arguments: [
    (["--handsets", "0"], "A bench has 1 to 1000 handsets, not 0."),
    (["--handsets", "1001"], "A bench has 1 to 1000 handsets, not 1001."),
    (["--background", "--run", "make"], "--background and --run cannot be combined."),
    (
      ["--until-eof", "--run", "make"], "--until-eof and --run cannot be combined: the command has the standard input."
    ),
    (["--background", "--until-eof"], "--background and --until-eof cannot be combined."),
    (["--clock", "system", "--clock-start", "2026-01-01T00:00:00Z"], "--clock-start needs --clock virtual."),
  ])
  func refusals(_ words: [String], _ message: String) {
    do {
      _ = try BenchCommand.Start.parse(words)
      Issue.record("\(words) is accepted")
    } catch {
      #expect(BenchCommand.Start.message(for: error) == message)
    }
  }

  @Test func theDaemonIsABenchInItsFolder() throws {
    let folder = try DaemonFolder(for: "bench", in: FileManager.default.temporaryDirectory.path)
    defer { folder.remove() }
    let mode = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
    #expect(mode == 0o700)
    var settings = BenchDaemon.Settings()
    (settings.handsets, settings.clockStart) = (7, "2026-01-01T00:00:00Z")
    let served = try ServeCommand.parse(Array(BenchDaemon.arguments(settings, in: folder).dropFirst(2))).options
    #expect(served.bench?.folder == folder.path && served.bench?.handsets == 7 && served.bench?.endsWithInput == true)
    #expect(served.config == nil && served.panel == "off" && served.listen == "127.0.0.1:0")
    #expect(served.joinsClocks && served.clockFile == folder.path + "/clock" && served.clockStart != nil)
    let configuration = try Configuration(served)
    #expect(configuration.handsets == ["1", "2", "3", "4", "5", "6", "7"] && configuration.panel == nil)
    settings.staysOn = true
    settings.clock = .system
    let staying = try ServeCommand.parse(Array(BenchDaemon.arguments(settings, in: folder).dropFirst(2))).options
    #expect(staying.bench?.endsWithInput == false && staying.clock == .system && staying.clockFile == nil)
  }

  @Test func onlyABenchsOwnFolderIsRemoved() throws {
    let parent = FileManager.default.temporaryDirectory.path + "/desk-\(UInt64.random(in: 0 ... .max))"
    let own = parent + "/deskbell-bench.abc"
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: parent) }
    var settings = BenchSettings()
    settings.folder = parent
    settings.removeFolder()
    #expect(FileManager.default.fileExists(atPath: own))
    settings.folder = own
    settings.removeFolder()
    #expect(!FileManager.default.fileExists(atPath: own) && FileManager.default.fileExists(atPath: parent))
  }
}
