// The intended word, or none: a wrong guess is worse than a list.

import Testing

@testable import StrictYAML

@Suite struct NearestNameTests {
  @Test(arguments: [
    ("pni", "pin"), ("PIN", "pin"), ("brigtness", "brightness"), ("active_low", "active-low"), ("digit", "digits"),
    ("birghtenss", "brightness"),
  ])
  func near(word: String, name: String) {
    #expect(nearest(word, among: ["pin", "digits", "brightness", "active-low"]) == name)
  }

  @Test(arguments: ["xyz", "", "colour", "p", "brght-nxss-"])
  func far(word: String) {
    #expect(nearest(word, among: ["pin", "digits", "brightness", "active-low"]) == nil)
  }

  @Test func ofEquallyNearNamesTheFirstWins() {
    #expect(nearest("led3", among: ["led1", "led2"]) == "led1")
    #expect(nearest("led2", among: ["led1", "led2"]) == "led2")
  }

  @Test(
    arguments: [
      ("tm1638", nil), ("tm1673", "tm1637"), ("74hc164", nil), ("max7221", nil), ("tn1637", "tm1637"),
      ("TM-1637", "tm1637"),
      ("74hc595.", "74hc595"), ("max-7219", "max7219"),
    ] as [(String, String?)])
  func anotherPartNumberIsAnotherPart(word: String, name: String?) {
    #expect(nearest(word, among: ["tm1637", "max7219", "74hc595", "none"]) == name)
  }

  @Test func oneLetterForAnotherIsAnotherWord() {
    #expect(nearest("a", among: ["b"]) == nil)
  }

  @Test func longWordsAreNotCompared() {
    let name = String(repeating: "x", count: YAMLLimits.comparedScalars)
    #expect(nearest(name.dropLast() + "y", among: [name]) == name)
    #expect(nearest(name + "x", among: [name]) == nil)
  }
}
