// A ruling is a rule of docs/handset.md and an outcome that happens. The stories named explained-… show them in full.

import Testing

@testable import HandsetCore

@Suite struct RulingTests {
  @Test func everyRulingNamesARuleThatIsDocumentedAsHeld() throws {
    let held = Set(try RuleTableTests.documented().filter(\.isHeld).map(\.rule))
    let named = Ruling.allCases.map(\.rule)
    #expect(Set(named).subtracting(held).sorted() == [])
    // A rule that no ruling names does not belong in the list.
    #expect(Set(Rule.titles.keys).subtracting(named).sorted() == [])
  }

  /// Rulings are stored with spaces between them, and a person distinguishes them by their words.
  @Test func rulingsReadBackAndAreTold() {
    for ruling in Ruling.allCases {
      #expect(Ruling(code: ruling.code) == ruling)
      #expect(!ruling.code.contains(" "))
      #expect(!ruling.outcome.isEmpty && Rule.titles[ruling.rule]?.isEmpty == false)
    }
    #expect(Set(Ruling.allCases.map(\.outcome)).count == Ruling.allCases.count)
    #expect(Set(Rule.titles.values).count == Rule.titles.count)
  }

  @Test func everyOutcomeHappensInAStory() {
    let happened = Story.all.reduce(into: Set<Ruling>()) { $0.formUnion($1.playOnce().rulings) }
    #expect(Set(Ruling.allCases).subtracting(happened).map(\.code).sorted() == [])
  }

  @Test func everyMeaningIsASentenceThatCitesHeldRules() throws {
    let held = Set(try RuleTableTests.documented().filter(\.isHeld).map(\.rule))
    let citation = try Regex("\\b[A-Z][0-9]+\\b")
    let app = AppSettings.Key.allCases.map { AppSettings.meaning(of: $0) }
    let settings = app + HandsetSettings.Key.allCases.map { HandsetSettings.meaning(of: $0) }
    for meaning in settings + Condition.allCases.map(\.meaning) + Event.Name.allCases.map(\.meaning) {
      #expect(meaning.hasSuffix("."))
      #expect(meaning.matches(of: citation).map { String(meaning[$0.range]) }.filter { !held.contains($0) } == [])
    }
  }

  /// Undoing a turn does not affect its rulings, which are the turn's own.
  @Test func aTurnWithoutAPushHasNone() {
    var handset = Handset()
    let now = Moment(uptime: .seconds(1), wall: WallTime(seconds: 1))
    #expect(handset.handle(.setCondition(.offline, true), at: now).rulings == [])
    let refused = RefusedPush(id: Label.push(1), topic: nil, status: 413, reason: "PayloadTooLarge", detail: "")
    #expect(handset.handle(.refused(refused), at: now).rulings == [])
  }
}
