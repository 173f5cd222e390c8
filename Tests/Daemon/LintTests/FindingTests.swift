import Foundation
import Testing

@testable import Lint

@Suite("Findings") struct FindingTests {
  /// As `deskbell requests --json` prints it.
  private let recorded = #"""
    {"request":7,"connection":2,"stream":1,"protocol":"apns","method":"POST","path":"/3/device/0f0f",
     "headers":[["apns-topic","com.example.mail"],["apns-push-type","background"],["apns-priority","10"],
     ["apns-expiration","0"],["apns-id","8C072DB2-12F5-4B70-B99F-73F50AC5525B"],["authorization","bearer …0a1b2c3d"]],
     "payload":"{\"aps\":{\"content-available\":1}}","payloadBytes":31,"realMicroseconds":1767225600000000,
     "uptimeMicroseconds":5000000,"provider":"mailer","app":"com.example.mail","pushType":"background",
     "answer":{"status":410,"reason":"Unregistered","by":"fault","fault":"gone","headers":[["Retry-After","3"]],
     "body":"{\"reason\":\"Unregistered\",\"timestamp\":1767225599000}","realMicroseconds":1767225600000100,
     "uptimeMicroseconds":5000100},"lint":["L105"]}
    """#

  @Test("A recorded request is read from its JSON")
  func reading() throws {
    let request = try JSONDecoder().decode(LintedRequest.self, from: Data(recorded.utf8))
    #expect(request.number == 7 && request.connection == 2 && request.provider == "mailer")
    #expect(request.headers.first == .init("apns-topic", "com.example.mail"))
    #expect(request.deviceToken == "0f0f")
    #expect(request.time == LintTime(real: 1_767_225_600_000_000, uptime: 5_000_000))
    #expect(request.answer?.time == LintTime(real: 1_767_225_600_000_100, uptime: 5_000_100))
    #expect(request.answer?.isOfFault == true && request.answer?.retryAfter == 3)
    #expect(request.answer?.timestamp == 1_767_225_599_000)
  }

  @Test("A payload that is not UTF-8 is in Base64")
  func binary() throws {
    let text = recorded.replacing(#""payload":"{\"aps\":{\"content-available\":1}}""#, with: #""payloadBase64":"/w==""#)
    #expect(try JSONDecoder().decode(LintedRequest.self, from: Data(text.utf8)).payload == [0xFF])
  }

  @Test("A finding has the rule, the request, the fault, the remedy and the source")
  func finding() throws {
    var linter = Linter()
    let findings = linter.note(try JSONDecoder().decode(LintedRequest.self, from: Data(recorded.utf8)))
    #expect(findings.map(\.code) == ["L105", "L112"])
    #expect(findings[0].name == "background-priority" && findings[0].request == 7)
    #expect(findings[0].sentence == "A background push has priority '10'.")
    #expect(findings[0].remedy == "Send apns-priority 5.")
    #expect(findings[0].source == "Apple: Sending notification requests to APNs")
  }

  @Test("Foreign text is cut, and has no control characters")
  func foreign() {
    var linter = Linter()
    let findings = linter.note(request(["apns-id": "\u{1B}[31m" + String(repeating: "x", count: 80)]))
    #expect(
      findings.map(\.sentence)
        == ["The apns-id '\u{FFFD}[31m\(String(repeating: "x", count: 35))…' is not a UUID."])
  }

  @Test("docs/lint.md lists the rules: UPDATE_DOCS=1 writes them anew")
  func document() throws {
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let file = URL(filePath: "/\(root)/docs/lint.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let begin = try #require(text.range(of: "<!-- rules: made by LintTests with UPDATE_DOCS=1 -->\n"))
    let end = try #require(text.range(of: "<!-- end of rules -->"))
    let updated = text[..<begin.upperBound] + LintRule.table + text[end.lowerBound...]
    if ProcessInfo.processInfo.environment["UPDATE_DOCS"] == "1" {
      try String(updated).write(to: file, atomically: true, encoding: .utf8)
    } else {
      #expect(text == String(updated), "run the tests with UPDATE_DOCS=1 and read the changes")
    }
  }
}

extension LintRule {
  /// The table in docs/lint.md.
  fileprivate static var table: String {
    let documents = LintSource.allCases.map { source in
      source.address.map { "- \(source.text): <\($0)>\n" } ?? "- \(source.text): no document demands it.\n"
    }
    let rows = all.map { "| \($0.code) | `\($0.name)` | \($0.fault) | \($0.remedy) | \($0.source.text) |\n" }
    return "\n| Rule | Name | Fault | How to mend it | Source |\n|---|---|---|---|---|\n" + rows.joined()
      + "\nThe sources:\n\n" + documents.joined() + "\n"
  }
}
