import HTTP
import HandsetCore
import Testing

@testable import PushPort

@Suite("Sizes of messages with access keys", .timeLimit(.minutes(10)))
struct MessageSizeTests {
  private func extras(of push: Push, _ name: String) -> String {
    let text = push.payloadText
    return String(text[(text.range(of: "\"\(name)\":")?.upperBound ?? text.endIndex)...].dropLast())
  }

  @Test("The extras of a message are limited; actions are left out first, then the click, then the tags")
  func extrasOfNtfy() async throws {
    // For an id of 12 letters, priority, tags, topic and click.
    let port = try await KeyedPort(limits: .patient { $0.messageExtrasBytes = 120 })
    func click(_ length: Int) -> String { "https://x/" + String(repeating: "a", count: length - 10) }
    for length in [44, 45] {
      let answer = try await port.publish(
        "POST", "/parcels", "x", ["Click": click(length), "Tags": "a", "Actions": "view, Open, https://x"])
      #expect(answer.hasPrefix("200 "))
    }
    let pushes = port.recorder.pushes
    #expect(extras(of: pushes[0], "ntfy").utf8.count == 120)
    #expect(extras(of: pushes[0], "ntfy").contains(click(44)))
    #expect(!extras(of: pushes[1], "ntfy").contains("click"))
    #expect(extras(of: pushes[1], "ntfy").contains(#""tags":["a"]"#))
    #expect(pushes.map { $0.faults.map(\.path) } == [["actions"], ["actions", "click"]])
    #expect(
      pushes[1].faults.last?.problem
        == "with it the app would get more than 120 bytes beside the message")
  }

  @Test("Actions in a text that is too long are not parsed")
  func longActions() async throws {
    let port = try await KeyedPort(limits: .patient { $0.messageExtrasBytes = 200 })
    for length in [200, 201] {
      let start = "view, Open, https://x/"
      let text = start + String(repeating: "a", count: length - start.utf8.count)
      #expect(try await port.publish("POST", "/parcels", "x", ["Actions": text]).hasPrefix("200 "))
    }
    let pushes = port.recorder.pushes
    #expect(pushes.map { $0.options?.actions?.count } == [1, nil])
    #expect(pushes.map { $0.faults.map(\.path) } == [["actions"], ["actions"]])
  }

  @Test(
    "The push made of the largest body is no larger than APNs' limit, its text not counted",
    arguments: ["click", "tags", "actions"])
  func largestBody(_ key: String) async throws {
    let port = try await KeyedPort()
    let large = String(repeating: "a", count: 200_000)
    let value =
      switch key {
      case "click": "\"\(large)\""
      case "tags": "[\"\(large)\"]"
      default: #"[{"action":"view","label":"Open","url":"\#(large)"}]"#
      }
    let answer = try await port.publish(
      "POST", "/", #"{"topic":"parcels","message":"x","\#(key)":\#(value)}"#)
    #expect(answer.hasPrefix("200 "))
    let push = try #require(port.recorder.pushes.first)
    #expect(push.payload.count < 4_096)
    // An action of that size is neither in the payload nor on the handset.
    #expect(push.faults.map(\.path) == [key])
    #expect(push.tags == nil)
  }

  @Test("Tags beyond the limit are left out, the first ones stay")
  func tags() async throws {
    let port = try await KeyedPort(limits: .patient { $0.messageTagBytes = 6 })
    for tags in ["one,two", "one,four,x"] { _ = try await port.publish("POST", "/parcels", "x", ["Tags": tags]) }
    let pushes = port.recorder.pushes
    #expect(pushes.map(\.tags) == [["one", "two"], ["one"]])
    #expect(pushes.map { $0.faults.map(\.problem) } == [[], ["more than 6 bytes; the app gets the first 1"]])
  }

  @Test("An extra whose name is too long is left out with all extras")
  func longNames() async throws {
    let port = try await KeyedPort()
    for length in [JSONElement.nameLimit, JSONElement.nameLimit + 1] {
      let name = String(repeating: "a", count: length)
      let gotify = #"{"message":"m","extras":{"\#(name)":1}}"#
      #expect(try await port.send("POST", "/message?token=\(topicKey)", gotify).hasPrefix("200 "))
      let action = #"{"action":"view","label":"Open","url":"https://x","\#(name)":"x"}"#
      let ntfy = #"{"topic":"parcels","message":"m","actions":[\#(action)]}"#
      #expect(try await port.publish("POST", "/", ntfy).hasPrefix("200 "))
    }
    #expect(port.recorder.pushes.map { $0.faults.map(\.path) } == [[], [], ["extras"], ["actions"]])
  }

  @Test func extrasOfGotify() async throws {
    let port = try await KeyedPort(limits: .patient { $0.messageExtrasBytes = 40 })
    for length in [10, 11] {
      let body = #"{"message":"m","extras":{"\#(String(repeating: "a", count: length))":1}}"#
      #expect(try await port.send("POST", "/message?token=\(topicKey)", body).hasPrefix("200 "))
    }
    let pushes = port.recorder.pushes
    #expect(
      pushes.map { extras(of: $0, "gotify") }
        == [#"{"extras":{"aaaaaaaaaa":1},"priority":5}"#, #"{"priority":5}"#])
    #expect(pushes.map { $0.faults.map(\.path) } == [[], ["extras"]])
  }

  @Test("The messages remembered for a key are limited in bytes and in number")
  func remembered() throws {
    func event(_ id: String, bytes: Int) -> NtfySubscriptions.Event {
      let empty = #"{"event":"message","id":"\#(id)","message":""}"#
      // Including the line feed.
      let text = String(repeating: "x", count: bytes - empty.utf8.count - 1)
      return .init("message", id: id, time: 0, ["message": .string(text)])
    }
    var limits = PortLimits.patient
    limits.rememberedMessageBytes = 200
    limits.rememberedMessages = 3
    let directory = try keyedDirectory()
    let subscriptions = NtfySubscriptions(directory, limits: limits)
    let provider = try #require(directory.provider(for: AccessKey(topicKey)))
    for (id, bytes, kept) in [
      ("a", 80, ["a"]), ("b", 120, ["a", "b"]), ("c", 60, ["b", "c"]), ("d", 60, ["c", "d"]),
      ("e", 60, ["c", "d", "e"]), ("f", 60, ["d", "e", "f"]), ("g", 201, []), ("h", 200, ["h"]),
    ] {
      subscriptions.publish(event(id, bytes: bytes), by: provider)
      #expect(subscriptions.recent(provider.key, since: .all, NtfyFilter()).map(\.id) == kept, "\(id)")
    }
  }
}

@Suite("Badges of messages with access keys") struct KeyedBadgeTests {
  private let port: KeyedPort

  init() async throws { port = try await KeyedPort() }

  private static let json: HeaderFields = ["Content-Type": "application/json"]

  @Test("ntfy: a header field, the query, JSON")
  func ntfy() async throws {
    _ = try await port.publish("POST", "/parcels", "x", ["Badge": "12"])
    _ = try await port.publish("POST", "/parcels?badge=0", "x")
    _ = try await port.publish("POST", "/", #"{"topic":"parcels","message":"x","badge":7}"#)
    _ = try await port.publish("POST", "/parcels", "x")
    #expect(port.recorder.pushes.map(\.badge) == [.number(12), .number(0), .number(7), .absent])
    #expect(port.recorder.pushes.allSatisfy { $0.faults.isEmpty && $0.sound == .system })
    #expect(String(decoding: port.recorder.pushes[0].payload, as: UTF8.self).contains(#""badge":12"#))
  }

  @Test(
    "A badge that is no whole number of zero or more is ignored, the rest of the message applies",
    arguments: ["-1", "+1", "1.5", "two", "3a", "99999999999999999999", "1 2"])
  func bad(_ text: String) async throws {
    _ = try await port.publish("POST", "/parcels", #"{"topic":"parcels"}"#, ["Badge": text])
    let push = try #require(port.recorder.pushes.first)
    #expect(push.badge == .absent)
    #expect(push.faults.map(\.path) == ["badge"])
  }

  @Test("Hooks: JSON, a form, and the query beside a text")
  func hooks() async throws {
    _ = try await port.send("POST", "/h/\(hookKey)", #"{"message":"m","badge":3}"#, Self.json)
    _ = try await port.send("GET", "/h/\(hookKey)?message=m&badge=4")
    _ = try await port.send("POST", "/h/\(hookKey)?badge=5", "It is done")
    _ = try await port.send("POST", "/h/\(hookKey)", #"{"message":"m","badge":"many"}"#, Self.json)
    #expect(port.recorder.pushes.map(\.badge) == [.number(3), .number(4), .number(5), .absent])
    #expect(port.recorder.pushes.map { $0.faults.map(\.path) } == [[], [], [], ["badge"]])
  }
}

@Suite("Texts with access keys")
struct KeyedTextTests {
  @Test("Encoded words of RFC 2047, in base64 and quoted-printable; other text stays")
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
    "Encoded words in any character set that iconv reads",
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

  @Test("The length of a delay's text is limited")
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
