extension RequestsExpectation {
  /// True if another request could still break it: then the runner waits until none comes.
  var canBeBroken: Bool {
    [count, connections, credentials, tokens].contains { $0?.hasUpperEnd == true } || !same.isEmpty || !differ.isEmpty
      || answers.contains { $0.count.hasUpperEnd }
  }

  var expected: String {
    var words: [String] = []
    if let count { words.append(count.description + " requests") } else { words.append("requests") }
    if let app { words[0] += " of \(app)" }
    if let token { words[0] += " for token \(short(token.source))" }
    if let connections { words.append("connections: \(connections.description)") }
    if let credentials { words.append("provider tokens: \(credentials.description)") }
    if let tokens { words.append("device tokens: \(tokens.description)") }
    if !same.isEmpty { words.append("the same \(same.joined(separator: " and "))") }
    if !differ.isEmpty { words.append("each another \(differ.joined(separator: " and "))") }
    words += answers.map { "\($0.status): \($0.count.description)" }
    return words.joined(separator: ", ")
  }

  /// - Parameter token: the device token, its variables replaced.
  func judge(_ requests: [SeenRequest], token: String?, number: (SeenRequest) -> String) -> Verdict {
    let own = requests.filter { request in
      (app == nil || request.app == app) && (token == nil || request.token?.lowercased() == token?.lowercased())
    }
    func shortfall(_ sentence: String, _ request: SeenRequest? = nil) -> Shortfall {
      Shortfall(
        line: position.line, sentence: sentence, expected: expected, push: (request ?? own.last)?.push)
    }
    // What cannot be mended counts first, whatever else is missing.
    if let (sentence, request) = difference(own, number) { return .failed(shortfall(sentence, request)) }
    var open: Shortfall?
    for (bound, value, sentence) in counts(own) {
      guard let bound, !bound.allows(Int64(value)) else { continue }
      let problem = shortfall("\(sentence), not \(bound.description)")
      guard bound.mayReach(from: Int64(value)) else { return .failed(problem) }
      open = open ?? problem
    }
    if let waiting = own.first(where: { !$0.isOver }), open == nil, !answers.isEmpty {
      open = shortfall("\(number(waiting)) has no answer yet", waiting)
    }
    return open.map { .open($0) } ?? .met
  }

  private func counts(_ own: [SeenRequest]) -> [(Bound?, Int, String)] {
    let requests = own.count
    let connections = Set(own.map(\.connection)).count
    let credentials = Set(own.compactMap { $0.header("authorization") }).count
    let tokens = Set(own.compactMap(\.token)).count
    var counts: [(Bound?, Int, String)] = [
      (count, requests, "\(counted(requests, "request")) came"),
      (self.connections, connections, "\(counted(connections, "connection")) had requests"),
      (self.credentials, credentials, "\(counted(credentials, "provider token")) came"),
      (self.tokens, tokens, "requests for \(counted(tokens, "device token")) came"),
    ]
    for (status, bound) in answers {
      let given = own.count { $0.answer?.status == status }
      counts.append((bound, given, "\(counted(given, "answer")) \(status) came"))
    }
    return counts
  }

  /// Returns the first request that is not the same, or not another, and the sentence.
  private func difference(
    _ own: [SeenRequest], _ number: (SeenRequest) -> String
  ) -> (String, SeenRequest)? {
    guard let first = own.first else { return nil }
    for name in same {
      let value = first.value(named: name)
      if let other = own.first(where: { $0.value(named: name) != value }) {
        let (new, old) = (short(other.value(named: name) ?? "none"), short(value ?? "none"))
        let words = name == "payload" ? "" : ": \(new) instead of \(old)"
        return ("\(number(other)) has another \(name) than \(number(first))\(words)", other)
      }
    }
    for name in differ {
      var seen: [String: SeenRequest] = [:]
      for request in own {
        guard let value = request.value(named: name) else { continue }
        if let before = seen[value] { return ("\(number(request)) has the same \(name) as \(number(before))", request) }
        seen[value] = request
      }
    }
    return nil
  }
}
