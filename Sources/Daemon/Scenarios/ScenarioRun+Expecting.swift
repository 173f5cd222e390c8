import HTTP

extension ScenarioRun {
  /// Waits until all that is named is true.
  /// - Throws: `Shortfall`.
  mutating func expect(_ expectation: Expectation) async throws {
    if let answer = expectation.answer { try await expect(answer) }
    if let requests = expectation.requests { try await expect(requests) }
    if let presented = expectation.presented { try await expect(presented) }
    for hits in expectation.hits { try await expect(hits) }
    if let board = expectation.board { try await expect(board) }
    if let center = expectation.center { try await expect(center) }
    if let events = expectation.events { try await expect(events) }
    if let never = expectation.never {
      if let shortfall = never.broken(by: try await client.events(after: baseEvent)) { throw shortfall }
    }
    if let says = expectation.says { try await expect(says) }
    if let place = expectation.noLint { try await expectNoLint(line: place.line) }
  }

  /// Asks until the verdict is final, the provider has ended, or patience is.
  private mutating func wait(_ judge: (inout ScenarioRun) async throws -> Verdict) async throws {
    let clock = ContinuousClock()
    let end = clock.now + patience.expectation
    var pause = Duration.milliseconds(2)
    while true {
      let isLast = clock.now >= end || provider?.status != nil
      switch try await judge(&self) {
      case .met: return
      case .failed(let shortfall): throw shortfall
      case .open(let shortfall):
        if let problem = tells.problem { throw problem }
        if isLast { throw shortfall }
      }
      try await clock.sleep(for: pause)
      pause = min(pause * 3 / 2, .milliseconds(20))
    }
  }

  private mutating func refresh() async throws { requests = try await client.requests(after: baseRequest) }

  /// The number before the scenario's first request. A reset may leave the numbers going on.
  private var shownBase: UInt64 { requests.first.map { $0.request - 1 } ?? baseRequest }

  private var numbers: (SeenRequest) -> String {
    let lines = RequestLines(requests: [], base: shownBase, armedFor: [:])
    return { lines.number($0) }
  }

  private mutating func expect(_ answer: AnswerExpectation) async throws {
    let token = try answer.token.map { try text($0, line: answer.position.line) }
    let now = (try? await client.clock()).map { timeOfDay(wallMicroseconds: $0.wallMicroseconds) }
    try await wait { run in
      try await run.refresh()
      let (verdict, request) = answer.judge(run.requests, run.cursor, token: token, number: run.numbers, now: now)
      if let request { run.take(request) }
      return verdict
    }
  }

  private mutating func expect(_ expected: RequestsExpectation) async throws {
    let token = try expected.token.map { try text($0, line: expected.position.line) }
    try await wait { run in
      try await run.refresh()
      let verdict = expected.judge(run.requests, token: token, number: run.numbers)
      if case .open = verdict { return verdict }
      guard verdict != .met || expected.canBeBroken else { return .met }
      let before = run.requests.count
      try await ContinuousClock().sleep(for: run.patience.quiet)
      await run.rest()
      try await run.refresh()
      // Judges again what can no longer be mended, so that the sentence counts all that came, in each run.
      guard verdict == .met else { return expected.judge(run.requests, token: token, number: run.numbers) }
      guard run.requests.count != before else { return .met }
      return .open(
        Shortfall(
          line: expected.position.line, sentence: "more requests come all the time", expected: expected.expected))
    }
  }

  private mutating func expect(_ presented: PresentedExpectation) async throws {
    try await wait { run in
      let pushes = try await run.client.settled(app: presented.app, after: run.baseEvent).pushes
      return presented.judge(pushes.filter { presented.app == nil || $0.app == presented.app })
    }
  }

  private mutating func expect(_ hits: HitsExpectation) async throws {
    try await wait { run in
      let given = try await run.client.faults().first { $0.name == hits.fault }?.hits ?? 0
      guard !hits.count.allows(Int64(given)) else { return .met }
      let shortfall = Shortfall(
        line: hits.position.line,
        sentence: "fault \(hits.fault) struck \(counted(given, "time")), not \(hits.count.description)",
        expected: "fault \(hits.fault): \(hits.count.description)")
      return hits.count.mayReach(from: Int64(given)) ? .open(shortfall) : .failed(shortfall)
    }
  }

  private mutating func expect(_ board: BoardExpectation) async throws {
    try await wait { run in
      let shown = try await run.client.state().presentation
      return board.judge(digits: shown.digits, lamp: shown.lamp?.pattern)
    }
  }

  private mutating func expect(_ center: CenterExpectation) async throws {
    try await wait { run in
      let texts = try await run.client.center(app: center.app).map { $0.body ?? $0.title ?? "" }
      guard texts != center.texts else { return .met }
      let listed = texts.isEmpty ? "nothing" : texts.map { "\"\($0)\"" }.joined(separator: ", ")
      return .open(
        Shortfall(
          line: center.position.line, sentence: "Notification Center lists \(listed)",
          expected: center.texts.isEmpty ? "nothing" : center.texts.map { "\"\($0)\"" }.joined(separator: ", ")))
    }
  }

  private mutating func expect(_ events: EventsExpectation) async throws {
    try await wait { run in events.judge(try await run.client.events(after: run.baseEvent)) }
  }

  private mutating func expect(_ says: SaysExpectation) async throws {
    try await wait { run in
      if run.provider?.lines.contains(where: { $0.contains(says.text) }) == true { return .met }
      return .open(
        Shortfall(
          line: says.position.line, sentence: "the provider did not print '\(says.text)'",
          expected: "a line with '\(says.text)'"))
    }
  }

  /// Notes a request that has met an expectation.
  private mutating func take(_ request: SeenRequest) {
    cursor.take(request)
    values["last.connection"] = "\(request.connection)"
    values["last.push"] = request.push
    values["last.token"] = request.token
  }

  private mutating func expectNoLint(line: Int) async throws {
    guard let finding = try await client.findings(after: baseRequest).first else { return }
    try await refresh()
    let request = requests.first { $0.request == finding.request }
    let words = finding.sentence.hasSuffix(".") ? String(finding.sentence.dropLast()) : finding.sentence
    throw Shortfall(
      line: line, sentence: "\(request.map(numbers) ?? "a request"): \(words) (lint \(finding.code))",
      expected: "no lint: \(finding.remedy)", push: request?.push)
  }

  /// Collects all that explains a failure.
  func failure(of shortfall: Shortfall) async -> ScenarioFailure {
    var failure = ScenarioFailure(file: scenario.file, line: shortfall.line, sentence: shortfall.sentence)
    failure.expected = shortfall.expected.isEmpty ? nil : shortfall.expected
    failure.happened = RequestLines(requests: requests, base: shownBase, armedFor: armedFor).lines
    failure.happened.append(requests.isEmpty ? "no request came" : "nothing since")
    if let status = provider?.status { failure.happened.append("the provider ended with \(status)") }
    let about = shortfall.push.flatMap { push in requests.last { $0.push == push } } ?? requests.last
    if let about, let push = about.push {
      let explanation = await client.explanation(of: push)
      // A fault after the commit answers so too: then the handset has the push.
      if let answer = about.answer, let fault = answer.fault, answer.status >= 300,
        explanation?.reachedHandset != true
      {
        failure.explain = ["\(short(push)): refused \(answer.status) (fault \(fault)), nothing presented"]
      } else if let explanation {
        failure.explain = explanation.summary.split(separator: "\n").map { "\(short(push)): \($0)" }
      }
    }
    if let provider {
      failure.provider = provider.lines.last { !$0.isEmpty }
      failure.log = "\(logPath):\(provider.lineCount)"
    }
    return failure
  }
}

extension PresentedExpectation {
  func judge(_ pushes: [BenchClient.SettledPush]) -> Verdict {
    let total = pushes.reduce(0) { $0 + $1.presented }
    var expected: [String] = []
    if let times { expected.append("presented \(times == .equal(1) ? "once" : times.description + " times")") }
    if let rang { expected.append(rang ? "rang" : "did not ring") }
    func shortfall(_ sentence: String, _ push: BenchClient.SettledPush?) -> Shortfall {
      Shortfall(
        line: position.line, sentence: sentence, expected: expected.joined(separator: ", "), push: push?.push)
    }
    if let times, !times.allows(Int64(total)) {
      let often = total == 0 ? "not presented" : total == 1 ? "presented once" : "presented \(total) times"
      let wanted = times == .equal(1) ? "once" : "\(times.description) times"
      let problem = shortfall("\(app ?? "it") was \(often), not \(wanted)", pushes.last)
      return times.mayReach(from: Int64(total)) ? .open(problem) : .failed(problem)
    }
    if let rang, pushes.contains(where: \.rang) != rang {
      let why = pushes.last?.why.map { ": \($0)" } ?? ""
      return .open(shortfall(rang ? "it did not ring\(why)" : "it rang", pushes.last))
    }
    return .met
  }
}

extension BoardExpectation {
  func judge(digits shown: String?, lamp pattern: String?) -> Verdict {
    var expected: [String] = []
    if let digits { expected.append("digits \"\(digits)\"") }
    if let lamp { expected.append("lamp \(lamp)") }
    func open(_ sentence: String) -> Verdict {
      .open(Shortfall(line: position.line, sentence: sentence, expected: expected.joined(separator: ", ")))
    }
    if let digits {
      guard let shown else { return open("the board has no display") }
      if trimmed(shown) != trimmed(digits) { return open("the digits show \"\(shown)\", not \"\(digits)\"") }
    }
    if let lamp, pattern ?? "off" != lamp { return open("the lamp is \(pattern ?? "off"), not \(lamp)") }
    return .met
  }

  /// Without spaces at its ends: how many there are depends on the width of the display.
  private func trimmed(_ text: String) -> Substring {
    let start = text.drop { $0 == " " }
    return start.lastIndex { $0 != " " }.map { start[...$0] } ?? start.prefix(0)
  }
}

extension EventsExpectation {
  /// The identifiers of pushes, in the order in which they came: `P1`, `P2`.
  private func pushes(in events: [SeenEvent]) -> [String] {
    var seen: Set<String> = []
    return events.compactMap { $0.push?.uppercased() }.filter { seen.insert($0).inserted }
  }

  /// Returns what is wrong if one of these happened.
  func broken(by events: [SeenEvent]) -> Shortfall? {
    let pushes = pushes(in: events)
    for pattern in lines {
      guard let event = events.first(where: { pattern.matches($0, pushes: pushes) }) else { continue }
      return Shortfall(
        line: position.line, sentence: "event '\(pattern.words)' happened", expected: "no event '\(pattern.words)'",
        push: event.push)
    }
    return nil
  }

  /// - Parameter events: those of the scenario so far, in order.
  func judge(_ events: [SeenEvent]) -> Verdict {
    let pushes = pushes(in: events)
    var rest = events[...]
    for (place, pattern) in lines.enumerated() {
      guard let found = rest.firstIndex(where: { pattern.matches($0, pushes: pushes) }) else {
        let after = place > 0 ? " after '\(lines[place - 1].words)'" : ""
        return .open(
          Shortfall(
            line: position.line, sentence: "there is no event '\(pattern.words)'\(after)",
            expected: lines.map(\.words).joined(separator: "; ")))
      }
      rest = rest[(found + 1)...]
    }
    return .met
  }
}
