import Foundation
import Synchronization
import Testing

/// The story of a test that fails: requests, what became of the pushes, faults, board and
/// the newest events. It is read while an issue is recorded, which cannot wait for `async` functions.
final class Story: Sendable {
  /// So many of the newest requests and events are in the text. The attachments have all.
  private static let lines = 20

  private let bell: Deskbell
  private let text = Mutex<String?>(nil)

  init(_ bell: Deskbell) { self.bell = bell }

  var isTold: Bool { text.withLock { $0 != nil } }

  /// Returns the text the first time, and nil from then on.
  func first() -> String? {
    text.withLock { text in
      guard text == nil else { return nil }
      text = (["What happened on the bench:"] + paragraphs()).joined(separator: "\n")
      return text
    }
  }

  /// Attaches everything to a test that failed.
  func attach(_ test: Test) {
    guard let text = text.withLock(\.self) else { return }
    Attachment.record(text, named: "deskbell.txt", sourceLocation: test.sourceLocation)
    let all = [("/v1/requests", handset, "requests.json"), (bell.path("/events"), [:], "events.ndjson")]
    for (resource, query, name) in all {
      guard let bytes = try? bell.control.blockingBytes("GET", resource, query) else { continue }
      Attachment.record(Array(bytes), named: "deskbell-\(name)", sourceLocation: test.sourceLocation)
    }
  }

  private var handset: [String: String] { ["handset": bell.handset].compactMapValues(\.self) }

  private func paragraphs() -> [String] {
    do {
      let requests = try read("/v1/requests", handset, RequestList.self).requests
      return [Story.section("requests", requests.isEmpty ? ["none"] : Story.lines(of: requests))]
        + [
          Story.section("pushes", explanations(requests)), Story.section("faults", try faults()),
          Story.section("board", [try board()]), Story.section("events", try events()),
        ].compactMap(\.self)
    } catch {
      return ["The bench cannot say what happened: \(error)"]
    }
  }

  private func read<Answer: Decodable>(
    _ resource: String, _ query: [String: String] = [:], _: Answer.Type
  ) throws -> Answer {
    try JSONDecoder().decode(Answer.self, from: bell.control.blockingBytes("GET", resource, query))
  }

  private func explanations(_ requests: [RecordedRequest]) -> [String] {
    var ids: [String] = []
    for id in requests.compactMap(\.push) where !ids.contains(id) { ids.append(id) }
    return ids.suffix(Story.lines).compactMap { id in
      guard let explained = try? read(bell.path("/pushes/\(id)/explanation"), [:], Explanation.self) else { return nil }
      return "\(id)  \(explained.summary)"
    }
  }

  private func faults() throws -> [String] {
    try read("/v1/faults", [:], FaultList.self).faults.map { fault in
      "\(fault.name)  \(fault.hits == 0 ? "never struck" : "struck \(fault.hits == 1 ? "once" : "\(fault.hits) times")")"
    }
  }

  private func board() throws -> String {
    let board = try read(bell.path("/state"), [:], StateReport.self).presentation
    return "\(board.digits.map { "digits \"\($0)\"" } ?? "badge \(board.badge)"), lamp \(board.lamp ?? "dark")"
  }

  private func events() throws -> [String] {
    let lines = try bell.control.blockingBytes("GET", bell.path("/events")).split(separator: UInt8(ascii: "\n"))
    return lines.suffix(Story.lines).compactMap { line in
      guard let event = try? JSONSerialization.jsonObject(with: line) as? [String: Any] else { return nil }
      let kind = event["event"] as? String ?? "?"
      let values = event.filter { !Story.leftOut.contains($0.key) }.sorted { $0.key < $1.key }
      return ([kind] + values.map { "\($0.key)=\($0.value)" }).joined(separator: "  ")
    }
  }

  private static let leftOut: Set = [
    "event", "sequence", "uptimeMicroseconds", "wallMicroseconds", "realMicroseconds", "handset",
  ]

  /// Returns a line for each request, its time on the handset's clock since the first one:
  /// `+2.003 s  #2 c1 mail p10 id 8C07… 503 ServiceUnavailable (fault busy)`.
  private static func lines(of requests: [RecordedRequest]) -> [String] {
    let start = requests.first?.uptimeMicroseconds ?? 0
    let leftOut = requests.count - lines
    return (leftOut > 0 ? ["… \(leftOut) earlier ones"] : [])
      + requests.indices.suffix(lines).map { index in
        let request = requests[index]
        let milliseconds = (request.uptimeMicroseconds - start) / 1_000
        let rest = "\(milliseconds % 1_000)"
        let time = "+\(milliseconds / 1_000).\(String(repeating: "0", count: 3 - rest.count))\(rest) s"
        let words: [String?] = [
          "#\(request.number)", "c\(request.connection)", request.app ?? "\(request.method) \(request.path)",
          request.header("apns-priority").map { "p\($0)" }, request.push.map { "id \($0)" }, request.outcome,
          request.lint.flatMap { $0.isEmpty ? nil : "lint \($0.joined(separator: ","))" },
          change(of: request, after: requests[..<index]),
        ]
        return "\(time)  \(words.compactMap(\.self).joined(separator: " "))"
      }
  }

  /// Returns a remark if a push is sent again under another identifier, so that it would count twice.
  private static func change(of request: RecordedRequest, after earlier: ArraySlice<RecordedRequest>) -> String? {
    let same = earlier.last { $0.token == request.token && $0.payload == request.payload && $0.answer?.status != 200 }
    guard let same, let (old, new) = same.push.flatMap({ old in request.push.map { (old, $0) } }), old != new else {
      return nil
    }
    return " other apns-id than #\(same.number)"
  }

  private static func section(_ name: String, _ lines: [String]) -> String {
    lines.isEmpty ? "\(name): none" : ([name] + lines.map { "  \($0)" }).joined(separator: "\n")
  }
}
