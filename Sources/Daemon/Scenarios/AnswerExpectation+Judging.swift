extension AnswerExpectation {
  /// `answer 503, fault busy, at least 2 s after the previous`.
  func expected(before now: String?) -> String {
    var words: [String] = []
    switch answer {
    case .status(let status): words.append("answer \(status)")
    case .some(.none): words.append("a request that ends without an answer")
    case nil: words.append("a request")
    }
    if let app { words.append("of \(app)") }
    if let reason { words.append("reason \(reason)") }
    if let fault { words.append("fault \(fault)") }
    if let by { words.append("by the \(by)") }
    if let afterPrevious { words.append("\(afterPrevious.description) after the previous") }
    if let within { words.append("within \(spoken(microseconds: within.value))") }
    if let token { words.append("token \(token.source)") }
    words += headers.map { "\($0.name): \($0.value)" }
    words += payload.map { "payload \($0.path) = \($0.value)" }
    if let now { words.append("before \(now)") }
    return words.joined(separator: ", ")
  }

  /// Returns the verdict, and the request that meets it.
  /// - Parameters:
  ///   - requests: those of the scenario so far, in order.
  ///   - token: the device token, its variables replaced.
  ///   - now: the handset's time of day, for the sentence.
  func judge(
    _ requests: [SeenRequest], _ cursor: AnswerCursor, token: String? = nil, number: (SeenRequest) -> String,
    now: String? = nil
  ) -> (Verdict, SeenRequest?) {
    func shortfall(_ sentence: String, _ request: SeenRequest? = nil) -> Shortfall {
      Shortfall(line: position.line, sentence: sentence, expected: expected(before: now), push: request?.push)
    }
    let candidates = requests.filter { $0.request > cursor.request && (app == nil || $0.app == app) }
    guard let next = candidates.first else {
      let before = requests.count { app == nil || $0.app == app }
      return (.open(shortfall("\(missing) came: there is no \(ordinal(before + 1)) attempt")), nil)
    }
    let name = number(next)
    guard next.isOver else { return (.open(shortfall("\(missing) came: \(name) has no answer yet", next)), nil) }
    if let fault = mismatch(next, name, cursor) { return (.failed(shortfall(fault, next)), nil) }
    if let token, next.token?.lowercased() != token.lowercased() {
      let given = next.token.map { "device token \(short($0))" } ?? "no device token"
      return (.failed(shortfall("\(name) has \(given), not \(short(token))", next)), nil)
    }
    return (.met, next)
  }

  private var missing: String {
    switch answer {
    case .status(let status): "no answer \(status)"
    case .some(.none), nil: "no request"
    }
  }

  /// Returns a sentence about what gave the request its answer, or ended it without one; nil if the fault did.
  private func origin(of next: SeenRequest, _ name: String, otherThan fault: String) -> String? {
    if let given = next.answer {
      guard given.fault != fault else { return nil }
      let source = given.fault.map { "fault \($0)" } ?? "the \(given.by ?? "handset")"
      return "answer \(given.status) came from \(source), not from fault \(fault)"
    }
    guard !next.faults.contains(fault) else { return nil }
    let struck = next.faults.isEmpty ? "no fault" : "fault \(next.faults.joined(separator: ", "))"
    return "\(name) ended without an answer, and \(struck) struck it, not \(fault)"
  }

  /// Returns a sentence about the first thing in which the request differs; nil if there is none.
  private func mismatch(_ next: SeenRequest, _ name: String, _ cursor: AnswerCursor) -> String? {
    switch (answer, next.answer) {
    case (.status(let wanted), let given?) where given.status != wanted:
      return "answer \(next.outcome) came to \(name), not \(wanted)"
    case (.status(let wanted), nil): return "no answer \(wanted) came to \(name): \(next.end ?? "it ended")"
    case (.some(.none), .some): return "answer \(next.outcome) came to \(name), not none"
    default: break
    }
    if let reason, next.answer?.reason != reason {
      return "\(name) was answered with reason \(next.answer?.reason ?? "none"), not \(reason)"
    }
    if let fault, let complaint = origin(of: next, name, otherThan: fault) { return complaint }
    if let by, next.answer?.by != by {
      return "\(name) was answered by the \(next.answer?.by ?? "handset"), not by the \(by)"
    }
    if let afterPrevious, let previous = cursor.previous {
      let gap = next.uptimeMicroseconds - previous.uptimeMicroseconds
      if !afterPrevious.allows(gap) {
        return "\(name) came \(spoken(microseconds: gap)) after the previous one, not \(afterPrevious.description)"
      }
    }
    if let within {
      let gap = next.uptimeMicroseconds - cursor.since
      if !within.allows(gap) {
        return "\(name) came \(spoken(microseconds: gap)) after the step before, not \(within.description)"
      }
    }
    for (header, wanted) in headers where next.value(named: header) != wanted {
      let given = next.value(named: header)
      if given == nil, wanted == "none" { continue }
      return "\(name) has \(given.map { "\(header) \($0)" } ?? "no \(header)"), not \(wanted)"
    }
    for (path, wanted) in payload {
      let given = next.payloadText(at: path)
      if given == wanted || given == nil && wanted == "none" { continue }
      return "\(name)'s payload has \(given.map { "\(path) \($0)" } ?? "no \(path)"), not \(wanted)"
    }
    return nil
  }
}
