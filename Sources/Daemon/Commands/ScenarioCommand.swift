import ArgumentParser
import CommandSupport
import FoundationEssentials
import Glibc
import Installation
import PushPort
import Scenarios
import StrictYAML
import SystemThreads

struct ScenarioCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scenario",
    abstract: "Run or check scenarios: tests of a push provider, in YAML.",
    discussion: """
      Examples:
        deskbell scenario check 503-twice.yaml
        deskbell scenario run 503-twice.yaml
      """,
    subcommands: [ScenarioRunCommand.self, ScenarioCheckCommand.self])
}

struct ScenarioRunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run scenarios against a test bench.",
    discussion: """
      Starts a bench for each job, and the provider of each scenario, and ends both. The bench is reset before each \
      scenario. A failure is printed with its line, what was expected, the requests, and the provider's last line.

      Exits with 0 if all pass, 1 if one fails, 2 if a file is wrong.

      Examples:
        deskbell scenario run examples/scenarios/*.yaml --jobs 4
        deskbell scenario run 503-twice.yaml --junit report.xml
        deskbell scenario run 503-twice.yaml --provider 'mailer ${provider.port}'
        deskbell scenario run 503-twice.yaml --against bench.sock
      """)

  @Argument(help: ArgumentHelp("A scenario.", valueName: "file"), completion: .file(extensions: ["yaml"]))
  var files: [String]
  @Option(help: ArgumentHelp("Write the results in JUnit's format, too.", valueName: "file"), completion: .file())
  var junit: String?
  @Option(help: ArgumentHelp("So many at a time, each on a bench of its own.", valueName: "number"))
  var jobs = 1
  @Option(
    help: ArgumentHelp(
      "Use the bench with this control socket. It is reset before each scenario.", valueName: "socket"))
  var against: String?
  @Option(
    help: ArgumentHelp(
      "Start this provider instead of each scenario's. Variables as in a scenario.", valueName: "command"))
  var provider: String?
  @Option(
    help: ArgumentHelp("The folder for the providers' output: FOLDER/NAME/provider.log.", valueName: "folder"),
    completion: .directory)
  var out = "out"
  @Option(help: ArgumentHelp("Wait so many seconds for an expectation, in real time.", valueName: "seconds"))
  var patience = 5.0
  @OptionGroup var json: JSONOption

  func validate() throws {
    guard !files.isEmpty else { throw ValidationError("Which scenario? deskbell scenario run FILE") }
    guard (1...64).contains(jobs) else { throw ValidationError("--jobs is 1 to 64, not \(jobs)") }
    guard (0.1...3_600).contains(patience) else { throw ValidationError("--patience is 0.1 to 3600 seconds") }
    guard against == nil || jobs == 1 else {
      throw ValidationError("--against names one bench, which runs one scenario at a time: leave out --jobs")
    }
  }

  func run() async throws {
    let (scenarios, errors) = ScenarioFiles.read(files)
    guard errors.isEmpty else {
      throw Failure(errors.joined(separator: "\n"), code: Program.Exit.usage)
    }
    let chosen = try scenarios.map { scenario throws(Failure) in
      guard let provider else { return scenario }
      guard let other = scenario.with(provider: provider) else {
        throw Failure("--provider is a program and its arguments, not '\(provider)'", code: Program.Exit.usage)
      }
      return other
    }
    if let name = ScenarioFiles.sharedName(chosen), jobs > 1 {
      throw Failure(
        "two scenarios are named '\(name)', and their output would be the same file", hint: "run them with --jobs 1",
        code: Program.Exit.usage)
    }
    let suite = ScenarioSuite(
      patience: ScenarioPatience(expectation: .milliseconds(Int64(patience * 1_000))), out: out,
      environment: ProcessInfo.processInfo.environment, makeBench: makeBench)
    let prints = !json.isWanted
    let results: [ScenarioResult]
    do {
      results = try await suite.run(chosen, jobs: jobs) { result in
        if prints { try? Output.line(ScenarioFiles.line(of: result)) }
      }
    } catch let problem as BenchProblem {
      throw Failure("\(problem)", hint: "see 'deskbell bench --help'", code: Program.Exit.noDaemon)
    }
    if let junit { try write(JUnitReport.text(results), to: junit) }
    if json.isWanted { try Output.json(results) } else { try Output.line(ScenarioFiles.sum(of: results)) }
    if results.contains(where: { !$0.passed }) { throw ExitCode(Program.Exit.failed) }
  }

  private var makeBench: @Sendable () async throws -> ScenarioBench {
    let against = against
    return {
      if let against { return try await ScenarioBench.existing(socket: against) }
      let program = SharedFiles.absolute(DaemonFolder.program) ?? DaemonFolder.program
      return try await ScenarioBench.started(
        [program, "bench", "--json", "--until-eof"], environment: ProcessInfo.processInfo.environment)
    }
  }

  private func write(_ text: String, to path: String) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Failure("\(path) cannot be written: \(SystemError.last.reason)") }
    defer { close(descriptor) }
    guard SystemThreads.write(text, to: descriptor) else {
      throw Failure("\(path) cannot be written: \(SystemError.last.reason)")
    }
  }
}

struct ScenarioCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check scenarios without running them.",
    discussion: """
      Prints each error as file:line:column: error: …, and exits with 2 if there are any.

      Examples:
        deskbell scenario check examples/scenarios/*.yaml
      """)

  struct Report: Encodable {
    var file: String
    var errors: [String]
  }

  @Argument(help: ArgumentHelp("A scenario.", valueName: "file"), completion: .file(extensions: ["yaml"]))
  var files: [String]
  @OptionGroup var json: JSONOption

  func run() throws {
    let reports = files.map { Report(file: $0, errors: ScenarioFiles.read([$0]).errors) }
    try json.print(reports) { reports in
      reports.map { $0.errors.isEmpty ? "\($0.file): fine" : $0.errors.joined(separator: "\n") }
        .joined(separator: "\n")
    }
    if reports.contains(where: { !$0.errors.isEmpty }) { throw ExitCode(Program.Exit.usage) }
  }
}

/// The files of both commands.
enum ScenarioFiles {
  static func read(_ files: [String]) -> (scenarios: [Scenario], errors: [String]) {
    let reader = ScenarioReader { words throws(FaultComplaint) in
      do throws(FaultError) {
        _ = try Fault.read(words)
      } catch {
        throw FaultComplaint(key: error.key, message: "\(error.problem); expected \(error.valid)")
      }
    }
    var (scenarios, errors): ([Scenario], [String]) = ([], [])
    for file in files {
      do {
        scenarios.append(try reader.scenario(contentsOf: file))
      } catch {
        errors += error.diagnostics.map(\.description)
      }
    }
    return (scenarios, errors)
  }

  /// Returns the first name that two scenarios have; nil if there is none.
  static func sharedName(_ scenarios: [Scenario]) -> String? {
    var names: Set<String> = []
    return scenarios.first { !names.insert($0.name).inserted }?.name
  }

  static func line(of result: ScenarioResult) -> String {
    result.failure?.text ?? "ok   \(result.scenario)  \(result.milliseconds) ms, \(result.requests) requests"
  }

  static func sum(of results: [ScenarioResult]) -> String {
    let failed = results.count { !$0.passed }
    let all = "\(results.count) scenario\(results.count == 1 ? "" : "s")"
    return failed == 0 ? "\(all) passed" : "\(failed) of \(all) failed"
  }
}
