import HTTP
import StrictYAML

/// Reads the steps of a scenario, in their order.
struct StepReader {
  /// Steps that are no command of the stories.
  private static let own = ["tell", "advance", "settle", "fault", "end-fault", "expect"]

  let faults: ScenarioReader
  /// The faults that a later step may name.
  var known: [String]
  let diagnostics: MappingReader

  init(faults: ScenarioReader, known: [String], diagnostics: MappingReader) {
    (self.faults, self.known, self.diagnostics) = (faults, known, diagnostics)
  }

  mutating func step(_ node: YAMLNode) throws -> ScenarioStep {
    if case .scalar(let text, _) = node.content {
      let words = StepReader.own + HandsetCommand.verbs
      guard text == "settle" else {
        throw node.diagnostic(
          words.contains(text) ? "needs words after it: '\(text): …'" : "is no step: write 'settle' or 'STEP: WORDS'")
      }
      return ScenarioStep(position: node.position, action: .settle(app: nil))
    }
    let entries = try node.entries()
    guard let (verb, position, value) = entries.first, entries.count == 1 else {
      throw node.diagnostic("must have one key, the name of a step, not \(entries.count)")
    }
    return ScenarioStep(position: position, action: try action(verb, at: position, value))
  }

  private mutating func action(
    _ verb: String, at position: SourcePosition, _ value: YAMLNode
  ) throws -> ScenarioStep.Action {
    switch verb {
    case "tell": return .tell(try tell(value))
    case "advance": return try advance(value)
    case "settle": return .settle(app: try app(value))
    case "fault":
      let added = try faults.faults(value, diagnostics)
      for fault in added where known.contains(fault.name) {
        throw Diagnostic("there is a fault '\(fault.name)' already: give another name", at: fault.position)
      }
      known += added.map(\.name)
      return .fault(added)
    case "end-fault": return .endFault(try value.choice(of: known))
    case "expect":
      let reader = ExpectationReader(faults: known, steps: self)
      guard let expectation = diagnostics.mapping(value, { reader.expectation($0, at: position) }) else {
        return .expect(Expectation(position: position))
      }
      return .expect(expectation)
    default:
      guard HandsetCommand.verbs.contains(verb) else {
        let words = StepReader.own + HandsetCommand.verbs
        let advice =
          nearest(verb, among: words).map { "did you mean '\($0)'?" } ?? "there are \(words.joined(separator: ", "))"
        throw Diagnostic("'\(verb)' is no step; \(advice)", at: position)
      }
      guard let words = scenarioWords(try value.string()) else {
        throw value.diagnostic("has a quotation mark that is not closed")
      }
      do throws(CommandComplaint) {
        return .handset(try HandsetCommand(verb, words))
      } catch {
        throw value.diagnostic(error.message)
      }
    }
  }

  func app(_ node: YAMLNode) throws -> String {
    let text = try node.string()
    guard isScenarioApp(text) else { throw node.diagnostic("must be an app, not '\(text)'") }
    return text
  }

  private func tell(_ node: YAMLNode) throws -> Tell {
    guard case .mapping = node.content else { return Tell(way: try way(node), answer: nil) }
    let read = diagnostics.mapping(node) { reader -> Tell? in
      let request = reader.required("request") { try self.way($0) }
      let answer = reader.required("answer") { try $0.integer(in: 200...599) }
      guard let request, let answer else { return nil }
      if case .line = request {
        reader.report("only a request has an answer: begin it with a method and an address, as in POST http://…")
      }
      return Tell(way: request, answer: answer)
    }
    // Its errors are reported.
    return try read ?? Tell(way: .line(Template("")), answer: nil)
  }

  /// Reads `POST http://localhost:8080/mail {…}`, or a line for the program's standard input.
  private func way(_ node: YAMLNode) throws -> Tell.Way {
    let text = try node.string()
    let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true)
    let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    guard let method = parts.first, methods.contains(String(method)), parts.count > 1 else {
      guard !text.contains("\n") else { throw node.diagnostic("must be one line") }
      return .line(try template(node))
    }
    guard parts[1].hasPrefix("http://") else {
      throw node.diagnostic("must have an address that begins with http://, not '\(parts[1])'")
    }
    do throws(TemplateError) {
      return .request(
        method: String(method), url: try Template(String(parts[1])),
        body: try Template(parts.count > 2 ? String(parts[2]) : ""))
    } catch {
      throw node.diagnostic(error.description)
    }
  }

  private func advance(_ node: YAMLNode) throws -> ScenarioStep.Action {
    guard case .mapping = node.content else { return .advance(seconds: try seconds(node), step: nil) }
    let read = diagnostics.mapping(node) { reader -> ScenarioStep.Action? in
      let whole = reader.required("by") { try seconds($0) }
      let part = reader.required("every") { try seconds($0) }
      guard let whole, let part else { return nil }
      if whole / part > 10_000 { reader.report("has more than 10,000 parts: make 'every' longer") }
      return .advance(seconds: whole, step: part)
    }
    return read ?? .advance(seconds: 1, step: nil)
  }

  private func seconds(_ node: YAMLNode) throws -> Int64 {
    let text = try node.string()
    guard let time = Duration(scenario: text), time > .zero else {
      throw node.diagnostic("must be a time such as 2s, 1h30m or 30d, not '\(text)'")
    }
    guard time.wholeMicroseconds % 1_000_000 == 0 else {
      throw node.diagnostic("must be whole seconds: the clock advances by seconds, not by '\(text)'")
    }
    guard time <= .seconds(366 * 86_400) else { throw node.diagnostic("must be a year at most: advance it twice") }
    return time.components.seconds
  }
}

extension MappingReader {
  /// Reports every variable below this mapping that no scenario with these apps has.
  func checkVariables(of apps: [String]) {
    let names = ScenarioVariables.names(apps: apps)
    func check(_ node: YAMLNode) {
      switch node.content {
      case .mapping(let entries): for entry in entries { check(entry.value) }
      case .sequence(let items): for item in items { check(item) }
      case .scalar(let text, _):
        // One that cannot be read is reported where it is used.
        for name in (try? Template(text))?.variables ?? []
        where !names.contains(name) && ScenarioVariables.madeToken(name) == nil {
          let advice =
            nearest(name, among: names).map { "did you mean ${\($0)}?" }
            ?? "there are \(names.map { "${\($0)}" }.joined(separator: ", ")), and ${token.ANY} for a device token"
          report("there is no variable ${\(name)}; \(advice)", at: node.position)
        }
      }
    }
    for key in ["provider", "faults", "steps"] {
      if let node = node(key) { check(node) }
    }
  }
}
