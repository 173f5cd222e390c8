// Every rule that is due is held by a story that cites it; a rule that no list knows is a slip of the pen.

import Testing

@Suite struct RuleCoverageTests {
  /// What the handset holds so far.
  static let due: Set<String> = [
    "R1", "R2", "R3", "R4", "S1", "S2", "S3", "S4", "S5", "S6", "B1", "B2", "B3", "B4", "B5", "B6",
    "N1", "N2", "N3", "N4", "N5", "N6", "N7", "N8", "N9", "N10", "A1", "A4", "D1", "D2", "D3", "D4", "L1", "L2", "L3",
    "U1", "U2", "U3", "U4", "U5", "U6", "U7", "U8", "U9", "U10", "F1", "F2", "F3",
  ]
  /// Rules of which a story shows a part, before all of it is built.
  static let begun: Set<String> = []

  @Test func everyRuleThatIsDueIsCitedByAStory() throws {
    let cited = Set(try Story.files.flatMap { try Story(file: $0).rules })
    #expect(RuleCoverageTests.due.subtracting(cited).sorted() == [])
  }

  @Test(arguments: Story.files)
  func everyRuleThatAStoryCitesIsKnown(file: String) throws {
    let known = RuleCoverageTests.due.union(RuleCoverageTests.begun)
    #expect(try Story(file: file).rules.filter { !known.contains($0) } == [])
  }
}
