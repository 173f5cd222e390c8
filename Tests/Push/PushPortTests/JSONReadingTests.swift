// Tests of the JSON reader: it follows RFC 8259 exactly, and no text makes it read beyond its own memory.

import HandsetCore
import Testing

@testable import PushPort

/// Returns the problem of a text with `value` as a member's value; nil if it is JSON.
private func problem(_ value: [UInt8], depth: Int = 32) -> MalformedJSON? {
  problem(text: Array(#"{"x":"#.utf8) + value + Array("}".utf8), depth: depth)
}

private func problem(_ value: String) -> MalformedJSON? { problem(Array(value.utf8)) }

private func problem(text: [UInt8], depth: Int = 32) -> MalformedJSON? {
  do throws(MalformedJSON) {
    try JSONObject.read(text, depth: depth) { _ in }
    return nil
  } catch {
    return error
  }
}

private enum Names: String, CaseIterable, Sendable {
  case x, y
  case empty = ""
  case long = "a-name-of-many-letters"
}

/// Returns the result of `body` for the element read from `value`.
private func read<Result>(_ value: String, _ body: (JSONElement?) -> Result) throws -> Result {
  try JSONObject.read(Array("{\"x\":\(value)}".utf8), depth: 32) { body($0.members(JSONNames<Names>()).known[.x]) }
}

@Suite("JSON")
struct JSONReadingTests {
  @Test(
    "What is JSON",
    arguments: [
      "null", "true", "false", "0", "-0", "1", "-1", "10", "1.5", "0.0", "-0.5", "1e0", "1E+5", "1e-5", "0e00",
      "1.25e10",
      "1e400", "-1e400", "1e-400", "0.1e999999999999999999999", "123456789012345678901234567890",
      "-9223372036854775809", "3.14159265358979323846264338327950288419716939937510", "\"\"", "\"a\"", "\"\u{7F}\"",
      #""\"\\\/\b\f\n\r\t""#, #""\u0000""#, #""\u00e9\uD83D\uDE00\uFFFF""#, "\"\u{E9}\u{1F600}\u{10FFFF}\u{2028}\"",
      "[]", "[ ]", "[1,2 ,3]", "[ true , null\t]", "[[],{}]", "{}", "{ }", #"{"a":{"a":[{"a":null}]}}"#, #"{"":0}"#,
      #"{"a":1,"a":2}"#,
      " \t\r\n1 \t\r\n",
    ])
  func good(_ value: String) {
    #expect(problem(value) == nil)
  }

  @Test(
    "What is not",
    arguments: [
      "", " ", "x", "nul", "nulll", "Null", "TRUE", "tru", "truex", "true false", "NaN", "Infinity", "-Infinity", "inf",
      "undefined", "+1", "-", "--1", "- 1", "01", "-01", "00", "1.", ".5", "-.5", "1.e5", "1e", "1e+", "1E-", "1e1.5",
      "1.5.5", "0x1F", "1_000", "1,000", "1 000", "1a", "1\u{FF11}", "'a'", "\"", "\"a", #""\""#, #""\a""#, #""\x41""#,
      #""\u12""#, #""\u12G4""#, #""\u+123""#, #""\ud800""#, #""\udc00""#, #""\ud800\u0041""#, #""\ud800x""#,
      #""\udc00\ud800""#, "\"\t\"", "\"\n\"", "\"\u{0}\"", "\"\u{1F}\"", "[", "]", "[1", "[1,", "[,", "[,1]", "[1,]",
      "[1,,2]", "[1 2]", "[1;2]", "[1}", "[\"a\":1]", "{", "{1:2}", "{a:1}", "{'a':1}", "{\"a\"}", "{\"a\":}",
      "{\"a\" 1}", "{\"a\"::1}", "{\"a\":1,}", "{,}", "{\"a\":1 \"b\":2}", "{\"a\":1]", "{\"a\",\"b\":1}", "{null:1}",
      "{\"a\":1,,\"b\":2}", "{\"a\":\"b\":1}", "/*c*/1", "1//c", "1 #c", "1\u{0}", "1 \u{0}", "null\u{0}",
      "[1\u{0}]", "\"a\"\u{0}", "\u{0}1", "1\u{B}", "1\u{C}", "1\u{A0}", "\u{FEFF}1",
      "\u{2028}1", "1}", "1]", "\"a\"\"b\"", "{}{}", "{}[]", "[]1",
    ])
  func bad(_ value: String) {
    #expect(problem(value) == .grammar)
  }

  @Test(
    "What is no UTF-8",
    arguments: [
      [0xFF], [0xFE], [0x80], [0xC3], [0xC3, 0x28], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0xAF],
      [0xF0, 0x80, 0x80, 0xAF],
      [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xE2, 0x82],
    ] as [[UInt8]])
  func encoding(_ bytes: [UInt8]) {
    #expect(problem(Array("\"".utf8) + bytes + Array("\"".utf8)) == .notUTF8)
    #expect(problem(text: Array("{\"".utf8) + bytes + Array("\":1}".utf8)) == .notUTF8)
  }

  @Test(
    "The whole text is one object",
    arguments: [
      ("", .grammar), (" ", .grammar), ("{}", nil), (" {} \n", nil), ("[]", .notObject), ("1", .notObject),
      ("\"x\"", .notObject), ("null", .notObject), ("true", .notObject), ("{} x", .grammar), ("{}{}", .grammar),
      ("{},", .grammar), ("{}}", .grammar), ("{", .grammar), ("}", .grammar), ("\u{FEFF}{}", .grammar),
      ("{}\u{0}", .grammar), ("{}\u{FEFF}", .grammar), ("x", .grammar),
    ] as [(String, MalformedJSON?)])
  func whole(_ text: String, _ expected: MalformedJSON?) {
    #expect(problem(text: Array(text.utf8)) == expected)
  }

  @Test("UTF-16 and UTF-32 are not JSON on the network [RFC 8259, 8.1]")
  func otherEncodings() {
    let text = "{\"x\":1}"
    #expect(problem(text: text.utf16.flatMap { [UInt8($0), 0] }) == .grammar)
    #expect(problem(text: text.utf16.flatMap { [0, UInt8($0)] }) != nil)
    #expect(problem(text: text.unicodeScalars.flatMap { [UInt8($0.value), 0, 0, 0] }) == .grammar)
    #expect(problem(text: [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0), 0] }) != nil)
  }

  @Test("One level more than are allowed, of each kind, closed and not")
  func depth() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
      func nested(_ count: Int) -> [UInt8] {
        Array((String(repeating: open, count: count) + "1" + String(repeating: close, count: count)).utf8)
      }
      #expect(problem(nested(31)) == nil)
      #expect(problem(nested(32)) == .tooDeep)
      #expect(problem(nested(2), depth: 3) == nil)
      #expect(problem(nested(3), depth: 3) == .tooDeep)
      #expect(problem(nested(20_000)) == .tooDeep)
      #expect(problem(Array(String(repeating: open, count: 20_000).utf8)) != nil)
    }
  }

  @Test("Numbers are exact where they are of 64 bits, and near where they are not")
  func numbers() throws {
    for number in [Int64.min, .min + 1, -1, 0, 1, 1 << 53 + 1, .max - 1, .max] {
      #expect(try read("\(number)") { $0?.integer } == number)
    }
    #expect(try read("9223372036854775808") { $0?.integer } == nil)
    #expect(try read("-9223372036854775809") { $0?.integer } == nil)
    #expect(try read("18446744073709551616") { $0?.double } == 18_446_744_073_709_551_616)
    #expect(try read("2.0") { $0?.integer } == 2)
    #expect(try read("0.1") { $0?.double } == 0.1)
    #expect(try read("1e400") { $0?.double } == .infinity)
    #expect(try read("1e-400") { $0?.double } == 0)
    #expect(try read("\"1\"") { $0?.integer } == nil)
    #expect(try read("123456789012345678901234567890") { $0?.quote } == "123456789012345678901234567890")
    #expect(try read("-1.50") { $0?.quote } == "-1.50")
  }

  @Test("Strings come without their escapes")
  func strings() throws {
    #expect(try read(#""a\u0000\n\ud83d\ude00\/é""#) { $0?.string } == "a\u{0}\n\u{1F600}/é")
    #expect(try read("\"\"") { $0?.string } == "")
    #expect(try read("1") { $0?.string } == nil)
  }

  @Test("Members are found by their names without escapes, the first of each; what is beside them is passed by")
  func members() throws {
    let text =
      #"{"z":[{"x":1},[2]],"\u0078":{"x":[3,[4]]},"x":5,"":6,"y":null,"a-name-of-many-letters":[7,{"b":8},9],"q":0}"#
    try JSONObject.read(Array(text.utf8), depth: 32) { object in
      let (known, unknown) = object.members(JSONNames<Names>(), unknown: 9)
      #expect(known[.x]?.object?.members(JSONNames<Names>()).known[.x]?.array?.count == 2)
      #expect(known[.empty]?.integer == 6)
      #expect(known[.y]?.isNull == true)
      #expect(known[.long]?.array?.map(\.kindName) == ["a number", "an object", "a number"])
      #expect(unknown.map(\.name) == ["z", "q"])
      #expect(object.members(JSONNames<Names>(), unknown: 1).unknown.map(\.name) == ["z"])
    }
  }

  @Test("Every beginning of a text is read to its own end and no further, and refused")
  func prefixes() {
    let text = Array(
      #"{"aps":{"alert":{"title":"Tür 🔔","loc-args":["\u00e4",null,true]},"badge":-12.5e3},"x":[1,{}]}"#.utf8)
    #expect(problem(text: text) == nil)
    for count in 0..<text.count {
      // A separate array, so that the address sanitizer detects its end.
      #expect(problem(text: Array(text.prefix(count))) != nil, "\(count)")
    }
  }

  @Test("As many values as a text can have find room, whatever was read before")
  func capacity() throws {
    for count in [1, 10, 1_000, 2_500, 20_000, 3] {
      let numbers = String(repeating: "1,", count: count - 1) + "1"
      #expect(try read("[\(numbers)]") { $0?.array?.count } == count)
      let members = String(repeating: "\"\":0,", count: count - 1) + "\"\":0"
      #expect(try read("{\(members)}") { $0?.object?.members(JSONNames<Names>()).known.all.count } == 1)
    }
  }

  @Test("Threads read at the same time, each its own text")
  func threads() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          for turn in 0..<200 {
            let text = "[\(String(repeating: "\(number),", count: turn))\(number)]"
            let sum = try read(text) { $0?.array?.reduce(0) { $0 + ($1.integer ?? -1) } }
            #expect(sum == Int64(number * (turn + 1)))
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
