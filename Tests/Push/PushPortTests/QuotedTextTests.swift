// Tests of quoting clients' text: on one line, cut between characters.

import HandsetCore
import Testing

@testable import PushPort

@Suite struct QuotedTextTests {
  @Test(arguments: [
    ("A letter", "'A letter'"), ("", "''"), ("1\r\n2\n3\t4\u{1B}[31m", #"'1\r\n2\n3\t4\u{1B}[31m'"#),
    ("\u{85}\u{2028}\u{2029}\u{0}\u{7F}", #"'\u{0085}\u{2028}\u{2029}\0\u{7F}'"#),
    ("a\u{202E}b\u{2066}\u{61C}\u{200F}e\u{301}", #"'a\u{202E}b\u{2066}\u{061C}\u{200F}"# + "e\u{301}'"),
    (String(repeating: "x", count: 120), "'\(String(repeating: "x", count: 120))'"),
    (String(repeating: "x", count: 121), "'\(String(repeating: "x", count: 120))…'"),
    (String(repeating: "x", count: 119) + "é", "'\(String(repeating: "x", count: 119))…'"),
    // The escaped text counts, not the original.
    (String(repeating: "x", count: 119) + "\n", "'\(String(repeating: "x", count: 119))…'"),
  ])
  func isOnOneLine(text: String, quote: String) {
    #expect(quoted(text) == quote)
  }

  @Test func whatIsNotThereIsAbsent() {
    #expect(quoted(nil as String?) == "absent")
  }

  @Test func ofANameTheBeginning() {
    #expect(shortened("sound\nname") == #"sound\nname"#)
    #expect(shortened(String(repeating: "k", count: 41)) == String(repeating: "k", count: 40) + "…")
  }
}
