import HTTP
import StrictYAML

/// Reads `expect`.
struct ExpectationReader {
  /// The faults that may be named.
  let faults: [String]
  let steps: StepReader

  init(faults: [String], steps: StepReader) { (self.faults, self.steps) = (faults, steps) }

  func expectation(_ reader: MappingReader, at position: SourcePosition) -> Expectation? {
    reader.explainUnknown(ExpectationReader.advice)
    var expectation = Expectation(position: position)
    expectation.answer = answer(reader, at: position)
    expectation.requests = inner(reader, "requests") { requests($0, at: $1) }
    expectation.presented = inner(reader, "presented") { presented($0, at: $1) }
    expectation.board = inner(reader, "board") { board($0, at: $1) }
    expectation.center = inner(reader, "center") { center($0, at: $1) }
    expectation.events = events(reader, "events")
    expectation.never = events(reader, "never")
    expectation.hits = reader.optional("hits", default: []) { try hits($0) }
    expectation.says = reader.optional("says") { SaysExpectation(position: $0.position, text: try $0.string()) }
    expectation.noLint = reader.optional("lint") { node in
      _ = try node.choice(of: ["none"])
      return node.position
    }
    return expectation
  }

  private static func advice(_ key: String) -> String? {
    ["of", "for", "topic"].contains(key) ? "write 'app', as in faults" : nil
  }

  private func inner<Value>(
    _ reader: MappingReader, _ key: String, _ read: (MappingReader, SourcePosition) -> Value?
  ) -> Value? {
    guard let node = reader.node(key) else { return nil }
    return reader.mapping(node) { reader in
      reader.explainUnknown(ExpectationReader.advice)
      return read(reader, node.position)
    }
  }

  private func answer(_ reader: MappingReader, at position: SourcePosition) -> AnswerExpectation? {
    var answer = AnswerExpectation(position: position)
    answer.answer = reader.optional("answer") { node in
      node.text == "none" ? .none : .status(try node.integer(in: 200...599))
    }
    answer.app = reader.optional("app") { try steps.app($0) }
    let isGiven = answer.answer != AnswerExpectation.Answer.none
    answer.reason = reader.optional("reason") { node in
      guard isGiven else { throw node.diagnostic("has no place beside 'answer: none': only an answer has a reason") }
      return try node.string()
    }
    answer.fault = reader.optional("fault") { try $0.choice(of: faults) }
    answer.by = reader.optional("by") { node in
      guard isGiven else { throw node.diagnostic("has no place beside 'answer: none': name the fault with 'fault'") }
      return try node.choice(of: ["handset", "limit", "fault"])
    }
    answer.within = bound(reader, "within", .time)
    if let within = answer.within, within.relation == .equal { answer.within?.relation = .atMost }
    answer.afterPrevious = bound(reader, "after-previous", .time)
    answer.token = reader.optional("token") { try template($0) }
    answer.headers = reader.optional("headers", default: []) { node in
      try node.entries(count: 1...32).map { (name: $0.key.lowercased(), value: try $0.value.string()) }
    }
    answer.payload = reader.optional("payload", default: []) { node in
      try node.entries(count: 1...32).map { (path: $0.key, value: try $0.value.string(bytes: 0...4_096)) }
    }
    let isNamed =
      answer.answer != nil || answer.app != nil || answer.reason != nil || answer.fault != nil || answer.by != nil
      || answer.within != nil || answer.token != nil || answer.afterPrevious != nil || !answer.headers.isEmpty
      || !answer.payload.isEmpty
    return isNamed ? answer : nil
  }

  private func bound(_ reader: MappingReader, _ key: String, _ measure: Bound.Measure) -> Bound? {
    reader.optional(key) { try bound($0, measure) }
  }

  private func bound(_ node: YAMLNode, _ measure: Bound.Measure) throws -> Bound {
    let text = try node.string()
    guard let bound = Bound(text, measure) else {
      let example =
        measure == .count
        ? "a number, or a sign and a number: \">= 2\"" : "a time, or a sign and a time: \">= 2s\""
      throw node.diagnostic("must be \(example), not '\(text)'")
    }
    return bound
  }

  private func requests(_ reader: MappingReader, at position: SourcePosition) -> RequestsExpectation? {
    var requests = RequestsExpectation(position: position)
    requests.app = reader.optional("app") { try steps.app($0) }
    requests.token = reader.optional("token") { try template($0) }
    requests.count = bound(reader, "count", .count)
    requests.connections = bound(reader, "connections", .count)
    requests.credentials = bound(reader, "credentials", .count)
    requests.tokens = bound(reader, "tokens", .count)
    requests.same = reader.list("same", required: false, count: 1...16) { try $0.string().lowercased() } ?? []
    requests.differ = reader.list("differ", required: false, count: 1...16) { try $0.string().lowercased() } ?? []
    requests.answers = reader.optional("answers", default: []) { node in
      try node.entries(count: 1...32).map { entry in
        guard let status = Int(entry.key), (200...599).contains(status) else {
          throw Diagnostic("'\(entry.key)' is no status of an answer: 200 to 599", at: entry.keyPosition)
        }
        return (status: status, count: try bound(entry.value, .count))
      }
    }
    return requests
  }

  private func presented(_ reader: MappingReader, at position: SourcePosition) -> PresentedExpectation? {
    var presented = PresentedExpectation(position: position)
    presented.app = reader.optional("app") { try steps.app($0) }
    presented.times = bound(reader, "times", .count)
    presented.rang = reader.optional("rang") { try $0.boolean() }
    return presented
  }

  private func board(_ reader: MappingReader, at position: SourcePosition) -> BoardExpectation? {
    var board = BoardExpectation(position: position)
    board.digits = reader.optional("digits") { try $0.string(bytes: 0...16) }
    let patterns = ["steady", "blink", "double", "breathe", "heartbeat", "sos"]
    let colours = ["red", "orange", "yellow", "green", "cyan", "blue", "purple", "white"]
    board.lamp = reader.optional("lamp") { node in
      let parts = node.text?.split(separator: "-").map(String.init) ?? []
      guard parts.count == 2, patterns.contains(parts[0]) else { return try node.choice(of: ["off"] + patterns) }
      guard colours.contains(parts[1]) else {
        throw node.diagnostic("must have one of these colours behind the pattern: \(colours.joined(separator: ", "))")
      }
      return node.text ?? ""
    }
    return board
  }

  private func center(_ reader: MappingReader, at position: SourcePosition) -> CenterExpectation? {
    let app = reader.optional("app") { try steps.app($0) }
    return reader.list("texts", count: 0...100) { try $0.string() }.map {
      CenterExpectation(position: position, app: app, texts: $0)
    }
  }

  private func events(_ reader: MappingReader, _ key: String) -> EventsExpectation? {
    guard let node = reader.node(key) else { return nil }
    let lines = reader.decode(node) { node in
      try node.sequence(count: 1...100).map { item in
        guard let words = scenarioWords(try item.string()), let pattern = EventPattern(words) else {
          throw item.diagnostic("must be an event as in a story: badge mail P1 number=1")
        }
        return pattern
      }
    }
    return lines.map { EventsExpectation(position: node.position, lines: $0) }
  }

  private func hits(_ node: YAMLNode) throws -> [HitsExpectation] {
    try node.entries(count: 1...100).map { entry in
      guard faults.contains(entry.key) else {
        let advice = nearest(entry.key, among: faults).map { "; did you mean '\($0)'?" } ?? ""
        throw Diagnostic("there is no fault '\(entry.key)'\(advice)", at: entry.keyPosition)
      }
      return HitsExpectation(position: entry.keyPosition, fault: entry.key, count: try bound(entry.value, .count))
    }
  }
}
