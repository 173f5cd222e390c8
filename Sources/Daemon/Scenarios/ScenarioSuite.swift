import Glibc
import SystemThreads

/// Runs scenarios, several at a time: each job has a bench of its own.
public struct ScenarioSuite: Sendable {
  public var patience: ScenarioPatience
  /// The folder in which each scenario has one for its provider's output.
  public var out: String
  public var environment: [String: String]
  /// Makes the bench of a job.
  public var makeBench: @Sendable () async throws -> ScenarioBench

  public init(
    patience: ScenarioPatience = ScenarioPatience(), out: String = "out", environment: [String: String],
    makeBench: @escaping @Sendable () async throws -> ScenarioBench
  ) {
    (self.patience, self.out, self.environment) = (patience, out, environment)
    self.makeBench = makeBench
  }

  /// - Parameters:
  ///   - jobs: so many at a time; at least 1.
  ///   - report: gets each result as it comes.
  /// - Returns: the results in the order of the scenarios.
  /// - Throws: `BenchProblem` if a bench cannot be started; `CancellationError`.
  public func run(
    _ scenarios: [Scenario], jobs: Int = 1, report: @escaping @Sendable (ScenarioResult) async -> Void = { _ in }
  ) async throws -> [ScenarioResult] {
    let jobs = max(1, min(jobs, scenarios.count))
    return try await withThrowingTaskGroup(of: [(Int, ScenarioResult)].self) { group in
      for job in 0..<jobs {
        group.addTask {
          let bench = try await makeBench()
          var results: [(Int, ScenarioResult)] = []
          // Each takes every so many-th, so that the same scenarios meet in every run.
          for place in stride(from: job, to: scenarios.count, by: jobs) {
            if Task.isCancelled { break }
            let result = await run(scenarios[place], on: bench)
            results.append((place, result))
            await report(result)
          }
          await bench.end()
          return results
        }
      }
      var all: [(Int, ScenarioResult)] = []
      for try await results in group { all += results }
      try Task.checkCancellation()
      return all.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  func run(_ scenario: Scenario, on bench: ScenarioBench) async -> ScenarioResult {
    let clock = ContinuousClock()
    let start = clock.now
    var run = ScenarioRun(
      scenario, on: bench, patience: patience, folder: joined(out, scenario.name), environment: environment)
    let failure = await run.run()
    let elapsed = clock.now - start
    return ScenarioResult(
      file: scenario.file, scenario: scenario.title, milliseconds: elapsed.wholeMicroseconds / 1_000,
      requests: run.requests.count, failure: failure)
  }
}

extension Scenario {
  /// Returns it with another command for its provider, which runs in the runner's working folder.
  /// - Returns: nil if the command is empty or has a quotation mark that is not closed.
  public func with(provider command: String) -> Scenario? {
    guard let words = scenarioWords(command), !words.isEmpty, let parts = try? words.map({ try Template($0) }) else {
      return nil
    }
    var other = self
    other.provider?.command = parts
    other.provider?.folder = absolute("")
    return other
  }
}

/// Joins a folder and a path in it; an absolute path stays as it is.
func joined(_ folder: String, _ path: String) -> String {
  folder.isEmpty || path.hasPrefix("/") ? path : "\(folder)/\(path)"
}

/// Returns the path from the root of the file system.
func absolute(_ path: String) -> String {
  if path.hasPrefix("/") { return path }
  guard let buffer = getcwd(nil, 0) else { return path.isEmpty ? "/" : path }
  defer { free(buffer) }
  return path.isEmpty ? String(cString: buffer) : "\(String(cString: buffer))/\(path)"
}

/// Makes a folder and those above it.
/// - Returns: false, with errno, if one cannot be made.
func makeFolders(_ path: String) -> Bool {
  var made = path.hasPrefix("/") ? "/" : ""
  for part in path.split(separator: "/") {
    made += made.isEmpty || made.hasSuffix("/") ? "\(part)" : "/\(part)"
    guard mkdir(made, 0o755) == 0 || errno == EEXIST else { return false }
  }
  return true
}

enum SystemErrorText {
  static var last: String { SystemError.last.reason }
}
