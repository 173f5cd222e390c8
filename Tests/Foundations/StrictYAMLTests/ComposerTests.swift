// YAML's features beyond mappings, sequences and scalars are refused, and nothing costs more than its limit.

import Foundation
import Testing

@testable import StrictYAML

private let quotes = "; if it is text, put it in quotes:"

@Suite struct ComposerTests {
  @Test(
    "A value that needs quotes is shown in quotes, at its line",
    arguments: [
      ("# a\nlisten: *:2197", 2, #"listen: "*:2197""#), ("tls-names: [a.b, *.example.org]", 1, #""*.example.org""#),
      ("tls-names: [ *.example.org, a.b ]", 1, #""*.example.org""#), ("tls-names:\n  - *.a.b", 2, #""*.a.b""#),
      ("- [ &a ]", 1, #""&a""#), ("title: @home # here", 1, #"title: "@home""#), ("to: %20", 1, #"to: "%20""#),
      ("duck: { element: @x, to: 20% }", 1, #"element: "@x""#), ("duck: {to: %20}", 1, #"to: "%20""#),
      ("text: `x`", 1, #"text: "`x`""#), ("text: !important", 1, #"text: "!important""#),
      ("text: & more", 1, #"text: "& more""#), ("text: !", 1, #"text: "!""#),
      ("text: Alarm: the door", 1, #"text: "Alarm: the door""#), ("listen: [::]:2197", 1, #"listen: "[::]:2197""#),
      ("text: {title} again", 1, #"text: "{title} again""#), ("text: @\"x\"", 1, #"text: '@"x"'"#),
      ("speaker: {pcm: plughw:1,0}", 1, #"pcm: "plughw:1,0""#), ("speaker: { pcm: hw:1,0,2 }", 1, #"pcm: "hw:1,0,2""#),
      ("speaker: { pcm: hw:1,0, wav: x }", 1, #"pcm: "hw:1,0""#), ("text: |x", 1, #"text: "|x""#),
    ])
  func quoting(text: String, line: Int, advice: String) {
    let errors = syntaxErrors(text + "\n")
    #expect(errors.count == 1 && errors[0].hasPrefix("\(line):"), "\(errors)")
    #expect(errors[0].hasSuffix("\(quotes) \(advice)"), "\(errors)")
  }

  @Test(
    "Quotes are not advised where they would not help",
    arguments: ["a: [b, c", "a: \"x", "a: 'it's'", "a: {b: [1}", "a:\n  b: 1\n c: 2", "a: \"x\" y"])
  func noQuoting(text: String) {
    let errors = syntaxErrors(text + "\n")
    #expect(errors.count == 1 && !errors[0].contains("quotes"), "\(errors)")
  }

  @Test("A text that begins with a bracket is a mapping or a list, and needs quotes")
  func brackets() {
    let read: (YAMLNode) throws -> String = { try $0.string() }
    #expect(complaint("{title}", read) == "'k' must be a string, not a mapping\(quotes) \"{title}\"")
    #expect(complaint("[ok]", read) == "'k' must be a string, not a sequence\(quotes) \"[ok]\"")
    #expect(complaint("{a: b}", read) == "'k' must be a string, not a mapping")
  }

  @Test(arguments: [
    ("a: &x 1\n", "1:4 anchors are not supported: remove '&x' and write the value out\(quotes) a: \"&x 1\""),
    ("a: *x\n", "1:4 aliases are not supported: write the value out instead of '*x'\(quotes) a: \"*x\""),
    ("a: !!int 1\n", "1:4 tags are not supported: remove 'tag:yaml.org,2002:int'\(quotes) a: \"!!int 1\""),
    ("a: !led {b: 1}\n", "1:4 tags are not supported: remove '!led'\(quotes) a: \"!led {b: 1}\""),
    ("%TAG ! tag:example.com,2026:\n---\na: 1\n", "1:1 tags are not supported: remove the %TAG directive"),
    ("a: 1\n---\nb: 2\n", "2:1 a second document begins here: expected exactly one"),
    ("a: 1\nb: 2\na: 3\n", "3:1 key 'a' stands twice in this mapping, first on line 1"),
    ("\"a\": 1\na: 3\n", "2:1 key 'a' stands twice in this mapping, first on line 1"),
    ("? [a, b]\n: 1\n", "1:3 a key must be a word, not a sequence"),
    ("\"\": 1\n", "1:1 a key is empty"),
    ("a: \"x\\0y\"\n", "1:4 'a' contains a NUL character"),
    ("a: 1\n\tb: 2\n", "2:1 a tab stands where YAML wants spaces"),
    ("a: b: c\n", "1:5 mapping values are not allowed in this context\(quotes) a: \"b: c\""),
    ("", "1:1 the file is empty: expected a mapping (key: value)"),
    ("# nothing\n", "1:1 the file is empty: expected a mapping (key: value)"),
  ])
  func isRefused(text: String, line: String) {
    #expect(syntaxErrors(text) == [line])
  }

  @Test func bytesThatAreNotUTF8AreRefusedAtTheirPlace() {
    #expect(syntaxErrors(Array("a: 1\né: ".utf8) + [0xC3, 0x28]) == ["2:5 not UTF-8: invalid trailing UTF-8 octet"])
    // An overlong slash, a surrogate, and a UTF-16 byte order mark.
    #expect(syntaxErrors([0xC0, 0xAF]).count == 1)
    #expect(syntaxErrors([0xED, 0xA0, 0x80]).count == 1)
    #expect(syntaxErrors([0xFF, 0xFE, 0x61, 0x00]).count == 1)
    #expect(syntaxErrors([0x61, 0x3A, 0x20, 0x07]) == ["1:4 control characters are not allowed"])
  }

  @Test func severalRefusalsComeTogether() {
    #expect(syntaxErrors("a: &x 1\nb: *x\nb: 1\n").count == 3)
  }

  @Test func positionsCountCharactersFromOne() throws {
    let root = try YAMLDocument.parse(Array("\u{FEFF}é: {ü: [1, 2]}\n".utf8), file: "f").root
    guard case .mapping(let entries) = root.content, case .mapping(let inner) = entries[0].value.content,
      case .sequence(let items) = inner[0].value.content
    else {
      Issue.record("\(root)")
      return
    }
    #expect(entries[0].keyPosition.description == "f:1:1")
    #expect(inner[0].keyPosition.description == "f:1:5")
    #expect(items[1].position.description == "f:1:12")
    #expect(items[1].subject == "item 2 of 'ü'")
  }

  @Test func aFileMayBeEmptyWhereEveryKeyIsOptional() throws {
    for text in ["", "# all defaults\n", "---\n", "{}"] {
      let document = try YAMLDocument.parse(Array(text.utf8), file: "deskbell.yaml", emptyAsMapping: true)
      #expect(try document.decode { $0.optional("port", default: 2197) { try $0.integer() } } == 2197)
    }
  }

  @Test func sizeIsBounded() {
    let limits = YAMLLimits(bytes: 10)
    #expect(syntaxErrors("a: 3456789", limits: limits) == [])
    #expect(syntaxErrors("a: 34567890", limits: limits) == ["1:1 the file is larger than 10 bytes"])
  }

  @Test func depthIsBounded() {
    func nested(_ levels: Int) -> String {
      String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }
    let limit = YAMLLimits().depth
    #expect(syntaxErrors(nested(limit)) == [])
    #expect(syntaxErrors(nested(limit + 1)) == ["1:33 nested more than 32 levels deep"])
    // Hostile depth costs no more: the reading ends at the limit.
    #expect(syntaxErrors(String(repeating: "[", count: 500_000)) == ["1:33 nested more than 32 levels deep"])
  }

  @Test func theNumberOfValuesIsBounded() {
    let limits = YAMLLimits(nodes: 5)
    #expect(syntaxErrors("a: [1, 2]\n", limits: limits) == [])
    #expect(syntaxErrors("a: [1, 2, 3]\n", limits: limits) == ["1:11 the file has more than 5 values"])
  }

  @Test func filesAreReadByPath() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "strict-yaml-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "board.yaml").path
    try Data("name: desk\n".utf8).write(to: URL(filePath: file))

    let document = try YAMLDocument.parse(contentsOf: file)
    #expect(try document.decode { $0.required("name") { try $0.string() } } == "desk")

    func reason(_ path: String, limits: YAMLLimits = YAMLLimits()) -> String {
      do {
        _ = try YAMLDocument.parse(contentsOf: path, limits: limits)
        return ""
      } catch {
        return error.description
      }
    }
    #expect(reason(file + "x") == "\(file)x:1:1: error: cannot be read: No such file or directory")
    #expect(reason(folder.path) == "\(folder.path):1:1: error: cannot be read: not a regular file")
    #expect(reason(file, limits: YAMLLimits(bytes: 11)) == "")
    #expect(reason(file, limits: YAMLLimits(bytes: 10)) == "\(file):1:1: error: the file is larger than 10 bytes")
  }
}
