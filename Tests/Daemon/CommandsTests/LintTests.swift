import Lint
import Testing

@testable import CommandSupport
@testable import Commands

@Suite("deskbell lint") struct LintTests {
  private static let good = #"""
    {"request":1,"connection":1,"protocol":"apns","method":"POST","path":"/3/device/0f","headers":[["apns-push-type",\#
    "background"],["apns-priority","5"],["apns-expiration","0"],["apns-id","123e4567-e89b-12d3-a456-426655440000"]],\#
    "payload":"{\"aps\":{\"content-available\":1}}","realMicroseconds":1767225600000000,"provider":"mailer",\#
    "answer":{"status":200}}
    """#
  private static let bad = good.replacing(#""5""#, with: #""10""#)

  private let folder: Folder

  init() throws { folder = try Folder() }

  private func file(_ text: String) throws -> String {
    let path = folder.path + "/requests.jsonl"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test("0 without findings, 1 with some, 2 for another file")
  func exitCodes() async throws {
    #expect(await Program.run(["lint", try file(LintTests.good)]) == 0)
    #expect(await Program.run(["lint", try file(LintTests.bad)]) == 1)
    #expect(await Program.run(["lint", try file(LintTests.bad), "--ignore", "l105"]) == 0)
    #expect(await Program.run(["lint", try file(LintTests.bad), "--ignore", "L101,background-priority"]) == 0)
    #expect(await Program.run(["lint", try file(LintTests.bad), "--provider", "printer"]) == 0)
    #expect(await Program.run(["lint", try file(LintTests.bad), "--since", "1"]) == 0)
    #expect(await Program.run(["lint", try file("{}")]) == 2)
    #expect(await Program.run(["lint", folder.path + "/none"]) == 2)
    #expect(await Program.run(["lint", "--rules"]) == 0)
  }

  @Test("A file that holds no requests is named, with the line")
  func anotherFile() throws {
    let path = try file("\(LintTests.good)\n{\"request\":2}\n")
    let failure = Failure(
      "\(path):2: no key 'connection', which a recorded request has",
      hint: "record requests with: deskbell requests --since 0 --json", code: 2)
    #expect(throws: failure) { try LintCommand.findings(in: path, followsHandset: false) }
  }

  @Test("The table of findings, and of rules")
  func tables() throws {
    let findings = try LintCommand.findings(in: file(LintTests.bad), followsHandset: false)
    let lines = LintCommand.text(findings).split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasPrefix("REQUEST  RULE  PROVIDER  FAULT AND REMEDY "))
    #expect(
      lines[1] == "1        L105  mailer    A background push has priority '10'. Send apns-priority 5.  "
        + "Apple: Sending notification requests to APNs")
    #expect(LintCommand.text([Finding]()) == "No findings.")
    let rules = LintCommand.text(LintRule.all.map(RuleReport.init)).split(separator: "\n")
    #expect(rules.count == LintRule.all.count + 1 && rules[1].hasPrefix("L101  no-push-type "))
  }

  @Test("Options that contradict, and rules that do not exist")
  func refusals() {
    #expect(end("lint --ignore L1")?.code == 2)
    #expect(end("lint --since -1")?.code == 2)
    #expect(end("lint --handset-clock")?.code == 2)
    #expect(end("lint requests.json --handset-clock --ignore L106,no-id") == nil)
  }
}
