import Glibc
import HTTP
import StrictYAML

/// The runner's waits, in real time.
public struct ScenarioPatience: Sendable, Hashable {
  /// For an expectation to come true.
  public var expectation: Duration
  /// Without a request, before no more are expected, once the provider is at rest.
  public var quiet: Duration = .milliseconds(30)
  /// For the provider to be ready.
  public var start: Duration = .seconds(30)
  /// For the provider to ask for the time, after each advance or part of one; then it may act for as long as it takes.
  public var part: Duration = .milliseconds(10)
  /// For the provider to come to rest. One that never does is not waited for longer.
  public var rest: Duration = .seconds(2)

  public init(expectation: Duration = .seconds(5)) { self.expectation = expectation }
}

/// One run of a scenario. Its functions throw `Shortfall` when something is not as it should be.
struct ScenarioRun {
  let scenario: Scenario
  let bench: ScenarioBench
  let patience: ScenarioPatience
  /// The folder for the provider's output: `out/503-twice`.
  let folder: String
  let environment: [String: String]

  var values: [String: String]
  var requests: [SeenRequest] = []
  var cursor = AnswerCursor()
  private(set) var baseRequest: UInt64 = 0
  private(set) var baseEvent: UInt64 = 0
  private(set) var provider: ScenarioProgram?
  private var armed: [ScenarioFault] = []
  let tells = TellLog()

  var client: BenchClient { bench.client }
  var logPath: String { "\(folder)/provider.log" }

  init(
    _ scenario: Scenario, on bench: ScenarioBench, patience: ScenarioPatience, folder: String,
    environment: [String: String]
  ) {
    (self.scenario, self.bench, self.patience, self.folder) = (scenario, bench, patience, folder)
    self.environment = environment
    values = bench.values
    values["provider.out"] = folder
  }

  /// Runs it to its end, and ends the provider.
  mutating func run() async -> ScenarioFailure? {
    var failure: ScenarioFailure?
    do {
      try await prepare()
      for step in scenario.steps { try await take(step) }
      try await finish()
    } catch {
      failure = await report(error)
    }
    tells.cancel()
    await provider?.end()
    return failure
  }

  private mutating func report(_ error: any Error) async -> ScenarioFailure {
    let shortfall =
      error as? Shortfall
      ?? Shortfall(line: scenario.position.line, sentence: "it could not be run: \(error)", expected: "")
    if let news = try? await client.requests(after: baseRequest) { requests = news }
    return await failure(of: shortfall)
  }

  private mutating func prepare() async throws {
    let line = scenario.position.line
    try await on(line) { try await client.reset() }
    baseRequest = try await client.lastRequest()
    baseEvent = try await client.state().lastEvent
    for app in scenario.apps {
      values["\(app.id).token"] = try await on(app.position.line) { try await client.install(app) }
    }
    for fault in scenario.faults { try await arm(fault) }
    cursor.since = try await client.clock().uptimeMicroseconds
    if let program = scenario.provider { try await start(program) }
  }

  /// Runs `body`; an error of the bench is one of that line.
  private func on<Value>(_ line: Int, _ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let error as HTTPClientError {
      throw Shortfall(line: line, sentence: "the bench refused it: \(error)", expected: "")
    }
  }

  func text(_ template: Template, line: Int) throws -> String {
    do throws(TemplateError) {
      return try template.text(values)
    } catch {
      throw Shortfall(line: line, sentence: error.description, expected: "")
    }
  }

  private mutating func arm(_ fault: ScenarioFault) async throws {
    var members: [String: JSONValue] = [:]
    for (key, value) in fault.members {
      switch value {
      case .json(let value): members[key] = value
      case .text(let template): members[key] = .string(try text(template, line: fault.position.line))
      }
    }
    try await on(fault.position.line) { try await client.arm(fault.name, members) }
    armed.append(fault)
  }

  private mutating func start(_ program: ProviderProgram) async throws {
    let line = program.position.line
    func problem(_ sentence: String) -> Shortfall { Shortfall(line: line, sentence: sentence, expected: "") }
    guard let port = freePort() else { throw problem("there is no free port for the provider") }
    values["provider.port"] = "\(port)"
    var variables = environment
    // Python's output would come when its buffer is full.
    variables["PYTHONUNBUFFERED"] = variables["PYTHONUNBUFFERED"] ?? "1"
    // As the bench prints them.
    for (name, value) in bench.values {
      variables["BELL_" + name.dropFirst("bell.".count).uppercased().replacing("-", with: "_")] = value
    }
    for (name, value) in program.environment { variables[name] = try text(value, line: line) }
    let words = try program.command.map { try text($0, line: line) }
    let place = absolute(program.folder.map { joined(scenario.folder, $0) } ?? scenario.folder)
    let search = variables["PATH"] ?? "/usr/bin:/bin"
    guard let path = ScenarioProgram.path(of: words[0], in: place, searching: search) else {
      throw problem("there is no program '\(words[0])': install it, or correct 'run'")
    }
    guard makeFolders(folder) else { throw problem("the folder \(folder) cannot be made: \(SystemErrorText.last)") }
    let started = ScenarioProgram(
      path, words, environment: variables.map { "\($0.key)=\($0.value)" }, folder: place, log: absolute(logPath))
    provider = started
    let ready = await polled(within: patience.start) { () -> Bool? in
      if started.status != nil { return false }
      guard let wanted = program.readyLine else { return true }
      return started.lines.contains { $0.contains(wanted) } ? true : nil
    }
    if let problem = started.problem { throw Shortfall(line: line, sentence: "the provider \(problem)", expected: "") }
    switch ready {
    case true?: break
    case false?: throw problem("the provider ended with \(started.status ?? 0) before it was ready")
    case nil:
      let time = spoken(microseconds: patience.start.wholeMicroseconds)
      throw problem("the provider did not print '\(program.readyLine ?? "")' within \(time)")
    }
  }

  /// Notes the device tokens of Live Activities, as their apps would tell their provider. Those that were stay known.
  private mutating func learnTokens() async {
    for app in scenario.apps where app.hasActivities {
      // It may have been uninstalled.
      guard let found = try? await client.activityTokens(of: app.id) else { continue }
      values.merge(found) { _, new in new }
    }
  }

  private mutating func take(_ step: ScenarioStep) async throws {
    let line = step.position.line
    // What follows from the steps before is done, and pauses are counted from the present time.
    if !step.onlyLooks {
      await rest()
      await learnTokens()
    }
    switch step.action {
    case .tell(let tell): try await take(tell, line)
    case .advance(let seconds, let part): try await advance(seconds, part, line)
    case .settle(let app):
      do {
        _ = try await client.settled(app: app, after: baseEvent)
      } catch HTTPClientError.refused(_, let message, _) {
        throw Shortfall(line: line, sentence: message, expected: "nothing under way")
      }
    case .handset(let command):
      let (method, path, body) = command.request
      let answer = try await on(line) { try await client.send(method, path, body) }
      if let app = command.registers, let now: BenchClient.App = try? client.decoded(answer) {
        values["\(app).token"] = now.token
      }
      try await acted(line)
    case .fault(let faults): for fault in faults { try await arm(fault) }
    case .endFault(let name):
      try await checkFired(armed.filter { $0.name == name })
      armed.removeAll { $0.name == name }
      _ = try await on(line) { try await client.send("DELETE", ["faults", name]) }
    case .expect(let expectation): try await expect(expectation)
    }
  }

  private mutating func acted(_ line: Int) async throws {
    cursor.since = try await on(line) { try await client.clock().uptimeMicroseconds }
  }

  private mutating func take(_ tell: Tell, _ line: Int) async throws {
    try await acted(line)
    switch tell.way {
    case .line(let template):
      let words = try text(template, line: line)
      do {
        guard let provider else { return }
        try provider.write(line: words)
      } catch {
        throw Shortfall(line: line, sentence: "the provider could not be told: \(error.reason)", expected: "")
      }
    case .request(let method, let address, let body):
      let place = try text(address, line: line)
      let body = try text(body, line: line)
      guard let url = ScenarioURL(place) else {
        throw Shortfall(line: line, sentence: "'\(place)' is no address: write http://HOST:PORT/PATH", expected: "")
      }
      guard let wanted = tell.answer else { return await tells.begin(line, method, url, body) }
      do {
        let answer = try await TellLog.send(method, url, body, timeout: patience.expectation)
        guard answer.status != wanted else { return }
        throw Shortfall(
          line: line, sentence: "the provider answered the 'tell' with \(answer.status), not \(wanted)",
          expected: "answer \(wanted)")
      } catch let error as HTTPClientError {
        throw Shortfall(line: line, sentence: "the provider could not be told: \(error)", expected: "answer \(wanted)")
      }
    }
  }

  private mutating func advance(_ seconds: Int64, _ part: Int64?, _ line: Int) async throws {
    var left = seconds
    while left > 0 {
      let now = min(left, part ?? left)
      try await on(line) { try await client.advance(seconds: now) }
      left -= now
      try await ContinuousClock().sleep(for: patience.part)
      await rest()
    }
    try await acted(line)
  }

  /// Waits until the provider and the bench have done all that they can do at this time: none of their threads runs, in
  /// three samples, as they may be telling each other something in the moment of one.
  func rest() async {
    var calm = 0
    _ = await polled(within: patience.rest) { () -> Bool? in
      let isCalm = [provider?.process, bench.process].compactMap(\.self).allSatisfy(ProcessRest.isAtRest)
      calm = isCalm ? calm + 1 : 0
      return calm == 3 ? true : nil
    }
  }

  private mutating func finish() async throws {
    if let problem = tells.problem { throw problem }
    try await checkFired(armed)
  }

  /// - Throws: `Shortfall` if one of these never struck.
  private func checkFired(_ faults: [ScenarioFault]) async throws {
    guard !faults.isEmpty else { return }
    let states = try await client.faults()
    for fault in faults where states.first(where: { $0.name == fault.name })?.hits == 0 {
      throw Shortfall(
        line: fault.position.line, sentence: "fault \(fault.name) never struck: no request was in its scope",
        expected: "a request that fault \(fault.name) strikes")
    }
  }

  /// The number of requests that each armed fault may strike, if its words have one.
  var armedFor: [String: Int] {
    var counts: [String: Int] = [:]
    for fault in scenario.faults {
      for (key, value) in fault.members {
        guard case .json(let value) = value else { continue }
        switch (key, value) {
        case ("count", .integer(let number)), ("pushes", .integer(let number)): counts[fault.name] = Int(number)
        case ("pushes", .string(let range)):
          let ends = range.split(separator: "-").compactMap { Int($0) }
          if ends.count == 2, ends[0] <= ends[1] { counts[fault.name] = ends[1] - ends[0] + 1 }
        default: break
        }
      }
    }
    return counts
  }
}
