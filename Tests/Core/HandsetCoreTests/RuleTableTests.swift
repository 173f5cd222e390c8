// docs/handset.md names the tests of each rule. This compares its table with the stories and tests that cite the rules,
// so that the table stays true. UPDATE_RULES=1 rewrites its last column.

import Foundation
import Testing

@Suite struct RuleTableTests {
  /// Returns the rules of docs/handset.md, each with a flag that says whether it is implemented.
  static func documented() throws -> [(rule: String, isHeld: Bool)] {
    try String(contentsOf: document, encoding: .utf8).split(separator: "\n").compactMap(rows).map {
      ($0.rule, $0.columns.count == 3)
    }
  }

  @Test func everyRuleThatAStoryCitesIsOneThatIsHeld() throws {
    let held = Set(try RuleTableTests.documented().filter(\.isHeld).map(\.rule))
    for story in Story.all { #expect(story.rules.filter { !held.contains($0) } == [], "\(story.file)") }
  }

  /// All rules: each letter with the number of its rules.
  private static let rules: Set<String> = Set(
    [
      ("R", 4), ("S", 6), ("B", 6), ("N", 19), ("A", 6), ("U", 10), ("F", 4), ("L", 4), ("D", 4), ("P", 1), ("T", 4),
      ("X", 1), ("Q", 4), ("LA", 9),
    ].flatMap {
      letter, count in (1...count).map { "\(letter)\($0)" }
    })

  private static let tests = Story.folder.deletingLastPathComponent().deletingLastPathComponent()
  private static let document = tests.deletingLastPathComponent().appendingPathComponent("docs/handset.md")

  /// Returns the rows of a line. Rows of three columns are implemented rules; rows of two are not built yet.
  private static func rows(of line: Substring) -> (rule: String, columns: [String])? {
    let columns = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
      .map { $0.trimmingCharacters(in: .whitespaces) }
    guard let rule = columns.first, rules.contains(rule) else { return nil }
    return (rule, columns)
  }

  /// Returns the stories that cite the rule; if there are none, because the rule is not the core's, the tests that do.
  private static func holders(of rule: String) throws -> [String] {
    let stories = Story.all.filter { $0.rules.contains(rule) }
    if !stories.isEmpty { return stories.map { String($0.file.dropLast(".story".count)) } }
    let citation = try Regex("\\b\(rule)\\b")
    let folders = contents(of: tests).flatMap(contents).filter { $0.lastPathComponent.hasSuffix("Tests") }
    return try folders.flatMap(contents).filter { file in
      guard file.pathExtension == "swift", !file.lastPathComponent.hasPrefix("Rule") else { return false }
      return try String(contentsOf: file, encoding: .utf8).contains(citation)
    }.map { "\($0.deletingLastPathComponent().lastPathComponent)/\($0.deletingPathExtension().lastPathComponent)" }
      .sorted()
  }

  /// Returns what is in the folder; empty if it is none.
  private static func contents(of folder: URL) -> [URL] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (names ?? []).map { folder.appendingPathComponent($0) }
  }

  @Test func everyRuleIsHeldOrSaidNotToBe() throws {
    let text = try String(contentsOf: RuleTableTests.document, encoding: .utf8)
    var listed: [String] = []
    var lines: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard let (rule, columns) = RuleTableTests.rows(of: line) else {
        lines.append(String(line))
        continue
      }
      listed.append(rule)
      guard columns.count == 3 else {
        lines.append(String(line))
        continue
      }
      let holders = try RuleTableTests.holders(of: rule)
      #expect(!holders.isEmpty, "nothing holds \(rule)")
      lines.append("| \(rule) | \(columns[1]) | \(holders.map { "`\($0)`" }.joined(separator: ", ")) |")
    }
    #expect(listed.count == Set(listed).count, "a rule stands twice")
    #expect(RuleTableTests.rules.subtracting(listed).sorted() == [], "rules that the document does not have")
    let updated = lines.joined(separator: "\n")
    if ProcessInfo.processInfo.environment["UPDATE_RULES"] == "1" {
      try updated.write(to: RuleTableTests.document, atomically: true, encoding: .utf8)
    } else {
      #expect(
        text == updated, "docs/handset.md is not up to date: run the tests with UPDATE_RULES=1 and read its changes")
    }
  }
}
