/// The requests of a scenario as a failure shows them, one a line.
struct RequestLines {
  /// More are left out in the middle.
  static let most = 40

  let requests: [SeenRequest]
  /// The number of requests before the scenario.
  let base: UInt64
  /// The number of hits that each fault was armed for, if it was.
  let armedFor: [String: Int]

  /// `#2`: the number within the scenario.
  func number(_ request: SeenRequest) -> String { "#\(request.request - min(base, request.request - 1))" }

  var lines: [String] {
    var lines: [String] = []
    var hits: [String: Int] = [:]
    var connections: [Int] = []
    for (place, request) in requests.enumerated() {
      if !connections.contains(request.connection) { connections.append(request.connection) }
      // Their order within the scenario.
      let connection = (connections.firstIndex(of: request.connection) ?? 0) + 1
      var words = [timeOfDay(wallMicroseconds: request.wallMicroseconds), number(request), "c\(connection)"]
      if let app = request.app { words.append(app) }
      if let type = request.header("apns-push-type"), type != "alert" { words.append(type) }
      if let priority = request.header("apns-priority") { words.append("p\(priority)") }
      if let id = request.value(named: "apns-id") { words.append("id \(short(id))") }
      if let answer = request.answer {
        words.append("\(answer.status)")
        if let fault = answer.fault {
          hits[fault, default: 0] += 1
          let all = armedFor[fault].map { " of \($0)" } ?? ""
          words.append("fault \(fault) (\(hits[fault] ?? 0)\(all))")
        } else {
          if let reason = answer.reason { words.append(reason) }
          if let by = answer.by, by != "handset" { words.append("by the \(by)") }
        }
      } else {
        words.append(request.end.map { "no answer: \($0)" } ?? "no answer yet")
      }
      let notes = notes(on: request, before: requests[..<place])
      lines.append(words.joined(separator: " ") + (notes.isEmpty ? "" : "  " + notes.joined(separator: ", ")))
    }
    guard lines.count > RequestLines.most else { return lines }
    let kept = RequestLines.most / 2
    return lines.prefix(kept) + ["… \(lines.count - 2 * kept) more …"] + lines.suffix(kept)
  }

  /// The difference from the request that it seems to repeat: one with the same token and payload.
  private func notes(on request: SeenRequest, before: ArraySlice<SeenRequest>) -> [String] {
    guard let payload = request.payload,
      let first = before.first(where: { $0.payload == payload && $0.token == request.token && $0.app == request.app })
    else { return [] }
    var notes: [String] = []
    if first.value(named: "apns-id") != request.value(named: "apns-id") {
      notes.append("other apns-id than \(number(first))")
    }
    if let code = request.lint.first { notes.append("lint \(code)") }
    return notes
  }
}
