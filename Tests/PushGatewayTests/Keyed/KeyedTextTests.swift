// Texts as clients with access keys write them: trimmed, cut, decoded.

import HandsetCore
import Testing

@testable import PushGateway

@Suite("Texts with access keys")
struct KeyedTextTests {
  @Test("Words in RFC 2047, in base64 and quoted-printable; what is no such word stays")
  func encodedFields() {
    #expect(decodedWords("=?UTF-8?B?R3LDvMOfZQ==?= da") == "Grüße da")
    #expect(decodedWords("=?utf-8?q?Gr=C3=BC=C3=9Fe_da?=") == "Grüße da")
    #expect(decodedWords("=?utf-8?q?a?= =?utf-8?q?b?=") == "ab")
    // Past one that is none.
    #expect(decodedWords("=?utf-8?b?!?= =?utf-8?q?a?=") == "=?utf-8?b?!?= a")
    #expect(decodedWords("=?latin1?q?b?= =?=?utf-8?q?a?= ü") == "=?latin1?q?b?= =?a ü")
    for text in ["=?", "=?utf-8?", "=?latin1?q?a?=", "=?utf-8?x?a?=", "=?utf-8?b?!?=", "=?utf-8?q?=F?=", "a=?b?=c"] {
      #expect(decodedWords(text) == text)
    }
  }

  @Test("A delay's text has a limit")
  func delayText() {
    let longest = String(repeating: "0s", count: 30) + "010s"
    #expect(longest.utf8.count == NtfyDelay.textLimit)
    #expect(NtfyDelay.parse(longest) == .seconds(10))
    #expect(NtfyDelay.parse("0" + longest) == nil)
  }

  @Test("Texts are trimmed and cut by bytes, between letters as far as there are any")
  func texts() {
    #expect(" \n\u{3000}\u{85} a b\u{A0}\r\n".trimmingWhitespace == "a b")
    #expect("\t a\n ".trimmingSpaces == "a\n")
    #expect("   ".trimmingSpaces == "")
    let flag = "\u{1F1E9}\u{1F1EA}"
    #expect((flag + flag).trimmingWhitespace == flag + flag)
    for (text, bytes, kept) in [
      ("abc", 3, "abc"), ("abc", 2, "ab"), ("a€", 3, "a"), (flag + flag, 15, flag), (flag + flag, 16, flag + flag),
      ("ae\u{301}", 3, "a"), ("a\r\nb", 2, "a"), ("e\u{301}\u{301}", 4, "e\u{301}"), ("abc", 0, ""),
    ] { #expect(text.prefix(bytes: bytes) == kept, "\(text) \(bytes)") }
  }
}
