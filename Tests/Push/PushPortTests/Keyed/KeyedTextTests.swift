// Tests of texts from clients with access keys: trimmed, cut, decoded.

import HandsetCore
import Testing

@testable import PushPort

@Suite("Texts with access keys")
struct KeyedTextTests {
  @Test("Words in RFC 2047, in base64 and quoted-printable; what is no such word stays")
  func encodedFields() {
    #expect(decodedWords("=?UTF-8?B?R3LDvMOfZQ==?= da") == "Grüße da")
    #expect(decodedWords("=?utf-8?q?Gr=C3=BC=C3=9Fe_da?=") == "Grüße da")
    #expect(decodedWords("=?utf-8?q?a?= =?utf-8?q?b?=") == "ab")
    // After an invalid encoded word, the next one is decoded.
    #expect(decodedWords("=?utf-8?b?!?= =?utf-8?q?a?=") == "=?utf-8?b?!?= a")
    #expect(decodedWords("=?none?q?b?= =?=?utf-8?q?a?= ü") == "=?none?q?b?= =?a ü")
    for text in [
      "=?", "=?utf-8?", "=?none?q?a?=", "=?../x?q?a?=", "=?utf-8?x?a?=", "=?utf-8?b?!?=", "=?utf-8?q?=F?=", "a=?b?=c",
    ] {
      #expect(decodedWords(text) == text)
    }
  }

  @Test(
    "Words in any character set that iconv reads",
    arguments: [
      ("=?ISO-8859-1?Q?T=FCr?=", "Tür"), ("=?latin1?b?VPxy?=", "Tür"), ("=?windows-1252?Q?=80_5?=", "€ 5"),
      ("=?ISO-8859-15?Q?=A4?=", "€"), ("=?koi8-r?B?8NLJ18XU?=", "Привет"), ("=?windows-1251?Q?=CF=F0?=", "Пр"),
      ("=?ISO-2022-JP?B?GyRCRnxLXBsoQg==?=", "日本"), ("=?Shift_JIS?B?k/qWew==?=", "日本"),
      ("=?EUC-JP?Q?=C6=FC=CB=DC?=", "日本"), ("=?GB2312?B?xOO6ww==?=", "你好"), ("=?gb18030?B?xOO6ww==?=", "你好"),
      ("=?Big5?B?p0Gmbg==?=", "你好"), ("=?EUC-KR?B?vsiz5w==?=", "안녕"), ("=?utf-16be?B?AFQA/AByAA==?=", nil),
      ("=?utf-16be?B?AFQA/ABy?=", "Tür"), ("=?us-ascii?Q?a?=", "a"), ("=?utf-8*de?Q?T=C3=BCr?=", "Tür"),
      ("=?ISO-8859-1?Q?T=FC?=\t=?utf-8?Q?r?=", "Tür"), ("=?utf-8?Q?T=C3?= =?utf-8?Q?=BCr?=", "Tür"),
      ("a =?utf-8?Q?=FF?= =?utf-8?Q?b?=", "a =?utf-8?Q?=FF?=b"), ("=?utf-8?B?VMO8cg?=", "Tür"),
      ("=?utf-8?Q?=+1?=", nil),
    ] as [(String, String?)])
  func characterSets(_ row: (field: String, text: String?)) {
    #expect(decodedWords(row.field) == row.text ?? row.field)
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
