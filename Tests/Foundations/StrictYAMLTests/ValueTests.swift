// A scalar has only the meaning that its schema asks for.

import Testing

@testable import StrictYAML

@Suite struct ValueTests {
  @Test(arguments: [("0", 0), ("7", 7), ("-12", -12), ("9223372036854775807", Int.max)])
  func integersAreDecimal(text: String, value: Int) {
    #expect(reading(text) { try $0.integer() } == value)
  }

  @Test(arguments: [
    ("011", "'k' must be a decimal integer: write 11, not '011'"),
    ("0x11", "'k' must be a decimal integer: write 17, not '0x11'"),
    ("-0b11", "'k' must be a decimal integer: write -3, not '-0b11'"),
    ("0o17", "'k' must be a decimal integer: write 15, not '0o17'"),
    ("1_000", "'k' must be a decimal integer: write 1000, not '1_000'"),
    ("+5", "'k' must be a decimal integer: write 5, not '+5'"),
    ("-0", "'k' must be a decimal integer: write 0, not '-0'"),
    ("1.0", "'k' must be an integer from 0 to 7, not '1.0'"),
    ("1e3", "'k' must be an integer from 0 to 7, not '1e3'"),
    ("eight", "'k' must be an integer from 0 to 7, not 'eight'"),
    ("8", "'k' must be an integer from 0 to 7, not 8"),
    ("-1", "'k' must be an integer from 0 to 7, not -1"),
    ("9223372036854775808", "'k' must be an integer from 0 to 7, not 9223372036854775808"),
    ("\"5\"", "'k' must be an integer from 0 to 7: remove the quotation marks around '5'"),
    ("[5]", "'k' must be an integer from 0 to 7, not a sequence"),
    ("{a: 5}", "'k' must be an integer from 0 to 7, not a mapping"),
    ("٥", "'k' must be an integer from 0 to 7, not '٥'"),
  ])
  func otherNotationsOfIntegersAreRefused(text: String, message: String) {
    #expect(complaint(text) { try $0.integer(in: 0...7) } == message)
  }

  @Test(arguments: [("true", true), ("false", false)])
  func booleansAreTwoWords(text: String, value: Bool) {
    #expect(reading(text) { try $0.boolean() } == value)
  }

  @Test(arguments: [
    ("on", "'k' must be true or false: write true, not 'on'"),
    ("yes", "'k' must be true or false: write true, not 'yes'"),
    ("True", "'k' must be true or false: write true, not 'True'"),
    ("1", "'k' must be true or false: write true, not '1'"),
    ("off", "'k' must be true or false: write false, not 'off'"),
    ("NO", "'k' must be true or false: write false, not 'NO'"),
    ("0", "'k' must be true or false: write false, not '0'"),
    ("maybe", "'k' must be true or false, not 'maybe'"),
    ("\"true\"", "'k' must be true or false: remove the quotation marks around 'true'"),
    ("", "'k' must be true or false, not nothing"),
  ])
  func otherBooleansAreRefused(text: String, message: String) {
    let lines = errors("k: \(text)\n") { $0.required("k") { try $0.boolean() } }
    #expect(lines.count == 1 && lines[0].hasSuffix(" \(message)"), "\(lines)")
  }

  @Test func stringsAreTextAsWritten() {
    #expect(reading("on") { try $0.string() } == "on")
    #expect(reading("011") { try $0.string() } == "011")
    #expect(reading("\"\"") { try $0.string(bytes: 0...3) } == "")
    #expect(reading("\"caf\\u00e9\"") { try $0.string(bytes: 5...5) } == "café")
    #expect(reading("|\n  two\n  lines\n") { try $0.string() } == "two\nlines\n")
  }

  @Test(arguments: [
    ("\"\"", "'k' must not be empty"),
    ("a", "'k' must have at least 2 bytes, not 1"),
    ("abcd", "'k' must have at most 3 bytes, not 4"),
    ("[a]", "'k' must be a string, not a sequence; if it is text, put it in quotes: \"[a]\""),
  ])
  func stringsHaveALength(text: String, message: String) {
    #expect(complaint(text) { try $0.string(bytes: 2...3) } == message)
  }

  @Test func aStringPastItsDefaultLimitIsRefused() {
    let longest = String(repeating: "x", count: YAMLLimits.stringBytes)
    #expect(reading(longest) { try $0.string() } == longest)
    #expect(complaint(longest + "x") { try $0.string() } == "'k' must have at most 4096 bytes, not 4097")
  }

  @Test func aValueThatIsMissingIsNoString() {
    #expect(errors("k:\n") { $0.required("k") { try $0.string() } } == ["1:3 'k' must be a string, not nothing"])
  }

  private enum Bias: String, CaseIterable {
    case disabled
    case pullUp = "pull-up"
    case pullDown = "pull-down"
  }

  @Test func choicesNameTheNearestWord() {
    #expect(reading("pull-up") { try $0.choice(Bias.self) } == .pullUp)
    #expect(complaint("pullup") { try $0.choice(Bias.self) } == "'k' cannot be 'pullup', did you mean 'pull-up'?")
    #expect(
      complaint("strong") { try $0.choice(Bias.self) }
        == "'k' must be one of 'disabled', 'pull-up', 'pull-down', not 'strong'")
    #expect(complaint("[a]") { try $0.choice(of: ["a"]) } == "'k' must be one of 'a', not a sequence")
  }

  @Test func whatAMessageQuotesIsShortAndOnOneLine() {
    let long = String(repeating: "x", count: 61)
    #expect(
      complaint(long) { try $0.integer() } == "'k' must be an integer, not '\(String(repeating: "x", count: 60))…'")
    #expect(complaint("\"a\\nb\"") { try $0.choice(of: ["zebra"]) } == "'k' must be one of 'zebra', not 'a\\nb'")
  }
}
