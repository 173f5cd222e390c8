import HTTP
import Testing

@Suite("Faults of JSON")
struct JSONFaultTests {
  @Test(
    "The place of a fault, and the expected token",
    arguments: [
      ("{\"a\": 1,,}", "line 1, column 9: expected a name in double quotes, found ','"),
      ("{\"a\": x}", "line 1, column 7: expected a value, found 'x'"),
      ("{\"ü\":1\n\"b\":2}", "line 2, column 1: expected ',' or '}', found '\"'"),
      ("[1 2]", "line 1, column 4: expected ',' or ']', found '2'"),
      ("[1,]", "line 1, column 4: expected a value, found ']'"),
      ("{'a':1}", "line 1, column 2: expected a name in double quotes or '}', found '''"),
      ("{\"a\" 1}", "line 1, column 6: expected ':', found '1'"),
      ("{\"a\":01}", "line 1, column 7: expected ',' or '}', found '1'"),
      ("{} x", "line 1, column 4: expected the end, found 'x'"),
      ("{\"a\":{", "line 1, column 7: expected a name in double quotes or '}', but the text ends"),
      ("{\"a\":\"x", "line 1, column 6: expected a quotation mark at the string's end, but the text ends"),
      ("{\"a\":\"\n\"}", "line 1, column 7: expected an escape such as \\n in a string, found U+A"),
      (#"{"a":"\x"}"#, #"line 1, column 8: expected one of "\/bfnrtu after the backslash, found 'x'"#),
      (#"{"a":"\u12G4"}"#, #"line 1, column 11: expected four hexadecimal digits after \u, found 'G'"#),
      ("\u{FEFF}{}", "line 1, column 1: expected a value, found a byte order mark"),
      ("", "line 1, column 1: expected a value, but the text ends"),
    ])
  func place(_ text: String, _ fault: String) {
    #expect(JSONFault(in: Array(text.utf8))?.description == fault)
  }

  @Test(
    "JSON has none",
    arguments: [
      "{}", " [] ", "-0.5e+10", #"{"a":[1,2,{"b":null}],"c":"\ud83d\ude00\n","":true}"#, "\"\u{1F600}\"",
      String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000),
    ])
  func none(_ text: String) {
    #expect(JSONFault(in: Array(text.utf8)) == nil)
  }

  @Test(
    "Numbers, words and surrogates that are not JSON",
    arguments: ["1.", "-", "1e", ".5", "+1", #""\ud800""#, #""\udc00""#, "nul"])
  func wrong(_ text: String) {
    #expect(JSONFault(in: Array(text.utf8)) != nil)
  }
}
