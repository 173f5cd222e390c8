// Requests that are designed to cost as much as possible, in the form of the fuzzing targets. A test compares each with
// a plain request of the same form and size.

import HandsetCore

/// An input of a target, and a plain one of the same form and size.
public struct WorstCase: Sendable, CustomStringConvertible {
  public let target: FuzzTarget
  public let description: String
  public let bytes: [UInt8]
  public let plain: [UInt8]

  public static let all: [WorstCase] =
    Form.all.flatMap { form in
      let texts = Piece.texts.map { ($0.name, repeated($0.unit, form.room)) }
      return (texts + form.more).map { name, content in
        WorstCase(
          target: form.target, description: "\(form.name): \(name)", bytes: form.make(content),
          plain: form.make(String(repeating: "x", count: content.utf8.count)))
      }
    } + keyedStructures
}

/// A unit that a text repeats.
private struct Piece {
  let name: String
  let unit: String

  static let texts = [
    Piece(name: "letters", unit: "x"), Piece(name: "flags", unit: "\u{1F1E9}\u{1F1EA}"),
    Piece(name: "halves of flags", unit: "\u{1F1E9}"), Piece(name: "accents", unit: "e\u{301}"),
    Piece(name: "one letter of marks", unit: "\u{301}"),
    Piece(name: "marks out of order", unit: "\u{315}\u{300}\u{5AE}"),
    Piece(name: "joined emoji", unit: "\u{1F468}\u{200D}"), Piece(name: "Hangul jamo", unit: "\u{1100}"),
    Piece(name: "Hangul syllables", unit: "\u{1100}\u{1161}\u{11A8}"), Piece(name: "conjuncts", unit: "\u{915}\u{94D}"),
    Piece(name: "prepended signs", unit: "\u{600}"), Piece(name: "selectors", unit: "\u{2764}\u{FE0F}"),
    Piece(name: "letters that grow", unit: "\u{130}"), Piece(name: "ligatures", unit: "\u{FDFA}"),
    Piece(name: "spaces", unit: " "), Piece(name: "wide spaces", unit: "\u{3000}"),
    Piece(name: "accented spaces", unit: " \u{301}"), Piece(name: "commas", unit: ","),
    Piece(name: "listed letters", unit: "a,"), Piece(name: "escaped line ends", unit: "\\n"),
    Piece(name: "quotation marks", unit: "'"), Piece(name: "braces", unit: "{{"),
  ]
}

private func repeated(_ unit: String, _ room: Int) -> String {
  String(repeating: unit, count: room / unit.utf8.count)
}

/// A request around a text.
private struct Form {
  var name: String
  var target = FuzzTarget.keyedRequest
  /// The space for the text, in bytes.
  var room = Form.large
  /// Additional texts for this form only.
  var more: [(String, String)] = []
  var make: @Sendable (String) -> [UInt8]

  /// The largest body without the parts around its text, and the space in header fields and paths.
  static let large = 256 * 1024 - 512
  static let small = 7_000

  static let all = ntfy + gotify + hooks + apns + service2008

  private static func inField(_ name: String) -> @Sendable (String) -> [UInt8] {
    { keyed("POST /parcels", ["Authorization: Bearer tk_parcels", "\(name): \($0)"], "x") }
  }

  private static func json(_ name: String, _ value: @escaping @Sendable (String) -> String) -> Form {
    Form(name: "ntfy, \(name) in JSON") {
      keyed(
        "POST /", ["Authorization: Bearer tk_parcels"],
        #"{"topic":"parcels","message":"x","\#(name)":\#(value(quoted($0)))}"#)
    }
  }

  private static let ntfy: [Form] =
    [
      Form(name: "ntfy, body") { keyed("POST /parcels", ["Authorization: Bearer tk_parcels"], $0) },
      Form(name: "ntfy, body with white space around it") {
        keyed("POST /parcels", ["Authorization: Bearer tk_parcels"], " \n" + $0 + "\n ")
      },
      Form(name: "ntfy, a file that is a text") {
        keyed("PUT /parcels", ["Authorization: Bearer tk_parcels", "Filename: a.txt"], $0)
      },
      Form(name: "ntfy, message in the query", room: small / 3) {
        keyed("GET /parcels/trigger?message=\(escaped($0))", ["Authorization: Bearer tk_parcels"], "")
      },
      json("actions") { #"[{"action":"view","label":"Open","url":\#($0)}]"# },
      json("tags") { "[\($0)]" },
      Form(name: "ntfy, name of an action's part", room: 3_900) {
        keyed(
          "POST /", ["Authorization: Bearer tk_parcels"],
          #"{"topic":"parcels","message":"x","actions":[{"action":"view","label":"x",\#(quoted($0)):"x"}]}"#)
      },
      Form(name: "ntfy, name of a written action's part", room: 3_900) {
        keyed("POST /parcels", ["Authorization: Bearer tk_parcels", "Actions: view, x, x, a\($0)=x"], "x")
      },
    ]
    + ["title", "message", "tags", "click", "filename", "cache", "markdown", "email", "actions", "unknown"].map {
      json($0) { $0 }
    }
    + ["Title", "Message", "Tags", "Click", "Filename", "Markdown", "X-Unknown"].map {
      Form(name: "ntfy, field \($0)", room: small, more: encodedWords, make: inField($0))
    }

  /// Encoded words of RFC 2047, and beginnings of them.
  private static let encodedWords: [(String, String)] = [
    "=?", "=?utf-8?q?", "=?utf-8?b?", "=?utf-8?q?a?= ", "=?utf-8?q?=", "?=", "=?utf-8?b?YQ", "=?utf-8?x?a?=",
  ].flatMap { unit in
    ["", "?=", "=?utf-8?q?a?="].map { ("\(unit)…\($0)", repeated(unit, small - 20) + $0) }
  }

  private static let gotify: [Form] = [
    Form(name: "Gotify, name of an extra that there is room for", room: 3_900) {
      keyed("POST /message?token=tk_parcels", [], #"{"message":"x","extras":{\#(quoted($0)):1}}"#)
    },
    Form(name: "Gotify, JSON") {
      keyed("POST /message?token=tk_parcels", [], #"{"message":\#(quoted($0)),"title":"x","priority":5}"#)
    },
    Form(name: "Gotify, extras") {
      keyed("POST /message?token=tk_parcels", [], #"{"message":"x","extras":{"a":\#(quoted($0))}}"#)
    },
    Form(name: "Gotify, name of an extra") {
      keyed("POST /message?token=tk_parcels", [], #"{"message":"x","extras":{\#(quoted($0)):1}}"#)
    },
    Form(name: "Gotify, form", room: large / 3) {
      keyed("POST /message?token=tk_parcels", [urlEncoded], "title=x&message=\(escaped($0))")
    },
    Form(name: "Gotify, multipart") {
      keyed("POST /message?token=tk_parcels", [multipart], part("message", $0))
    },
    Form(name: "Gotify, name of a form's field", room: large / 3) {
      keyed("POST /message?token=tk_parcels", [urlEncoded], "\(escaped($0))=x&message=x")
    },
  ]

  private static let hooks: [Form] = [
    Form(name: "hook, text") { keyed("POST /h/tk_plain", [], $0) },
    Form(name: "hook, text that is called a form") { keyed("POST /h/tk_plain", [urlEncoded], $0) },
    Form(name: "hook, form", room: large / 3) {
      keyed("POST /h/tk_plain", [urlEncoded], "title=\(escaped($0))&x=y")
    },
    Form(name: "hook, form without a text", room: large / 3) {
      keyed("POST /h/tk_plain", [urlEncoded], "\(escaped($0))=y&x=y")
    },
    Form(name: "hook, multipart") { keyed("POST /h/tk_plain", [multipart], part("message", $0)) },
    Form(name: "hook, tags") { keyed("POST /h/tk_plain", [], #"{"message":"x","tags":\#(quoted($0))}"#) },
    Form(name: "hook, replaces") { keyed("POST /h/tk_plain", [], #"{"message":"x","replaces":\#(quoted($0))}"#) },
    Form(name: "hook, level") { keyed("POST /h/tk_plain", [], #"{"message":"x","level":\#(quoted($0))}"#) },
    Form(name: "hook, JSON without a text") { keyed("POST /h/tk_plain", [], #"{"x":\#(quoted($0))}"#) },
    Form(name: "hook, a template with many places") {
      keyed("POST /h/tk_github", [], #"{"action":"x","issue":{"title":\#(quoted($0))}}"#)
    },
    Form(name: "hook, a template with all elements") { text in
      let alerts = (0..<16).map { number in
        let part = text.unicodeScalars.prefix(text.unicodeScalars.count / 17)
        return #"{"annotations":{"summary":\#(quoted(String(part) + "\(number)"))}}"#
      }
      return keyed("POST /h/tk_grafana", [], #"{"alerts":[\#(alerts.joined(separator: ","))]}"#)
    },
  ]

  private static let apns: [Form] = ["body", "title", "unknown"].map { name in
    Form(name: "APNs, \(name)", target: .push, room: 3_900) {
      pushed(#"{"aps":{"alert":{"body":"x","\#(name)":\#(quoted($0))}}}"#)
    }
  }

  private static let service2008: [Form] = [
    Form(name: "2008 service", target: .propertyList, room: 900) {
      Array("<plist><dict><key>AlertBody</key><string>\(inXML($0))</string></dict></plist>".utf8)
    },
    Form(name: "2008 service, name of a value", target: .propertyList, room: 850) {
      let value = "<key>\(inXML($0))</key><string>x</string>"
      return Array("<plist><dict><key>AlertBody</key><string>x</string>\(value)</dict></plist>".utf8)
    },
  ]

  private static func inXML(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  }
}

// MARK: Bodies of many values

private let keyedStructures: [WorstCase] =
  values.flatMap { name, value -> [WorstCase] in
    let frames: [(String, String, String)] = [
      ("ntfy", "POST /", #"{"topic":"parcels","message":"x","unknown":"#),
      ("ntfy, tags", "POST /", #"{"topic":"parcels","message":"x","tags":"#),
      ("ntfy, actions", "POST /", #"{"topic":"parcels","message":"x","actions":"#),
      ("Gotify, extras", "POST /message", #"{"message":"x","extras":"#),
      ("hook", "POST /h/tk_plain", #"{"unknown":"#), ("hook, tags", "POST /h/tk_plain", #"{"message":"x","tags":"#),
      ("hook for GitHub", "POST /h/tk_github", #"{"workflow_run":"#),
      ("hook for Grafana", "POST /h/tk_grafana", #"{"alerts":"#),
    ]
    return frames.map { frame, line, start in
      func make(_ value: String) -> [UInt8] {
        keyed(line, ["Authorization: Bearer tk_parcels"], "\(start)\(value)}")
      }
      return WorstCase(
        target: .keyedRequest, description: "\(frame): \(name)", bytes: make(value), plain: make(plainList))
    }
  } + forms + heads

/// A list in the form that services write.
private let plainList = "[\(repeated("\"xxxxxxxxxxxxxxxx\",", Form.large - 200))\"x\"]"

private let values: [(String, String)] = {
  func filled(_ start: String, _ unit: (Int) -> String, _ end: String) -> String {
    var (text, number) = (start, 0)
    while text.utf8.count < Form.large - 200 {
      text += (number == 0 ? "" : ",") + unit(number)
      number += 1
    }
    return text + end
  }
  let deep = String(repeating: "[", count: 28)
  let closed = String(repeating: "]", count: 28)
  return [
    ("numbers", filled("[", { _ in "1" }, "]")), ("empty texts", filled("[", { _ in "\"\"" }, "]")),
    ("texts of a letter", filled("[", { _ in "\"a\"" }, "]")), ("empty objects", filled("[", { _ in "{}" }, "]")),
    ("nested arrays", filled("[", { _ in deep + closed }, "]")), ("nulls", filled("[", { _ in "null" }, "]")),
    ("a number of many digits", "0." + String(repeating: "3", count: Form.large - 200)),
    ("one name many times", filled("{", { _ in "\"a\":1" }, "}")),
    ("many names", filled("{", { "\"k\($0)\":1" }, "}")),
    ("the template's names, many times", filled("{", { _ in "\"name\":{}" }, "}")),
    ("objects of many names", filled("[", { "{\"labels\":{\"k\($0)\":1}}" }, "]")),
    ("escaped letters", "\"" + String(repeating: "\\u00e4", count: Form.large / 6 - 40) + "\""),
    ("escaped flags", "\"" + String(repeating: "\\ud83c\\udde9", count: Form.large / 12 - 20) + "\""),
    ("escaped controls", "\"" + String(repeating: "\\u0001", count: Form.large / 6 - 40) + "\""),
  ]
}()

private let forms: [WorstCase] = {
  let large = Form.large
  let dashes = String(repeating: "-", count: 70)
  let long = String(repeating: "-", count: 4_000)
  let plain = String(repeating: "x", count: large)
  func multipart(_ boundary: String, _ body: String) -> (String, String) {
    ("Content-Type: multipart/form-data; boundary=\(boundary)", body)
  }
  let head = "Content-Disposition: form-data; name=\"message\"\r\n\r\n"
  let bodies: [(String, (String, String))] = [
    ("a boundary of dashes", multipart(dashes, "--\(dashes)\r\n" + repeated("-", large - 80))),
    ("a long boundary of dashes", multipart(long, "--\(long)\r\n" + repeated("-", large - 4_010))),
    (
      "a boundary that nearly comes",
      multipart(dashes, "--\(dashes)\r\n" + repeated("\r\n--\(dashes.dropLast())", large - 80))
    ),
    (
      "a preamble of dashes",
      multipart(
        long + "b", repeated("-", large - 9_000) + "\r\n--\(long)b\r\n\(head)x\r\n--\(long)b--")
    ), ("a boundary before none", multipart("b", repeated("-", large))),
    ("many parts", multipart("b", "--b" + repeated("\r\n\(head)\r\n--b", large) + "--")),
    ("many files", multipart("b", "--b" + repeated("\r\n\r\n\r\n--b", large) + "--")),
    ("many lines of a part's head", multipart("b", "--b\r\n" + repeated("a:b\r\n", large) + "\r\n\r\n--b--")),
    (
      "parameters of a part",
      multipart("b", "--b\r\nContent-Disposition: form-data" + repeated(";a=b", large) + "\r\n\r\n\r\n--b--")
    ),
    ("many fields", (urlEncoded, repeated("a=b&", large))), ("many names", (urlEncoded, repeated("a&", large))),
    ("ampersands", (urlEncoded, repeated("&", large))), ("equals signs", (urlEncoded, repeated("=", large))),
    ("escapes", (urlEncoded, "message=" + repeated("%41", large))),
    ("pluses", (urlEncoded, "message=" + repeated("+", large))),
    ("escaped flags", (urlEncoded, "message=" + repeated("%F0%9F%87%A9", large))),
  ]
  return bodies.flatMap { name, made -> [WorstCase] in
    [("Gotify", "POST /message?token=tk_parcels"), ("hook", "POST /h/tk_plain")].map { frontEnd, line in
      WorstCase(
        target: .keyedRequest, description: "\(frontEnd), form: \(name)", bytes: keyed(line, [made.0], made.1),
        plain: keyed(line, [urlEncoded], "message=" + plain))
    }
  }
}()

/// Requests with many header fields, and long queries.
private let heads: [WorstCase] = {
  let small = Form.small
  let key = "Authorization: Bearer tk_parcels"
  let plain = keyed("POST /parcels", [key, "X-Unknown: \(repeated("x", small))"], "x")
  let delay = "Delay: \(repeated("0s", 40))10s"
  let queries = ["a&", "&", "a=%41&", "%41", "title=a&", "x-title=a&", "%CC%95%CC%80%D6%AE", "A=\u{301}&", "%CC%81"]
  return queries.flatMap { unit in
    ["POST /parcels", "POST /h/tk_plain", "GET /h/tk_plain", "POST /parcels/x"].map { line in
      WorstCase(
        target: .keyedRequest, description: "\(line), query of \(unit)",
        bytes: keyed("\(line)?\(repeated(unit, small))", [key], line.hasPrefix("GET") ? "" : "x"), plain: plain)
    }
  }
    + ["a: b", "X-Title: a", "authorizatiom: b", "x-unified-push: b"].map { field in
      WorstCase(
        target: .keyedRequest, description: "many fields \(field)",
        bytes: keyed("POST /parcels", [key] + Array(repeating: field, count: small / (field.utf8.count + 32)), "x"),
        plain: plain)
    } + [
      WorstCase(
        target: .keyedRequest, description: delay, bytes: keyed("POST /parcels", [key, delay], "x"), plain: plain)
    ]
}()

// MARK: Writing

private let urlEncoded = "Content-Type: application/x-www-form-urlencoded"
private let multipart = "Content-Type: multipart/form-data; boundary=b"

private func part(_ name: String, _ text: String) -> String {
  "--b\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(text)\r\n--b--"
}

/// Returns a request in the form of `keyed-request`.
private func keyed(_ line: String, _ fields: [String], _ body: String) -> [UInt8] {
  Array(([line] + fields + ["Content-Length: \(body.utf8.count)", "", body]).joined(separator: "\n").utf8)
}

/// Returns a request in the form of `push`.
private func pushed(_ payload: String) -> [UInt8] {
  let token = String(repeating: "01", count: 32)
  return Array(
    ":method: POST\n:path: /3/device/\(token)\napns-topic: com.example.mail\n\n\(payload)".utf8)
}

/// Returns a JSON string.
private func quoted(_ text: String) -> String {
  var bytes: [UInt8] = [UInt8(ascii: "\"")]
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
    case ..<0x20: bytes += Array("\\u00".utf8) + [0x30 + byte >> 4] + Array(String(byte & 15, radix: 16).utf8)
    default: bytes.append(byte)
    }
  }
  return String(decoding: bytes + [UInt8(ascii: "\"")], as: UTF8.self)
}

/// Returns the text with every byte escaped.
private func escaped(_ text: String) -> String {
  text.utf8.map { ($0 < 16 ? "%0" : "%") + String($0, radix: 16) }.joined()
}
